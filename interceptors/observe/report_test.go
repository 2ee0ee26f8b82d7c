package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/observe"
	"toolgate.dev/toolgate/internal/evidence"
)

func answered() *interceptors.Outcome { return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}} }

func callOf(run string) *interceptors.Call {
	c := call("t")
	c.Run.ID = run
	return c
}

// dated is a provider's rejection of a date, of 100 bytes.
func dated() *interceptors.Outcome {
	return &interceptors.Outcome{Error: &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: "bad", ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_PROVIDER,
		Violations:  []*toolgatev1.Violation{{Field: "start", Format: "YYYY-MM-DD", Problem: "secret-words"}},
		Observation: strings.Repeat("x", 100),
	}}
}

func only(t *testing.T, room *observe.Room) *toolgatev1.FailureCount {
	t.Helper()
	rows := room.Report(&toolgatev1.GetFailureReportRequest{}).GetFailures()
	if len(rows) != 1 {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	return rows[0]
}

func TestAFailureCostsItsBytesWithEveryCallThatFollows(t *testing.T) {
	ctx := context.Background()
	room := observe.New(observe.Settings{})
	finish := func(run string, outcome *interceptors.Outcome) { room.Finished(ctx, callOf(run), outcome, nil) }
	finish("r", answered()) // before: it carries nothing
	finish("r", dated())
	finish("r", dated())
	finish("r", answered())
	finish("other", answered())
	if got := only(t, room).GetCarriedBytes(); got != 100*(2+1) {
		t.Errorf("carried %d while the run goes on", got)
	}
	finish("r", answered())
	room.RunEnded(interceptors.RunKey{Principal: "anonymous", ID: "r"}, &toolgatev1.RunSummary{Calls: 5, Results: 3})
	finish("r", answered()) // another run of that name
	if got := only(t, room); got.GetCarriedBytes() != 100*(3+2) || got.GetObservationBytes() != 200 {
		t.Errorf("got %v", got)
	}
}

func TestATransientFailureIsReadOnlyWhereItIsGivenUp(t *testing.T) {
	room := observe.New(observe.Settings{})
	for _, exhausted := range []bool{false, true} {
		outcome := interceptors.RefuseTransient("busy", "later", 1)
		outcome.Error.Exhausted, outcome.Error.Observation = exhausted, "0123456789"
		room.Finished(context.Background(), callOf("r"), outcome, nil)
	}
	room.Finished(context.Background(), callOf("r"), answered(), nil)
	if got := only(t, room); got.GetCarriedBytes() != 10 || got.GetExhausted() != 1 || got.GetCount() != 2 {
		t.Errorf("got %v", got)
	}
}

func TestTheReportTellsWhatWasExpectedAndWhatWouldHaveCuredIt(t *testing.T) {
	var asked []string
	var log bytes.Buffer
	room := observe.New(observe.Settings{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		Cure: func(expected string, _ *toolgatev1.Violation, sent []byte) evidence.Cure {
			asked = append(asked, expected+" "+string(sent))
			return evidence.CureCoerced
		},
	})
	c := callOf("r")
	c.Arguments.JSON = []byte(`{"start":"03/14/2026"}`)
	c.Trace.Waited = time.Second
	room.Finished(context.Background(), c, dated(), nil)
	got := only(t, room)
	if got.GetExpected() != "date" || got.GetCurable() != 1 || got.GetWaited().AsDuration() != time.Second || fmt.Sprint(asked) != `[date "03/14/2026"]` {
		t.Errorf("got %v, asked %v", got, asked)
	}
	if line := log.String(); !strings.Contains(line, `"expected":"date","cure":"coerced","turn":1`) || strings.Contains(line, "03/14") || strings.Contains(line, "secret") {
		t.Errorf("logged %s", line)
	}
}

func TestAGuessKeepsItsStatus(t *testing.T) {
	room := observe.New(observe.Settings{})
	outcome := dated()
	outcome.Error.UpstreamStatus, outcome.Error.ClassifiedBy = 422, toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS
	room.Finished(context.Background(), callOf("r"), outcome, nil)
	if got := only(t, room); got.GetUpstreamStatus() != 422 {
		t.Errorf("got %v", got)
	}
}

func TestTheReportCountsTools(t *testing.T) {
	room := observe.New(observe.Settings{})
	c := call("a")
	c.Arguments.Coercions = []*toolgatev1.Coercion{{}}
	c.Trace.Attempts = 2
	room.Finished(context.Background(), c, answered(), nil)
	room.Finished(context.Background(), call("a"), dated(), nil)
	room.Finished(context.Background(), call("b"), answered(), nil)
	room.RunEnded(interceptors.RunKey{}, &toolgatev1.RunSummary{Calls: 3})
	got := room.Report(&toolgatev1.GetFailureReportRequest{})
	if len(got.GetTools()) != 2 || got.GetCalls() != 3 || got.GetRunsWithoutResult() != 1 {
		t.Fatalf("got %v", got)
	}
	if a := got.GetTools()[0]; a.GetTool() != "a" || a.GetCalls() != 2 || a.GetResults() != 1 || a.GetAttempts() != 2 || a.GetCoerced() != 1 {
		t.Errorf("got %v", a)
	}
	if got := room.Report(&toolgatev1.GetFailureReportRequest{Tool: "b"}); len(got.GetTools()) != 1 || len(got.GetFailures()) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestRunsThatFailAreForgottenWhereThereAreTooMany(t *testing.T) {
	room := observe.New(observe.Settings{})
	const runs = 20_000
	for i := range runs {
		run := fmt.Sprint("r", i)
		room.Finished(context.Background(), callOf(run), dated(), nil)
		room.Finished(context.Background(), callOf(run), answered(), nil)
	}
	if got := only(t, room); got.GetCarriedBytes() != 100*runs || got.GetCount() != runs {
		t.Errorf("got %v: what was forgotten is not counted", got)
	}
}

func TestAListenerHearsEveryCallAndHoldsNoneUp(t *testing.T) {
	room := observe.New(observe.Settings{SampleEvery: -1})
	room.Finished(context.Background(), callOf("before"), answered(), nil)
	listener, ok := room.Listen()
	if !ok {
		t.Fatal("nobody may listen")
	}
	room.Finished(context.Background(), callOf("r"), answered(), nil)
	room.Finished(context.Background(), callOf("r"), dated(), nil)
	room.Finished(context.Background(), callOf("r"), nil, status.Error(codes.Canceled, "gone"))
	var heard []string
	for range 3 {
		told := <-listener.Calls
		heard = append(heard, told.Run+" "+told.Class+" "+told.Code+" "+told.Expected)
		if text, err := json.Marshal(told); err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
	}
	if got := strings.Join(heard, "|"); got != "r result  |r invalid_request other date|r abandoned canceled " {
		t.Errorf("heard %s", got)
	}
	for range 1000 { // nobody takes them
		room.Finished(context.Background(), callOf("r"), answered(), nil)
	}
	if missed := listener.Missed(); missed == 0 || int(missed)+len(listener.Calls) != 1000 || listener.Missed() != 0 {
		t.Errorf("missed %d, %d wait", missed, len(listener.Calls))
	}
	listener.Close()
	waiting := len(listener.Calls)
	room.Finished(context.Background(), callOf("r"), answered(), nil)
	if len(listener.Calls) != waiting {
		t.Error("a listener that left is told")
	}
}

func TestListenersAreBounded(t *testing.T) {
	room := observe.New(observe.Settings{})
	var all []*observe.Listener
	for {
		listener, ok := room.Listen()
		if !ok {
			break
		}
		all = append(all, listener)
	}
	if len(all) != 16 {
		t.Errorf("%d may listen", len(all))
	}
	var leave sync.WaitGroup
	for _, listener := range all {
		leave.Go(listener.Close)
		leave.Go(func() { room.Finished(context.Background(), callOf("r"), answered(), nil) })
	}
	leave.Wait()
	if _, ok := room.Listen(); !ok {
		t.Error("places are not given back")
	}
}

// A reader of some tools sees neither rows nor sums of the others.
func TestAReportOnSomeToolsIsAsIfThereWereNoOthers(t *testing.T) {
	both, one := observe.New(observe.Settings{}), observe.New(observe.Settings{})
	for _, tool := range []string{"a", "b", "a", "b", "b"} {
		c := call(tool)
		c.Run.ID = tool // what a failure costs is counted over all calls of its run
		both.Finished(t.Context(), c, dated(), nil)
		if tool == "a" {
			one.Finished(t.Context(), c, dated(), nil)
		}
	}
	both.RunEnded(interceptors.RunKey{ID: "r"}, &toolgatev1.RunSummary{Calls: 3})
	for _, req := range []*toolgatev1.GetFailureReportRequest{{}, {Tool: "a"}, {Tool: "b"}, {Limit: 1}} {
		got := both.ReportOn(req, func(tool string) bool { return tool == "a" })
		want := one.Report(req)
		got.Since, want.Since = nil, nil
		if !proto.Equal(got, want) {
			t.Errorf("%v:\n got %v\nwant %v", req, got, want)
		}
	}
}
