package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/observation"
)

// expectation is what has to come out of a sample.
type expectation struct {
	Class         *string  `json:"class"` // null: a success
	AlsoOK        []string `json:"also_ok"`
	Code          string   `json:"code"`
	Field         string   `json:"field"`
	RetryAfter    *float64 `json:"retry_after_s"`
	MaybeExecuted *bool    `json:"maybe_executed"`
	Keep          []string `json:"keep"`
	Drop          []string `json:"drop"`
}

// TestSamples plays testdata/samples/*.jsonl; -run Samples/stripe one file.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("../testdata/samples/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no samples", err)
	}
	engine, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			lines := bufio.NewScanner(bytes.NewReader(text))
			lines.Buffer(nil, 16<<20)
			for lines.Scan() {
				if len(bytes.TrimSpace(lines.Bytes())) > 0 {
					playSample(t, engine, bytes.Clone(lines.Bytes()))
				}
			}
		})
	}
}

func playSample(t *testing.T, engine *diagnose.Engine, line []byte) {
	var want struct {
		Expect expectation `json:"expect"`
	}
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatalf("%v in %.80s", err, line)
	}
	c, err := Read(line)
	if err != nil {
		t.Fatalf("%v in %.80s", err, line)
	}
	t.Run(c.ID, func(t *testing.T) {
		e, _ := engine.Diagnose(c.Input())
		for _, fault := range want.Expect.faults(e) {
			t.Error(fault)
		}
	})
}

func (x *expectation) faults(e *toolgatev1.ToolError) (faults []string) {
	if x.Class == nil {
		if e != nil {
			return []string{fmt.Sprintf("a failure (%s), not a success", e.GetCode())}
		}
		return nil
	}
	if e == nil {
		return []string{"a success, not " + *x.Class}
	}
	hinted := e.RetryAfter
	observation.Finish("tool", e)
	class := strings.ToLower(strings.TrimPrefix(e.GetErrorClass().String(), "ERROR_CLASS_"))
	if class != *x.Class && !contains(x.AlsoOK, class) {
		faults = append(faults, fmt.Sprintf("class %s (%s), not %s; %s", class, e.GetClassifiedBy(), *x.Class, e.GetObservation()))
	}
	if x.Code != "" && !strings.EqualFold(e.GetCode(), x.Code) {
		faults = append(faults, fmt.Sprintf("code %q, not %q", e.GetCode(), x.Code))
	}
	if x.Field != "" && *x.Class == "invalid_request" && class == *x.Class && !namesField(e, x.Field) {
		faults = append(faults, fmt.Sprintf("fields %v, not %q", e.GetViolations(), x.Field))
	}
	if x.RetryAfter != nil && (hinted == nil || *hinted < *x.RetryAfter-0.001 || *hinted > *x.RetryAfter+max(1.5, *x.RetryAfter/50)) {
		faults = append(faults, fmt.Sprintf("retry_after %v, not %v", number(hinted), *x.RetryAfter))
	}
	if x.MaybeExecuted != nil && *x.MaybeExecuted != e.GetMaybeExecuted() {
		faults = append(faults, fmt.Sprintf("maybe_executed %v", e.GetMaybeExecuted()))
	}
	for _, text := range x.Keep {
		if !holds(e.GetObservation(), text) {
			faults = append(faults, fmt.Sprintf("lost %q: %s", text, e.GetObservation()))
		}
	}
	for _, text := range x.Drop {
		if holds(e.String(), text) {
			faults = append(faults, fmt.Sprintf("leaked %q: %s", text, e.GetObservation()))
		}
	}
	return faults
}

func number(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

func holds(text, part string) bool {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(fold(text), fold(part)) || strings.Contains(fold(strings.ReplaceAll(text, `\"`, `"`)), fold(part))
}

// namesField compares paths in any notation: the same place, named from further
// out, or more exactly.
func namesField(e *toolgatev1.ToolError, want string) bool {
	w := normal(want)
	for _, v := range e.GetViolations() {
		g := normal(v.GetField())
		if g != "" && (g == w || strings.HasSuffix(g, "."+w) || strings.HasSuffix(w, "."+g) || strings.HasPrefix(g, w+".")) {
			return true
		}
	}
	return false
}

func normal(path string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune("[]/.", c) }), "."))
}
