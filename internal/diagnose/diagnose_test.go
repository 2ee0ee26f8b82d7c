package diagnose_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
)

const (
	write      = toolgatev1.Effect_EFFECT_WRITE
	idempotent = toolgatev1.Effect_EFFECT_IDEMPOTENT
	reads      = toolgatev1.Effect_EFFECT_READ
)

func toolOf(effect toolgatev1.Effect) *interceptors.Tool {
	return &interceptors.Tool{
		Name: "transfer", Effect: effect,
		Verification: &interceptors.Verification{Tool: "find_transfer"},
		Diagnosis:    interceptors.DiagnosisHint{Host: "api.example.com", Method: "POST", Required: []string{"amount", "to"}},
	}
}

func answered(status int, body string) *interceptors.Reply {
	return &interceptors.Reply{Status: status, Body: []byte(body), Sent: true}
}

func broken(failure interceptors.TransportFailure, sent bool) *interceptors.Reply {
	return &interceptors.Reply{Failure: failure, Sent: sent, Cause: "dial tcp 10.0.0.7:443: it broke"}
}

func TestAWriteThatMayHaveExecutedIsNotRepeated(t *testing.T) {
	e := engine(t)
	for name, c := range map[string]struct {
		reply *interceptors.Reply
		maybe bool
	}{
		"a timeout after bytes were sent": {broken(interceptors.FailureTimeout, true), true},
		"a timeout before":                {broken(interceptors.FailureTimeout, false), false},
		"a reset":                         {broken(interceptors.FailureReset, true), true},
		"a cut 2xx":                       {broken(interceptors.FailureBodyCut, true), true},
		"the caller went away":            {broken(interceptors.FailureCancelled, true), true},
		"refused":                         {broken(interceptors.FailureRefused, false), false},
		"a name that is not resolved":     {broken(interceptors.FailureDNSTemporary, false), false},
		"a bare 500":                      {answered(500, "Internal Server Error"), true},
		"a 500 with words":                {answered(500, `{"message":"Something went wrong"}`), true},
		"502":                             {answered(502, ""), true},
		"504":                             {answered(504, ""), true},
		"520":                             {answered(520, ""), true},
		"524":                             {answered(524, ""), true},
		"503":                             {answered(503, ""), false},
		"408":                             {answered(408, ""), false},
		"421":                             {answered(421, ""), false},
		"425":                             {answered(425, ""), false},
		"429":                             {answered(429, ""), false},
		"521":                             {answered(521, ""), false},
		"522":                             {answered(522, ""), false},
		"525":                             {answered(525, ""), false},
		"529":                             {answered(529, ""), false},
		"a 500 whose code says deadlock":  {answered(500, `{"code":"deadlock_detected","message":"rolled back"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, verdict := e.Diagnose(diagnose.Input{Tool: toolOf(write), Reply: c.reply})
			if (verdict.Executed == interceptors.ExecutedMaybe) != c.maybe || got.GetMaybeExecuted() != c.maybe {
				t.Fatalf("executed %v, maybe_executed %v", verdict.Executed, got.GetMaybeExecuted())
			}
			if c.maybe != (got.GetCode() == interceptors.CodeOutcomeUnknown) {
				t.Errorf("code %s", got.GetCode())
			}
			if c.maybe && (got.GetErrorClass() != interceptors.Terminal || got.GetBlockedBy() != interceptors.BlockedByUnknownOutcome || got.GetUnblockWith() != "find_transfer") {
				t.Errorf("not the outcome_unknown of the contract: %v", got)
			}
			if !c.maybe && got.GetErrorClass() != interceptors.Transient {
				t.Errorf("class %v", got.GetErrorClass())
			}
			keyed, _ := e.Diagnose(diagnose.Input{Tool: toolOf(write), Reply: c.reply, IdempotencyKeyed: true})
			if keyed.GetErrorClass() != interceptors.Transient || keyed.GetMaybeExecuted() != c.maybe {
				t.Errorf("with a key: %v", keyed)
			}
			read, _ := e.Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: c.reply})
			if read.GetErrorClass() != interceptors.Transient || read.GetMaybeExecuted() {
				t.Errorf("of a read: %v", read)
			}
			put, _ := e.Diagnose(diagnose.Input{Tool: toolOf(idempotent), Reply: c.reply})
			if put.GetErrorClass() != interceptors.Transient {
				t.Errorf("of an idempotent call: %v", put)
			}
		})
	}
}

func TestTheBreakerHearsWhatFailuresSayOfTheUpstream(t *testing.T) {
	e := engine(t)
	hinted := answered(503, "")
	hinted.Header = map[string][]string{"Retry-After": {"5"}}
	for name, c := range map[string]struct {
		reply *interceptors.Reply
		want  interceptors.Health
	}{
		"502":                     {answered(502, ""), interceptors.HealthToolDown},
		"503":                     {answered(503, "down"), interceptors.HealthToolDown},
		"504":                     {answered(504, ""), interceptors.HealthToolDown},
		"522":                     {answered(522, ""), interceptors.HealthToolDown},
		"a hinted 503":            {hinted, interceptors.HealthNeutral},
		"429":                     {answered(429, ""), interceptors.HealthNeutral},
		"500":                     {answered(500, ""), interceptors.HealthNeutral},
		"400":                     {answered(400, ""), interceptors.HealthAlive},
		"404":                     {answered(404, `{"code":"not_found"}`), interceptors.HealthAlive},
		"402":                     {answered(402, ""), interceptors.HealthAlive},
		"a timeout":               {broken(interceptors.FailureTimeout, true), interceptors.HealthToolDown},
		"a reset":                 {broken(interceptors.FailureReset, true), interceptors.HealthToolDown},
		"the caller went away":    {broken(interceptors.FailureCancelled, true), interceptors.HealthNeutral},
		"refused":                 {broken(interceptors.FailureRefused, false), interceptors.HealthUpstreamDown},
		"a resolver that failed":  {broken(interceptors.FailureDNSTemporary, false), interceptors.HealthUpstreamDown},
		"a handshake that hung":   {broken(interceptors.FailureTLSHandshake, false), interceptors.HealthUpstreamDown},
		"a rejected certificate":  {broken(interceptors.FailureTLSCertificate, false), interceptors.HealthNeutral},
		"a name without a record": {broken(interceptors.FailureDNSNotFound, false), interceptors.HealthNeutral},
	} {
		t.Run(name, func(t *testing.T) {
			if _, verdict := e.Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: c.reply}); verdict.Health != c.want {
				t.Errorf("health %v, want %v", verdict.Health, c.want)
			}
		})
	}
}

func TestABare4xxNamesTheWholeAndSaysThatItGuesses(t *testing.T) {
	got, _ := engine(t).Diagnose(diagnose.Input{Tool: toolOf(write), Reply: answered(400, "")})
	v := got.GetViolations()
	if got.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS || len(v) != 1 || v[0].GetField() != "" ||
		strings.Join(v[0].GetAccepted(), ",") != "amount,to" || !strings.Contains(got.GetNote(), "guess") {
		t.Errorf("%v", got)
	}
}

func TestAnUpstreamIsBelievedOnlyWhereItMaySpeak(t *testing.T) {
	e := engine(t)
	const body = `{"class":"transient","error":"warming_up","message":"almost ready","retry_after":2.5,"facts":{"done":0.70}}`
	stranger, _ := e.Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: answered(400, body)})
	if stranger.GetErrorClass() == interceptors.Transient && stranger.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM {
		t.Errorf("a stranger was believed: %v", stranger)
	}
	tool := toolOf(reads)
	tool.Diagnosis.SpeaksToolgate = true
	own, verdict := e.Diagnose(diagnose.Input{Tool: tool, Reply: answered(400, body)})
	if own.GetErrorClass() != interceptors.Transient || own.GetCode() != "warming_up" || own.GetRetryAfter() != 2.5 ||
		own.GetFactsJson() != `{"done":0.70}` || own.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM || !verdict.Hinted {
		t.Errorf("its own error became %v", own)
	}
}

func TestWhatIsAcceptedIsNotSaidAgainAsAFact(t *testing.T) {
	for name, c := range map[string]struct{ body, accepted, facts string }{
		"beside the message": {`{"error":"invalid_argument","message":"invalid date format","field":"start_date","expected":"YYYY-MM-DD"}`, "YYYY-MM-DD", ""},
		"within the error":   {`{"error":{"code":"bad_date","message":"invalid date format","field":"start_date","expected":"YYYY-MM-DD"}}`, "YYYY-MM-DD", ""},
		"beside a number":    {`{"error":{"code":"too_much","message":"too much","field":"amount","expected":"cents","limit":500}}`, "cents", `{"limit":500}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := engine(t).Diagnose(diagnose.Input{Tool: toolOf(write), Reply: answered(400, c.body)})
			if v := got.GetViolations(); len(v) != 1 || strings.Join(v[0].GetAccepted(), ",") != c.accepted || got.GetFactsJson() != c.facts {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestAFailureInsideOfASuccessIsNotCalledOK(t *testing.T) {
	const body, want = `{"ok":false,"error":"channel_not_found"}`, "the tool answered channel_not_found"
	if got, _ := engine(t).Diagnose(diagnose.Input{Tool: toolOf(write), Reply: answered(200, body)}); got.GetMessage() != want {
		t.Errorf("%v", got)
	}
}

func TestAServerThatIsDownForAKnownTimeIsNoRateLimit(t *testing.T) {
	for status, want := range map[int]bool{503: false, 502: false, 429: true, 409: true} {
		reply := answered(status, "")
		reply.Header = http.Header{"Retry-After": {"3"}}
		got, verdict := engine(t).Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: reply})
		if got.GetErrorClass() != interceptors.Transient || (got.GetHttpStatus() == http.StatusTooManyRequests) != want || !verdict.Hinted {
			t.Errorf("%d became %v", status, got)
		}
	}
}

func TestAStatusDetailOfOurTypeIsBelieved(t *testing.T) {
	detail, err := anypb.New(&toolgatev1.ToolError{ErrorClass: interceptors.InvalidRequest, Code: "bad_sku", Message: "no such sku",
		Violations: []*toolgatev1.Violation{{Field: "sku", Problem: "unknown"}}, Attempts: 9, Observation: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := proto.Marshal(&statuspb.Status{Code: 13, Message: "x", Details: []*anypb.Any{detail}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := engine(t).Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: &interceptors.Reply{
		Transport: interceptors.TransportGRPC, Status: 13, Message: "x", Details: encoded, Sent: true,
	}})
	if got.GetCode() != "bad_sku" || got.GetErrorClass() != interceptors.InvalidRequest || got.GetViolations()[0].GetField() != "sku" {
		t.Errorf("%v", got)
	}
	if got.GetAttempts() != 0 || got.GetObservation() != "" {
		t.Error("counts and observation are the gateway's")
	}
}

// rule is a Rules of one verdict.
type rule interceptors.RuleVerdict

func (r *rule) Match(*interceptors.Reply, []byte) *interceptors.RuleVerdict {
	return (*interceptors.RuleVerdict)(r)
}

func TestARuleDecidesAndTheResponseFillsTheRest(t *testing.T) {
	tool := toolOf(write)
	tool.Rules = &rule{Class: interceptors.Terminal, BlockedBy: "balance", UnblockWith: "request_deposit", FactsJSON: `{"balance":42.10}`}
	got, _ := engine(t).Diagnose(diagnose.Input{Tool: tool, Reply: answered(429, `{"error":{"code":"nsf","message":"Balance too low"}}`)})
	if got.GetErrorClass() != interceptors.Terminal || got.GetCode() != "nsf" || got.GetMessage() != "Balance too low" ||
		got.GetUnblockWith() != "request_deposit" || got.GetFactsJson() != `{"balance":42.10}` || got.GetMaybeExecuted() ||
		got.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_RULE {
		t.Errorf("%v", got)
	}
}

func TestARuleSpeaksOn2xxToo(t *testing.T) {
	tool := toolOf(reads)
	tool.Rules = &rule{Class: interceptors.InvalidRequest, Code: "no_rows", Violation: &toolgatev1.Violation{Field: "filter", Problem: "matches nothing"}}
	got, _ := engine(t).Diagnose(diagnose.Input{Tool: tool, Reply: answered(200, `[]`)})
	if got.GetCode() != "no_rows" || got.GetViolations()[0].GetField() != "filter" {
		t.Errorf("%v", got)
	}
}

func TestARuleMaySayThatAWriteExecuted(t *testing.T) {
	tool := toolOf(write)
	tool.Rules = &rule{Class: interceptors.Transient, Executed: interceptors.ExecutedMaybe}
	got, _ := engine(t).Diagnose(diagnose.Input{Tool: tool, Reply: answered(503, ``)})
	if got.GetCode() != interceptors.CodeOutcomeUnknown {
		t.Errorf("%v", got)
	}
}

func TestAlternativesOfTheProviderAreReadyToCall(t *testing.T) {
	e := engine(t)
	in := diagnose.Input{Tool: toolOf(write), Arguments: []byte(`{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z","note":"x"}`),
		Reply: answered(409, `{"code":"slot_unavailable","message":"taken","alternatives":[{"start":"2026-03-12T14:45:00Z"},{"start":"a"},{"start":"b"},{"start":"c"}]}`)}
	got, _ := e.Diagnose(in)
	if got.GetErrorClass() != interceptors.Terminal || len(got.GetAlternatives()) != 3 || !got.GetAlternativesTruncated() ||
		got.GetAlternatives()[0].GetArgumentsJson() != `{"practitioner_id":"p_17","start":"2026-03-12T14:45:00Z","note":"x"}` {
		t.Errorf("%v", got)
	}
	in.Reply = answered(409, `{"code":"slot_unavailable","message":"taken","alternatives":[{"room":"4"}]}`)
	if got, _ := e.Diagnose(in); len(got.GetAlternatives()) != 0 {
		t.Errorf("an alternative that is no call: %v", got)
	}
}

func TestProvidersAreKnownByEveryName(t *testing.T) {
	e := engine(t)
	for name, want := range map[string]bool{"stripe": true, "K8s": true, "kubernetes": true, "nobody": false, "": false} {
		if e.KnownProvider(name) != want {
			t.Errorf("%s: known %v", name, !want)
		}
	}
}

func TestAnOrdinaryErrorOfAFunctionIsReadLikeAnyText(t *testing.T) {
	e := engine(t)
	for text, want := range map[string]toolgatev1.ErrorClass{
		"no such invoice":                  interceptors.Terminal,
		"rate limit exceeded for this key": interceptors.Transient,
		"you do not have permission":       interceptors.Terminal,
	} {
		got, _ := e.Diagnose(diagnose.Input{Tool: toolOf(write), Reply: &interceptors.Reply{
			Transport: interceptors.TransportFunction, Status: 1, Message: text, Body: []byte(text), Sent: true,
		}})
		if got.GetErrorClass() != want || got.GetMessage() != text || got.GetUpstreamStatus() != 0 {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAForbiddenRepetitionIsNeverTransient(t *testing.T) {
	reply := answered(500, `{"error":{"message":"no"}}`)
	reply.Header = map[string][]string{"X-Should-Retry": {"false"}}
	got, verdict := engine(t).Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: reply})
	if got.GetErrorClass() != interceptors.Terminal || !verdict.NeverRetry {
		t.Errorf("%v %+v", got, verdict)
	}
}

// secret is planted everywhere below.
const secret = "s3cr3t-Value-9f8e7d6c5b4a"

func TestASecretOfTheGatewayNeverComesOut(t *testing.T) {
	e := engine(t)
	for _, body := range []string{
		`{"error":{"code":"` + secret + `","message":"key ` + secret + ` is wrong","param":"` + secret + `"}}`,
		`{"errors":[{"field":"` + secret + `","message":"` + secret + `","value":"` + secret + `","allowedValues":["` + secret + `"]}]}`,
		`{"errors":{"` + secret + `":["` + secret + `"]}}`,
		`{"detail":[{"loc":["body","` + secret + `"],"msg":"` + secret + `","type":"` + secret + `","input":"` + secret + `"}]}`,
		`{"type":"` + secret + `","title":"` + secret + `","status":400,"detail":"` + secret + `","limit":"` + secret + `"}`,
		`{"errors":[{"message":"` + secret + `","extensions":{"code":"` + secret + `"}}],"data":null}`,
		`{"error":{"code":5,"status":"NOT_FOUND","message":"` + secret + `","details":[{"@type":"x/google.rpc.ErrorInfo","reason":"` + secret + `","metadata":{"` + secret + `":"` + secret + `"}}]}}`,
		`<Error><Code>` + secret + `</Code><Message>` + secret + `</Message><Region>` + secret + `</Region></Error>`,
		`<html><head><title>` + secret + `</title></head><body><h1>` + secret + `</h1><p>it is ` + secret + `</p></body></html>`,
		"Traceback (most recent call last):\n  File \"x\", line 1\nValueError: " + secret,
		secret, `"` + secret + `"`, `["` + secret + `"]`, "a=" + secret + "&error=" + secret,
	} {
		for _, status := range []int{200, 400, 401, 404, 409, 429, 500, 503} {
			in := httpInput("api.example.com", status, "text/plain", body)
			in.Tool.Diagnosis.Secrets = []string{secret}
			in.Trail = &diagnose.Trail{}
			got, _ := e.Diagnose(in)
			if got == nil {
				continue
			}
			text, _ := json.Marshal(in.Trail)
			if strings.Contains(got.String()+string(text), secret) {
				t.Errorf("%d %s: %v %s", status, body, got, text)
			}
		}
	}
}

func FuzzDiagnose(f *testing.F) {
	for _, body := range []string{
		"", `{}`, `{"error":{"code":"x","message":"y","param":"start_date"}}`, `{"errors":[{"field":"a","message":"b"}]}`, `[{"success":false}]`,
		`<Error><Code>SlowDown</Code></Error>`, `<html><title>Login</title><input type=password></html>`, "Retry after 5 s",
		`{"ok":false,"error":"ratelimited"}`, `{"detail":[{"loc":["body","x"],"msg":"m"}]}`, "data: {\"error\":{}}\n\n", "\x1f\x8b", "\xff\xfe{\x00",
	} {
		f.Add(body, 400, "30", "application/json", uint8(0), uint8(1))
	}
	e := engine(f)
	hosts := []string{"api.example.com", "slack.com", "api.stripe.com", "s3.us-east-1.amazonaws.com", "www.googleapis.com", "api.github.com", "management.azure.com"}
	f.Fuzz(func(t *testing.T, body string, status int, wait, kind string, host, effect uint8) {
		in := httpInput(hosts[int(host)%len(hosts)], 100+abs(status)%500, kind, body)
		in.Tool.Effect = toolgatev1.Effect(effect % 4)
		in.Tool.Diagnosis.Secrets = []string{secret}
		in.Reply.Header["Retry-After"] = []string{wait}
		in.Now = time.Unix(1_770_000_000, 0)
		in.Trail = &diagnose.Trail{}
		if effect&8 != 0 {
			in.Reply.Transport, in.Reply.Status, in.Reply.Message, in.Reply.Details = interceptors.TransportGRPC, int(effect>>4), wait, []byte(body)
		}
		got, verdict := e.Diagnose(in)
		if got != nil {
			holdsInvariants(t, got, verdict)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
