package rest

import (
	"net/http"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// getRun answers GET /v1/runs/{run}.
func (d *Door) getRun(w http.ResponseWriter, r *http.Request, run string) error {
	if err := checkQuery(r); err != nil {
		return err
	}
	resp, err := d.house.GetRun(door.Caller(r), &toolgatev1.GetRunRequest{RunId: run})
	if err == nil {
		writeJSON(w, http.StatusOK, runText(resp.GetRun()))
	}
	return err
}

// endRun answers POST /v1/runs/{run}:end and DELETE /v1/runs/{run}. A body says
// nothing.
func (d *Door) endRun(w http.ResponseWriter, r *http.Request, run string) error {
	if err := checkQuery(r); err != nil {
		return err
	}
	resp, err := d.house.EndRun(door.Caller(r), &toolgatev1.EndRunRequest{RunId: run})
	if err == nil {
		writeJSON(w, http.StatusOK, runText(resp.GetRun()))
	}
	return err
}

func runText(run *toolgatev1.RunSummary) []byte {
	w := writer{text: []byte{'{'}}
	w.always("run_id", run.GetRunId())
	w.time("started_at", run.GetStartedAt())
	w.duration("age", run.GetAge())
	w.number("calls", run.GetCalls())
	w.number("results", run.GetResults())
	w.key("errors")
	w.text = append(w.text, '{')
	for _, count := range run.GetErrors() {
		w.number(className(count.GetErrorClass()), count.GetCount())
	}
	w.close()
	w.number("attempts", run.GetAttempts())
	w.key("tools")
	tools := run.GetTools()
	w.list(len(tools), func(i int) {
		w.open()
		w.string("tool", tools[i].GetTool())
		w.number("results", tools[i].GetResults())
		w.number("rejections", uint64(tools[i].GetRejections()))
		w.number("rejection_cap", uint64(tools[i].GetRejectionCap()))
		w.some("unknown_outcomes", uint64(tools[i].GetUnknownOutcomes()))
		w.close()
	})
	return w.end()
}
