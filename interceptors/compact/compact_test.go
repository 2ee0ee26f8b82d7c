package compact_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/compact"
)

const canary = "own-canary-4f9c2d71e8"

func tool() *interceptors.Tool {
	return &interceptors.Tool{Name: "list_invoices", Diagnosis: interceptors.DiagnosisHint{Secrets: []string{"Bearer " + canary}}}
}

// through sends one outcome out through the room.
func through(t *testing.T, call *interceptors.Call, answer *interceptors.Outcome) *interceptors.Outcome {
	t.Helper()
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return answer, nil },
		compact.New().Interceptor())
	outcome, err := chain(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestAnErrorLeavesRenderedUnderTheCallsOwnId(t *testing.T) {
	call := &interceptors.Call{Tool: tool(), CorrelationID: "c0ffee", Trace: interceptors.Trace{Attempts: 5}}
	e := through(t, call, interceptors.RefuseTransient("timeout", "no answer in 20 s", 3.14159)).Error
	if e.GetCorrelationId() != "c0ffee" || e.GetAttempts() != 5 || e.GetRetryAfter() != 3.142 {
		t.Errorf("got %v", e)
	}
	if !strings.Contains(e.GetObservation(), "can be repeated in 3.142 s") || strings.Contains(e.GetObservation(), "c0ffee") {
		t.Errorf("observation %s", e.GetObservation())
	}
}

func TestARefusalFromMemorySpendsNoAttempt(t *testing.T) {
	answer := interceptors.RefuseTerminal("gone", "no such invoice")
	answer.Error.Attempts, answer.FromMemory = 3, true
	if got := through(t, &interceptors.Call{Tool: tool()}, answer).Error.GetAttempts(); got != 0 {
		t.Errorf("%d attempts", got)
	}
}

func TestAResendKeepsTheAttemptsOfItsCall(t *testing.T) {
	answer := interceptors.RefuseTerminal("gone", "no such invoice")
	answer.Error.Attempts = 3
	if got := through(t, &interceptors.Call{Tool: tool()}, answer).Error.GetAttempts(); got != 3 {
		t.Errorf("%d attempts", got)
	}
}

func TestTheGatewaysOwnSecretsLeaveInNoForm(t *testing.T) {
	full := &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: canary, Message: "key " + canary, Note: canary, BlockedBy: canary,
		RequestedJson: `{"k":"` + canary + `"}`, FactsJson: `{"` + canary + `":1}`,
		Alternatives: []*toolgatev1.Alternative{{Tool: "x", ArgumentsJson: `{"k":"` + canary + `"}`, Label: canary}},
		Violations:   []*toolgatev1.Violation{{Field: canary, ValueJson: `"` + canary + `"`, Problem: canary, Format: canary, Range: canary, Accepted: []string{canary}}},
	}
	call := &interceptors.Call{Tool: tool(), CorrelationID: "1"}
	e := through(t, call, &interceptors.Outcome{Error: full}).Error
	if text := e.String(); strings.Contains(text, canary) {
		t.Errorf("an error holds it: %s", text)
	}
	result := &toolgatev1.ToolResult{
		StructuredJson: `{"headers":{"authorization":"Bearer ` + canary + `","n":1.10}}`,
		Content: []*toolgatev1.ContentBlock{
			{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "key " + canary}}},
			{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{Uri: "https://x/" + canary, Text: canary}}},
		},
		Coercions: []*toolgatev1.Coercion{{FromJson: `"` + canary + `"`, ToJson: "1"}},
	}
	got := through(t, call, &interceptors.Outcome{Result: result}).Result
	if strings.Contains(got.String(), canary) {
		t.Errorf("a result holds it: %v", got)
	}
	if want := `{"headers":{"authorization":"[secret]","n":1.10}}`; got.GetStructuredJson() != want {
		t.Errorf("got %s, want %s", got.GetStructuredJson(), want)
	}
	if !strings.Contains(result.GetStructuredJson(), canary) {
		t.Error("the shared result was changed in place")
	}
}

func TestACleanResultPassesUntouched(t *testing.T) {
	result := &toolgatev1.ToolResult{StructuredJson: `{"a": 1}`, Attempts: 1}
	if got := through(t, &interceptors.Call{Tool: tool()}, &interceptors.Outcome{Result: result}).Result; got != result {
		t.Error("a copy was made")
	}
}

