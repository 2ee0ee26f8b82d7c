package diagnose

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestEmbeddedVocabulariesLoad(t *testing.T) {
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if e.registry.known("", "API.stripe.com.") != e.registry.all["stripe"] {
		t.Error("api.stripe.com is not recognised as stripe")
	}
}

func TestBrokenVocabulariesAreRefusedWithTheReason(t *testing.T) {
	for name, c := range map[string]struct{ text, reason string }{
		"another name":           {"provider: other\n", "equal the file's name"},
		"an unknown key":         {"provider: x\nhost: [a.com]\n", "field host not found"},
		"an unknown key in rule": {"provider: x\nrules:\n- codes: [a]\n", "codes not found"},
		"an unknown list":        {"provider: x\ncodes:\n  fatal: [a]\n", `no list "fatal"`},
		"a code in two lists":    {"provider: x\ncodes:\n  terminal: [a]\n  denied: [A]\n", `code "a" stands twice`},
		"an inner star":          {"provider: x\ncodes:\n  terminal: [\"a*b\"]\n", "a star may stand at an end only"},
		"a loose pattern":        {"provider: x\nrules:\n- message: rate limit\n  class: throttled\n", "not anchored"},
		"a loose start":          {"provider: x\nrules:\n- message: '^.*rate limit'\n  class: throttled\n", "not anchored"},
		"a broken pattern":       {"provider: x\nrules:\n- message: '^(a'\n  class: throttled\n", "missing closing )"},
		"no condition":           {"provider: x\nrules:\n- class: throttled\n", "without a condition"},
		"an unknown class":       {"provider: x\nrules:\n- code: [a]\n  class: fatal\n", `no list "fatal"`},
		"a bad place":            {"provider: x\nread:\n  code: [error.code]\n", "is no place"},
		"a bad unit":             {"provider: x\nread:\n  wait: [/a weeks]\n", "no unit of waits"},
		"a bad status":           {"provider: x\nrules:\n- status: [4x]\n  class: terminal\n", "neither a number nor"},
		"a bad executed":         {"provider: x\nrules:\n- code: [a]\n  executed: yes\n", "neither no nor maybe"},
		"a missing base":         {"provider: x\nextends: nobody\n", "does not exist"},
		"itself as the base":     {"provider: x\nextends: x\n", "circle"},
		"a host with a path":     {"provider: x\nhosts: [a.com/x]\n", "no host name"},
		"a claimed host":         {"provider: x\nhosts: [api.stripe.com]\n", "belongs to"},
		"a half hidden":          {"provider: x\nhidden:\n  markers: ['a']\n", "both markers and when"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(fstest.MapFS{"x.yaml": {Data: []byte(c.text)}})
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("got %v, want a reason with %q", err, c.reason)
			}
		})
	}
}
