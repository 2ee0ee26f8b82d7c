package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// followed is a gateway that follows an access file.
func followed(t *testing.T, text string) (g *servertest.Gateway, write func(string), now chan os.Signal) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "access.yaml")
	write = func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	opened, err := server.OpenAccess(path)
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(folder, "c.yaml")
	if err := os.WriteFile(tools, []byte(capCatalogue), 0o600); err != nil {
		t.Fatal(err)
	}
	file := server.NewCatalogFile(tools, "test")
	loaded, err := file.Load()
	if err != nil {
		t.Fatal(err)
	}
	g = servertest.Start(t, loaded, with(opened))
	now = make(chan os.Signal, 1)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Server.Watch(ctx, file, time.Second, now)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		file.Close()
	})
	return g, write, now
}

func TestAnAccessFileCountsAsItStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, bob := newHolder(), newHolder()
		line := func(name string, who holder, tools string) string {
			return fmt.Sprintf("  %s: {keys: [%s], rights: {tools: [%s]}}\n", name, who.line, tools)
		}
		g, write, now := followed(t, "principals:\n"+line("ann", ann, "lookup"))
		tools := func(who holder) (int, codes.Code) {
			resp, err := g.Client.ListTools(who.as(t.Context()), &toolgatev1.ListToolsRequest{})
			return len(resp.GetTools()), status.Code(err)
		}
		expect := func(when string, who holder, wantTools int, wantCode codes.Code) {
			t.Helper()
			if n, code := tools(who); n != wantTools || code != wantCode {
				t.Errorf("%s: %d tools, %v; want %d, %v", when, n, code, wantTools, wantCode)
			}
		}
		expect("at first", ann, 1, codes.OK)
		expect("at first", bob, 0, codes.Unauthenticated)
		write("principals:\n" + line("ann", ann, "lookup, book") + line("bob", bob, `"*"`))
		time.Sleep(3 * time.Second)
		expect("with more", ann, 2, codes.OK)
		expect("with more", bob, 6, codes.OK)

		write("principals:\n" + line("ann", ann, "lookup") + "  bob: {kyes: []}\n")
		time.Sleep(3 * time.Second)
		expect("with a fault", bob, 6, codes.OK)
		if log := g.Log(); !strings.Contains(log, "access file refused") || !strings.Contains(log, `did you mean keys?`) || !strings.Contains(log, "access.yaml:3:9") {
			t.Errorf("the fault is not told: %s", log)
		}

		write("principals:\n" + line("ann", ann, "lookup"))
		now <- syscall.SIGHUP
		synctest.Wait()
		expect("taken back", bob, 0, codes.Unauthenticated)
		expect("taken back", ann, 1, codes.OK)
	})
}

func TestTheKeysOfAnIssuersFileAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claims := map[string]any{"iss": "i", "aud": "a", "sub": "bob", "exp": time.Now().Add(time.Hour).Unix()}
		first, keys := tokenOf(t, claims)
		second, others := tokenOf(t, claims)
		g, _, _ := followed(t, fmt.Sprintf(`
roles: {desk: {tools: [lookup]}}
issuers: {corp: {issuer: i, audiences: [a], jwks_file: %q, roles: [desk]}}`, keys))
		list := func(token string) codes.Code {
			_, err := g.Client.ListTools(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), &toolgatev1.ListToolsRequest{})
			return status.Code(err)
		}
		if a, b := list(first), list(second); a != codes.OK || b != codes.Unauthenticated {
			t.Errorf("at first: %v, %v", a, b)
		}
		if err := os.Rename(others, keys); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if a, b := list(first), list(second); a != codes.Unauthenticated || b != codes.OK {
			t.Errorf("with other keys: %v, %v", a, b)
		}
	})
}

