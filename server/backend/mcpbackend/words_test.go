package mcpbackend

import (
	"net/http"
	"reflect"
	"testing"
)

func TestAToolsWordsAreFreedOfWhatLibrariesWrapAroundThem(t *testing.T) {
	for text, want := range map[string]words{
		"no such customer": {status: 1, body: []byte("no such customer"), kind: mediaText},
		"Error executing tool find: no such customer":          {status: 1, body: []byte("no such customer"), kind: mediaText},
		"Error calling tool 'find': ToolError: nothing":        {status: 1, body: []byte("nothing"), kind: mediaText},
		"MCP error -32602: wrong":                              {status: -32602, body: []byte("wrong"), kind: mediaText},
		"MCP error 404: gone":                                  {status: 404, body: []byte("gone"), kind: mediaText},
		"Error: {\"code\":\"busy\"}":                           {status: 1, body: []byte(`{"code":"busy"}`), kind: mediaJSON},
		"ENOENT: no such file":                                 {status: 1, body: []byte(`{"code":"ENOENT","message":"no such file"}`), kind: mediaJSON},
		"Request failed with status code 503":                  {status: 503, body: []byte("Request failed with status code 503"), kind: mediaText},
		"AxiosError: Request failed with status code 429":      {status: 429, body: []byte("AxiosError: Request failed with status code 429"), kind: mediaText},
		"404 Client Error: Not Found for url: https://x/":      {status: 404, body: []byte("404 Client Error: Not Found for url: https://x/"), kind: mediaText},
		"Client error '401 Unauthorized' for url 'https://x/'": {status: 401, body: []byte("Client error '401 Unauthorized' for url 'https://x/'"), kind: mediaText},
		"HTTP 502: bad":                                        {status: 502, body: []byte("HTTP 502: bad"), kind: mediaText},
		"error code: 522":                                      {status: 522, body: []byte("error code: 522"), kind: mediaText},
		"Bad Gateway":                                          {status: 502, body: []byte("Bad Gateway"), kind: mediaText},
		"Bad Gateway Ltd":                                      {status: 1, body: []byte("Bad Gateway Ltd"), kind: mediaText},
		"429 Too Many Requests":                                {status: 429, body: []byte("429 Too Many Requests"), kind: mediaText},
		"500 Orders are waiting":                               {status: 1, body: []byte("500 Orders are waiting"), kind: mediaText},
		"order 500 not found":                                  {status: 1, body: []byte("order 500 not found"), kind: mediaText},
		"HTTP 200: nothing":                                    {status: 1, body: []byte("HTTP 200: nothing"), kind: mediaText},
		"MCP error -32602: Input validation error: Invalid arguments for tool add: [\n{\"code\":\"invalid_type\",\"path\":[\"a\"],\"message\":\"expected number\"}]": {
			status: -32602, kind: mediaJSON,
			body: []byte(`{"message":"Input validation error: Invalid arguments for tool add","errors":[{"code":"invalid_type","path":["a"],"message":"expected number"}]}`),
		},
		"1 validation error for call[add]\na.b\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2/v/missing": {
			status: 1, kind: mediaJSON, body: []byte(`{"detail":[{"loc":["a","b"],"msg":"Field required","type":"missing"}]}`),
		},
		"items [1, 2] are gone": {status: 1, body: []byte("items [1, 2] are gone"), kind: mediaText},
	} {
		if got := unwrap(text); got.status != want.status || string(got.body) != string(want.body) || got.kind != want.kind {
			t.Errorf("%q: %d %s %s", text, got.status, got.body, got.kind)
		}
	}
}

func TestAFaultKeepsItsOwnCodeAlone(t *testing.T) {
	for _, c := range []struct {
		fault  fault
		status int
		body   string
	}{
		{fault{code: -32603, message: "it broke"}, -32603, `{"message":"it broke"}`},
		{fault{code: -32001, message: "busy", data: []byte(`{"retry_after":3}`)}, -32001, `{"message":"busy","data":{"retry_after":3}}`},
		{fault{code: 429, message: "slow down"}, 429, `{"code":429,"message":"slow down"}`},
		{fault{code: 1001, message: "no funds"}, failedStatus, `{"code":1001,"message":"no funds"}`},
		{fault{code: -32603, message: "503 Service Unavailable"}, 503, `{"message":"503 Service Unavailable"}`},
	} {
		reply := c.fault.reply()
		if reply.Status != c.status || string(reply.Body) != c.body {
			t.Errorf("%+v: %d %s", c.fault, reply.Status, reply.Body)
		}
	}
}

func TestArgumentsAreSaidInHeadersWhereTheSchemaSaysSo(t *testing.T) {
	schema := `{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"of":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"bad":{"x-mcp-header":"a b"},"on":{"x-mcp-header":"On"}}}`
	header := http.Header{}
	for _, p := range paramHeaders([]byte(schema), nil) {
		p.set(header, []byte(`{"region":" Köln","of":{"n":7},"bad":"x","on":true}`))
	}
	want := http.Header{"Mcp-Param-Region": {"=?base64?IEvDtmxu?="}, "Mcp-Param-N": {"7"}, "Mcp-Param-On": {"true"}}
	if !reflect.DeepEqual(header, want) {
		t.Errorf("the headers are %v", header)
	}
	for text, want := range map[string]string{"eu-1": "eu-1", "a\r\nX: y": "=?base64?YQ0KWDogeQ==?=", "=?base64?eA==?=": "=?base64?PT9iYXNlNjQ/ZUE9PT89?="} {
		if got := headerText(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
