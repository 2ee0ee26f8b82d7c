package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

// do runs a command with the arguments that stand in the program.
func do(t *testing.T, p cli.Program) (code int, out, problems string) {
	t.Helper()
	got := run(t, p, p.Args...)
	return got.code, got.out, got.err
}

// key makes a key with the command, and an access file that knows it.
func key(t *testing.T, rights string) (key, file string) {
	t.Helper()
	code, out, problems := do(t, cli.Program{Args: []string{"access", "new-key", "ann"}})
	if code != 0 || !strings.HasPrefix(out, "tg_") || strings.Contains(problems, strings.TrimSpace(out)) {
		t.Fatalf("%d: %s %s", code, out, problems)
	}
	file = filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(file, []byte(problems+"    rights: "+rights+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out), file
}

func TestAKeyIsMadeHashedAndServed(t *testing.T) {
	made, file := key(t, "{tools: [list_invoices]}")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code, out, problems := do(t, cli.Program{Args: []string{"access", "hash-key"}, Stdin: strings.NewReader(made + "\n")})
	if code != 0 || !strings.Contains(string(text), strings.TrimSpace(out)) {
		t.Errorf("%d: %s %s is not in %s", code, out, problems, text)
	}
	s := serve(t, "--catalog", "../../examples/catalog.yaml", "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "", "--access", file)
	environment := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i+1 < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		getenv func(string) string
		code   int
		says   string
	}{
		"with the key":     {environment("TOOLGATE_API_KEY", made), 0, `"list_invoices"`},
		"as a token":       {environment("TOOLGATE_TOKEN", made), 0, `"list_invoices"`},
		"without":          {environment(), 1, "TOOLGATE_API_KEY"},
		"with another key": {environment("TOOLGATE_API_KEY", "tg_x"), 1, "the credential is not accepted"},
	} {
		code, out, problems := do(t, cli.Program{Args: []string{"tools", "--gateway", s.Grpc}, Getenv: c.getenv})
		if code != c.code || !strings.Contains(out+problems, c.says) || strings.Contains(out, "transfer_funds") {
			t.Errorf("%s: %d %s %s", name, code, out, problems)
		}
	}
	code, _, problems = do(t, cli.Program{Args: []string{"tools", "--gateway", "192.0.2.1:7440"}, Getenv: environment("TOOLGATE_API_KEY", made)})
	if code != 1 || !strings.Contains(problems, "anyone on the way reads it") {
		t.Errorf("in the clear: %d %s", code, problems)
	}
}

func TestAnAccessFileIsCheckedAndExplained(t *testing.T) {
	_, file := key(t, "{tools: [list_*, invented_*], limits: {per_second: 5}}")
	code, out, problems := do(t, cli.Program{Args: []string{"access", "check", file, "--catalog", "../../examples/catalog.yaml"}})
	if code != 2 || !strings.Contains(out, "list_invoices") || strings.Contains(out, "transfer_funds") || !strings.Contains(problems, `"invented_*" fits no tool`) {
		t.Errorf("%d\n%s\n%s", code, out, problems)
	}
	if code, out, _ := do(t, cli.Program{Args: []string{"access", "check", file}}); code != 0 || !strings.Contains(out, "list_*, invented_*") || !strings.Contains(out, "5") {
		t.Errorf("%d\n%s", code, out)
	}
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("principals:\n  ann: {kyes: []}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"checked": {"access", "check", broken}, "served": {"serve", "--catalog", "../../examples/catalog.yaml", "--access", broken},
	} {
		if code, _, problems := do(t, cli.Program{Args: args}); code != 1 || !strings.Contains(problems, "did you mean keys?") || !strings.Contains(problems, "broken.yaml:2:9") {
			t.Errorf("%s: %d %s", name, code, problems)
		}
	}
}

func TestToolsOfDocumentsAreCheckedAndThoseOfServersLeftOpen(t *testing.T) {
	_, file := key(t, "{tools: [find_*, invented_*]}")
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("api.yaml", "openapi: 3.1.0\ninfo: {title: Books, version: '1'}\nservers: [{url: 'https://books.example'}]\npaths: {/books: {get: {operationId: find_books, summary: Finds books., responses: {'200': {description: Books.}}}}}\n")
	const imported = "openapi: [{document: api.yaml}]\n"
	whole, open := write("whole.yaml", imported), write("open.yaml", imported+"upstreams: {crm: {url: 'https://crm.example/mcp', mcp: {}}}\nmcp: [{upstream: crm}]\n")
	code, out, problems := do(t, cli.Program{Args: []string{"access", "check", file, "--catalog", whole}})
	if code != 2 || !strings.Contains(out, "find_books") || !strings.Contains(problems, `"invented_*" fits no tool`) || strings.Contains(problems, `"find_*"`) {
		t.Errorf("%d\n%s\n%s", code, out, problems)
	}
	code, out, problems = do(t, cli.Program{Args: []string{"access", "check", file, "--catalog", open}})
	if code != 0 || !strings.Contains(out, "find_books") || strings.Contains(problems, "fits no tool") || !strings.Contains(problems, `the tools of "crm" are not known here`) {
		t.Errorf("%d\n%s\n%s", code, out, problems)
	}
}

func TestTheSchemaOfAnAccessFileIsPrinted(t *testing.T) {
	if code, out, problems := do(t, cli.Program{Args: []string{"access", "schema"}}); code != 0 || !strings.Contains(out, `"title": "toolgate access file"`) {
		t.Errorf("%d %s %s", code, out, problems)
	}
}

func TestFlagsOfTLSThatDontGoTogetherAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"no version of TLS":          {"--tls-min-version", "1.1"},
		"is not an answer":           {"--tls-client-cert", "maybe"},
		"only where the gateway":     {"--tls-client-ca", "ca.pem"},
		"a certificate and its key":  {"--tls-cert", "none.pem"},
		"can't be read":              {"--tls-cert", "none.pem", "--tls-key", "none.pem"},
		"there is no file none.yaml": {"--access", "none.yaml"},
	} {
		code, _, problems := do(t, cli.Program{Args: append([]string{"serve", "--catalog", "../../examples/catalog.yaml", "--listen", "127.0.0.1:0", "--admin-listen", ""}, args...)})
		if code != 1 || !strings.Contains(problems, want) {
			t.Errorf("%v: %d %s", args, code, problems)
		}
	}
	for want, args := range map[string][]string{
		"for whom":                     {"access", "new-key"},
		"which access file":            {"access", "check"},
		"there is no command access x": {"access", "x"},
		"this is no key":               {"access", "hash-key"},
	} {
		code, _, problems := do(t, cli.Program{Args: args, Stdin: strings.NewReader("password\n")})
		if code != 1 || !strings.Contains(problems, want) || strings.Contains(problems, "password") {
			t.Errorf("%v: %d %s", args, code, problems)
		}
	}
}
