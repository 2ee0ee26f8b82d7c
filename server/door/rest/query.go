package rest

import (
	"net/http"
	"slices"
)

// checkQuery refuses parameters that nobody knows.
func checkQuery(r *http.Request, accepted ...string) error {
	for name := range r.URL.Query() {
		if !slices.Contains(accepted, name) {
			return refuse(http.StatusBadRequest, "UNKNOWN_PARAMETER", name[:min(len(name), maxPathEcho)], "there is no such parameter of the query", accepted...)
		}
	}
	return nil
}
