package arguments

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// expectedCase is one line of testdata/*.jsonl: arguments that models sent, and
// what is right.
type expectedCase struct {
	ID        string
	Schema    json.RawMessage
	Arguments json.RawMessage
	Expect    struct {
		Outcome   string
		Arguments json.RawMessage
		Changed   []struct{ Field string }
		Errors    []struct{ Field string }
	}
}

func expectedCases(t testing.TB) (all []expectedCase) {
	t.Helper()
	for _, file := range []string{"testdata/cases.jsonl", "testdata/unseen.jsonl"} {
		all = append(all, casesOf(t, file)...)
	}
	return all
}

func casesOf(t testing.TB, file string) (all []expectedCase) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c expectedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func TestEveryCollectedCaseHasItsOutcome(t *testing.T) {
	cases := expectedCases(t)
	if len(cases) < 300 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			got, err := Explain(c.Schema, string(c.Arguments))
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != c.Expect.Outcome {
				t.Fatalf("%s, want %s: %+v %+v", got.Outcome, c.Expect.Outcome, got.Changed, got.Errors)
			}
			if got.Outcome == "pass" && string(got.Arguments) != string(c.Arguments) {
				t.Errorf("valid arguments were touched: %s", got.Arguments)
			}
			if got.Outcome == "coerce" && !equalValues(decoded(t, string(got.Arguments)), decoded(t, string(c.Expect.Arguments))) {
				t.Errorf("became %s, want %s", got.Arguments, c.Expect.Arguments)
			}
			var changed, wrong, wantChanged, wantWrong []string
			for _, c := range got.Changed {
				changed = append(changed, c.Field)
			}
			for _, e := range got.Errors {
				wrong = append(wrong, e.Field)
			}
			for _, c := range c.Expect.Changed {
				wantChanged = append(wantChanged, c.Field)
			}
			for _, e := range c.Expect.Errors {
				wantWrong = append(wantWrong, e.Field)
			}
			compareSets(t, "changed", changed, wantChanged)
			compareSets(t, "wrong", wrong, wantWrong)
		})
	}
}

func compareSets(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Whatever the command line prints is what the gateway does.
func TestExplainAndCheckAgree(t *testing.T) {
	for _, c := range expectedCases(t) {
		schema, err := Compile("tool", c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		checked, explained := schema.Check(string(c.Arguments)), schema.Explain(string(c.Arguments))
		if (checked.Fault != nil) != (explained.Outcome == "reject") || string(checked.JSON) != string(explained.Arguments) ||
			len(checked.Coercions) != len(explained.Changed) {
			t.Errorf("%s: %s, but %v", c.ID, explained.Outcome, checked)
		}
	}
}
