package evidence

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// The estimate of what a failure costs rests on this figure.
func TestAnObservationHasAboutFourBytesAToken(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	bytes, tokens := 0, 0
	for _, observation := range []string{
		`{"error":"slot_unavailable","class":"terminal","retryable":false,"message":"2026-03-12 14:30 with p_17 was booked 2 seconds ago and cannot be reserved.","requested":{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"},"alternatives_truncated":true,"note":"find_slots has more"}`,
		`{"error":"insufficient_funds","class":"terminal","retryable":false,"message":"Balance 42.10 below requested 150.00","facts":{"balance":42.10,"requested":150.00},"blocked_by":"balance","unblock_with":"request_deposit"}`,
		`{"error":"invalid_argument","class":"invalid_request","retryable":false,"message":"invalid date format","field":"start_date","expected":"YYYY-MM-DD"}`,
		`{"error":"rejection_cap","class":"terminal","retryable":false,"message":"list_invoices has rejected three calls of this run","note":"use another approach or report"}`,
	} {
		count, err := codec.Count(observation)
		if err != nil {
			t.Fatal(err)
		}
		bytes, tokens = bytes+len(observation), tokens+count
	}
	if ratio := float64(bytes) / float64(tokens); ratio < bytesPerToken-0.8 || ratio > bytesPerToken+0.8 {
		t.Errorf("%d bytes are %d tokens: %.2f bytes a token, counted as %d", bytes, tokens, ratio, bytesPerToken)
	} else {
		t.Logf("%.2f bytes a token", ratio)
	}
}
