package cases

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/observation"
)

// canary is the part of every planted text that may not be seen; it is mixed
// like a credential.
const canary = "q7Zk2Xw9Vb4Nm8Rt"

// kept is a fact that stands beside it and has to survive.
const kept = "at most 42 items"

// plant is a text that belongs to the upstream, to its people or to somebody
// else.
type plant struct {
	text, core string
	word       bool // it could stand as a code or as the name of a field
}

func plants() map[string]plant {
	all := map[string]plant{
		"an assignment": {"MCP_API_KEY=" + canary, canary, false}, "a password": {"password=" + canary, canary, false},
		"a JSON password": {`{"password": "` + canary + `"}`, canary, false}, "a quoted password": {`password "` + canary + `" rejected`, canary, false},
		"a client secret": {"client_secret: " + canary, canary, false}, "a key in prose": {"API key " + canary + " is not active", canary, false},
		"a key named as": {"your API key as " + canary, canary, false}, "a header": {"X-Api-Key: " + canary, canary, false},
		"bearer": {"Authorization: Bearer " + canary, canary, false}, "basic": {"Authorization: Basic c3ZjOnN1cGVyc2VjcmV0", "c3ZjOnN1cGVyc2VjcmV0", false},
		"a cookie": {"Cookie: sid=" + canary + "; theme=dark", canary, false}, "a set cookie": {"Set-Cookie: S=" + canary + "; Path=/; HttpOnly", canary, false},
		"a session": {"sessionid=" + canary, canary, false}, "a token of a service": {"X-Amz-Security-Token: " + canary + canary, canary, false},
		"PostgreSQL": {"postgres://svc:" + canary + "@db-7.prod.internal:5432/orders", canary, false},
		"MongoDB":    {"mongodb+srv://svc:" + canary + "@cluster0.ab1cd.mongodb.net/x", canary, false},
		"Redis":      {"redis://:" + canary + "@10.2.3.4:6379/0", canary, false}, "JDBC": {"jdbc:mysql://db9:3306/app?user=svc&password=" + canary, canary, false},
		"an ADO string":   {"Server=tcp:sql1.database.windows.net;User ID=svc;Password=" + canary + ";Encrypt=True", canary, false},
		"an account key":  {"AccountName=acct;AccountKey=" + canary + canary + "==;EndpointSuffix=core.windows.net", canary, false},
		"a signed URL":    {"https://acct.blob.core.windows.net/c/b?sv=2022-11-02&sig=" + canary + "&se=2025", canary, false},
		"a presigned URL": {"https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=" + canary + canary, canary, false},
		"a query token":   {"https://api.example.com/v1?access_token=" + canary + "&x=1", canary, false},
		"user-info":       {"https://svc:" + canary + "@api.example.com/v1", canary, false},
		"a webhook":       {"https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/" + canary + canary, canary, false},
		"a PEM block":     {"-----BEGIN PRIVATE KEY-----\n" + canary + canary + "\n-----END PRIVATE KEY-----", canary, false},
		"a JWT":           {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + canary + canary, canary, true},
		"a hash":          {"$2b$12$" + canary + canary + canary, canary, true},
		"a bot token":     {"123456789:AA" + canary + canary + "Q", canary, true},
		"an organisation": {"organization org-" + canary, canary, false},
		"an address":      {"10.24.7.91", "10.24.7.91", true}, "an address with a port": {"172.16.4.9:8443", "172.16.4.9", true},
		"a public address": {"198.51.100.77", "198.51.100.77", true}, "IPv6": {"fd12:3456:789a::12", "fd12:3456:789a::12", true},
		"public IPv6":    {"2001:db8:85a3::8a2e:370:7334", "85a3::8a2e", true},
		"a service":      {"billing-7c9f.payments.svc.cluster.local", "svc.cluster.local", true},
		"a host":         {"db-prod-01.corp.internal", "corp.internal", true},
		"a database":     {"orders.c9akciq32.eu-west-1.rds.amazonaws.com", "c9akciq32", true},
		"a file":         {"/var/www/app/releases/42/config.php", "/var/www/app", true},
		"a Windows file": {`C:\inetpub\wwwroot\Api\web.config`, "inetpub", true},
		"a request id":   {"Request ID: 8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea", false},
		"a trace":        {"trace 4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "4bf92f35-77b3", false},
		"a traceparent":  {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "4bf92f3577b34da6", true},
		"an e-mail":      {"ana.canary@example.net", "ana.canary", true}, "a phone number": {"+1 (415) 555-0133", "555-0133", false},
		"a card": {"4111 1111 1111 1111", "1111 1111 1111", false}, "SQL": {"SELECT pw_hash FROM users WHERE id = 7", "pw_hash", false},
		"a Java frame":   {"boom\n\tat com.acme.pay.Ledger.post(Ledger.java:88)\n\tat java.base/java.lang.Thread.run(Thread.java:833)", "Ledger.java", false},
		"a Python frame": {"Traceback (most recent call last):\n  File \"/srv/app/pay.py\", line 8, in run\n    go()\nValueError: boom", "pay.py", false},
		"a Node frame":   {"Error: boom\n    at pay (/srv/app/src/pay.js:8:3)\n    at node:internal/main/run_main_module:23:47", "pay.js", false},
		"a Go frame":     {"panic: boom\n\ngoroutine 1 [running]:\nmain.pay(0x1)\n\t/src/acme/pay.go:8 +0x1d", "pay.go", false},
		"a .NET frame":   {"System.Exception: boom\n   at Acme.Pay.Run() in C:\\src\\Pay.cs:line 8", "Pay.cs", false},
		"a PHP frame":    {"boom in /var/www/html/pay.php:8\nStack trace:\n#0 /var/www/html/pay.php(8): run()\n#1 {main}", "pay.php", false},
		"a Ruby frame":   {"boom (RuntimeError)\n\tfrom /app/lib/pay.rb:8:in `run'", "pay.rb", false},
		"a Rust frame":   {"thread 'main' panicked at src/pay.rs:8:5:\nboom\nstack backtrace:\n   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n", "rust_begin", false},
	}
	for _, form := range []string{
		"AKIA", "AIza", "ya29.", "ghp_", "github_pat_", "glpat-", "xoxb-", "sk-proj-", "sk-ant-api03-", "sk_live_", "whsec_", "npm_", "hf_",
		"shpat_", "hvs.", "dop_v1_", "pypi-", "GOCSPX-", "figd_", "lin_api_",
	} {
		all["a token "+form] = plant{form + strings.Repeat(canary, 3), canary, true}
	}
	return all
}

// answer is one way in which a text comes back.
type answer struct {
	status int
	kind   string
	body   string
}

func encoded(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

type object = map[string]any

// answers are the shapes; word says that the text may also be a name.
func answers(x string, word bool) map[string]answer {
	said := "Bad value: " + x + " ; " + kept
	fault := func(members object) string {
		members["message"] = kept
		return encoded(object{"errors": []object{members}})
	}
	xml := html.EscapeString
	all := map[string]answer{
		"plain":          {400, "text/plain", said},
		"a message":      {400, "", encoded(object{"code": "bad_value", "message": said})},
		"nested":         {422, "", encoded(object{"error": object{"type": "t", "message": said, "param": "q"}})},
		"a hint":         {400, "", encoded(object{"code": "bad_value", "message": kept, "hint": x, "details": x})},
		"a value":        {422, "", fault(object{"field": "q", "value": x, "rejectedValue": x})},
		"accepted":       {422, "", fault(object{"field": "q", "allowedValues": []string{x, "b"}})},
		"accepted words": {422, "", encoded(object{"errors": []object{{"field": "q", "message": "must be one of: " + x + ", b; " + kept}}})},
		"facts":          {409, "", encoded(object{"code": "conflict", "message": kept, "limit": x, "current": x, "resource": x, "state": x})},
		"names of facts": {409, "", encoded(object{"code": "conflict", "message": kept, "details": object{x: 3, "limit": 5}})},
		"a problem":      {403, "application/problem+json", encoded(object{"type": "https://example.com/p", "title": kept, "detail": x, "instance": x})},
		"GraphQL":        {200, "", encoded(object{"data": nil, "errors": []object{{"message": said, "path": []string{"a"}, "extensions": object{"code": "BAD_USER_INPUT", "argumentName": x, "value": x}}}})},
		"JSON:API":       {422, "", encoded(object{"errors": []object{{"status": "422", "title": "Invalid", "detail": said, "source": object{"pointer": "/data/attributes/q"}}}})},
		"google.rpc": {400, "", encoded(object{"error": object{"code": 400, "status": "INVALID_ARGUMENT", "message": said, "details": []object{
			{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "BAD", "metadata": object{"k": x}},
			{"@type": "type.googleapis.com/google.rpc.DebugInfo", "detail": x, "stackEntries": []string{x}},
			{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []object{{"field": "q", "description": x}}}}}})},
		"SOAP":            {500, "text/xml", `<s:Envelope xmlns:s="u"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>` + xml(said) + `</faultstring><detail><d>` + xml(x) + `</d></detail></s:Fault></s:Body></s:Envelope>`},
		"AWS":             {400, "text/xml", `<ErrorResponse><Error><Type>Sender</Type><Code>BadThing</Code><Message>` + xml(said) + `</Message></Error></ErrorResponse>`},
		"S3":              {400, "text/xml", `<Error><Code>InvalidArgument</Code><Message>` + kept + `</Message><ArgumentName>q</ArgumentName><ArgumentValue>` + xml(x) + `</ArgumentValue><Key>` + xml(x) + `</Key></Error>`},
		"HTML":            {500, "text/html", `<html><head><title>` + xml(said) + `</title></head><body><h1>Error</h1><p>` + xml(x) + `</p><pre>` + xml(x) + `</pre></body></html>`},
		"FastAPI":         {422, "", encoded(object{"detail": []object{{"loc": []string{"body", "q"}, "msg": said, "type": "value_error", "input": x, "ctx": object{"expected": x}}}})},
		"a map":           {422, "", encoded(object{"errors": object{"q": []string{said}}})},
		"FHIR":            {400, "", encoded(object{"resourceType": "OperationOutcome", "issue": []object{{"severity": "error", "code": "invalid", "diagnostics": said, "expression": []string{x}}}})},
		"JSON in JSON":    {400, "", encoded(object{"message": encoded(object{"error": object{"message": said, "code": "x_y"}})})},
		"a batch":         {207, "", encoded(object{"results": []object{{"id": "a", "status": 200}, {"id": x, "status": 422, "error": object{"code": "bad", "message": said}}}})},
		"form data":       {400, "application/x-www-form-urlencoded", "error=bad&error_description=" + url.QueryEscape(said)},
		"JSON-RPC":        {200, "", encoded(object{"jsonrpc": "2.0", "id": 1, "error": object{"code": -32602, "message": said, "data": object{"detail": x}}})},
		"an event stream": {200, "text/event-stream", "event: error\ndata: " + encoded(object{"error": object{"message": said, "type": "bad_thing"}}) + "\n\n"},
		"forbidden":       {403, "", encoded(object{"error": object{"code": "forbidden", "message": said}})},
		"busy":            {503, "", encoded(object{"error": object{"code": "busy", "message": said}})},
		"a long body":     {400, "", encoded(object{"message": kept + strings.Repeat(" y", 2000) + " " + x + " " + strings.Repeat("z ", 3000) + x})},
	}
	if word {
		all["a code"] = answer{400, "", encoded(object{"code": x, "message": kept})}
		all["the end of a code"] = answer{400, "", encoded(object{"code": "err_" + x, "message": kept})}
		all["a field"] = answer{422, "", fault(object{"field": x})}
		all["a map's name"] = answer{422, "", encoded(object{"errors": object{x: []string{kept}}})}
		all["an alternative"] = answer{409, "", encoded(object{"code": "slot_taken", "message": kept, "alternatives": []object{{"q": x}}})}
	}
	return all
}

func TestNothingPlantedComesOutOfAnyShape(t *testing.T) {
	engine, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	for kind, p := range plants() {
		for shape, a := range answers(p.text, p.word) {
			reply := &interceptors.Reply{Transport: interceptors.TransportHTTP, Status: a.status, Body: []byte(a.body), Sent: true}
			reply.Header = map[string][]string{"Content-Type": {orJSON(a.kind)}, "Www-Authenticate": {`Bearer error_description="` + strings.ReplaceAll(p.text, "\n", " ") + `"`}}
			tool := &interceptors.Tool{Name: "t", Effect: toolgatev1.Effect_EFFECT_READ}
			e, _ := engine.Diagnose(diagnose.Input{Tool: tool, Reply: reply, Arguments: []byte(`{"q":"zz"}`)})
			if e == nil {
				t.Errorf("%s in %s is a success", kind, shape)
				continue
			}
			observation.Finish("t", e)
			whole := protojson.Format(e)
			for _, form := range []string{p.core, strings.ReplaceAll(p.core, `\`, `\\`)} {
				if strings.Contains(whole, form) {
					t.Errorf("%s in %s: %s", kind, shape, whole)
				}
			}
			if !strings.Contains(e.GetObservation(), "42") && strings.Contains(a.body, kept) && shape != "HTML" {
				t.Errorf("%s in %s took the fact beside it along: %s", kind, shape, e.GetObservation())
			}
		}
	}
}

func orJSON(kind string) string {
	if kind == "" {
		return "application/json"
	}
	return kind
}
