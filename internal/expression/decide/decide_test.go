package decide_test

import (
	"testing"

	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/internal/expression/decide"
)

func reads(t testing.TB) decide.Reads {
	t.Helper()
	c, err := expression.New()
	if err != nil {
		t.Fatal(err)
	}
	return decide.Reads{
		Env: c.Environment(expression.InRule), Variables: []string{"status", "headers", "body", "arguments"}, LowStatus: 100, HighStatus: 999,
		Known: func(path decide.Path) decide.Known {
			switch path.String() {
			case "headers.Retry-After", "arguments.nope":
				return decide.Known{Missing: true}
			case "arguments.state":
				return decide.Known{Only: []any{"open", "paid"}}
			case "arguments.always":
				return decide.Known{Only: []any{true, false}, Always: true}
			}
			return decide.Known{}
		},
	}
}

func space(t testing.TB, texts ...string) *decide.Space {
	t.Helper()
	s, err := decide.New(reads(t), texts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatCanNeverBeTrue(t *testing.T) {
	for text, never := range map[string]bool{
		`false`:                                                    true,
		`1 == 2`:                                                   true,
		`status == 200 && status == 404`:                           true,
		`status == 4040`:                                           true,
		`status < 100`:                                             true,
		`status > 404 && status < 405`:                             true,
		`status >= 500 && status <= 499`:                           true,
		`status / 100 == 4 && status >= 500`:                       true,
		`string(status).startsWith("x")`:                           true,
		`status in []`:                                             true,
		`status in [404, 410] && status > 410`:                     true,
		`!(status < 400) && !(status >= 400)`:                      true,
		`body.a == "x" && body.a == "y"`:                           true,
		`body.a == "x" && body["a"] == "y"`:                        true,
		`body.a == 1 && body.a == "1"`:                             true,
		`body.a == "x" && body.a != "x"`:                           true,
		`body.a > 5 && body.a < 3`:                                 true,
		`body.a > 5 && body.a == "x"`:                              true,
		`body.a in ["x", "y"] && body.a in ["z"]`:                  true,
		`body.a == "abc" && body.a.startsWith("x")`:                true,
		`body.a == null && body.a.b == 1 && body.a != null`:        true,
		`has(body.a) && !has(body.a)`:                              true,
		`!has(body.a) && body.a == 1`:                              true,
		`!has(body.a) && body.a != 1`:                              true, // it fails
		`body.ok && !body.ok`:                                      true,
		`body.ok == true && body.ok == false`:                      true,
		`body.a.matches("^x") && !body.a.matches("^x")`:            true,
		`body.a.exists(i, i == 1) && !body.a.exists(i, i == 1)`:    true,
		`body.a == body.b && !(body.a == body.b)`:                  true,
		`body.errors[0].code == "a" && body.errors[0].code == "b"`: true,
		`(status == 400 || status == 422) && status == 404`:        true,
		`status == 404 ? false : false`:                            true,
		`status == 404 ? status == 400 : status == 404`:            true,
		`headers["Retry-After"] == "3"`:                            true,
		`has(arguments.nope)`:                                      true,
		`arguments.state == "closed"`:                              true,
		`arguments.always == "x"`:                                  true,
		`!has(arguments.always)`:                                   true,
		`body.a == 1 && body.a == 1.5`:                             true,
		`body.a == 1.0 && body.a == 1`:                             false,
		`body.a == 9007199254740993 && body.a == 9007199254740992`: false, // never, but no number fits between
		`body.a > 9007199254740992 && body.a < 9007199254740994`:   false,
		`true`:                                                              false,
		`status == 404`:                                                     false,
		`status == 200 || status == 404`:                                    false,
		`body.a == "x" && body.b == "y"`:                                    false,
		`body.a != "x" && body.a != "y"`:                                    false,
		`body.a > 5 && body.a < 6`:                                          false,
		`body.a == "x" || body.a == "y"`:                                    false,
		`body.a.startsWith("x") && body.a != "xy"`:                          false,
		`body.a.startsWith("x") && body.a.startsWith("y")`:                  false, // not understood
		`!has(body.a)`:                                                      false,
		`!has(body.a.b)`:                                                    false,
		`!has(body.a) || body.a == 1`:                                       false,
		`has(body.a) && body.a == null`:                                     false,
		`body == "gone"`:                                                    false,
		`size(body) == 0`:                                                   false,
		`body.a && status == 400`:                                           false,
		`headers["retry-after"] == "3"`:                                     false,
		`int(headers["retry-after"]) > 60`:                                  false,
		`arguments.state == "open"`:                                         false,
		`!has(arguments.state)`:                                             false,
		`body.list.exists(status, status == 1) && status == 404`:            false, // a variable of its own
		`body.a < "m" && body.a > "z"`:                                      false, // not understood
		`body.a == 1u && body.a == 1`:                                       false,
		`timestamp(body.t) > timestamp("2020-01-01T00:00:00Z")`:             false,
		`body.a == dyn([1]) && body.a == dyn([2])`:                          false, // not understood
		`body.a.b == 1 && body.a == "text"`:                                 false, // never, and not understood
		`body.?a.orValue("x") == "x" && !has(body.a)`:                       false,
		`math.greatest(status, 500) == 500 && status == 404`:                false,
		`status == 404 && (body.a == "x" || body.b == "y" || has(body.c))`:  false,
		`!(body.a == "x") && !(body.a == "y") && body.a in ["x", "y", "z"]`: false,
	} {
		if got := space(t, text).Never(0); got != never {
			t.Errorf("%s: never %v, want %v", text, got, never)
		}
	}
}

func TestWhatEarlierConditionsCover(t *testing.T) {
	for _, c := range []struct {
		texts   []string
		covered bool
		by      int
	}{
		{[]string{`status == 404`, `status == 404`}, true, 0},
		{[]string{`status == 404`, `404 == status`}, true, 0},
		{[]string{`status >= 400`, `status == 404 && body.a == "x"`}, true, 0},
		{[]string{`status >= 400 && status < 500`, `status == 404 || status == 422`}, true, 0},
		{[]string{`status == 404`, `status == 422`, `status in [404, 422]`}, true, -1},
		{[]string{`status < 450`, `status > 440`, `body.a == "x"`}, true, -1},
		{[]string{`body.a == "x"`, `status == 404`, `status == 400 && body.a == "x"`}, true, 0},
		{[]string{`body.a in ["x", "y"]`, `body.a == "y"`}, true, 0},
		{[]string{`body.a > 5`, `body.a > 7`}, true, 0},
		{[]string{`body.a != "x"`, `body.a == "y"`}, true, 0},
		{[]string{`has(body.a)`, `body.a == 1`}, true, 0},
		{[]string{`has(body.a)`, `body.a != 1`}, true, 0},
		{[]string{`!has(body.a)`, `has(body.a)`, `body.b == 1 && has(body.a)`}, true, 1},
		{[]string{`has(body.a.b)`, `!has(body.a.b)`, `body.a.b == 1 || !has(body.a.b)`}, true, -1},
		{[]string{`body.code.startsWith("rate")`, `body.code == "rate_limited"`}, true, 0},
		{[]string{`body.code.startsWith("rate")`, `status == 429 && body.code.startsWith('rate')`}, true, 0},
		{[]string{`true`, `status == 404`}, true, 0},
		{[]string{`body.a == "x" || status == 404`, `status == 404 && body.b == 1`}, true, 0},
		{[]string{`status == 404 && body.a == "x"`, `status == 404`}, false, 0},
		{[]string{`status == 404`, `status == 422`}, false, 0},
		{[]string{`body.a > 7`, `body.a > 5`}, false, 0},
		{[]string{`body.a == "x"`, `has(body.a)`}, false, 0},
		{[]string{`body.a != "x"`, `status == 404`}, false, 0},                // where there is no a
		{[]string{`body.a == 1`, `body.a != 1`, `status == 404`}, false, 0},   // likewise
		{[]string{`has(body.a)`, `!has(body.a)`, `status == 404`}, false, 0},  // where the body is text
		{[]string{`has(body.a.b)`, `!has(body.a.b)`, `status > 1`}, false, 0}, // where there is no a
		{[]string{`body.a == "x"`, `body.a == "x" || body.b == 1`}, false, 0},
		{[]string{`body.a.startsWith("r")`, `body.a.startsWith("ra")`}, false, 0}, // not understood
		{[]string{`status == 404`, `false`}, false, 0},                            // never is another matter
		{[]string{`body.list.exists(i, i.a == 1)`, `body.list.exists(i, i.a == 2)`}, false, 0},
		{[]string{`headers["x-a"] == "1"`, `has(headers.b)`}, false, 0},
	} {
		last := len(c.texts) - 1
		var others []int
		for i := range last {
			others = append(others, i)
		}
		by, covered := space(t, c.texts...).Covered(last, others)
		if covered != c.covered || covered && by != c.by {
			t.Errorf("%q: covered %v by %d, want %v by %d", c.texts, covered, by, c.covered, c.by)
		}
	}
}

func TestWhatIsTrueOfEveryAnswer(t *testing.T) {
	for text, everywhere := range map[string]bool{
		`true`: true, `status >= 200`: true, `status != 404`: true, `status < 500`: true, `status / 100 == 2`: true,
		`status >= 200 || body.a == "x"`: true, `has(body.a) || !has(body.a)`: false,
		`status == 200`: false, `status != 204`: false, `body.ok == false`: false, `status >= 200 && body.a == 1`: false, `false`: false,
	} {
		if got := space(t, text).Everywhere(0, 200, 299); got != everywhere {
			t.Errorf("%s: %v, want %v", text, got, everywhere)
		}
	}
}

func TestWhatDoesNotCompileIsAnError(t *testing.T) {
	if _, err := decide.New(reads(t), []string{`status ==`}); err == nil {
		t.Error("it is taken")
	}
}

func TestTheSearchIsBounded(t *testing.T) {
	text := `(body.a0 == 1 || body.b0 == 1)`
	for i := range 30 {
		text += ` && (body.a` + string(rune('a'+i%26)) + ` == 1 || body.b` + string(rune('a'+i%26)) + ` == 1)`
	}
	s := space(t, text, text)
	if s.Never(0) {
		t.Error("it is possible")
	}
	if _, covered := s.Covered(1, []int{0}); covered {
		t.Log("covered, within the bound")
	}
}
