package diagnose_test

import (
	"fmt"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
)

func engine(t testing.TB) *diagnose.Engine {
	t.Helper()
	e, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func httpInput(host string, status int, contentType, body string) diagnose.Input {
	return diagnose.Input{
		Tool: &interceptors.Tool{
			Name: "list_invoices", Effect: toolgatev1.Effect_EFFECT_READ,
			Diagnosis: interceptors.DiagnosisHint{Host: host, Method: "GET"},
		},
		Arguments: []byte(`{"customer":"cus_123","start_date":"03/14/2026","limit":100,"status":"open"}`),
		Reply: &interceptors.Reply{
			Status: status, Sent: true, Body: []byte(body),
			Header: map[string][]string{
				"Content-Type": {contentType}, "Date": {"Wed, 11 Mar 2026 10:00:00 GMT"}, "Request-Id": {"req_1"}, "Server": {"nginx"},
			},
		},
	}
}

func bench(b *testing.B, in diagnose.Input) {
	e := engine(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(in.Reply.Body)))
	for b.Loop() {
		e.Diagnose(in)
	}
}

func jsonFailure() string {
	return `{"error":{"code":"parameter_invalid","message":"Invalid date format for start_date: expected YYYY-MM-DD.","param":"start_date","type":"invalid_request_error","doc_url":"https://docs.example.com/errors#parameter_invalid","details":[` +
		strings.Repeat(`{"a":"some detail of the request that nobody needs","n":12345},`, 10) + `{"a":"x","n":1}]},"timestamp":"2026-03-11T10:00:00Z"}`
}

func BenchmarkJSONFailure(b *testing.B) {
	bench(b, httpInput("api.example.com", 400, "application/json", jsonFailure()))
}

func BenchmarkJSONFailureOfAKnownProvider(b *testing.B) {
	bench(b, httpInput("api.stripe.com", 400, "application/json", jsonFailure()))
}

func BenchmarkSmallJSONFailure(b *testing.B) {
	bench(b, httpInput("api.example.com", 404, "application/json", `{"error":"not_found","message":"no invoice with that id"}`))
}

func BenchmarkTrace(b *testing.B) {
	var trace strings.Builder
	trace.WriteString("java.lang.IllegalStateException: Connection pool exhausted\n")
	for i := 0; trace.Len() < 64<<10; i++ {
		fmt.Fprintf(&trace, "\tat com.example.billing.Service%d.handle(Service%d.java:%d)\n", i, i, i)
	}
	bench(b, httpInput("api.example.com", 500, "text/plain", trace.String()))
}

func BenchmarkLargeBody(b *testing.B) {
	body := `{"data":[` + strings.Repeat(`{"id":"inv_1","total":"12.50","note":"a line of text"},`, 5<<20/56) + `{}],"error":{"code":"internal","message":"it broke"}}`
	bench(b, httpInput("api.example.com", 500, "application/json", body))
}

func BenchmarkLargePage(b *testing.B) {
	body := `<html><head><title>502 Bad Gateway</title></head><body>` + strings.Repeat(`<p>filler <b>text</b></p>`, 5<<20/25) + `</body></html>`
	bench(b, httpInput("api.example.com", 502, "text/html", body))
}

func BenchmarkLargeText(b *testing.B) {
	bench(b, httpInput("api.example.com", 500, "text/plain", strings.Repeat("something went wrong over there\n", 5<<20/32)))
}

func BenchmarkSuccess(b *testing.B) {
	bench(b, httpInput("api.example.com", 200, "application/json", `{"data":[`+strings.Repeat(`{"id":"inv_1","total":"12.50"},`, 30)+`{}],"has_more":false}`))
}

func BenchmarkSuccessThatMentionsErrors(b *testing.B) {
	bench(b, httpInput("api.example.com", 200, "application/json", `{"data":[`+strings.Repeat(`{"id":"inv_1","error":"none"},`, 30)+`{}],"has_more":false}`))
}

func BenchmarkLargeSuccess(b *testing.B) {
	bench(b, httpInput("api.example.com", 200, "application/json", `{"data":[`+strings.Repeat(`{"id":"inv_1","error":"none"},`, 30000)+`{}],"has_more":false}`))
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		engine(b)
	}
}
