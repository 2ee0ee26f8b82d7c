package cli_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

const oneTool = `tools: [{name: a, http: {method: GET, url: "http://127.0.0.1:1/a"}}]`

// httpOf is where the log says that the HTTP door stands.
func httpOf(t *testing.T, s *served) string {
	t.Helper()
	s.log.waitFor(`"msg":"serving"`)
	for line := range strings.Lines(s.log.String()) {
		var entry struct{ Msg, HTTP string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			return entry.HTTP
		}
	}
	t.Fatalf("it does not serve: %s", s.log)
	return ""
}

func TestTheHTTPDoorStandsWhereItIsAskedFor(t *testing.T) {
	s := serve(t, "--catalog", write(t, oneTool), "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "127.0.0.1:0",
		"--http-origin", "https://app.example,https://b.example", "--http-host", "gateway.test")
	address := httpOf(t, s)
	for _, c := range []struct {
		host, origin string
		want         int
	}{{address, "", 200}, {"gateway.test", "", 200}, {"other.test", "", 403}, {address, "https://b.example", 200}, {address, "https://c.example", 403}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/v1/tools", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%+v: %d %s", c, resp.StatusCode, body)
		}
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.log)
	}
}

func TestTheHTTPDoorIsOffOnDemand(t *testing.T) {
	s := serve(t, "--catalog", write(t, oneTool), "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "")
	if got := httpOf(t, s); got != "" {
		t.Errorf("it stands at %s", got)
	}
	s.ends(t)
}

// A second gateway on a machine starts without a flag; one that was asked for an
// address that is taken does not.
func TestTheDefaultOfTheHTTPDoorGivesWay(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if former, err := net.Listen("tcp", "127.0.0.1:7442"); err == nil {
		defer former.Close() // else somebody else has it, which does as well
	}
	s := serve(t, "--catalog", write(t, oneTool), "--listen", "127.0.0.1:0", "--admin-listen", "")
	if got := httpOf(t, s); got != "" || !strings.Contains(s.log.String(), "the HTTP door stays shut") {
		t.Errorf("it stands at %q: %s", got, s.log)
	}
	s.ends(t)
	got := run(t, cli.Program{}, "serve", "--catalog", write(t, oneTool), "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", taken.Addr().String())
	if got.code != 1 || !strings.Contains(got.err, "listen for HTTP") {
		t.Errorf("got %+v", got)
	}
}
