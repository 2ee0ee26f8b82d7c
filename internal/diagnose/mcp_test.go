package diagnose_test

import (
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
)

func mcpReply(status int, body string) *interceptors.Reply {
	kind := "text/plain; charset=utf-8"
	if strings.HasPrefix(body, "{") {
		kind = "application/json"
	}
	return &interceptors.Reply{
		Transport: interceptors.TransportMCP, Status: status, Body: []byte(body), Sent: true,
		Header: map[string][]string{"Content-Type": {kind}},
	}
}

func TestWhatAnMCPToolSaysIsJudgedByItsWordsAndNotByItsCode(t *testing.T) {
	e := engine(t)
	for name, c := range map[string]struct {
		status   int
		body     string
		class    toolgatev1.ErrorClass
		executed interceptors.Executed
	}{
		"a sentence that nobody knows":          {1, "no customer of that name", interceptors.InvalidRequest, interceptors.ExecutedNo},
		"a rate limit in words":                 {1, "rate limit exceeded for this key", interceptors.Transient, interceptors.ExecutedNo},
		"a permission":                          {1, "you do not have permission", interceptors.Terminal, interceptors.ExecutedNo},
		"a code of the tool's own":              {1, `{"error":{"code":"rate_limited","message":"slow down"}}`, interceptors.Transient, interceptors.ExecutedNo},
		"faults in fields":                      {1, `{"message":"Invalid arguments","errors":[{"path":["amount"],"message":"expected number, received string"}]}`, interceptors.InvalidRequest, interceptors.ExecutedNo},
		"an HTTP status that a tool passes on":  {503, "503 Service Unavailable", interceptors.Transient, interceptors.ExecutedNo},
		"a legacy code and no words":            {-32000, `{"message":"Server error"}`, interceptors.Terminal, interceptors.ExecutedMaybe},
		"an internal error":                     {-32603, `{"message":"Internal error"}`, interceptors.Terminal, interceptors.ExecutedMaybe},
		"an internal error whose code is known": {-32603, `{"message":"m","data":{"code":"rate_limited","message":"slow down"}}`, interceptors.Transient, interceptors.ExecutedNo},
		"wrong parameters":                      {-32602, `{"message":"amount must be positive"}`, interceptors.InvalidRequest, interceptors.ExecutedNo},
		"a tool that is not there":              {-32602, `{"message":"Unknown tool: transfer"}`, interceptors.Terminal, interceptors.ExecutedNo},
		"a tool that is not there, another SDK": {-32602, `{"message":"MCP error -32602: Tool transfer not found"}`, interceptors.Terminal, interceptors.ExecutedNo},
		"a result that breaks its own schema":   {-32602, `{"message":"Output validation error: Invalid structured content"}`, interceptors.Terminal, interceptors.ExecutedMaybe},
		"a method that is not there":            {-32601, `{"message":"Method not found"}`, interceptors.Terminal, interceptors.ExecutedNo},
		"a header that does not fit":            {-32020, `{"message":"header mismatch"}`, interceptors.Terminal, interceptors.ExecutedNo},
		"a legacy code that says resource gone": {-32002, `{"message":"gone"}`, interceptors.Terminal, interceptors.ExecutedMaybe},
		"a page of somebody behind the tool":    {1, "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>", interceptors.Transient, interceptors.ExecutedMaybe},
		"nothing at all":                        {1, "", interceptors.InvalidRequest, interceptors.ExecutedNo},
		"a code of the server's own and a wait": {1, `{"code":1007,"message":"busy","data":{"retry_after":3}}`, interceptors.Transient, interceptors.ExecutedNo},
		"digits in prose are no status":         {1, "order 503 was not found", interceptors.InvalidRequest, interceptors.ExecutedNo},
		"an error of ours from a stranger":      {1, `{"class":"transient","code":"x","message":"m"}`, interceptors.InvalidRequest, interceptors.ExecutedNo},
	} {
		t.Run(name, func(t *testing.T) {
			tool := toolOf(reads)
			got, verdict := e.Diagnose(diagnose.Input{Tool: tool, Reply: mcpReply(c.status, c.body)})
			if got.GetErrorClass() != c.class || verdict.Executed != c.executed {
				t.Errorf("%v, executed %v", got, verdict.Executed)
			}
			if strings.Contains(got.GetCode(), "-32") || strings.Contains(got.GetMessage(), "-32603") {
				t.Errorf("a code of the protocol shows: %v", got)
			}
			again, _ := e.Diagnose(diagnose.Input{Tool: toolOf(write), Reply: mcpReply(c.status, c.body)})
			if unknown := again.GetCode() == interceptors.CodeOutcomeUnknown; unknown != (c.executed == interceptors.ExecutedMaybe) {
				t.Errorf("a write: %v", again)
			}
		})
	}
}

func TestASuccessOfAnMCPToolIsAskedOfRulesAlone(t *testing.T) {
	reply := &interceptors.Reply{Transport: interceptors.TransportMCP, Result: &toolgatev1.ToolResult{}, Body: []byte(`{"error":"x"}`), Sent: true}
	if got, _ := engine(t).Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: reply}); got != nil {
		t.Errorf("%v", got)
	}
}