func TestAResponseStaysUnderItsBoundWhateverItHolds(t *testing.T) {
	item := `{"id":1,"name":"` + strings.Repeat("ä", 500) + `"}`
	list := "[" + strings.TrimSuffix(strings.Repeat(item+",", 6000), ",") + "]"
	text := func(s string) *toolgatev1.ContentBlock {
		return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: s}}}
	}
	image := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Image{Image: &toolgatev1.BlobBlock{Data: make([]byte, 5<<20)}}}
	for name, result := range map[string]*toolgatev1.ToolResult{
		"a list":            {StructuredJson: list},
		"a list in a frame": {StructuredJson: `{"total":6000,"items":` + list + `,"next":"p2"}`},
		"a giant string":    {StructuredJson: `{"text":"` + strings.Repeat("ö", 4<<20) + `"}`},
		"a list of one":     {StructuredJson: `["` + strings.Repeat("a", 8<<20) + `"]`},
		"many members":      {StructuredJson: `{` + strings.TrimSuffix(strings.Repeat(`"k":`+item+`,`, 6000), ",") + `}`},
		"both forms":        {StructuredJson: list, Content: []*toolgatev1.ContentBlock{text(list)}},
		"many blocks":       {Content: []*toolgatev1.ContentBlock{text(list), image, text(list), text("the end")}},
		"not UTF-8":         {Content: []*toolgatev1.ContentBlock{text("a\xff"), text(strings.Repeat("\xfe", 5<<20))}, StructuredJson: "\"\xff\""},
		"many coercions":    {Coercions: []*toolgatev1.Coercion{{FromJson: `"` + strings.Repeat("x", 4<<20) + `"`}}},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := through(t, &interceptors.Call{Tool: tool()}, &interceptors.Outcome{Result: result})
			if size := proto.Size(outcome.Response()); size > 3670016 {
				t.Errorf("%d bytes", size)
			}
			got := outcome.Result
			if s := got.GetStructuredJson(); s != "" && (!json.Valid([]byte(s)) || !utf8.ValidString(s)) {
				t.Errorf("not JSON any more: %.80s", s)
			}
			if name != "not UTF-8" && !got.GetTruncated() {
				t.Error("not marked as truncated")
			}
			if _, err := proto.Marshal(outcome.Response()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatStandsAroundACutListStays(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 6000), ",") + "]"
	result := &toolgatev1.ToolResult{StructuredJson: `{"total":6000,"items":` + list + `,"next":"p2"}`}
	got := through(t, &interceptors.Call{}, &interceptors.Outcome{Result: result}).Result.GetStructuredJson()
	if !strings.HasPrefix(got, `{"total":6000,"items":["x`) || !strings.HasSuffix(got, `"],"next":"p2"}`) {
		t.Errorf("got %.40s … %s", got, got[len(got)-40:])
	}
}

func TestAnOutcomeThatIsNothingBecomesAnInternalFault(t *testing.T) {
	for _, answer := range []*interceptors.Outcome{nil, {}} {
		if e := through(t, &interceptors.Call{}, answer).Error; e.GetCode() != interceptors.CodeInternal || e.GetObservation() == "" {
			t.Errorf("got %v", e)
		}
	}
}

// Waiters of one call share its outcome.
func TestASharedOutcomeIsFinishedByEachOnACopy(t *testing.T) {
	room, shared := compact.New(), interceptors.RefuseTerminal("gone", "no such invoice")
	before := proto.CloneOf(shared.Error)
	pinned := tool()
	var waiters sync.WaitGroup
	for range 8 {
		waiters.Go(func() {
			call := &interceptors.Call{Tool: pinned, CorrelationID: interceptors.NewCorrelationID()}
			if e := room.Finish(call, shared).Error; e.GetCorrelationId() != call.CorrelationID {
				t.Errorf("got the id %s of another call", e.GetCorrelationId())
			}
		})
	}
	waiters.Wait()
	if !proto.Equal(before, shared.Error) {
		t.Errorf("the shared error became %v", shared.Error)
	}
}

func BenchmarkAResultPasses(b *testing.B) {
	room, call := compact.New(), &interceptors.Call{Tool: tool()}
	outcome := &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `{"id":"inv_1","total":150.00,"due":"2026-03-14","paid":false,"customer":{"id":"c_9","name":"Ada"}}`}}
	b.ReportAllocs()
	for b.Loop() {
		room.Finish(call, outcome)
	}
}

func BenchmarkALargeResultPasses(b *testing.B) {
	room, call := compact.New(), &interceptors.Call{Tool: tool()}
	outcome := &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: strings.Repeat(`{"id":"inv_1","total":150.00,"due":"2026-03-14"},`, 20000)}}
	b.SetBytes(int64(len(outcome.Result.GetStructuredJson())))
	b.ReportAllocs()
	for b.Loop() {
		room.Finish(call, outcome)
	}
}

func BenchmarkAnErrorIsFinished(b *testing.B) {
	room, call := compact.New(), &interceptors.Call{Tool: tool(), CorrelationID: "0123456789abcdef"}
	outcome := interceptors.RejectArguments("invalid_argument", "invalid date format", &toolgatev1.Violation{Field: "start_date", Format: "YYYY-MM-DD"})
	b.ReportAllocs()
	for b.Loop() {
		room.Finish(call, outcome)
	}
}
