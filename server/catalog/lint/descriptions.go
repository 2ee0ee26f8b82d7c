package lint

import (
	"fmt"
)

// How long descriptions may be, in bytes. Some providers of models take at most
// 1,024 characters for a tool's, the contract's short form included.
const (
	maxToolDescription     = 800
	maxArgumentDescription = 400
)

// describes finds descriptions that are missing or too long.
func (c *checker) describes(t *tool) {
	if c.unread(t, "description") {
		return
	}
	at := t.at.at("description")
	described := t.Written.GetMcp() != nil || t.Written.GetGrpc() != nil // by its server
	switch size := len(t.Written.GetDescription()); {
	case size == 0 && described:
	case size == 0:
		c.add(descriptionMissing, c.doc.content(t.at.at("name")), t.Written.GetName()+" has no description", "description: what it does, what it returns, when not to use it")
	case size > maxToolDescription && size <= maxServed:
		c.add(descriptionTooLong, c.doc.content(at), fmt.Sprintf("the description of %s is %d bytes long, about %d tokens", t.Written.GetName(), size, tokens(size)),
			fmt.Sprintf("at most %d bytes: what it does first, the rest to the arguments", maxToolDescription))
	}
	for p := range t.schema.properties {
		about := p.at.at("description")
		if size := len(about.text()); size > maxArgumentDescription {
			c.add(descriptionTooLong, c.doc.content(about), fmt.Sprintf("the description of %s is %d bytes long, about %d tokens", p.name, size, tokens(size)),
				fmt.Sprintf("at most %d bytes: what can be said by type, format, enum or examples is better said there", maxArgumentDescription))
		}
	}
}

// maxServed is what loading takes.
const maxServed = 1024

// tokens estimates what text costs: four bytes of English are one.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// upstreams finds those that no tool uses.
func (c *checker) upstreams() {
	used := map[string]bool{}
	for _, tool := range c.reading.Written.GetTools() {
		used[tool.GetUpstream()] = true
	}
	for _, document := range c.reading.Written.GetOpenapi() {
		used[document.GetUpstream()] = true
	}
	for _, service := range c.reading.Written.GetGrpc() {
		used[service.GetUpstream()] = true
	}
	for _, server := range c.reading.Written.GetMcp() {
		used[server.GetUpstream()] = true
	}
	for upstream := range c.doc.root.at("upstreams").members {
		if !used[upstream.key.Value] && !c.refusedBelow("tools") {
			c.add(unusedUpstream, c.doc.name(upstream), "no tool uses the upstream "+upstream.key.Value,
				"take it out, or name it in a tool: upstream: "+quoteYAML(upstream.key.Value))
		}
	}
}
