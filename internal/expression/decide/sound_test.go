package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/expression"
)

// maker makes conditions and answers out of the same few words, so that they
// often meet.
type maker struct{ *rand.Rand }

func (m maker) one(of ...string) string { return of[m.IntN(len(of))] }

func (m maker) path() string {
	return m.one("body.a", "body.b", `body["a"]`, "body.a.b", "body.l[0]", "body.l[1].a", "headers.x", "arguments.a", "body")
}

func (m maker) constant() string {
	return m.one(`"x"`, `"xy"`, "1", "1.5", "2", "-1", "null", "true", "false", `""`)
}

func (m maker) condition(depth int) string {
	if depth == 0 {
		switch m.IntN(9) {
		case 0:
			return fmt.Sprintf("status %s %d", m.one("==", "!=", "<", "<=", ">", ">="), 400+m.IntN(4))
		case 1:
			return fmt.Sprintf("dyn(%s) %s dyn(%s)", m.path(), m.one("==", "!="), m.constant())
		case 2:
			return fmt.Sprintf("dyn(%s) %s %s", m.path(), m.one("<", "<=", ">", ">="), m.one("1", "1.5", "2"))
		case 3:
			return fmt.Sprintf("dyn(%s) in [dyn(%s), dyn(%s)]", m.path(), m.constant(), m.constant())
		case 4:
			return "has(" + m.one("body.a", "body.b", "body.a.b", "headers.x", "arguments.a") + ")"
		case 5:
			return fmt.Sprintf("string(dyn(%s)).startsWith(%q)", m.path(), m.one("x", "xy", "y"))
		case 6:
			return m.one("body.a", "body.b", "body.a.b")
		case 7:
			return fmt.Sprintf("%s == %s", m.one("body.a", "body.b"), m.one("body.a", "body.b"))
		default:
			return m.one("true", "false", "status / 100 == 4", "status in [400, 401]", "size(body.l) > 0", `"a" in body`, "body.l.exists(i, i == 1)")
		}
	}
	switch m.IntN(4) {
	case 0:
		return "!(" + m.condition(depth-1) + ")"
	case 1:
		return "(" + m.condition(depth-1) + " ? " + m.condition(depth-1) + " : " + m.condition(depth-1) + ")"
	case 2:
		return "(" + m.condition(depth-1) + " || " + m.condition(depth-1) + ")"
	}
	return "(" + m.condition(depth-1) + " && " + m.condition(depth-1) + ")"
}

func (m maker) value(depth int) string {
	if depth == 0 || m.IntN(2) == 0 {
		return m.one(`"x"`, `"xy"`, `"z"`, "1", "1.0", "1.2", "1.5", "2", "3", "-1", "-7", "null", "true", "false", `""`, "[]", "{}")
	}
	if m.IntN(3) == 0 {
		return "[" + m.value(depth-1) + "," + m.value(depth-1) + "]"
	}
	var members []string
	for _, name := range []string{"a", "b", "l"} {
		if m.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, m.value(depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (m maker) reply() (*interceptors.Reply, []byte) {
	reply := &interceptors.Reply{Status: 399 + m.IntN(6), Header: map[string][]string{}, Body: []byte(m.value(3))}
	if m.IntN(8) == 0 {
		reply.Body = []byte("no JSON")
	}
	if m.IntN(2) == 0 {
		reply.Header["X"] = []string{m.one("x", "xy", "q", "")}
	}
	arguments := "{}"
	if m.IntN(2) == 0 {
		arguments = `{"a":` + m.value(1) + `}`
	}
	return reply, []byte(arguments)
}

// What is proved holds for whatever comes: against the engine that serves.
func TestNothingIsProvedThatIsNotSo(t *testing.T) {
	compiler, err := expression.New()
	if err != nil {
		t.Fatal(err)
	}
	m := maker{rand.New(rand.NewPCG(7, 11))}
	never, covered, everywhere := 0, 0, 0
	for range 400 {
		texts := []string{m.condition(m.IntN(3)), m.condition(m.IntN(3)), m.condition(m.IntN(3))}
		var rules []interceptors.Rules
		for _, text := range texts {
			compiled, err := compiler.Rules("t", []*catalogv1.ErrorRule{{When: text, Class: catalogv1.Class_CLASS_TERMINAL}})
			if err != nil {
				break
			}
			rules = append(rules, compiled)
		}
		if len(rules) < len(texts) {
			continue // a type that the checker knows better
		}
		s := space(t, texts...)
		neverTrue, always := s.Never(2), s.Everywhere(2, 400, 404)
		_, isCovered := s.Covered(2, []int{0, 1})
		if neverTrue {
			never++
		}
		if isCovered {
			covered++
		}
		if always {
			everywhere++
		}
		for range 60 {
			reply, arguments := m.reply()
			matches := rules[2].Match(reply, arguments) != nil
			earlier := rules[0].Match(reply, arguments) != nil || rules[1].Match(reply, arguments) != nil
			switch {
			case matches && neverTrue:
				t.Fatalf("%s is proved never to be true, and is for %d %v %s %s", texts[2], reply.Status, reply.Header, reply.Body, arguments)
			case matches && isCovered && !earlier:
				t.Fatalf("%s is proved to be covered by %q, and is not for %d %v %s %s", texts[2], texts[:2], reply.Status, reply.Header, reply.Body, arguments)
			case always && !matches && reply.Status >= 400 && reply.Status <= 404:
				t.Fatalf("%s is proved to be true everywhere, and is not for %d %v %s %s", texts[2], reply.Status, reply.Header, reply.Body, arguments)
			}
		}
	}
	t.Logf("%d proved never, %d covered, %d everywhere", never, covered, everywhere)
	if never < 5 || covered < 20 || everywhere < 5 {
		t.Error("too little is proved for this to say something")
	}
}
