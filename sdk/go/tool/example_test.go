package tool_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"toolgate.dev/toolgate/sdk/go/tool"
)

// A handler returns what failed, in one line.
func ExampleHandler() {
	invoices := tool.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Query().Get("start_date") == "" {
			return tool.InvalidRequest("missing", "start_date is required", tool.Violation{Field: "start_date", Format: "YYYY-MM-DD"})
		}
		_, err := w.Write([]byte(`{"invoices":[]}`))
		return err
	})
	w := httptest.NewRecorder()
	invoices.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/invoices", http.NoBody))
	fmt.Println(w.Code, w.Body)
	// Output:
	// 400 {"error":"missing","class":"invalid_request","retryable":false,"message":"start_date is required","violations":[{"field":"start_date","problem":"start_date is required","format":"YYYY-MM-DD"}]}
}
