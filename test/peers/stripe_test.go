package peers

import (
	"encoding/json"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
)

// wrongKey is one that stripe-mock refuses, and echoes when it does.
const wrongKey = "rk_planted_51HxQ2bLwz9KdTq"

func startStripe(t *testing.T) *gateway {
	t.Helper()
	peertest.Count(t, "stripe-mock")
	t.Setenv("PEER_STRIPE_KEY", "sk_test_123")
	t.Setenv("PEER_STRIPE_WRONG_KEY", wrongKey)
	return start(t, "stripe.yaml", "http://stripe.invalid", peertest.StripeMock(t))
}

func TestStripe(t *testing.T) {
	g := startStripe(t)
	peertest.Check(t, "stripe-mock", "an amount that is no number is found by the schema", func(t *testing.T) {
		failed := g.fails(t, "create_charge", `{"amount": "abc", "currency": "usd", "source": "tok_visa"}`)
		wantClass(t, failed, toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST)
		wantField(t, failed, "amount")
		if failed.GetCode() != "invalid_arguments" || failed.GetAttempts() != 0 {
			t.Errorf("code %s after %d attempts, want the schema's before any", failed.GetCode(), failed.GetAttempts())
		}
	})
	peertest.Check(t, "stripe-mock", "an amount that is no number is found by the provider", func(t *testing.T) {
		failed := g.fails(t, "create_charge_loose", `{"amount": "abc", "currency": "usd", "source": "tok_visa"}`)
		wantClass(t, failed, toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST)
		wantField(t, failed, "amount")
		if failed.GetAttempts() != 1 || failed.GetUpstreamStatus() != 400 {
			t.Errorf("%d attempts, status %d", failed.GetAttempts(), failed.GetUpstreamStatus())
		}
		if !strings.Contains(failed.GetObservation(), "value is not numeric") {
			t.Errorf("the provider's words are lost: %s", failed.GetObservation())
		}
	})
	peertest.Check(t, "stripe-mock", "a wrong key ends the call and reaches nobody", func(t *testing.T) {
		failed := g.fails(t, "create_charge_wrong_key", `{"amount": 100, "currency": "usd"}`)
		wantClass(t, failed, toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL)
		if failed.GetUpstreamStatus() != 401 {
			t.Errorf("status %d", failed.GetUpstreamStatus())
		}
		wantNowhere(t, g, failed, wrongKey)
	})
	peertest.Check(t, "stripe-mock", "an amount in quotes is corrected and charged", func(t *testing.T) {
		result := g.succeeds(t, "create_charge", `{"amount": "100", "currency": "USD", "source": "tok_visa", "metadata": {"order": "7"}}`)
		var charge struct {
			Object string `json:"object"`
			Amount int    `json:"amount"`
		}
		if err := json.Unmarshal([]byte(result.GetStructuredJson()), &charge); err != nil || charge.Object != "charge" {
			t.Errorf("%v in %.200s", err, result.GetStructuredJson())
		}
		if len(result.GetCoercions()) != 2 {
			t.Errorf("coercions %v, want amount and currency", result.GetCoercions())
		}
	})
	peertest.Check(t, "stripe-mock", "customers are listed and counted", func(t *testing.T) {
		result := g.succeeds(t, "list_customers", `{"limit": 3}`)
		if result.GetReturned() != 1 || result.GetTruncated() || result.GetAttempts() != 1 {
			t.Errorf("returned %d, truncated %v, attempts %d", result.GetReturned(), result.GetTruncated(), result.GetAttempts())
		}
	})
	peertest.Check(t, "stripe-mock", "a path that does not exist is the model's to change", func(t *testing.T) {
		failed := g.fails(t, "get_nothing", `{"path": "nope"}`)
		wantClass(t, failed, toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST)
	})
}

// One argument can't become two path segments, a query or another host.
func TestNoArgumentLeavesItsPlace(t *testing.T) {
	g := startStripe(t)
	for _, path := range []string{"../v1/customers", "customers?limit=1", "customers#x", "//example.com/", "..%2fcustomers", "@example.com"} {
		text, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		response := g.call(t, "get_nothing", string(text))
		if response.GetError() == nil {
			t.Errorf("%s reached %.120s", path, response.GetResult().GetStructuredJson())
		}
	}
}
