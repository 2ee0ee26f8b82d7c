package rest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgate.dev/toolgate/server/door/rest"
)

// description is the OpenAPI document, its answers closed: what is not described
// is a fault here, though readers are to ignore it.
type description struct {
	whole    map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex // guards compiler
}

var described = sync.OnceValues(func() (*description, error) {
	file, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	d := &description{whole: value.(map[string]any), compiler: jsonschema.NewCompiler()}
	closeObjects(d.whole["components"])
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource("openapi.json", d.whole)
})

func closeObjects(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			closeObjects(inner)
		}
		if properties, ok := value["properties"].(map[string]any); ok && len(properties) > 0 {
			value["additionalProperties"] = false
		}
	case []any:
		for _, inner := range value {
			closeObjects(inner)
		}
	}
}

func describedDoor(t *testing.T) *description {
	t.Helper()
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// operation finds a method of a path.
func (d *description) operation(method, path string) (pointer string, op map[string]any) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	best := ""
	for template, item := range d.whole["paths"].(map[string]any) {
		pattern := "^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$"
		found, ok := item.(map[string]any)[strings.ToLower(method)].(map[string]any)
		if !ok || !regexp.MustCompile(pattern).MatchString(path) || len(template) < len(best) {
			continue
		}
		best, op = template, found
		pointer = "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(template) + "/" + strings.ToLower(method)
	}
	return pointer, op
}

// resolve follows references within the document.
func (d *description) resolve(pointer string, value map[string]any) (string, map[string]any) {
	for {
		ref, ok := value["$ref"].(string)
		if !ok {
			return pointer, value
		}
		pointer = ref
		var at any = d.whole
		for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
		}
		value, ok = at.(map[string]any)
		if !ok {
			return pointer, nil
		}
	}
}

func (d *description) valid(pointer string, text []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, err := d.compiler.Compile("openapi.json" + pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// conforming holds every answer against the document.
type conforming struct {
	t    *testing.T
	next http.RoundTripper
}

func (c *conforming) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	d := describedDoor(c.t)
	pointer, op := d.operation(req.Method, req.URL.EscapedPath())
	if op == nil {
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed && req.Method != http.MethodOptions {
			c.t.Errorf("%s %s is not described and answers %d", req.Method, req.URL.Path, resp.StatusCode)
		}
		return resp, nil
	}
	responses := op["responses"].(map[string]any)
	key := strconv.Itoa(resp.StatusCode)
	if responses[key] == nil {
		key = "default"
	}
	described, ok := responses[key].(map[string]any)
	if !ok {
		c.t.Errorf("%s: the status %d is not described", pointer, resp.StatusCode)
		return resp, nil
	}
	at, described := d.resolve(pointer+"/responses/"+key, described)
	c.checkHeaders(at, described, resp)
	c.checkBody(at, described, resp)
	return resp, nil
}

func (c *conforming) checkHeaders(at string, described map[string]any, resp *http.Response) {
	known, _ := described["headers"].(map[string]any)
	for name := range resp.Header {
		if !strings.HasPrefix(name, "Toolgate-") && name != "Retry-After" {
			continue
		}
		found := false
		for one := range known {
			found = found || http.CanonicalHeaderKey(one) == name
		}
		if !found && resp.Header.Get("Content-Type") != "application/problem+json" {
			c.t.Errorf("%s: the header %s is not described", at, name)
		}
	}
}

func (c *conforming) checkBody(at string, described map[string]any, resp *http.Response) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" || resp.StatusCode == http.StatusNotModified {
		return
	}
	content, _ := described["content"].(map[string]any)
	if content[kind] == nil {
		c.t.Errorf("%s: %s is not described", at, kind)
		return
	}
	if !strings.HasSuffix(kind, "json") || resp.Request.Method == http.MethodHead {
		return // a stream is checked event by event
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Errorf("%s: %v", at, err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	pointer := at + "/content/" + strings.ReplaceAll(kind, "/", "~1") + "/schema"
	if err := describedDoor(c.t).valid(pointer, text); err != nil {
		c.t.Errorf("%s: %s does not conform: %v", at, text, err)
	}
}

// conform checks an event's data.
func conform(t *testing.T, schema, text string) {
	t.Helper()
	if err := describedDoor(t).valid("#/components/schemas/"+schema, []byte(text)); err != nil {
		t.Errorf("%s is no %s: %v", text, schema, err)
	}
}

func TestEveryReferenceOfTheDocumentLeadsSomewhereAndEverySchemaCompiles(t *testing.T) {
	d := describedDoor(t)
	var walk func(at string, value any)
	walk = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if _, target := d.resolve("", value); target == nil {
				t.Errorf("%s refers to %v, which is not there", at, value["$ref"])
			}
			for name, inner := range value {
				walk(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), inner)
			}
			if strings.HasSuffix(at, "/schema") {
				if _, err := d.compiler.Compile("openapi.json" + at); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
		case []any:
			for i, inner := range value {
				walk(at+"/"+strconv.Itoa(i), inner)
			}
		}
	}
	walk("#", d.whole)
}

func TestTheExamplesOfTheDocumentAreWhatItDescribes(t *testing.T) {
	d := describedDoor(t)
	found := 0
	var walk func(at string, value any)
	walk = func(at string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		if example, ok := object["example"]; ok && object["schema"] != nil {
			text, err := json.Marshal(example)
			if err == nil {
				err = d.valid(at+"/schema", text)
			}
			if err != nil {
				t.Errorf("%s: %v", at, err)
			}
			found++
		}
		for name, inner := range object {
			walk(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), inner)
		}
	}
	walk("#", d.whole)
	if found < 3 {
		t.Errorf("only %d examples", found)
	}
}

func TestTheDocumentIsServed(t *testing.T) {
	g := start(t)
	if got := g.do(http.MethodGet, "/openapi.json", ""); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, `"openapi": "3.1.0"`) {
		t.Errorf("%d %.80s", got.StatusCode, got.Text)
	}
}

// The paths of operation that the door shares its port with are the server's own.
func TestEveryPathOfTheDoorIsDescribedAndNoOther(t *testing.T) {
	served := map[string]bool{"GET /healthz": true, "GET /livez": true, "GET /readyz": true, "GET /metrics": true}
	for _, route := range rest.New(nil).Routes() {
		served[route] = true
	}
	for path, item := range describedDoor(t).whole["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			if route := strings.ToUpper(method) + " " + path; !served[route] {
				t.Errorf("%s is described and not served", route)
			} else {
				delete(served, route)
			}
		}
	}
	for route := range served {
		t.Errorf("%s is served and not described", route)
	}
}
