package observation_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

func slotTaken() *toolgatev1.ToolError {
	slot := func(practitioner, start string) *toolgatev1.Alternative {
		return &toolgatev1.Alternative{
			Tool: "book_slot", Label: start,
			ArgumentsJson: `{"practitioner_id":"` + practitioner + `","start":"` + start + `"}`,
		}
	}
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "slot_unavailable",
		Message:       "2026-03-12 14:30 with p_17 was booked 2 seconds ago and cannot be reserved.",
		RequestedJson: `{"practitioner_id": "p_17", "start": "2026-03-12T14:30:00Z"}`,
		Alternatives: []*toolgatev1.Alternative{
			slot("p_17", "2026-03-12T14:45:00Z"), slot("p_17", "2026-03-12T16:00:00Z"), slot("p_22", "2026-03-12T14:30:00Z"),
		},
		AlternativesTruncated: true, Note: "find_slots has more",
	}
}

func balanceTooLow() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "insufficient_funds", Message: "Balance 42.10 below requested 150.00",
		FactsJson: `{"balance": 42.10, "requested": 150.00}`, BlockedBy: "balance", UnblockWith: "request_deposit",
	}
}

func dateFormat() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: "invalid_argument", Message: "invalid date format",
		Violations: []*toolgatev1.Violation{{
			Field: "start_date", ValueJson: `"03/14/2026"`, Problem: "invalid date format", Format: "YYYY-MM-DD",
		}},
	}
}

func ceiling() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: "limit_exceeded", Message: "Amount 750.00 above the limit of 500.00 per transaction",
		Violations: []*toolgatev1.Violation{{Field: "amount", ValueJson: "750.00", Problem: "above the limit", Range: "0.01 to 500.00"}},
		FactsJson:  `{"limit":500.00,"requested":750.00}`,
	}
}

func TestTheStoriesReadAsTheContractShowsThem(t *testing.T) {
	for name, tc := range map[string]struct {
		tool string
		in   *toolgatev1.ToolError
		want string
	}{
		"clinic: a taken slot with its neighbours": {"book_slot", slotTaken(), `{"error":"slot_unavailable","class":"terminal","retryable":false,"message":"2026-03-12 14:30 with p_17 was booked 2 seconds ago and cannot be reserved.","requested":{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"},"alternatives":[{"practitioner_id":"p_17","start":"2026-03-12T14:45:00Z"},{"practitioner_id":"p_17","start":"2026-03-12T16:00:00Z"},{"practitioner_id":"p_22","start":"2026-03-12T14:30:00Z"}],"alternatives_truncated":true,"note":"find_slots has more"}`},
		"balance: both numbers and the way out":    {"transfer_funds", balanceTooLow(), `{"error":"insufficient_funds","class":"terminal","retryable":false,"message":"Balance 42.10 below requested 150.00","facts":{"balance":42.10,"requested":150.00},"blocked_by":"balance","unblock_with":"request_deposit"}`},
		"invoices: field and format":               {"list_invoices", dateFormat(), `{"error":"invalid_argument","class":"invalid_request","retryable":false,"message":"invalid date format","field":"start_date","expected":"YYYY-MM-DD"}`},
		"ceiling: field and range":                 {"transfer_funds", ceiling(), `{"error":"limit_exceeded","class":"invalid_request","retryable":false,"message":"Amount 750.00 above the limit of 500.00 per transaction","field":"amount","expected":"0.01 to 500.00","facts":{"limit":500.00,"requested":750.00}}`},
	} {
		t.Run(name, func(t *testing.T) {
			observation.Finish(tc.tool, tc.in)
			if got := tc.in.GetObservation(); got != tc.want {
				t.Errorf("observation\n got %s\nwant %s", got, tc.want)
			}
			once := proto.CloneOf(tc.in)
			observation.Finish(tc.tool, tc.in)
			if !proto.Equal(once, tc.in) {
				t.Errorf("finishing twice changed\n%v\ninto\n%v", once, tc.in)
			}
		})
	}
}
