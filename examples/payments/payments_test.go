package payments_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgate.dev/toolgate/examples/payments"
)

func ask(h http.Handler, method, target, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestATransferOverTheBalanceGoesThroughAfterADeposit(t *testing.T) {
	h := payments.Handler()
	order := `{"account_id":"acc_1042","to":"acc_9000","amount":150.00,"reference":"rent-03"}`
	for _, step := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"POST", "/transfers", order, 422, `{"error":"insufficient_funds","message":"Balance 42.10 below requested 150.00","value":150.00,"threshold":42.10,"comparison":"at_most"}`},
		{"GET", "/transfers/rent-03", "", 404, `{"error":"transfer_not_found","message":"No transfer has this reference"}`},
		{"POST", "/deposits", `{"account_id":"acc_1042","amount":150}`, 201, `{"account_id":"acc_1042","balance":192.10}`},
		{"POST", "/transfers", order, 201, `{"amount":150.00,"balance":42.10,"reference":"rent-03","status":"booked"}`},
		{"GET", "/transfers/rent-03", "", 200, `{"reference":"rent-03","status":"booked","account_id":"acc_1042","to":"acc_9000","amount":150.00}`},
		{"POST", "/transfers", order, 409, `{"error":"duplicate_reference","message":"A transfer with this reference was made before","field":"reference"}`},
		{"GET", "/accounts/acc_1042", "", 200, `{"account_id":"acc_1042","balance":42.10}`},
	} {
		status, body := ask(h, step.method, step.target, step.body)
		if status != step.status || body != step.want {
			t.Fatalf("%s %s %s:\n got %d %s\nwant %d %s", step.method, step.target, step.body, status, body, step.status, step.want)
		}
	}
}

func TestTheCeilingHasTheBodyOfTheBalance(t *testing.T) {
	status, body := ask(payments.Handler(), "POST", "/transfers", `{"account_id":"acc_2077","to":"acc_9000","amount":750.00,"reference":"bill-9"}`)
	want := `{"error":"transaction_limit","message":"Transfer of 750.00 above the limit of 500.00 per transaction","value":750.00,"threshold":500.00,"comparison":"at_most"}`
	if status != 422 || body != want {
		t.Errorf("got %d %s", status, body)
	}
}

func TestRefusedOrdersMoveNothing(t *testing.T) {
	h := payments.Handler()
	for name, tc := range map[string]struct {
		path, body string
		status     int
	}{
		"no amount":          {"/transfers", `{"account_id":"acc_2077","to":"a","reference":"r"}`, 400},
		"zero":               {"/transfers", `{"account_id":"acc_2077","to":"a","amount":0,"reference":"r"}`, 400},
		"negative":           {"/deposits", `{"account_id":"acc_2077","amount":-5}`, 400},
		"three decimals":     {"/deposits", `{"account_id":"acc_2077","amount":0.005}`, 400},
		"an exponent":        {"/deposits", `{"account_id":"acc_2077","amount":1e3}`, 400},
		"no reference":       {"/transfers", `{"account_id":"acc_2077","to":"a","amount":1}`, 400},
		"an unknown account": {"/transfers", `{"account_id":"acc_1","to":"a","amount":1,"reference":"r"}`, 404},
		"no JSON":            {"/transfers", `amount=1`, 400},
	} {
		if status, body := ask(h, "POST", tc.path, tc.body); status != tc.status {
			t.Errorf("%s: got %d %s, want %d", name, status, body, tc.status)
		}
	}
	if _, body := ask(h, "GET", "/accounts/acc_2077", ""); !strings.Contains(body, `"balance":900.00`) {
		t.Errorf("money moved: %s", body)
	}
}
