package mcpservers

import (
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	everythingOverPipes = `
upstreams:
  every: {mcp: {program: {command: "{{.Program}}", arguments: [stdio], environment: {GREETING: hello}, secret_environment: {API_KEY: {from: "env:TOOLGATE_TEST_SECRET"}}}, trust_annotations: true}}
`
	everythingOverHTTP = `
upstreams:
  every: {url: "{{.URL}}", mcp: {trust_annotations: true}}
`
	everythingTools = `
mcp:
  - upstream: every
    select: {except: ["toggle-*"]}
    tools:
      trigger-long-running-operation: {policy: {attempt_timeout: 0.5s, max_attempts: 1}}
      get-sum: {input_schema: {type: object}}
tools:
  - {name: gone, upstream: every, effect: read, input_schema: {type: object}, mcp: {tool: get-sum-of-three}}
`
)

func TestEverythingOverItsStandardStreams(t *testing.T) {
	t.Setenv("TOOLGATE_TEST_SECRET", "swordfish")
	s := startEverything(t, everythingOverPipes, map[string]string{"Program": program(t, "mcp-server-everything")})
	s.check(t, "environment", "get-env", `{}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		got := resp.GetResult().GetStructuredJson()
		if strings.Contains(got, "swordfish") || !strings.Contains(got, `"GREETING":"hello"`) || !strings.Contains(got, `"API_KEY":"[secret]"`) {
			t.Error("the program's environment is not what the catalogue says")
		}
	})
	s.checkEverything(t)
}

func TestEverythingOverStreamableHTTP(t *testing.T) {
	url := serve(t, program(t, "mcp-server-everything"), "streamableHttp")
	startEverything(t, everythingOverHTTP, map[string]string{"URL": url}).checkEverything(t)
}

func startEverything(t *testing.T, upstream string, values map[string]string) *servers {
	return start(t, "mcp-everything", upstream+everythingTools, values)
}

func (s *servers) checkEverything(t *testing.T) {
	s.check(t, "text", "echo", `{"message":"good morning"}`, says("Echo: good morning"))
	s.check(t, "structured content, not said twice", "get-structured-content", `{"location":"New York"}`,
		holds(`{"temperature":33,"conditions":"Cloudy","humidity":82}`))
	s.check(t, "an image", "get-tiny-image", `{}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		image := resp.GetResult().GetContent()[1].GetImage()
		if image.GetMimeType() != "image/png" || !strings.HasPrefix(string(image.GetData()), "\x89PNG") {
			t.Errorf("%d bytes of %s", len(image.GetData()), image.GetMimeType())
		}
	})
	s.check(t, "links", "get-resource-links", `{"count":3}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if content := resp.GetResult().GetContent(); len(content) != 4 || !strings.HasPrefix(content[3].GetResource().GetUri(), "demo://") {
			t.Errorf("%d blocks", len(content))
		}
	})
	s.check(t, "an embedded resource", "get-resource-reference", `{"resourceType":"Text","resourceId":1}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if text := resp.GetResult().GetContent()[1].GetResource().GetText(); !strings.HasPrefix(text, "Resource 1:") {
			t.Errorf("%q", text)
		}
	})
	s.check(t, "an argument that its schema does not know", "get-structured-content", `{"location":"Paris"}`,
		fails(interceptors.InvalidRequest, interceptors.CodeInvalidArguments, "location"))
	s.check(t, "an argument that the server refuses", "get-sum", `{"a":"two","b":40}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		e := resp.GetError()
		if e.GetErrorClass() != interceptors.InvalidRequest || e.GetViolations()[0].GetField() != "a" || e.GetAttempts() != 1 {
			t.Error("want the server's own words about a")
		}
	})
	s.check(t, "a tool that hangs", "trigger-long-running-operation", `{"duration":30,"steps":3}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if e := resp.GetError(); e.GetErrorClass() != interceptors.Transient || e.GetCode() != interceptors.CodeTimeout {
			t.Error("want a timeout")
		}
	})
	s.check(t, "a tool that the server has not", "gone", `{}`, func(t *testing.T, resp *toolgatev1.CallToolResponse) {
		if e := resp.GetError(); e.GetErrorClass() != interceptors.Terminal || e.GetMaybeExecuted() {
			t.Error("want the end of it")
		}
	})
	s.check(t, "and is there after that", "get-sum", `{"a":2,"b":40}`, says("The sum of 2 and 40 is 42."))
}
