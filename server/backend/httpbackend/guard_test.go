package httpbackend_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func allowed(t *testing.T, entries ...string) egress.List {
	t.Helper()
	list, err := egress.Parse(entries)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnAddressThatIsNotAllowedIsNotConnectedTo(t *testing.T) {
	asked := 0
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, "here")
	}))
	defer up.Close()
	pool := pooled(t)
	var told []string
	pool.OnTrouble(func(upstream, problem string) { told = append(told, upstream+": "+problem) })

	guarded := newBackend(t, pool, over(up.URL, httpbackend.Transport{Allow: allowed(t, egress.Public)}))
	reply := attempt(t, guarded, `{}`)
	wantFailure(t, reply, interceptors.FailureRequest)
	message := reply.ToolError.GetMessage()
	if reply.ToolError.GetErrorClass() != interceptors.Terminal || strings.Contains(message, "127.") || strings.Contains(message, "allow_addresses") {
		t.Errorf("the model is told %v", reply.ToolError)
	}
	if len(told) != 1 || !strings.Contains(told[0], "127.0.0.1") || asked != 0 {
		t.Errorf("the operator is told %q, the server was asked %d times", told, asked)
	}
	wantBody(t, attempt(t, newBackend(t, pool, over(up.URL, httpbackend.Transport{Allow: allowed(t, egress.Public, "127.0.0.0/8")})), `{}`), "here")
	wantBody(t, attempt(t, newBackend(t, pool, over(up.URL, httpbackend.Transport{})), `{}`), "here")
}

func TestWhereCloudsHandOutCredentialsNobodyConnects(t *testing.T) {
	for _, address := range []string{"169.254.169.254:80", "[fe80::1]:80", "[fd00:ec2::254]:80", "100.100.100.200:80"} {
		backend := newBackend(t, pooled(t), over("http://"+address+"/latest/meta-data", httpbackend.Transport{}))
		wantFailure(t, attempt(t, backend, `{}`), interceptors.FailureRequest)
	}
}

func TestARedirectToAnotherHostIsNotFollowed(t *testing.T) {
	for _, target := range []string{
		"http://169.254.169.254/latest/meta-data", "http://localhost:1/", "//evil.test/", "https://evil.test/", "http://user@127.0.0.1/", "file:///etc/passwd",
	} {
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusFound)
		}))
		reply := attempt(t, newBackend(t, pooled(t), over(up.URL, httpbackend.Transport{})), `{}`)
		if reply.Failure != interceptors.FailureNone || reply.Status != http.StatusFound {
			t.Errorf("%s: failure %v, status %d", target, reply.Failure, reply.Status)
		}
		up.Close()
	}
}
