package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/server/catalog"
)

const petDocument = `
openapi: 3.0.3
info: {title: "Pets\n# and more", version: "1.2"}
servers: [{url: https://api.pets.example.com/v1}]
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}, user: {type: http, scheme: bearer}, mark: {type: apiKey, in: query, name: mark}}}
paths:
  /pets:
    get: {operationId: list_pets, tags: [pets], summary: List pets, parameters: [{name: limit, in: query, schema: {type: integer, maximum: 100, default: 1.50}}]}
    post:
      operationId: create_pet
      summary: "Create: a pet"
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string, description: "yes"}, kind: {type: string, enum: ["no", "1", cat], nullable: true}}}}}}
      responses: {"409": {description: Taken, x-toolgate-error: {class: terminal, code: taken}}, "402": {description: Pay}}
  /photos: {put: {operationId: put_photo, requestBody: {required: true, content: {image/png: {}}}}}
`

func TestADocumentBecomesACatalogueToEdit(t *testing.T) {
	folder := t.TempDir()
	document, output := filepath.Join(folder, "pets.yaml"), filepath.Join(folder, "catalog.yaml")
	if err := os.WriteFile(document, []byte(petDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Program{}, "import", "openapi", document, "-o", output)
	if got.code != 0 || got.out != "" || got.err != "2 tools of 3 operations\n" {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"# Tools of Pets and more 1.2, imported by toolgate.", "#   put_photo (PUT /photos): its body can only be image/png",
		"url: https://api.pets.example.com/v1", "#     X-Key:\n    #       from: env:EXAMPLE_KEY", `#       prefix: "Bearer "`, "#   secret_query:",
		"default: 1.50", "idempotency_key: {}", "class: terminal", "code: taken", `description: "yes"`, `enum: ["no", "1", cat, null]`, "# Documented to fail with 402",
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
	tools, err := catalog.Load(output)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if len(tools.Tools()) != 2 || len(tools.Warnings()) != 0 {
		t.Errorf("%d tools, %v", len(tools.Tools()), tools.Warnings())
	}
	if again := run(t, cli.Program{}, "import", "openapi", document, "-o", output); again.code != 1 || !strings.Contains(again.err, "is there already") {
		t.Errorf("%+v", again)
	}
	if lint := run(t, cli.Program{}, "lint", "--fail-on", "error", output); lint.code != 0 {
		t.Errorf("%+v", lint)
	}
}

// What is written is what an import in a catalogue serves.
func TestWhatIsWrittenIsWhatWouldBeServed(t *testing.T) {
	folder := t.TempDir()
	document := filepath.Join(folder, "pets.yaml")
	if err := os.WriteFile(document, []byte(petDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := catalog.Parse(filepath.Join(folder, "a.yaml"), []byte(run(t, cli.Program{}, "import", "openapi", document).out))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	served, err := catalog.Parse(filepath.Join(folder, "b.yaml"), []byte("upstreams: {example: {url: 'https://api.pets.example.com/v1'}}\nopenapi: [{document: pets.yaml, upstream: example}]"))
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	for _, tool := range served.Tools() {
		if same, ok := written.Lookup(tool.Name); !ok || same.Version != tool.Version || same.SchemaJSON != tool.SchemaJSON {
			t.Errorf("%s differs:\n%+v\n%+v", tool.Name, same, tool)
		}
	}
}

func TestAPersonAtATerminalSeesASummary(t *testing.T) {
	document := write(t, petDocument)
	got := run(t, cli.Program{ErrTerminal: true}, "import", "openapi", document)
	for _, part := range []string{"OF THEM", "reads", "writes", "LEFT OUT", "PUT /photos", "image/png"} {
		if !strings.Contains(got.err, part) {
			t.Errorf("%q lacks %s", got.err, part)
		}
	}
	if !strings.Contains(got.out, "name: list_pets") {
		t.Errorf("%q", got.out)
	}
}

func TestADocumentCanBeFetched(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/openapi.json" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(`{"openapi":"3.1.0","servers":[{"url":"/v2"}],"paths":{"/x":{"get":{"operationId":"x"}}}}`))
	}))
	defer server.Close()
	if got := run(t, cli.Program{}, "import", "openapi", server.URL+"/api/openapi.json"); got.code != 0 || !strings.Contains(got.out, "url: "+server.URL+"/v2\n") {
		t.Errorf("%+v", got)
	}
	if got := run(t, cli.Program{}, "import", "openapi", server.URL); got.code != 1 || !strings.Contains(got.err, "404") {
		t.Errorf("%+v", got)
	}
}

func TestAWrongImportSaysWhatToDo(t *testing.T) {
	pets, homeless := write(t, petDocument), write(t, `{"openapi":"3.1.0","paths":{"/x":{"get":{}}}}`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"import", "openapi"}, "which document?"},
		{[]string{"import", "swagger", pets}, `no command "swagger"`},
		{[]string{"import", "openapi", pets, pets}, "which document?"},
		{[]string{"import", "openapi", "/no/such/file"}, "no such file"},
		{[]string{"import", "openapi", write(t, "swagger: '2.0'")}, "Swagger 2.0"},
		{[]string{"import", "openapi", homeless}, "--url https://api.example.com/v1"},
		{[]string{"import", "openapi", pets, "--only", "nothing"}, "no operation of the document is selected"},
		{[]string{"import", "openapi", pets, "--only", "put_photo"}, "image/png"},
		{[]string{"import", "openapi", pets, "--prefix", "a b"}, "can't begin the name of a tool"},
		{[]string{"import", "openapi", pets, "--max-schema-bytes", "3"}, "out of range"},
		{[]string{"import", "openapi", pets, "-o", "/no/such/folder/x"}, "can be written"},
	} {
		if got := run(t, cli.Program{}, c.args...); got.code != 1 || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("%v: %+v, want %s", c.args, got, c.want)
		}
	}
	if got := run(t, cli.Program{Stdin: strings.NewReader(petDocument)}, "import", "openapi", "-", "--only", "list_pets"); got.code != 0 || !strings.Contains(got.out, "name: list_pets") {
		t.Errorf("standard input: %+v", got)
	}
	if got := run(t, cli.Program{}, "import", "openapi", homeless, "--url", "http://127.0.0.1:8080/v1"); got.code != 0 || !strings.Contains(got.out, "get_x") {
		t.Errorf("%+v", got)
	}
}
