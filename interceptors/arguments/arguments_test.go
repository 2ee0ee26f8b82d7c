package arguments_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	room "toolgate.dev/toolgate/interceptors/arguments"
	"toolgate.dev/toolgate/internal/arguments"
)

const invoices = `{"type":"object","properties":{"start_date":{"type":"string","format":"date"},"limit":{"type":"integer"}},"required":["start_date"],"additionalProperties":false}`

func tool(t testing.TB, schema string) *interceptors.Tool {
	t.Helper()
	compiled, err := arguments.Compile("list_invoices", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return &interceptors.Tool{Name: "list_invoices", Schema: compiled}
}

// send runs one call through the room; sent is what reached the tool.
func send(t testing.TB, call *interceptors.Call) (outcome *interceptors.Outcome, sent *string) {
	t.Helper()
	nearest := func(call *interceptors.Call) []string {
		return arguments.Nearest(call.Name, []string{"book_slot", "list_invoices", "pay_invoice", "find_slots"}, 4)
	}
	chain := interceptors.Chain(func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		text := string(call.Arguments.JSON)
		sent = &text
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: "[]"}}, nil
	}, room.New(nearest).Interceptor())
	outcome, err := chain(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return outcome, sent
}

func TestValidArgumentsReachTheToolByteForByte(t *testing.T) {
	call := &interceptors.Call{Tool: tool(t, invoices), Text: ` {"limit" : 1e1, "start_date":"2026-03-14"}`}
	outcome, sent := send(t, call)
	if sent == nil || *sent != call.Text || len(outcome.Result.GetCoercions()) > 0 || call.Trace.Answered != "" {
		t.Errorf("sent %v: %v", sent, outcome)
	}
	if key, _ := arguments.KeyOf("list_invoices", []byte(`{"start_date":"2026-03-14","limit":10}`)); call.Arguments.Identity() != key {
		t.Error("the key is not the key of the canonical arguments")
	}
}

func TestACoercionIsDeclaredInTheResult(t *testing.T) {
	outcome, sent := send(t, &interceptors.Call{Tool: tool(t, invoices), Text: `{"start_date":"03/14/2026"}`})
	want := &toolgatev1.Coercion{Field: "start_date", FromJson: `"03/14/2026"`, ToJson: `"2026-03-14"`, Rule: "date_reorder"}
	if sent == nil || *sent != `{"start_date":"2026-03-14"}` {
		t.Fatalf("sent %v", sent)
	}
	if got := outcome.Result.GetCoercions(); len(got) != 1 || !proto.Equal(got[0], want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAFaultNeverReachesTheToolAndCounts(t *testing.T) {
	for text, code := range map[string]string{
		`{"start_date":"03/04/2026"}`: interceptors.CodeInvalidArguments,
		`{"start_date":`:              interceptors.CodeMalformedJSON,
		`{}`:                          interceptors.CodeInvalidArguments,
	} {
		call := &interceptors.Call{Tool: tool(t, invoices), Text: text}
		outcome, sent := send(t, call)
		if sent != nil || outcome.Exempt || outcome.FromMemory || !outcome.Failed(interceptors.InvalidRequest) || outcome.Error.GetCode() != code ||
			outcome.Error.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY || call.Trace.Answered != "arguments" {
			t.Errorf("%s: %v, sent %v", text, outcome, sent)
		}
	}
}

func TestAnUnknownNameIsAnsweredWithTheNearestNames(t *testing.T) {
	outcome, sent := send(t, &interceptors.Call{Tool: &interceptors.Tool{Name: "unknown", Unknown: true}, Name: "invoices_list", Text: "{"})
	if sent != nil || outcome.Exempt || outcome.Error.GetCode() != interceptors.CodeUnknownTool || !outcome.Failed(interceptors.InvalidRequest) {
		t.Fatalf("%v", outcome)
	}
	v := outcome.Error.GetViolations()[0]
	if v.GetProblem() != outcome.Error.GetMessage() {
		t.Errorf("it is said twice: %v", outcome.Error)
	}
	if v.GetField() != "tool" || v.GetValueJson() != `"invoices_list"` || len(v.GetAccepted()) != 3 || v.GetAccepted()[0] != "list_invoices" || !v.GetAcceptedTruncated() {
		t.Errorf("%v", v)
	}
	if slices.Contains(v.GetAccepted(), "invoices_list") {
		t.Error("the unknown name is accepted")
	}
}

func TestAnUnknownNameIsNeverShownAtLength(t *testing.T) {
	outcome, _ := send(t, &interceptors.Call{Tool: &interceptors.Tool{Unknown: true}, Name: strings.Repeat("x", 5000)})
	if v := outcome.Error.GetViolations()[0]; v.GetValueJson() != "" || proto.Size(v) > 256 {
		t.Errorf("%v", v)
	}
}

func TestAToolWithoutASchemaTakesAnyObject(t *testing.T) {
	if _, sent := send(t, &interceptors.Call{Tool: &interceptors.Tool{Name: "any"}, Text: `{"a":[1]}`}); sent == nil {
		t.Error("an object is refused")
	}
	if _, sent := send(t, &interceptors.Call{Tool: &interceptors.Tool{Name: "any"}, Text: `[1]`}); sent != nil {
		t.Error("a list passes")
	}
	if _, sent := send(t, &interceptors.Call{Tool: &interceptors.Tool{Name: "any"}}); sent == nil || *sent != "{}" {
		t.Error("no arguments are not {}")
	}
}

func BenchmarkTheRoomOnAValidCall(b *testing.B) {
	passes := room.New(nil).Interceptor()
	result := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return result, nil }, passes)
	call := &interceptors.Call{Tool: tool(b, invoices), Text: `{"start_date":"2026-03-14","limit":10}`}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(context.Background(), call)
	}
}
