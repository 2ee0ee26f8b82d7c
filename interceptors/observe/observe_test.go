package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/observe"
)

func known(code string) bool { return code == "invalid_arguments" }

func failure(code, field string) *interceptors.Outcome {
	return interceptors.RejectArguments(code, "secret-words", &toolgatev1.Violation{Field: field, ValueJson: `"secret-value"`})
}

func call(tool string) *interceptors.Call {
	return &interceptors.Call{
		Run: interceptors.RunKey{Principal: "anonymous", ID: "r1"}, ID: "c1", Text: `{"k":"secret-text"}`,
		Tool: &interceptors.Tool{Name: tool}, Arrived: time.Now(),
	}
}

func TestAFailedCallGetsOneLineWithoutAWordOfTheUpstream(t *testing.T) {
	var log bytes.Buffer
	room := observe.New(observe.Settings{Logger: slog.New(slog.NewJSONHandler(&log, nil)), KnownCode: known})
	room.Finished(context.Background(), call("t"), failure("invalid_arguments", "a.b"), nil)
	line := log.String()
	if strings.Count(line, "\n") != 1 || strings.Contains(line, "secret") {
		t.Errorf("got %q", line)
	}
	for _, want := range []string{`"run":"r1"`, `"call":"c1"`, `"class":"invalid_request"`, `"code":"invalid_arguments"`, `"classified_by":"gateway"`} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

func TestACodeThatNobodyKnowsIsCountedAsOther(t *testing.T) {
	room := observe.New(observe.Settings{KnownCode: known})
	registry := prometheus.NewRegistry()
	registry.MustRegister(room.Collectors()...)
	room.Finished(context.Background(), call("t"), failure("invented-7f3a", ""), nil)
	room.Finished(context.Background(), call("t"), failure("invalid_arguments", ""), nil)
	const want = `
		# HELP toolgate_calls_total Tool calls by how they ended. class is ` + "`result`" + ` for an answer.
		# TYPE toolgate_calls_total counter
		toolgate_calls_total{class="invalid_request",classified_by="gateway",code="invalid_arguments",tool="t"} 1
		toolgate_calls_total{class="invalid_request",classified_by="gateway",code="other",tool="t"} 1
		toolgate_calls_total{class="result",classified_by="",code="",tool="t"} 0
	`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "toolgate_calls_total"); err != nil {
		t.Error(err)
	}
}

func TestTheReportDeclaresWhatItDropped(t *testing.T) {
	room := observe.New(observe.Settings{})
	for i := range 1500 {
		room.Finished(context.Background(), call("t"), failure(fmt.Sprint("code", i), ""), nil)
	}
	for range 50 {
		room.Finished(context.Background(), call("t"), failure("code0-again", "f"), nil)
	}
	room.Finished(context.Background(), call("t"), &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil)
	got := room.Report(&toolgatev1.GetFailureReportRequest{Limit: 10})
	var listed uint64
	for _, row := range got.GetFailures() {
		listed += row.GetCount()
	}
	if got.GetFailures()[0].GetCode() != "code0-again" || len(got.GetFailures()) != 10 {
		t.Errorf("first of %d rows is %v", len(got.GetFailures()), got.GetFailures()[0])
	}
	if got.GetFailuresTotal() != 1550 || got.GetCalls() != 1551 || listed+got.GetDroppedFailures() != 1550 {
		t.Errorf("total %d, calls %d, listed %d, dropped %d", got.GetFailuresTotal(), got.GetCalls(), listed, got.GetDroppedFailures())
	}
}

func TestARunWithoutOneResultIsCountedAndLogged(t *testing.T) {
	var log bytes.Buffer
	room := observe.New(observe.Settings{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	registry := prometheus.NewRegistry()
	registry.MustRegister(room.Collectors()...)
	run := interceptors.RunKey{Principal: "p", ID: "nightly"}
	room.RunEnded(run, &toolgatev1.RunSummary{Calls: 20})
	room.RunEnded(run, &toolgatev1.RunSummary{Calls: 20, Results: 1})
	room.RunEnded(run, &toolgatev1.RunSummary{})
	if err := testutil.GatherAndCompare(registry, strings.NewReader(`
		# HELP toolgate_runs_without_result_total Runs that ended without one successful call.
		# TYPE toolgate_runs_without_result_total counter
		toolgate_runs_without_result_total 1
	`), "toolgate_runs_without_result_total"); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "nightly") {
		t.Errorf("not logged: %q", log.String())
	}
}

func BenchmarkFinished(b *testing.B) {
	room := observe.New(observe.Settings{Logger: slog.New(slog.NewJSONHandler(&bytes.Buffer{}, nil)), SampleEvery: -1})
	c, result := call("t"), &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	b.ReportAllocs()
	for b.Loop() {
		room.Finished(context.Background(), c, result, nil)
	}
}

func TestACallThatNobodyCheckedIsCounted(t *testing.T) {
	room := observe.New(observe.Settings{})
	registry := prometheus.NewRegistry()
	registry.MustRegister(room.Collectors()...)
	send := func(unvalidated bool, passed string, err error) {
		c := call("t")
		c.Tool.Unvalidated, c.Arguments.JSON = unvalidated, []byte(passed)
		room.Finished(context.Background(), c, &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, err)
	}
	send(true, "{}", nil)
	send(true, "{}", context.Canceled)
	send(true, "", nil) // refused before it came so far
	send(false, "{}", nil)
	const want = `
		# HELP toolgate_unvalidated_calls_total Calls whose arguments nobody checked, since the tool's schema does not compile.
		# TYPE toolgate_unvalidated_calls_total counter
		toolgate_unvalidated_calls_total{tool="t"} 2
	`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "toolgate_unvalidated_calls_total"); err != nil {
		t.Error(err)
	}
}
