package runner

import (
	"io"
	"net/http"
	"strings"
	"testing"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

func TestTheBackEndGivesRepliesByPathAndTheLastForever(t *testing.T) {
	killed := 0
	b, err := startBackend(&conformancev1.Vector{Backend: []*conformancev1.Reply{
		{Path: "/a", Body: "1"},
		{Path: "/a", Status: 503, Body: "2"},
		{Path: "/b", Mishap: conformancev1.Mishap_MISHAP_RESET},
		{Path: "/c", Mishap: conformancev1.Mishap_MISHAP_KILL_GATEWAY},
	}}, func() { killed++ })
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for i, want := range []struct {
		status int
		body   string
	}{{200, "1"}, {503, "2"}, {503, "2"}} {
		if status, body := get(t, b.url+"/a?n=1"); status != want.status || body != want.body {
			t.Errorf("request %d: %d %s", i, status, body)
		}
	}
	if status, body := get(t, b.url+"/b"); status != 0 || !strings.Contains(body, "reset") {
		t.Error("no reset:", status, body)
	}
	if _, _ = get(t, b.url+"/c"); killed != 1 {
		t.Error("the gateway was not killed")
	}
	if status, _ := get(t, b.url+"/nowhere"); status != http.StatusNotImplemented {
		t.Error("a request that no vector names:", status)
	}
	if seen := b.seen(); len(seen) < 6 || seen[0].GetTarget() != "/a?n=1" || seen[0].GetMethod() != http.MethodGet {
		t.Error(seen)
	}
}

func TestAnExecutorThatBreaksFailsItsVectorAndIsStartedAnew(t *testing.T) {
	p := &program{command: []string{"false"}, stderr: io.Discard}
	for range 2 {
		if _, err := p.execute(t.Context(), &conformancev1.ExecuteRequest{RunId: "r"}); err == nil {
			t.Error("a program that ends gave a response")
		}
		if p.cmd != nil {
			t.Error("it is kept")
		}
	}
	for _, command := range [][]string{{"/nowhere"}, {}} {
		if _, err := (&program{command: command, stderr: io.Discard}).execute(t.Context(), &conformancev1.ExecuteRequest{}); err == nil {
			t.Error(command, "runs")
		}
	}
}
