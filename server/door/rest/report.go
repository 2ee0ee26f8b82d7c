package rest

import (
	"net/http"
	"strconv"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

const maxReportRows = 1000

// report answers GET /v1/report.
func (d *Door) report(w http.ResponseWriter, r *http.Request, _ string) error {
	if err := checkQuery(r, "tool", "limit"); err != nil {
		return err
	}
	req := &toolgatev1.GetFailureReportRequest{Tool: r.URL.Query().Get("tool")}
	if text := r.URL.Query().Get("limit"); text != "" {
		limit, err := strconv.ParseUint(text, 10, 32)
		if err != nil || limit < 1 || limit > maxReportRows {
			return refuse(http.StatusBadRequest, "INVALID_PARAMETER", "limit", "a number from 1 to "+strconv.Itoa(maxReportRows)+" is wanted here")
		}
		req.Limit = uint32(limit)
	}
	resp, err := d.house.GetFailureReport(door.Caller(r), req)
	if err == nil {
		writeJSON(w, http.StatusOK, reportText(resp))
	}
	return err
}

func reportText(report *toolgatev1.GetFailureReportResponse) []byte {
	w := writer{text: []byte{'{'}}
	w.time("since", report.GetSince())
	w.number("calls", report.GetCalls())
	w.number("failures_total", report.GetFailuresTotal())
	w.number("dropped_failures", report.GetDroppedFailures())
	w.number("runs_without_result", report.GetRunsWithoutResult())
	w.key("failures")
	failures := report.GetFailures()
	w.list(len(failures), func(i int) { w.failure(failures[i]) })
	w.key("tools")
	tools := report.GetTools()
	w.list(len(tools), func(i int) {
		w.open()
		w.always("tool", tools[i].GetTool())
		w.number("calls", tools[i].GetCalls())
		w.number("results", tools[i].GetResults())
		w.number("attempts", tools[i].GetAttempts())
		w.some("coerced", tools[i].GetCoerced())
		w.duration("waited", tools[i].GetWaited())
		w.close()
	})
	return w.end()
}

func (w *writer) failure(f *toolgatev1.FailureCount) {
	w.open()
	w.always("tool", f.GetTool())
	w.string("field", f.GetField())
	w.string("code", f.GetCode())
	w.string("class", className(f.GetErrorClass()))
	w.string("classified_by", classifiedBy(f.GetClassifiedBy()))
	w.string("expected", f.GetExpected())
	w.number("count", f.GetCount())
	w.number("attempts", f.GetAttempts())
	w.some("observation_bytes", f.GetObservationBytes())
	w.some("carried_bytes", f.GetCarriedBytes())
	w.some("exhausted", f.GetExhausted())
	w.duration("waited", f.GetWaited())
	w.some("curable", f.GetCurable())
	w.some("refusable", f.GetRefusable())
	w.some("upstream_status", uint64(f.GetUpstreamStatus()))
	w.close()
}
