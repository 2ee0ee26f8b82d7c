package lint

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"

	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/internal/expression/decide"
)

// The statuses that an answer can have: of HTTP (net/http takes three digits),
// and of Go functions, whose failures are 1.
const (
	lowestHTTP, highestHTTP         = 100, 999
	lowestFunction, highestFunction = 0, 1
)

// conditions finds error rules that never match, and those that others match
// before.
func (c *checker) conditions(t *tool) {
	rules := t.at.at("errors")
	var texts []string
	var places []int // in the list of rules
	for i, rule := range t.Written.GetErrors() {
		if c.isCondition(rule.GetWhen()) {
			texts, places = append(texts, rule.GetWhen()), append(places, i)
		}
	}
	space, err := decide.New(c.reads(t), texts)
	if err != nil || len(texts) == 0 {
		return
	}
	var before []int
	for i, place := range places {
		at := rules.at(place, "when")
		switch {
		case c.namesNothing(at, expression.InRule, map[string]*tool{"arguments": t}): // and that is said
		case space.Never(i):
			c.add(ruleNeverMatches, c.doc.content(at), fmt.Sprintf("errors[%d] can never match: no answer makes %s true", place, texts[i]),
				"mend the condition, or take the rule out")
			continue
		default:
			c.shadowed(space, i, before, places, rules)
		}
		if t.Written.GetHttp() != nil && space.Everywhere(i, 200, 299) {
			c.add(ruleMatchesSuccess, c.doc.content(at), fmt.Sprintf("errors[%d] matches every 2xx answer: no call of %s can succeed", place, t.Written.GetName()),
				"say in the condition which answers have failed, for example status >= 400 && …")
		}
		before = append(before, i)
	}
}

// isCondition reports that a text compiles; what does not is said elsewhere.
func (c *checker) isCondition(text string) bool {
	compiled, issues := c.compiler.Environment(expression.InRule).Compile(text)
	return issues.Err() == nil && (compiled.OutputType().IsExactType(cel.BoolType) || compiled.OutputType().IsExactType(cel.DynType))
}

func (c *checker) shadowed(space *decide.Space, i int, before, places []int, rules spot) {
	by, covered := space.Covered(i, before)
	if !covered {
		return
	}
	at := rules.at(places[i], "when")
	if by < 0 {
		c.add(ruleShadowed, c.doc.content(at), fmt.Sprintf("errors[%d] can never speak: wherever it is true, one of the rules above is", places[i]),
			"put it before them, or take it out")
		return
	}
	f := c.add(ruleShadowed, c.doc.content(at), fmt.Sprintf("errors[%d] can never speak: wherever it is true, errors[%d] is, and comes first", places[i], places[by]),
		fmt.Sprintf("put it before errors[%d], or take it out", places[by]))
	f.Related = &Related{Place: c.doc.content(rules.at(places[by], "when")), Message: "this one comes first"}
}

// reads says what the rules of a tool read.
func (c *checker) reads(t *tool) decide.Reads {
	low, high := lowestHTTP, highestHTTP
	if t.Written.GetHttp() == nil {
		low, high = lowestFunction, highestFunction
	}
	return decide.Reads{
		Env: c.compiler.Environment(expression.InRule), Variables: []string{"status", "headers", "body", "arguments"},
		LowStatus: low, HighStatus: high,
		Known: func(path decide.Path) decide.Known { return knownOf(t, path) },
	}
}

// knownOf is what is known of a header's name and of an argument.
func knownOf(t *tool, path decide.Path) decide.Known {
	if len(path) != 2 {
		return decide.Known{}
	}
	name, isName := path[1].(string)
	switch {
	case !isName:
		return decide.Known{}
	case path[0] == "headers":
		return decide.Known{Missing: name != strings.ToLower(name)}
	case path[0] == "arguments" && t.closed():
		return knownArgument(t, name)
	}
	return decide.Known{}
}

func knownArgument(t *tool, name string) decide.Known {
	if !t.schema.declares(name) {
		return decide.Known{Missing: true}
	}
	known := decide.Known{}
	argument := t.schema.at.at("properties").child(name)
	if types := typesOf(argument); len(types) != 1 || types[0] != "string" {
		return known
	}
	for value := range argument.at("enum").items {
		text, isText := value.word()
		if !isText {
			return decide.Known{}
		}
		known.Only = append(known.Only, text)
	}
	return known
}
