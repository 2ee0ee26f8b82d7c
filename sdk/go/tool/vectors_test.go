package tool_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/sdk/go/tool"
)

// vector is a failure and what must come of it in every language.
type vector struct {
	Name          string             `json:"name"`
	Kind          string             `json:"kind"`
	Code          string             `json:"code"`
	Message       string             `json:"message"`
	RetryAfterMS  float64            `json:"retry_after_ms"`
	Problems      []tool.Violation   `json:"problems"`
	Alternatives  []tool.Alternative `json:"alternatives"`
	BlockedBy     string             `json:"blocked_by"`
	UnblockWith   string             `json:"unblock_with"`
	Requested     map[string]any     `json:"requested"`
	Facts         map[string]any     `json:"facts"`
	MaybeExecuted bool               `json:"maybe_executed"`
	Partial       bool               `json:"partial"`
	Want          struct {
		Status     int        `json:"status"`
		RetryAfter string     `json:"retry_after"`
		Body       string     `json:"body"`
		GRPCCode   codes.Code `json:"grpc_code"`
		Detail     *detail    `json:"detail"`
	} `json:"want"`
}

// detail is what trailers hold of a failure that is larger.
type detail struct {
	Violations   int `json:"violations"`
	Accepted     int `json:"accepted"` // of the first violation
	Alternatives int `json:"alternatives"`
}

func (v *vector) failure() *tool.Failure {
	wait := time.Duration(v.RetryAfterMS * float64(time.Millisecond))
	made := map[string]func() *tool.Failure{
		"transient":       func() *tool.Failure { return tool.Transient(v.Code, v.Message, wait) },
		"rate_limited":    func() *tool.Failure { return tool.RateLimited(v.Code, v.Message, wait) },
		"invalid_request": func() *tool.Failure { return tool.InvalidRequest(v.Code, v.Message, v.Problems...) },
		"terminal":        func() *tool.Failure { return tool.Terminal(v.Code, v.Message) },
		"forbidden":       func() *tool.Failure { return tool.Forbidden(v.Code, v.Message) },
	}[v.Kind]()
	made = made.Alternatives(v.Alternatives...).Requested(v.Requested).Facts(v.Facts)
	if v.BlockedBy+v.UnblockWith != "" {
		made = made.BlockedBy(v.BlockedBy, v.UnblockWith)
	}
	if v.MaybeExecuted {
		made = made.MaybeExecuted()
	}
	if v.Partial {
		made = made.Partial()
	}
	return made
}

func vectors(t *testing.T) (all []vector) {
	t.Helper()
	text, err := os.ReadFile("../../../conformance/tool-failures.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) < 40 {
		t.Fatalf("%d vectors: %v", len(all), err)
	}
	return all
}

func TestEveryLanguageSaysAFailureAlike(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			w := answer(failing(fmt.Errorf("wrapped: %w", v.failure())))
			if w.Code != v.Want.Status || w.Header().Get("Retry-After") != v.Want.RetryAfter {
				t.Errorf("status %d, Retry-After %q; want %d, %q", w.Code, w.Header().Get("Retry-After"), v.Want.Status, v.Want.RetryAfter)
			}
			if got := w.Body.String(); got != v.Want.Body {
				t.Errorf("body\n%s, want\n%s", got, v.Want.Body)
			}
			if got := status.Code(v.failure()); got != v.Want.GRPCCode {
				t.Errorf("the status is %v, want %v", got, v.Want.GRPCCode)
			}
			got, whole := detailOf(t, v.failure()), v.failure().Proto()
			if v.Want.Detail == nil {
				if !proto.Equal(got, whole) {
					t.Errorf("detail\n%v, want\n%v", got, whole)
				}
				return
			}
			is := detail{len(got.GetViolations()), len(got.GetViolations()[0].GetAccepted()), len(got.GetAlternatives())}
			if is != *v.Want.Detail || !got.GetViolationsTruncated() || got.GetFactsJson()+got.GetRequestedJson() != "" || proto.Size(got) > 4096 {
				t.Errorf("of the detail is left %+v, want %+v, in %d bytes", is, *v.Want.Detail, proto.Size(got))
			}
		})
	}
}

func detailOf(t *testing.T, failure *tool.Failure) *toolgatev1.ToolError {
	t.Helper()
	for _, detail := range failure.GRPCStatus().Details() {
		if e, ok := detail.(*toolgatev1.ToolError); ok {
			return e
		}
	}
	t.Fatal("no detail")
	return nil
}

// Over HTTP and over gRPC the gateway understands the same.
func TestTheGatewayUnderstandsWhatEveryLanguageSays(t *testing.T) {
	engine, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	read := &interceptors.Tool{Name: "t", Effect: toolgatev1.Effect_EFFECT_READ, Diagnosis: interceptors.DiagnosisHint{SpeaksToolgate: true}}
	for _, v := range vectors(t) {
		if v.Want.Detail != nil { // less goes through trailers
			continue
		}
		overHTTP, _ := engine.Diagnose(diagnose.Input{Tool: read, Reply: &interceptors.Reply{
			Status: v.Want.Status, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(v.Want.Body), Sent: true,
		}})
		st := v.failure().GRPCStatus()
		encoded, err := proto.Marshal(st.Proto())
		if err != nil {
			t.Fatal(err)
		}
		overGRPC, _ := engine.Diagnose(diagnose.Input{Tool: read, Reply: &interceptors.Reply{
			Transport: interceptors.TransportGRPC, Status: int(st.Code()), Message: st.Message(), Details: encoded, Sent: true,
		}})
		for _, e := range []*toolgatev1.ToolError{overHTTP, overGRPC} {
			if e.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM {
				t.Errorf("%s: the gateway found it out itself: %v", v.Name, e)
			}
			e.UpstreamStatus = 0
		}
		if !proto.Equal(overHTTP, overGRPC) {
			t.Errorf("%s:\nHTTP %v\ngRPC %v", v.Name, overHTTP, overGRPC)
		}
	}
}
