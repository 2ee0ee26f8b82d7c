package check

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
)

// tools pairs the tools of both catalogues by name.
func (c *comparison) tools() {
	now := byName(c.after.Entries)
	old := byName(c.before.Entries)
	renamed := map[string]bool{}
	for _, entry := range c.before.Entries {
		name := entry.Written.GetName()
		if same, ok := now[name]; ok {
			(&pair{comparison: c, old: entry, now: same}).compare()
			continue
		}
		if other, ok := c.renamed(entry, old); ok {
			renamed[other.Written.GetName()] = true
			p := &pair{comparison: c, old: entry, now: other}
			p.add(toolRenamed, "", fmt.Sprintf("%s is called %s now", name, other.Written.GetName()), "name")
			p.compare()
			continue
		}
		c.addIn(c.before, entry.Index, Change{Rule: toolRemoved, Tool: name, Message: name + " is gone"}, "name")
	}
	for _, entry := range c.after.Entries {
		name := entry.Written.GetName()
		if _, known := old[name]; !known && !renamed[name] {
			c.addIn(c.after, entry.Index, Change{Rule: toolAdded, Tool: name, Message: name + " is new"}, "name")
		}
	}
}

func byName(entries []catalog.Entry) map[string]catalog.Entry {
	all := map[string]catalog.Entry{}
	for _, entry := range entries {
		all[entry.Written.GetName()] = entry
	}
	return all
}

// renamed finds a new tool that is the old one in all but its name.
func (c *comparison) renamed(entry catalog.Entry, old map[string]catalog.Entry) (catalog.Entry, bool) {
	for _, other := range c.after.Entries {
		if _, known := old[other.Written.GetName()]; known {
			continue
		}
		if sameRequest(entry.Written, other.Written) || other.Written.GetDescription() != "" && other.Written.GetDescription() == entry.Written.GetDescription() {
			return other, true
		}
	}
	return catalog.Entry{}, false
}

// sameRequest reports that two tools send the same request.
func sameRequest(a, b *catalogv1.Tool) bool {
	if a.GetHttp() == nil || a.GetUpstream() != b.GetUpstream() {
		return false
	}
	return a.GetHttp().GetMethod() == b.GetHttp().GetMethod() && a.GetHttp().GetUrl() == b.GetHttp().GetUrl() &&
		proto.Equal(&catalogv1.HttpCall{Query: a.GetHttp().GetQuery()}, &catalogv1.HttpCall{Query: b.GetHttp().GetQuery()})
}

// compare compares one tool.
func (p *pair) compare() {
	p.effect()
	p.schemas()
	p.failures()
	p.ways()
	p.numbers()
	p.rest()
}

func (p *pair) effect() {
	old, now := p.old.Tool.Effect, p.now.Tool.Effect
	if old == now {
		return
	}
	consequence := map[toolgatev1.Effect]string{
		toolgatev1.Effect_EFFECT_READ:       "it is repeated freely, and its success clears nothing of what a run remembers",
		toolgatev1.Effect_EFFECT_IDEMPOTENT: "it may be repeated",
		toolgatev1.Effect_EFFECT_WRITE:      "it is not repeated when its outcome is unknown, and is nothing to call without thought",
	}[now]
	p.add(effectChanged, "", fmt.Sprintf("%s was %s and is %s: %s", p.now.Written.GetName(), effectName(old), effectName(now), consequence), "effect")
}

func effectName(e toolgatev1.Effect) string {
	return strings.ToLower(strings.TrimPrefix(e.String(), "EFFECT_"))
}

// ways compares the ways out of a failure.
func (p *pair) ways() {
	old, now := p.old.Written, p.now.Written
	for i, fallback := range old.GetFallbacks() {
		if !hasFallback(now.GetFallbacks(), fallback) {
			p.gone(fallbackRemoved, "", fmt.Sprintf("%s is no fallback of %s any more", fallback.GetTool(), now.GetName()), "fallbacks", i)
		}
	}
	for i, fallback := range now.GetFallbacks() {
		if !hasFallback(old.GetFallbacks(), fallback) {
			p.add(waysAdded, "", fallback.GetTool()+" is a fallback", "fallbacks", i)
		}
	}
	for _, way := range []struct {
		field, gone, words string
		had, has           bool
	}{
		{"alternatives", alternativesRemoved, "alternatives are %s looked up", looksUp(old), looksUp(now)},
		{"verify_with", verificationRemoved, "an unknown outcome can %s be settled by a call", old.GetVerifyWith() != nil, now.GetVerifyWith() != nil},
		{"idempotency_key", idempotencyRemoved, "a write whose outcome is unknown is %s repeated under its key", old.GetIdempotencyKey() != nil, now.GetIdempotencyKey() != nil},
	} {
		switch {
		case way.had && !way.has:
			p.gone(way.gone, "", fmt.Sprintf(way.words, "no longer"), way.field)
		case !way.had && way.has:
			p.add(waysAdded, "", fmt.Sprintf(way.words, "now"), way.field)
		}
	}
}

func looksUp(t *catalogv1.Tool) bool {
	return t.GetAlternatives() != nil && t.GetAlternatives().GetWhen() != catalogv1.LookupWhen_LOOKUP_WHEN_NEVER
}

// hasFallback: the words of a label may change.
func hasFallback(all []*catalogv1.Fallback, one *catalogv1.Fallback) bool {
	for _, other := range all {
		if other.GetTool() == one.GetTool() && other.GetArguments() == one.GetArguments() {
			return true
		}
	}
	return false
}

// rest lists what breaks nobody.
func (p *pair) rest() {
	old, now := p.old.Written, p.now.Written
	if old.GetDescription() != now.GetDescription() {
		p.add(descriptionChanged, "", "the description changed", "description")
	}
	if !proto.Equal(p.before.Written.GetUpstreams()[old.GetUpstream()], p.after.Written.GetUpstreams()[now.GetUpstream()]) ||
		old.GetUpstream() != now.GetUpstream() || old.GetProvider() != now.GetProvider() ||
		!proto.Equal(old.GetHttp(), now.GetHttp()) || !proto.Equal(old.GetFunction(), now.GetFunction()) {
		p.add(requestChanged, "", "the request is another", "http")
	}
	if old.GetPoll() != now.GetPoll() || old.GetNarrow() != now.GetNarrow() || !proto.Equal(old.GetResult(), now.GetResult()) {
		p.add(resultChanged, "", "poll, narrow or result changed", "result")
	}
}
