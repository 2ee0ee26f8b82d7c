package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/durationpb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func failure(tool, field, code, class, by string, count, read, carried uint64) Failure {
	return Failure{
		Kind: Kind{Tool: tool, Field: field, Code: code, Class: class, ClassifiedBy: by}, Count: count, Attempts: count, ReadBytes: read, CarriedBytes: carried,
	}
}

func expecting(expected string, f Failure) Failure {
	f.Expected = expected
	return f
}

func TestWhatALineEndsComesBeforeWhatCostsMore(t *testing.T) {
	day := &Day{Calls: 1000, Tools: map[string]Use{"pay": {Calls: 500}, "list": {Calls: 400}}, Failures: []Failure{
		failure("pay", "", "insufficient_funds", "terminal", "rule", 300, 60_000, 600_000),
		expecting("date", failure("list", "start_date", "bad_date", "invalid_request", "provider", 100, 16_000, 48_000)),
		failure("list", "start_date", "bad_date", "terminal", "gateway", 20, 3_200, 0),                 // from memory, and at the cap
		failure("list", "", "rejection_cap", "terminal", "gateway", 40, 8_000, 0),                      // in consequence
		expecting("email", failure("list", "to", "bad", "invalid_request", "rule", 1, 160, 1_000_000)), // once
		failure("pay", "", "bad_request", "invalid_request", "status", 30, 4_800, 0),
		failure("pay", "", "timeout", "transient", "transport", 400, 0, 0),
	}}
	r := New(day, nil)
	var order []string
	for _, f := range r.Failures {
		order = append(order, f.Tool+"."+f.Field+"."+f.Code)
	}
	if got := strings.Join(order, " "); got != "list.start_date.bad_date pay..bad_request list.to.bad pay..insufficient_funds" {
		t.Errorf("got %s", got)
	}
	first := r.Failures[0]
	if first.Calls != 120 || first.RefusedAfter != 40 || first.Tokens != (16_000+48_000+3_200+8_000)/4 || first.Class != "invalid_request" ||
		sprint(first.ClassifiedBy) != "[provider gateway]" || first.ShareOfTool != 0.3 || first.Share != 0.12 || first.Rank != 1 {
		t.Errorf("got %+v", first)
	}
	if r.Failures[3].Fix != nil || r.Failures[3].Advice == "" {
		t.Errorf("got %+v", r.Failures[3])
	}
	if len(r.Guesses) != 1 || r.Guesses[0].Calls != 30 || r.Guesses[0].Fix.Ends != EndsByRule {
		t.Errorf("got %+v", r.Guesses)
	}
	if len(r.Waits) != 1 || r.Waits[0].Code != "timeout" || !strings.Contains(r.Waits[0].Advice, "narrow") {
		t.Errorf("got %+v", r.Waits)
	}
	if r.Failed != 891 || len(r.Notes) != 1 {
		t.Errorf("got %d failed, notes %v", r.Failed, r.Notes)
	}
}

func TestTheGatewaysOwnCountsAreADay(t *testing.T) {
	day := FromReport(&toolgatev1.GetFailureReportResponse{
		Calls: 10, RunsWithoutResult: 2, DroppedFailures: 1,
		Tools: []*toolgatev1.ToolCount{{Tool: "t", Calls: 10, Results: 4, Attempts: 12, Coerced: 3}},
		Failures: []*toolgatev1.FailureCount{
			{Tool: "t", Field: "a", Code: "bad", ErrorClass: 2, ClassifiedBy: 4, Count: 3, Attempts: 3, ObservationBytes: 480, CarriedBytes: 1600, Expected: "date", Curable: 2, Refusable: 1},
			{Tool: "t", Code: "unavailable", ErrorClass: 1, ClassifiedBy: 7, Count: 4, ObservationBytes: 400, Exhausted: 1, UpstreamStatus: 503, Waited: durationpb.New(3e9)},
		},
	})
	r := New(day, map[string]*Surface{"t": {Tool: "t", Schema: `{"properties":{"a":{"type":"string"}}}`}})
	if f := r.Failures[0]; f.Fix.Line != "a: {type: string, format: date}" || f.Fix.Ends != EndsByCoercion || f.Fix.Coerced != 2 || f.Fix.Refused != 1 || f.Tokens != 520 {
		t.Errorf("got %+v with %+v", f, f.Fix)
	}
	if w := r.Waits[0]; w.Calls != 4 || w.GivenUp != 1 || w.Waited != 3 || w.Tokens != 25 {
		t.Errorf("got %+v", w)
	}
	if g := r.Guesses[0]; g.Status != 503 || g.Fix.Line != "- {when: status == 503, class: transient, code: …}" {
		t.Errorf("got %+v with %+v", g, g.Fix)
	}
	if r.Runs.WithoutResult != 2 || r.Failed != 8 || r.Dropped != 1 {
		t.Errorf("got %+v", r)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestADayOfOneTool(t *testing.T) {
	day := &Day{Calls: 10, Tools: map[string]Use{"a": {Calls: 4}, "b": {Calls: 6}}, Failures: []Failure{
		failure("a", "", "x", "terminal", "rule", 2, 0, 0), failure("b", "", "y", "terminal", "rule", 3, 0, 0),
	}}
	day.Only("a")
	if r := New(day, nil); len(r.Failures) != 1 || r.Failures[0].Tool != "a" || r.Failures[0].ShareOfTool != 0.5 {
		t.Errorf("got %+v", r.Failures)
	}
}

func TestAQuietDayHasAReport(t *testing.T) {
	r := New(&Day{}, nil)
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"failures":[]`) || !strings.Contains(string(text), `"guesses":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}
