package lint

import (
	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/internal/expression/decide"
)

// verification finds a verify_with that says nothing of any call.
func (c *checker) verification(t *tool) {
	written := t.Written.GetVerifyWith()
	if written == nil || c.unread(t, "verify_with") {
		return
	}
	at := t.at.at("verify_with")
	if written.GetNotExecuted() == "" && written.GetExecuted() == "" {
		c.add(verificationSettlesNothing, c.doc.name(at), "verify_with asks no question",
			"not_executed: error != null && error.code == \"not_found\"; executed: error == null")
		return
	}
	other := c.toolNamed(written.GetTool())
	for field, text := range map[string]string{"not_executed": written.GetNotExecuted(), "executed": written.GetExecuted()} {
		place := at.at(field)
		if c.parse(place, expression.InVerification) == nil || other == nil {
			continue
		}
		if c.namesNothing(place, expression.InVerification, map[string]*tool{"arguments": other, "unknown": t}) {
			continue
		}
		space, err := decide.New(decide.Reads{
			Env: c.compiler.Environment(expression.InVerification), Variables: []string{"result", "error", "arguments", "unknown"},
			Known: func(path decide.Path) decide.Known { return askedOf(t, other, path) },
		}, []string{text})
		if err == nil && space.Never(0) {
			c.add(verificationSettlesNothing, c.doc.content(place), field+" can never be true", "mend the condition, or leave it out")
		}
	}
}

// askedOf: result and error exclude each other, which is more than is needed
// here; what is known of arguments is.
func askedOf(t, other *tool, path decide.Path) decide.Known {
	who := map[any]*tool{"arguments": other, "unknown": t}[path[0]]
	if who == nil || len(path) != 2 {
		return decide.Known{}
	}
	return knownOf(who, decide.Path{"arguments", path[1]})
}
