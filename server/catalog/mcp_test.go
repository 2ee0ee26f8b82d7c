package catalog_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
)

func TestWhatIsWrongWithAnMCPServerHasItsPlace(t *testing.T) {
	const tool = "\ntools: [{name: a, upstream: u, mcp: {}}]"
	for text, want := range map[string]string{
		"upstreams: {u: {mcp: {}}}" + tool:                                                                              "1:22: upstreams.u.mcp: nobody says where the server is",
		"upstreams: {u: {url: http://h.test/mcp, mcp: {program: {command: x}}}}" + tool:                                 "1:56: upstreams.u.mcp.program: the server is either a program or at a URL",
		"upstreams: {u: {mcp: {program: {folder: x}}}}" + tool:                                                          "1:32: upstreams.u.mcp.program: the program is missing",
		"upstreams: {u: {mcp: {program: {command: x, environment: {A-B: c}}}}}" + tool:                                  `1:64: upstreams.u.mcp.program.environment.A-B: "A-B" is no name of a variable`,
		"upstreams: {u: {mcp: {program: {command: x}, start_timeout: 1h}}}" + tool:                                      "1:61: upstreams.u.mcp.start_timeout: 1h0m0s is out of range",
		"upstreams: {u: {url: http://h.test}}" + tool:                                                                   `2:37: tools[0].mcp: the upstream "u" is no MCP server`,
		"tools: [{name: a, mcp: {}}]":                                                                                   "1:24: tools[0].mcp: nobody says which server the tool belongs to",
		"mcp: [{upstream: v}]\nupstreams: {u: {mcp: {program: {command: x}}}}" + tool:                                   `1:18: mcp[0].upstream: no upstream is named "v"; accepted: u`,
		"mcp: [{}]\nupstreams: {u: {mcp: {program: {command: x}}}}" + tool:                                              "1:7: mcp[0]: nobody says which server's tools",
		"mcp: [{upstream: u, prefix: 'a b'}]\nupstreams: {u: {mcp: {program: {command: x}}}}":                           `1:29: mcp[0].prefix: "a b" can't begin the name of a tool`,
		"mcp: [{upstream: u, tools: {x: {name: y}}}]\nupstreams: {u: {mcp: {program: {command: x}}}}":                   "1:32: mcp[0].tools.x: name and upstream are the import's: see prefix",
		"mcp: [{upstream: u, tools: {x: {mcp: {}}}}]\nupstreams: {u: {mcp: {program: {command: x}}}}":                   "1:32: mcp[0].tools.x: where the tool goes is said by its server",
		"upstreams: {u: {mcp: {program: {command: x}}}}\ntools: [{name: a, upstream: u, mcp: {}, idempotency_key: {}}]": "2:58: tools[0].idempotency_key: a tool of an MCP server is told the key in an argument",
	} {
		_, err := catalog.Parse("c.yaml", []byte(text), catalog.WithOffline())
		if err == nil || !strings.Contains(err.Error(), "c.yaml:"+want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

func TestOfflineNobodyIsAskedAndWhatMayComeIsNoFault(t *testing.T) {
	c, err := catalog.Parse("c.yaml", []byte(`
upstreams: {u: {mcp: {program: {command: /nowhere/there}}}}
mcp: [{upstream: u, prefix: u_, select: {except: ["secret*"]}}]
tools:
  - {name: a, upstream: u, mcp: {}, fallbacks: [{tool: u_other, label: another}], verify_with: {tool: u_find, executed: "true"}}
`), catalog.WithOffline())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if got := fmt.Sprint(c.Warnings()); !strings.Contains(got, `c.yaml:3:7: mcp[0]: the tools of "u" are not known here`) {
		t.Errorf("the warnings are %s", got)
	}
	_, err = catalog.Parse("c.yaml", []byte(`
upstreams: {u: {mcp: {program: {command: x}}}}
mcp: [{upstream: u, prefix: u_, select: {except: ["secret*"]}}]
tools: [{name: a, upstream: u, mcp: {}, fallbacks: [{tool: u_secret, label: another}, {tool: other, label: another}]}]
`), catalog.WithOffline())
	if err == nil || strings.Count(err.Error(), "no tool is named") != 2 {
		t.Errorf("%v", err)
	}
}

// listing serves tools over streamable HTTP.
func listing(t *testing.T, tools ...*mcp.Tool) string {
	server := mcp.NewServer(&mcp.Implementation{Name: "listing"}, nil)
	for _, tool := range tools {
		if tool.InputSchema == nil {
			tool.InputSchema = &jsonschema.Schema{Type: "object"}
		}
		server.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	over := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		over.CloseClientConnections()
		over.Close()
	})
	return over.URL
}

func TestListedToolsAreEnteredWithWhatIsPutOverThem(t *testing.T) {
	url := listing(t,
		&mcp.Tool{Name: "find", Description: strings.Repeat("It finds. ", 200), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		&mcp.Tool{Name: "set", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, Title: "Sets it"}},
		&mcp.Tool{Name: "pay"}, &mcp.Tool{Name: "drop_all"}, &mcp.Tool{Name: "taken"},
	)
	c, err := catalog.Parse("c.yaml", []byte(`
upstreams: {u: {url: "`+url+`", mcp: {trust_annotations: true}, provider: stripe}}
mcp:
  - upstream: u
    prefix: u_
    select: {except: ["drop_*"]}
    tools:
      "*": {policy: {max_attempts: 2}}
      pay: {description: Pays., idempotency_key: {in: body, name: key}}
      u_find: {policy: {max_attempts: 4}}
      nothing: {poll: true}
tools:
  - {name: u_taken, upstream: u, description: Mine., mcp: {tool: taken}}
`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"u_find", "u_pay", "u_set", "u_taken"}) {
		t.Fatalf("the tools are %v", names)
	}
	find, _ := c.Lookup("u_find")
	if !find.Reads() || find.Policy.MaxAttempts != 4 || len(find.Description) > 1024 || !strings.HasSuffix(find.Description, "It finds.") || find.Diagnosis.Provider != "stripe" {
		t.Errorf("%+v", find)
	}
	pay, _ := c.Lookup("u_pay")
	if !pay.RunsOnce() || !pay.HasIdempotencyKey || pay.Description != "Pays." || pay.Policy.MaxAttempts != 2 || pay.Diagnosis.Host != "127.0.0.1" {
		t.Errorf("%+v", pay)
	}
	if set, _ := c.Lookup("u_set"); set.Effect != toolgatev1.Effect_EFFECT_IDEMPOTENT || set.Description != "Sets it" {
		t.Errorf("%+v", set)
	}
	warned := fmt.Sprint(c.Warnings())
	for _, part := range []string{`no tool that fits "nothing"`, `"taken" is left out: the name "u_taken" is that of another tool`} {
		if !strings.Contains(warned, part) {
			t.Errorf("the warnings lack %s: %s", part, warned)
		}
	}
}

func TestAnnotationsAreWorthNothingUnlessTrusted(t *testing.T) {
	url := listing(t, &mcp.Tool{Name: "find", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}})
	c, err := catalog.Parse("c.yaml", []byte("upstreams: {u: {url: \""+url+"\", mcp: {}}}\nmcp: [{upstream: u}]"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if find, _ := c.Lookup("find"); !find.RunsOnce() {
		t.Errorf("%+v", find)
	}
}

func TestAToolThatIsWrittenOutIsCompletedByItsServer(t *testing.T) {
	url := listing(t, &mcp.Tool{Name: "find_it", Description: "It finds.", InputSchema: &jsonschema.Schema{Type: "object", Required: []string{"q"}}})
	c, err := catalog.Parse("c.yaml", []byte("upstreams: {u: {url: \""+url+"\", mcp: {}}}\ntools: [{name: find, upstream: u, effect: read, mcp: {tool: find_it}}, {name: other, upstream: u, mcp: {}}]"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	find, _ := c.Lookup("find")
	if find.Description != "It finds." || !strings.Contains(find.SchemaJSON, `"required":["q"]`) || !find.Reads() {
		t.Errorf("%+v", find)
	}
	if got := fmt.Sprint(c.Warnings()); !strings.Contains(got, `c.yaml:2:104: tools[1].mcp: the server lists no tool "other"; accepted: find_it`) {
		t.Errorf("the warnings are %s", got)
	}
}

func TestAServerThatIsDownIsAWarning(t *testing.T) {
	c, err := catalog.Parse("c.yaml", []byte(`
upstreams: {u: {url: "http://127.0.0.1:1/", mcp: {start_timeout: 2s}}}
mcp: [{upstream: u}]
tools: [{name: own, upstream: u, mcp: {}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if got := fmt.Sprint(c.Warnings()); !strings.Contains(got, `c.yaml:3:7: mcp[0]: the server "u" has not listed its tools: they are missing until it does; `) || !strings.Contains(got, "refused") || len(c.Tools()) != 1 {
		t.Errorf("the warnings are %s", got)
	}
}
