package catalog_test

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

const shop = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: https://shop.example.com/v1}]
security: [{key: []}, {user: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    user: {type: http, scheme: bearer}
    mark: {type: apiKey, in: query, name: mark}
    tls: {type: mutualTLS}
paths:
  /orders:
    get: {operationId: list_orders, tags: [orders], summary: List orders}
    post:
      operationId: create_order
      tags: [orders]
      summary: Create an order
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [item], properties: {item: {type: string, pattern: "[a"}, count: {type: integer}}}}}}
      responses: {"409": {description: Sold out}}
  /files: {put: {operationId: put_file, requestBody: {required: true, content: {application/pdf: {}}}}}
  /status: {get: {operationId: status, security: [{}]}}
  /elsewhere: {get: {operationId: elsewhere, servers: [{url: https://files.example.com}]}}
`

// load writes files into a folder and loads its catalogue.
func load(t testing.TB, files map[string]string, options ...catalog.Option) (*catalog.Catalog, error) {
	t.Helper()
	return catalog.Load(writeAll(t, files), options...)
}

func writeAll(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "catalog.yaml")
}

func mustLoad(t testing.TB, files map[string]string, options ...catalog.Option) *catalog.Catalog {
	t.Helper()
	tools, err := load(t, files, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	return tools
}

func namesOf(tools *catalog.Catalog) (names []string) {
	for _, tool := range tools.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

func TestTheOperationsOfADocumentAreTools(t *testing.T) {
	t.Setenv("SHOP_KEY", "key-7c1f")
	tools := mustLoad(t, map[string]string{"shop.yaml": shop, "catalog.yaml": `
openapi:
  - document: shop.yaml
    prefix: shop_
    security: {key: {from: "env:SHOP_KEY"}}
    tools:
      "*": {provider: stripe}
      shop_create_order: {effect: idempotent, description: Orders one thing., errors: [{when: status == 409, class: terminal, code: sold_out}]}
tools:
  - {name: own, description: Its own., http: {method: GET, url: "https://example.com"}, errors: [{when: status == 404, class: terminal, blocked_by: order, unblock_with: shop_create_order}]}
`})
	if got := namesOf(tools); !slices.Equal(got, []string{"own", "shop_create_order", "shop_elsewhere", "shop_list_orders", "shop_status"}) {
		t.Fatalf("%v", got)
	}
	order := lookup(t, tools, "shop_create_order")
	if order.Effect != toolgatev1.Effect_EFFECT_IDEMPOTENT || order.Description != "Orders one thing." || order.Diagnosis.Provider != "stripe" || order.Upstream != "shop.example.com" {
		t.Errorf("%+v", order)
	}
	if order.Unvalidated || !strings.Contains(order.SchemaJSON, `"item":{"type":"string"}`) {
		t.Errorf("the pattern that does not compile is the only thing to go: %s", order.SchemaJSON)
	}
	if !slices.Contains(order.Diagnosis.Secrets, "key-7c1f") || len(lookup(t, tools, "shop_status").Diagnosis.Secrets) != 0 {
		t.Error("secrets go where they are asked for")
	}
	if host := lookup(t, tools, "shop_elsewhere").Diagnosis.Host; host != "files.example.com" {
		t.Errorf("host %s", host)
	}
	said := tools.Warnings().Error()
	for _, part := range []string{"shop_put_file", "application/pdf", "shop_create_order", "pattern"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q lacks %s", said, part)
		}
	}
}

func TestAnUpstreamTakesThePlaceOfTheServer(t *testing.T) {
	t.Setenv("SHOP_KEY", "key-7c1f")
	var got atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Method + " " + r.URL.Path + " " + r.Header.Get("X-Key"))
	}))
	defer server.Close()
	tools := mustLoad(t, map[string]string{"shop.yaml": shop, "catalog.yaml": `
upstreams: {shop: {url: "` + server.URL + `/base", secret_headers: {X-Key: {from: "env:SHOP_KEY"}}}}
openapi: [{document: shop.yaml, upstream: shop, tags: [orders]}]
`})
	list := lookup(t, tools, "list_orders")
	list.Backend.Attempt(t.Context(), &interceptors.Call{Tool: list, Arguments: interceptors.Checked{JSON: []byte("{}")}})
	if got.Load() != "GET /base/orders key-7c1f" || list.Upstream != "shop" {
		t.Errorf("%v", got.Load())
	}
	whole := mustLoad(t, map[string]string{"shop.yaml": shop, "catalog.yaml": `
upstreams: {shop: {url: "` + server.URL + `/base"}}
openapi: [{document: shop.yaml, upstream: shop, select: {only: [elsewhere, status]}}]
`})
	if got := namesOf(whole); !slices.Equal(got, []string{"status"}) || !strings.Contains(whole.Warnings().Error(), "files.example.com") {
		t.Errorf("%v, %v", got, whole.Warnings())
	}
}

func TestWhatIsWrongWithAnImportHasItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ entry, want string }{
		"no document":                  {`{prefix: a_}`, "catalog.yaml:1:11: openapi[0].document: the document is missing"},
		"a file that is not there":     {`{document: none.yaml}`, `catalog.yaml:1:22: openapi[0].document: the document "none.yaml" can't be read: no such file or directory`},
		"no document of OpenAPI":       {`{document: catalog.yaml}`, `catalog.yaml:1:22: openapi[0].document: the document "catalog.yaml" can't be read: it is no OpenAPI document`},
		"an unknown upstream":          {`{document: shop.yaml, upstream: shap}`, `openapi[0].upstream: no upstream is named "shap"`},
		"an unknown scheme":            {`{document: shop.yaml, security: {kay: {from: "env:X"}}}`, `openapi[0].security.kay: the document has no security scheme "kay"; did you mean key?`},
		"a scheme without a secret":    {`{document: shop.yaml, security: {tls: {from: "env:X"}}}`, `openapi[0].security.tls: no secret can be sent for tls (mutualTLS)`},
		"a secret that is not set":     {`{document: shop.yaml, security: {key: {from: "env:SHOP_NO_KEY"}}}`, "SHOP_NO_KEY is not set"},
		"an unknown tool":              {`{document: shop.yaml, tools: {list_order: {poll: true}}}`, `openapi[0].tools.list_order: no tool of the document is named "list_order"; did you mean list_orders?`},
		"a tool that is left out":      {`{document: shop.yaml, tools: {put_file: {poll: true}}}`, `no tool of the document is named "put_file": PUT /files is left out, since its body can only be application/pdf`},
		"a bad prefix":                 {`{document: shop.yaml, prefix: "a b"}`, `openapi[0].prefix: "a b" can't begin the name of a tool`},
		"a bad size":                   {`{document: shop.yaml, max_schema_bytes: 7}`, `openapi[0].max_schema_bytes: 7 is out of range`},
		"a bad override":               {`{document: shop.yaml, tools: {list_orders: {errors: [{when: "status ==", class: terminal}]}}}`, `openapi[0].tools.list_orders.errors[0].when: `},
		"a pattern that fits nothing":  {`{document: shop.yaml, select: {only: [stats]}}`, `openapi[0].select: "stats" fits no operation of the document; did you mean status?`},
		"an override for another host": {`{document: shop.yaml, tools: {list_orders: {http: {headers: {Host: x}}}}}`, `openapi[0].tools.list_orders.http.headers.Host: `},
	} {
		_, err := load(t, map[string]string{"shop.yaml": shop, "catalog.yaml": "openapi: [" + c.entry + "]\n"})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "the catalogue has no tools") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestTwoToolsOfOneNameAreRefused(t *testing.T) {
	_, err := load(t, map[string]string{"shop.yaml": shop, "catalog.yaml": `
openapi: [{document: shop.yaml, select: {only: [status]}}, {document: shop.yaml, select: {only: [status]}}]
`})
	if err == nil || !strings.Contains(err.Error(), `openapi[1]: the tool "status" of GET /status stands here twice`) {
		t.Error(err)
	}
}

func TestWarningsOfAnImportAreOnePerReason(t *testing.T) {
	tools := mustLoad(t, map[string]string{"shop.yaml": shop, "catalog.yaml": "openapi: [{document: shop.yaml, select: {except: [put_file, elsewhere, create_order, nothing]}}]\n"})
	said := tools.Warnings().Error()
	for _, part := range []string{
		"openapi[0].security: 1 tool is called without a credential: the document asks for key or user (list_orders)",
		`openapi[0].select: "nothing" fits no operation of the document`,
	} {
		if !strings.Contains(said, part) {
			t.Errorf("%s lacks %s", said, part)
		}
	}
	if len(tools.Warnings()) != 2 {
		t.Error(said)
	}
}

func TestTheFilesOfADocumentAreFollowedAndNoneOutsideOfItsFolder(t *testing.T) {
	files := map[string]string{
		"api/shop.yaml":    "openapi: 3.0.3\nservers: [{url: 'https://shop.example.com'}]\npaths: {/x: {$ref: parts/x.yaml}, /y: {$ref: out.yaml}, /z: {get: {operationId: z}}}",
		"api/parts/x.yaml": "get: {operationId: x}",
		"outside.yaml":     "get: {operationId: y}",
		"catalog.yaml":     "openapi: [{document: api/shop.yaml}]\n",
	}
	path := writeAll(t, files)
	folder := filepath.Dir(path)
	if err := os.Symlink("../outside.yaml", filepath.Join(folder, "api/out.yaml")); err != nil {
		t.Skip(err)
	}
	read := map[string][sha256.Size]byte{}
	tools, err := catalog.Load(path, catalog.WithReadFiles(func(path string, digest [sha256.Size]byte) { read[path] = digest }))
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if got := namesOf(tools); !slices.Equal(got, []string{"x", "z"}) {
		t.Errorf("%v, %v", got, tools.Warnings())
	}
	for _, name := range []string{"api/shop.yaml", "api/parts/x.yaml"} {
		if digest, known := read[filepath.Join(folder, name)]; !known || digest != catalog.FileDigest(filepath.Join(folder, name)) {
			t.Errorf("%s is not followed: %v", name, read)
		}
	}
}

func TestAnAddressThatIsDownServesAsItWas(t *testing.T) {
	var down atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"openapi":"3.0.3","servers":[{"url":"/v1"}],"paths":{"/x":{"get":{"operationId":"x"}}}}`))
	}))
	defer server.Close()
	text := []byte("openapi: [{document: " + server.URL + "/api/openapi.json}]\n")
	documents := catalog.WithDocuments(catalog.NewDocuments())
	first, err := catalog.Parse("catalog.yaml", text, documents)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if host := lookup(t, first, "x").Diagnosis.Host; host != "127.0.0.1" || len(first.Warnings()) != 0 {
		t.Errorf("%s, %v", host, first.Warnings())
	}
	down.Store(true)
	second, err := catalog.Parse("catalog.yaml", text, documents)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if said := second.Warnings().Error(); !strings.Contains(said, "503") || second.Version() != first.Version() {
		t.Errorf("%s", said)
	}
	if _, err := catalog.Parse("catalog.yaml", text); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("nothing was kept: %v", err)
	}
	offline, err := catalog.Read("catalog.yaml", text, catalog.WithOffline())
	if err != nil || len(offline.Problems) != 0 || len(offline.Warnings) != 1 {
		t.Errorf("offline: %v, %v, %v", err, offline.Problems, offline.Warnings)
	}
}

func TestAFileAloneIsReadWithoutItsDocuments(t *testing.T) {
	reading, err := catalog.Read("-", []byte("openapi: [{document: none.yaml}]\n"), catalog.Alone())
	if err != nil || len(reading.Problems) != 0 {
		t.Errorf("%v, %v", err, reading.Problems)
	}
}
