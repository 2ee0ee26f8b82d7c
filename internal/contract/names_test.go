package contract

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/observation"
)

// The table of frozen names has a line for each code of the gateway, in the
// order of ToolError's comment, for each key of the observation, in the order in
// which it renders them, and for each reason of a status, in that of the alphabet.
func TestTheFrozenNamesAreThoseOfTheCode(t *testing.T) {
	var lines []string
	for _, code := range gatewayCodes(t) {
		lines = append(lines, "code "+code)
	}
	for _, key := range observationKeys(t) {
		lines = append(lines, "observation "+key)
	}
	for _, reason := range statusReasons(t) {
		lines = append(lines, "reason "+reason)
	}
	now := strings.Join(lines, "\n") + "\n"
	if publishes(t, ".names", now) {
		return
	}
	newest := newestBaseline(t)
	if frozen := readTable(t, newest+".names"); frozen != now {
		t.Errorf("callers rely on the names of contract %s, and the code has others.\n"+howToChange+"\n%s",
			newest, difference(strings.Fields(strings.ReplaceAll(frozen, " ", ":")), strings.Fields(strings.ReplaceAll(now, " ", ":"))))
	}
}

func TestToolErrorsCommentListsTheGatewaysCodes(t *testing.T) {
	source, err := os.ReadFile("../../proto/toolgate/v1/tool_error.proto")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, match := range regexp.MustCompile(`(?m)^//   ([a-z_]+)  +\S`).FindAllStringSubmatch(string(source), -1) {
		documented = append(documented, match[1])
	}
	if codes := gatewayCodes(t); !slices.Equal(documented, codes) {
		t.Errorf("tool_error.proto and interceptors/outcome.go name other codes\n%s", difference(documented, codes))
	}
}

// gatewayCodes reads the constants Code... of the vocabulary, in their order.
func gatewayCodes(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../interceptors/outcome.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, code)
		return true
	})
	return codes
}

// observationKeys renders errors that have everything and joins the keys that
// appear. A transient one is the only kind with a wait, and one violation is
// written otherwise than several.
func observationKeys(t *testing.T) (keys []string) {
	t.Helper()
	full := &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "c", Message: "m", BlockedBy: "b", UnblockWith: "u",
		RequestedJson: `{"":1}`, FactsJson: `{"":1}`, Note: "n", MaybeExecuted: true, AlternativesTruncated: true, ViolationsTruncated: true,
		Alternatives: []*toolgatev1.Alternative{{Tool: "other", ArgumentsJson: `{"":1}`, Label: "l"}},
		Violations:   []*toolgatev1.Violation{{Field: "f", ValueJson: "1", Problem: "p", Accepted: []string{"a"}, Format: "x", Range: "r"}},
		Attempts:     1, RejectionsInRun: 1, UpstreamStatus: 1, CorrelationId: "i", Exhausted: true,
	}
	wait, partial, several := proto.CloneOf(full), proto.CloneOf(full), proto.CloneOf(full)
	wait.ErrorClass, wait.RetryAfter = toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT, proto.Float64(1)
	partial.Partial = true
	several.Violations = append(several.Violations, &toolgatev1.Violation{Field: "g", Problem: "p", Format: "x"})
	for _, e := range []*toolgatev1.ToolError{wait, partial, several} {
		observation.Finish("tool", e)
		keys = join(keys, keysOf(t, e.GetObservation()))
	}
	return keys
}

// join puts the keys that are new into the order of both lists.
func join(keys, more []string) []string {
	for i, key := range slices.Backward(more) {
		if slices.Contains(keys, key) {
			continue
		}
		at := len(keys)
		if i+1 < len(more) {
			at = slices.Index(keys, more[i+1])
		}
		keys = slices.Insert(keys, at, key)
	}
	return keys
}

// keysOf lists the keys of a JSON object in their order, those of lists of
// objects as `list[].key`. Empty keys are the test's own.
func keysOf(t *testing.T, text string) (keys []string) {
	t.Helper()
	type level struct {
		prefix string
		object bool
		key    string // the last one read; empty: the next string is a key
	}
	levels := []*level{{}}
	for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More() || len(levels) > 1; {
		read, err := decoder.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		top := levels[len(levels)-1]
		switch value := read.(type) {
		case json.Delim:
			switch value {
			case '{':
				levels = append(levels, &level{prefix: top.prefix + top.key, object: true})
			case '[':
				levels = append(levels, &level{prefix: top.prefix + top.key + "[]."})
			default:
				levels = levels[:len(levels)-1]
				levels[len(levels)-1].key = ""
			}
			continue
		case string:
			if top.object && top.key == "" {
				top.key = value
				if value != "" && !slices.Contains(keys, top.prefix+value) {
					keys = append(keys, top.prefix+value)
				}
				if value == "" {
					top.key = "own"
				}
				continue
			}
		}
		if top.object {
			top.key = ""
		}
	}
	return keys
}

func difference(old, current []string) string {
	var b strings.Builder
	for _, name := range old {
		if !slices.Contains(current, name) {
			fmt.Fprintf(&b, "  gone: %s\n", name)
		}
	}
	for _, name := range current {
		if !slices.Contains(old, name) {
			fmt.Fprintf(&b, "  new:  %s\n", name)
		}
	}
	if b.Len() == 0 {
		b.WriteString("  the same names in another order\n")
	}
	return b.String()
}
