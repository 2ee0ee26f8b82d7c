package observation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

// maker makes errors that no producer should, from one source of chance.
type maker struct{ *rand.Rand }

// pieces are what texts are made of: quotes that double, wide runes, controls,
// broken bytes, separators of the gateway's own.
var pieces = []string{
	"word", " ", "a long-ish word of text ", `"`, `\`, "ä", "漢字", "\n", "\t", "\x00", "\xff", "\u202e", "…", "; ", "150.00", ".", ",", "{", "}", "</script>",
}

func (m maker) text(pieceMax int) string {
	var b strings.Builder
	for range m.IntN(pieceMax + 1) {
		b.WriteString(pieces[m.IntN(len(pieces))])
	}
	return b.String()
}

func (m maker) json() string {
	switch m.IntN(8) {
	case 0:
		return m.text(4) // mostly no JSON
	case 1:
		return `[1,2]`
	case 2:
		return `{}`
	}
	members := make([]string, m.IntN(20))
	for i := range members {
		key, _ := json.Marshal(m.text(3))
		value, _ := json.Marshal(m.text(12))
		members[i] = string(key) + ": " + []string{string(value), "42.10", "12345678901234567890123", "null", `{"a":[1, 2]}`}[m.IntN(5)]
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (m maker) flip() bool { return m.IntN(2) == 0 }

func (m maker) wait() *float64 {
	waits := []float64{0, 0.0001, 0.001, 1, 1.0000001, 3.14159, 9.9995, 9.9999, 10, 10.2, 64.57, 1336.57, 1e9, 1e300, -1, math.NaN(), math.Inf(1), math.Inf(-1), m.Float64() * 100, m.NormFloat64() * 1000}
	if m.IntN(4) == 0 {
		return nil
	}
	return &waits[m.IntN(len(waits))]
}

func (m maker) toolError() *toolgatev1.ToolError {
	e := &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass(m.IntN(6)), Code: m.text(8), Message: m.text(60), RetryAfter: m.wait(), Exhausted: m.flip(),
		AlternativesTruncated: m.flip(), ViolationsTruncated: m.flip(), BlockedBy: m.text(4), UnblockWith: m.text(4),
		RequestedJson: m.json(), FactsJson: m.json(), MaybeExecuted: m.flip(), Partial: m.IntN(4) == 0, Note: m.text(20),
		Attempts: uint32(m.IntN(7)), UpstreamStatus: []uint32{0, 8, 7, 400, 401, 403, 429, 500, 503}[m.IntN(9)],
		HttpStatus: []uint32{0, 0, 200, 403, 422, 429, 503}[m.IntN(7)], CorrelationId: []string{"", "correlation-4f9c"}[m.IntN(2)], Observation: m.text(4),
	}
	for range m.IntN(6) {
		e.Alternatives = append(e.Alternatives, &toolgatev1.Alternative{Tool: []string{"", "tool", "other", m.text(3)}[m.IntN(4)], ArgumentsJson: m.json(), Label: m.text(10)})
	}
	for range m.IntN(12) {
		v := &toolgatev1.Violation{Field: m.text(6), ValueJson: m.json(), Problem: m.text(20), Format: m.text(6), Range: m.text(6), AcceptedTruncated: m.flip()}
		for range m.IntN(30) {
			v.Accepted = append(v.Accepted, m.text(5))
		}
		e.Violations = append(e.Violations, v)
	}
	if m.IntN(20) == 0 {
		e.Violations, e.Alternatives = append(e.Violations, nil), append(e.Alternatives, nil)
	}
	return e
}

func TestEveryErrorObeysTheContractOnceItIsFinished(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	for range 1500 {
		before := m.toolError()
		e := proto.CloneOf(before)
		observation.Finish("tool", e)
		if faults := brokenRules(before, e); len(faults) > 0 {
			t.Fatalf("%s\n of %v\n as %v", strings.Join(faults, "\n"), before, e)
		}
		again := proto.CloneOf(e)
		observation.Finish("tool", again)
		if !proto.Equal(e, again) {
			t.Fatalf("finishing twice changed\n%v\ninto\n%v", e, again)
		}
	}
}

// brokenRules checks a finished error against section 1 of the contract.
func brokenRules(before, e *toolgatev1.ToolError) (faults []string) {
	rule := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	transient := e.GetErrorClass() == interceptors.Transient
	rule((e.RetryAfter != nil) == transient, "retry_after is not on transient alone")
	if transient {
		w := e.GetRetryAfter()
		rule(!math.IsNaN(w) && !math.IsInf(w, 0) && w >= 0, "a wait of %v", w)
		rule(w >= 10 && w == math.Ceil(w) || w < 10 && math.Abs(w*1000-math.Round(w*1000)) < 1e-6, "a wait of %v", w)
		if hint := before.RetryAfter; hint != nil && !math.IsNaN(*hint) && !math.IsInf(*hint, 0) {
			rule(w >= *hint, "a wait of %v below the hint %v", w, *hint)
			rule(*hint > 1e15 || w <= math.Max(*hint, 0)+1.001, "a wait of %v for the hint %v", w, *hint)
		}
	}
	rule(!e.GetExhausted() || transient, "exhausted, but not transient")
	rule(!e.GetPartial() || !transient, "partial, but transient")
	rule(e.GetErrorClass() != interceptors.InvalidRequest || len(e.GetViolations())+len(e.GetAlternatives()) > 0, "nothing to change")
	rule(e.GetUnblockWith() == "" || e.GetBlockedBy() != "", "unblock_with without blocked_by")
	rule(e.GetCode() != "" && len(e.GetCode()) <= 64, "code %q", e.GetCode())
	rule(len(e.GetMessage()) <= 512 && len(e.GetNote()) <= 160, "message or note too long")
	rule(len(e.GetBlockedBy()) <= 64 && len(e.GetUnblockWith()) <= 64, "a condition is too long")
	for _, object := range []string{e.GetRequestedJson(), e.GetFactsJson()} {
		rule(object == "" || len(object) <= 512 && json.Valid([]byte(object)) && object[0] == '{', "object %s", object)
	}
	rule(len(e.GetAlternatives()) <= 3, "%d alternatives", len(e.GetAlternatives()))
	for _, a := range e.GetAlternatives() {
		rule(len(a.GetArgumentsJson()) <= 512 && len(a.GetLabel()) <= 80, "alternative %v", a)
		rule(a.GetTool() != "" && (a.GetTool() != "tool" || a.GetArgumentsJson() != ""), "alternative %v calls nothing", a)
	}
	size := 0
	for _, v := range e.GetViolations() {
		size += proto.Size(v)
		accepted := len(strings.Join(v.GetAccepted(), ""))
		rule(len(v.GetField()) <= 64 && len(v.GetValueJson()) <= 256 && len(v.GetProblem()) <= 160 && len(v.GetAccepted()) <= 20 && accepted <= 256, "violation %v", v)
	}
	rule(len(e.GetViolations()) <= 8 && size <= 1024, "%d violations of %d bytes", len(e.GetViolations()), size)
	codes := map[uint32]uint32{429: 8, 503: 14, 400: 3, 422: 9, 403: 7}
	rule(codes[e.GetHttpStatus()] == e.GetGrpcCode() && e.GetGrpcCode() != 0, "codes %d and %d", e.GetHttpStatus(), e.GetGrpcCode())
	without := proto.CloneOf(e)
	without.Observation = ""
	rule(proto.Size(without) <= 4<<10 && proto.Size(e) <= 8<<10, "%d bytes, %d with its observation", proto.Size(without), proto.Size(e))
	if _, err := proto.Marshal(e); err != nil {
		rule(false, "%v", err)
	}
	return append(faults, brokenObservation(e)...)
}

func brokenObservation(e *toolgatev1.ToolError) (faults []string) {
	text := e.GetObservation()
	if len(text) > 1024 || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x00\u202e") {
		return []string{fmt.Sprintf("%d bytes: %q", len(text), text)}
	}
	var seen struct {
		Error, Class, Field string
		Retryable           bool
		RetryAfter          *float64 `json:"retry_after"`
		MaybeExecuted       bool     `json:"maybe_executed"`
		BlockedBy           string   `json:"blocked_by"`
		UnblockWith         string   `json:"unblock_with"`
		Violations          []struct{ Field string }
	}
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		return []string{fmt.Sprintf("%v: %s", err, text)}
	}
	class := strings.ToLower(strings.TrimPrefix(e.GetErrorClass().String(), "ERROR_CLASS_"))
	if class != "transient" && class != "invalid_request" {
		class = "terminal"
	}
	field := seen.Field
	if len(seen.Violations) > 0 {
		field = seen.Violations[0].Field
	}
	switch {
	case seen.Error != e.GetCode(), seen.Class != class, seen.Retryable != (class == "transient"),
		seen.MaybeExecuted != e.GetMaybeExecuted(), seen.BlockedBy != e.GetBlockedBy(), seen.UnblockWith != e.GetUnblockWith(),
		len(e.GetViolations()) > 0 && field != e.GetViolations()[0].GetField(),
		(seen.RetryAfter == nil) != (e.RetryAfter == nil), seen.RetryAfter != nil && *seen.RetryAfter != e.GetRetryAfter(),
		strings.Contains(text, "correlation-4f9c"):
		return []string{"something that never goes is gone, or the correlation id is there: " + text}
	}
	return nil
}

func FuzzFinish(f *testing.F) {
	f.Add("code", "message", `{"a":1}`, "field", "note", 2.5)
	f.Add("\xff", strings.Repeat("\"", 600), `{"a":"\u202e"}`, "a.b[0].c", "x; y", math.Inf(1))
	f.Fuzz(func(t *testing.T, code, message, object, field, note string, wait float64) {
		for class := range toolgatev1.ErrorClass(4) {
			before := &toolgatev1.ToolError{
				ErrorClass: class, Code: code, Message: message, Note: note, RetryAfter: &wait, FactsJson: object, RequestedJson: object,
				BlockedBy: field, UnblockWith: note,
				Violations:   []*toolgatev1.Violation{{Field: field, ValueJson: object, Problem: message, Accepted: []string{code, field, note}}, {Field: note}},
				Alternatives: []*toolgatev1.Alternative{{Tool: field, ArgumentsJson: object, Label: message}, {ArgumentsJson: object}},
			}
			e := proto.CloneOf(before)
			observation.Finish("tool", e)
			if faults := brokenRules(before, e); len(faults) > 0 {
				t.Fatal(strings.Join(faults, "\n"))
			}
			again := proto.CloneOf(e)
			if observation.Finish("tool", again); !proto.Equal(e, again) {
				t.Fatalf("finishing twice changed\n%v\ninto\n%v", e, again)
			}
		}
	})
}