// What a caller may not use any more is as if it did not exist, in the middle of a
// run, too.
func TestARightThatIsTakenBackIsGoneAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann := newHolder()
		up := servertest.NewUpstream(t, servertest.Respond(402, `{"code":"no_funds"}`))
		open := func(tools string) *server.Access {
			return accessTo(t, "principals: {ann: {keys: [%s], rights: {tools: [%s]}}}", ann.line, tools)
		}
		catalogue := strings.Replace(capCatalogue, "status == 422", "status == 402", 1)
		opened := open("transfer, deposit")
		g := servertest.Start(t, servertest.Load(t, catalogue, up), with(opened))
		call := func(id string) *toolgatev1.ToolError {
			resp, err := g.Try(ann.as(t.Context()), "r", "transfer", `{"amount":1}`, servertest.ID(id))
			if err != nil {
				t.Fatal(err)
			}
			return resp.GetError()
		}
		if got := call("c1"); got.GetUnblockWith() != "deposit" {
			t.Fatalf("got %v", got)
		}
		server.Become(opened, open("transfer"))
		for _, id := range []string{"c1", "c2"} { // the outcome that is kept, and the memory of its failure
			if got := call(id); got.GetCode() != "insufficient_funds" || got.GetUnblockWith() != "" || strings.Contains(got.GetObservation(), "deposit") {
				t.Errorf("what is kept names a tool that is gone: %v", got)
			}
		}
		server.Become(opened, open("lookup"))
		if got := call("c3"); got.GetCode() != "unknown_tool" {
			t.Errorf("got %v", got)
		}
	})
}

func TestAnAccessFileIsReadAsStrictlyAsACatalogue(t *testing.T) {
	for text, want := range map[string]string{
		"principals: {ann: {kyes: []}}":                             `a.yaml:1:20: principals.ann: unknown key "kyes"; did you mean keys? accepted: keys, tokens, certificates, roles, rights`,
		"principals: {ann.v2: {keys: [{id: a, sha256: b}]}}":        "a.yaml:1:46: principals.ann.v2.keys[0].sha256: this is no SHA-256; accepted: 64 hex digits",
		"anonymous: {tools: lookup}":                                "a.yaml:1:20: anonymous.tools: a single value where a list belongs",
		"anonymous: {tools: ['*'], limits: {per_second: fast}}":     `a.yaml:1:48: anonymous.limits.per_second: "fast" is not accepted here; accepted: a number`,
		"issuers:\n  corp: {issuer: x, audiences: [y], leeway: 1h}": "a.yaml:2:9: issuers.corp: where are the issuer's keys?",
		"roles: {r: {tools: ['*']}}":                                "nobody may call",
		"":                                                          "nobody may call",
		"principals: {ann: {keys: []}":                              "a.yaml:1",
		"principals: {ann: {tokens: [corp/ann]}}":                   `names no issuer of this file`,
	} {
		_, err := server.ParseAccess("a.yaml", []byte(text))
		var problems catalog.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
	parsed := accessTo(t, "anonymous: {tools: ['*']}")
	if parsed.Changed() || parsed.Reload() != nil || !parsed.Policy().Anonymous() {
		t.Error("a text that is in no file is looked for in one")
	}
	if _, err := server.OpenAccess(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

func TestCredentialsInTheClearAreWarnedOf(t *testing.T) {
	certPEM, keyPEM := newNotary(t).forServer()
	pair, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		listen string
		tls    *tls.Config
		warns  bool
	}{
		"loopback": {"127.0.0.1:0", nil, false}, "everywhere": {"0.0.0.0:0", nil, true}, "everywhere by TLS": {"0.0.0.0:0", &tls.Config{Certificates: []tls.Certificate{pair}}, false},
	} {
		var log bytes.Buffer
		made, err := server.New(server.Config{
			Catalog: servertest.Load(t, capCatalogue, nil), Listen: c.listen, TLS: c.tls, Access: accessTo(t, "anonymous: {tools: ['*']}"),
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		stopAtOnce(t, made)
		if got := strings.Contains(log.String(), "without TLS"); got != c.warns {
			t.Errorf("%s: warned %v: %s", name, got, log.String())
		}
	}
}

func TestBeyondLoopbackCallersAreKnownOrInvited(t *testing.T) {
	tools := servertest.Load(t, capCatalogue, nil)
	key := newHolder()
	for name, c := range map[string]struct {
		config server.Config
		ok     bool
	}{
		"nobody asked":     {server.Config{Listen: "0.0.0.0:0"}, false},
		"at the HTTP door": {server.Config{Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "[::]:0"}}, false},
		"invited":          {server.Config{Listen: "0.0.0.0:0", AllowAnonymous: true}, true},
		"known":            {server.Config{Listen: "0.0.0.0:0", Access: accessTo(t, "principals: {ann: {keys: [%s], rights: {tools: ['*']}}}", key.line)}, true},
		"twice decided": {server.Config{
			Listen: "127.0.0.1:0", Access: accessTo(t, "anonymous: {tools: ['*']}"), Permitted: func(string, string) bool { return true },
		}, false},
	} {
		c.config.Catalog = tools
		made, err := server.New(c.config)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			stopAtOnce(t, made)
		}
	}
}
