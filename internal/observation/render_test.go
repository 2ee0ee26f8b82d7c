package observation_test

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

func finished(e *toolgatev1.ToolError) *toolgatev1.ToolError {
	observation.Finish("tool", e)
	return e
}

func transient(wait float64, exhausted bool, attempts uint32) *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.Transient, Code: "rate_limited", Message: "Too many requests", RetryAfter: &wait, Exhausted: exhausted, Attempts: attempts,
	}
}

func TestATransientFailureSaysWhatToDoWithIt(t *testing.T) {
	fallback := transient(30, true, 5)
	fallback.Alternatives = []*toolgatev1.Alternative{{Tool: "cached_summary", Label: "yesterday's figures"}}
	perhaps := transient(2, false, 1)
	perhaps.MaybeExecuted = true
	for name, tc := range map[string]struct {
		in   *toolgatev1.ToolError
		want string
	}{
		"maybe executed": {perhaps, `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":2,"maybe_executed":true,"note":"not now, can be repeated in 2 s; repeat only the identical call; report the delay, don't answer from memory"}`},
		"not exhausted":  {transient(12, false, 1), `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":12,"note":"not now, can be repeated in 12 s; report the delay, don't answer from memory"}`},
		"at once":        {transient(0, false, 1), `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":0,"note":"not now, can be repeated at once; report the delay, don't answer from memory"}`},
		"exhausted":      {transient(1.5, true, 5), `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":1.5,"note":"unavailable after 5 attempts; report the delay, don't answer from memory"}`},
		"one attempt":    {transient(1, true, 1), `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":1,"note":"unavailable after 1 attempt; report the delay, don't answer from memory"}`},
		"no attempt":     {transient(29.1, true, 0), `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":30,"note":"unavailable; report the delay, don't answer from memory"}`},
		"a fallback":     {fallback, `{"error":"rate_limited","class":"transient","retryable":true,"message":"Too many requests","retry_after":30,"alternatives":[{"tool":"cached_summary","label":"yesterday's figures"}],"note":"unavailable after 5 attempts; report the delay, use nothing but the alternatives listed, don't answer from memory"}`},
	} {
		if got := finished(tc.in).GetObservation(); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

func TestSeveralViolationsAreAList(t *testing.T) {
	e := finished(&toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: "invalid_arguments", Message: "2 arguments are wrong",
		Violations: []*toolgatev1.Violation{
			{Field: "lines[0].sku", Problem: "missing"},
			{Field: "status", ValueJson: `"bogus"`, Problem: "not one of the accepted values", Accepted: []string{"draft", "final"}, AcceptedTruncated: true},
		},
	})
	want := `{"error":"invalid_arguments","class":"invalid_request","retryable":false,"message":"2 arguments are wrong","violations":[{"field":"lines[0].sku","problem":"missing"},{"field":"status","problem":"not one of the accepted values","expected":["draft","final","…"]}]}`
	if got := e.GetObservation(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestABareRejectionNamesTheWhole(t *testing.T) {
	e := finished(&toolgatev1.ToolError{ErrorClass: interceptors.InvalidRequest, Code: "400", Message: "Bad Request"})
	if v := e.GetViolations(); len(v) != 1 || v[0].GetField() != "" || v[0].GetProblem() != "Bad Request" {
		t.Errorf("violations %v", v)
	}
	if want := `{"error":"400","class":"invalid_request","retryable":false,"message":"Bad Request"}`; e.GetObservation() != want {
		t.Errorf("got %s", e.GetObservation())
	}
}

func TestAProblemThatTheMessageDoesNotTellIsAdded(t *testing.T) {
	for problem, want := range map[string]string{
		"was cancelled":     `"message":"Invalid Form Body; was cancelled"`,
		"invalid form body": `"message":"Invalid Form Body"`,
		"":                  `"message":"Invalid Form Body"`,
	} {
		e := finished(&toolgatev1.ToolError{
			ErrorClass: interceptors.InvalidRequest, Code: "x", Message: "Invalid Form Body", Violations: []*toolgatev1.Violation{{Field: "order", Problem: problem}},
		})
		if !strings.Contains(e.GetObservation(), want+`,"field":"order"}`) {
			t.Errorf("%q: %s", problem, e.GetObservation())
		}
	}
}

func TestWhatNobodyClassifiedReadsAsTerminalAndStaysUnclassified(t *testing.T) {
	e := finished(&toolgatev1.ToolError{Code: "x", RetryAfter: proto.Float64(3), Exhausted: true})
	if e.GetErrorClass() != toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED || e.RetryAfter != nil || e.GetExhausted() || e.GetHttpStatus() != 422 {
		t.Errorf("got %v", e)
	}
	if want := `{"error":"x","class":"terminal","retryable":false}`; e.GetObservation() != want {
		t.Errorf("got %s", e.GetObservation())
	}
}

func TestWhatWasDoneInPartIsNeverTransient(t *testing.T) {
	e := transient(1, false, 1)
	e.Partial = true
	if finished(e).GetErrorClass() != interceptors.Terminal || e.RetryAfter != nil {
		t.Errorf("got %v", e)
	}
	e = transient(1, false, 1)
	e.Partial, e.Violations = true, []*toolgatev1.Violation{{Field: "docs[1]", Problem: "rejected"}}
	if finished(e).GetErrorClass() != interceptors.InvalidRequest {
		t.Errorf("got %v", e)
	}
}

func TestTheCodesForOtherConsumers(t *testing.T) {
	for name, tc := range map[string]struct {
		class      toolgatev1.ErrorClass
		upstream   uint32
		set        uint32
		code       string
		http, grpc uint32
	}{
		"transient":                  {interceptors.Transient, 503, 0, "x", 503, 14},
		"rate limited":               {interceptors.Transient, 429, 0, "x", 429, 8},
		"rate limited, by gRPC":      {interceptors.Transient, 8, 0, "x", 429, 8},
		"rate limited, by its code":  {interceptors.Transient, 0, 0, interceptors.CodeCoolingDown, 429, 8},
		"rate limited, said so":      {interceptors.Transient, 403, 429, "x", 429, 8},
		"invalid":                    {interceptors.InvalidRequest, 422, 422, "x", 400, 3},
		"terminal":                   {interceptors.Terminal, 409, 0, "x", 422, 9},
		"forbidden":                  {interceptors.Terminal, 403, 0, "x", 403, 7},
		"no credentials":             {interceptors.Terminal, 401, 0, "x", 403, 7},
		"terminal, said so":          {interceptors.Terminal, 403, 422, "x", 422, 9},
		"terminal after a transient": {interceptors.Terminal, 503, 503, "x", 422, 9},
	} {
		e := finished(&toolgatev1.ToolError{ErrorClass: tc.class, UpstreamStatus: tc.upstream, HttpStatus: tc.set, Code: tc.code})
		if e.GetHttpStatus() != tc.http || e.GetGrpcCode() != tc.grpc {
			t.Errorf("%s: %d, %d", name, e.GetHttpStatus(), e.GetGrpcCode())
		}
	}
}

func TestObjectsAreCutBetweenMembersAndKeepTheirDigits(t *testing.T) {
	e := finished(&toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "x",
		FactsJson:     `{"balance": 42.10, "blob": "` + strings.Repeat("x", 600) + `", "n": 9007199254740993, "e": 1.50e3}`,
		RequestedJson: `[1]`,
	})
	if want := `{"balance":42.10,"n":9007199254740993,"e":1.50e3}`; e.GetFactsJson() != want || e.GetRequestedJson() != "" {
		t.Errorf("got %s and %s", e.GetFactsJson(), e.GetRequestedJson())
	}
}

func TestAlternativesAreWholeOrGone(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", 600) + `"}`
	e := finished(&toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "x",
		Alternatives: []*toolgatev1.Alternative{
			{ArgumentsJson: large}, {Tool: "other", ArgumentsJson: large}, {ArgumentsJson: `{"a": 1}`}, {Tool: "tool", ArgumentsJson: `{"a":1}`},
			{Tool: "tool"}, {ArgumentsJson: `{"a":2}`}, {ArgumentsJson: `{"a":3}`},
		},
	})
	want := `"alternatives":[{"tool":"other"},{"a":1},{"a":2}],"alternatives_truncated":true}`
	if !strings.HasSuffix(e.GetObservation(), want) {
		t.Errorf("got %s", e.GetObservation())
	}
}

func TestAMessageKeepsBothItsEnds(t *testing.T) {
	e := finished(&toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "x", Message: "The head. " + strings.Repeat("filler words ", 100) + "KeyError: region"})
	if m := e.GetMessage(); len(m) > 512 || !strings.HasPrefix(m, "The head. ") || !strings.HasSuffix(m, " KeyError: region") {
		t.Errorf("%d bytes: %s", len(m), m)
	}
}

func TestNotesLoseWholeSentencesFromTheEnd(t *testing.T) {
	e := &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "x"}
	guess, more := "the class is a guess from the status", "find_slots has more"
	refused := "refused without asking the tool: the identical call failed a moment ago"
	capped := "this tool has rejected three calls of this run: use another approach or report"
	for _, sentence := range []string{guess, more + ".", refused, refused, capped, capped} {
		interceptors.AddNote(e, sentence)
	}
	if got, want := finished(e).GetNote(), capped+"; "+refused; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Pieces go in the contract's order, and some never.
func TestAnObservationOverItsBoundLosesItsPiecesInOrder(t *testing.T) {
	wide := strings.Repeat("w", 110)
	e := &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "code", Message: "m", MaybeExecuted: true, BlockedBy: "blocked", UnblockWith: "unblock", Note: "note",
		FactsJson: `{"facts":1}`, RequestedJson: `{"requested":1}`,
	}
	gone := func() (missing []string) {
		for _, piece := range []string{`"facts"`, `"requested"`, `v3"`, `"a":2`, `"message":"m"`, `"a":1`, `"note"`} {
			if !strings.Contains(finished(proto.CloneOf(e)).GetObservation(), piece) {
				missing = append(missing, piece)
			}
		}
		return missing
	}
	for i := range 4 {
		e.Violations = append(e.Violations, &toolgatev1.Violation{Field: "v" + string(rune('0'+i)), Problem: "p"})
	}
	for _, a := range []string{`{"a":1}`, `{"a":2}`} {
		e.Alternatives = append(e.Alternatives, &toolgatev1.Alternative{ArgumentsJson: a})
	}
	if missing := gone(); missing != nil {
		t.Fatalf("%v is missing where all fits", missing)
	}
	order := []string{`"facts"`, `"requested"`, `v3"`, `"a":2`}
	seen := 0
	for n := 600; n < 1100 && seen < len(order); n += 4 {
		e.Violations[0].Accepted = []string{wide, wide}
		e.Violations[1].Accepted = []string{wide, wide}
		e.Violations[0].Problem = strings.Repeat("p", min(n-600, 160))
		e.Message = "m" + strings.Repeat("m", max(0, min(n-760, 300)))
		missing := gone()
		for seen < len(order) && seen < len(missing) && missing[seen] == order[seen] {
			seen++
		}
		for i, piece := range missing {
			if i < len(order) && piece != order[i] && piece != `"message":"m"` {
				t.Fatalf("%v are gone, in another order than %v", missing, order)
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d pieces were seen to go", seen)
	}
	for _, never := range []string{`"error":"code"`, `"class":"terminal"`, `"retryable":false`, `v0"`, `"maybe_executed":true`, `"blocked_by":"blocked"`, `"unblock_with":"unblock"`} {
		if text := finished(proto.CloneOf(e)).GetObservation(); !strings.Contains(text, never) {
			t.Errorf("%s is gone from %s", never, text)
		}
	}
}

// The prices that the contract names, in tokens of o200k.
func TestObservationsAreCheap(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		in    *toolgatev1.ToolError
		most  int
		bytes int
	}{
		"invoices":            {dateFormat(), 45, 160},
		"balance":             {balanceTooLow(), 70, 256},
		"ceiling":             {ceiling(), 70, 256},
		"clinic":              {slotTaken(), 200, 600},
		"waiting":             {transient(12, false, 1), 70, 256},
		"out of attempts":     {transient(30, true, 5), 70, 256},
		"an unknown outcome":  {&toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "outcome_unknown", Message: "No answer came in 20 s; the call may have taken effect.", BlockedBy: "unknown_outcome", UnblockWith: "get_order", MaybeExecuted: true}, 70, 256},
		"one of seven values": {&toolgatev1.ToolError{ErrorClass: interceptors.InvalidRequest, Code: "invalid_arguments", Message: "status: not one of the accepted values", Violations: []*toolgatev1.Violation{{Field: "status", Accepted: []string{"draft", "open", "paid", "void", "lost", "held", "new"}}}}, 70, 256},
	} {
		observation.Finish("book_slot", tc.in)
		text := tc.in.GetObservation()
		n, err := codec.Count(text)
		if err != nil || n > tc.most || len(text) > tc.bytes {
			t.Errorf("%s: %d tokens, %d bytes, %v: %s", name, n, len(text), err, text)
		}
		t.Logf("%s: %d tokens, %d bytes", name, n, len(text))
	}
}

func BenchmarkFinish(b *testing.B) {
	for name, e := range map[string]*toolgatev1.ToolError{"a violation": dateFormat(), "alternatives": slotTaken(), "transient": transient(12, true, 5)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				observation.Finish("book_slot", e)
			}
		})
	}
}
