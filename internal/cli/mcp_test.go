package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/internal/cli"
)

const (
	mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	mcpList = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	mcpCall = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_invoices","arguments":{"start_date":"03/14/2026"}}}` + "\n"
)

func TestMCPAnswersOnStandardOutputAloneAndEndsWithItsInput(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	got := run(t, cli.Program{Stdin: strings.NewReader(mcpHello + mcpList + mcpCall)}, "mcp", "--catalog", write(t, backends.Catalog()))
	answers := map[float64]string{}
	for line := range strings.Lines(got.out) {
		var message struct {
			ID     float64
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		answers[message.ID] = string(message.Result)
	}
	if got.code != 0 || got.err != "" || len(answers) != 3 {
		t.Fatalf("got %+v", got)
	}
	if !strings.Contains(answers[1], `"name":"toolgate"`) || !strings.Contains(answers[2], `"name":"book_slot"`) ||
		!strings.Contains(answers[3], `\"id\":`) || strings.Contains(answers[3], `"isError":true`) {
		t.Errorf("got %v", answers)
	}
}

func TestMCPEndsWhenItIsInterruptedThoughItsInputIsOpen(t *testing.T) {
	in, open := io.Pipe()
	defer open.Close()
	ctx, interrupt := context.WithCancel(context.Background())
	catalog := write(t, "tools:\n  - name: find\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n    input_schema: {type: object}\n")
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, cli.Program{Args: []string{"mcp", "--catalog", catalog}, Stdin: in, Stdout: io.Discard, Stderr: io.Discard})
	}()
	go func() {
		_, _ = io.WriteString(open, mcpHello+mcpList)
		interrupt()
	}()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("it ended with %d", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not stop")
	}
}

func TestMCPSaysWhatIsWrongWithItsCatalogue(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"none", "which catalogue?", nil},
		{"missing", "there is no file", []string{"--catalog", t.TempDir() + "/none"}},
		{"faulty", "can't be served", []string{"--catalog", write(t, "tools: [{nam: x}]\n")}},
	} {
		got := run(t, cli.Program{Stdin: strings.NewReader("")}, append([]string{"mcp"}, c.args...)...)
		if got.code != 1 || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

func TestMCPTellsItsClientOfAnotherCatalogue(t *testing.T) {
	const one = "tools:\n  - name: find\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n    input_schema: {type: object}\n"
	catalog := write(t, one)
	in, theirs := io.Pipe()
	ours, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(t.Context(), cli.Program{
			Args: []string{"mcp", "--catalog", catalog, "--watch-every", "20ms"}, Stdin: in, Stdout: out, Stderr: io.Discard,
		})
		_ = out.Close()
	}()
	go func() { _, _ = io.WriteString(theirs, mcpHello+mcpList) }()
	seen := ""
	for lines := bufio.NewScanner(ours); lines.Scan(); {
		seen += lines.Text() + "\n"
		switch {
		case strings.Contains(lines.Text(), `"id":2`) && !strings.Contains(seen, "list_changed"):
			if err := os.WriteFile(catalog, []byte(strings.Replace(one, "find", "seek", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		case strings.Contains(lines.Text(), "notifications/tools/list_changed"):
			go func() {
				_, _ = io.WriteString(theirs, strings.Replace(mcpList, `"id":2`, `"id":4`, 1))
				_ = theirs.Close()
			}()
		}
	}
	if got := <-code; got != 0 || !strings.Contains(seen, `"name":"seek"`) {
		t.Errorf("it ended with %d: %s", got, seen)
	}
}

// What the README has a client start is this program.
func TestTheReadmesClientStartsThisProgram(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), `{"mcpServers"`)
	text, _, _ := strings.Cut(`{"mcpServers"`+rest, "\n")
	var config struct {
		McpServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil || config.McpServers["tools"].Command != "toolgate" {
		t.Fatalf("%v: %s", err, text)
	}
	args := config.McpServers["tools"].Args
	args[len(args)-1] = write(t, "tools:\n  - name: find\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n    input_schema: {type: object}\n")
	got := run(t, cli.Program{Stdin: strings.NewReader(mcpHello)}, args...)
	if got.code != 0 || !strings.Contains(got.out, `"serverInfo"`) {
		t.Errorf("got %+v", got)
	}
}
