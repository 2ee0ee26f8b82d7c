package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/cli"
)

// person sits at a terminal: what the program prints is collected, what they type
// goes through the terminal's own line discipline.
type person struct {
	t        *testing.T
	keyboard *os.File
	screen   *lockedBuffer
	code     chan int
	stop     context.CancelFunc
}

// sit runs a command at a terminal of its own.
func sit(t *testing.T, p cli.Program, args ...string) *person {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Skipf("a person needs a pseudo-terminal, run it where /dev/ptmx can be opened: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &person{t: t, keyboard: keyboard, screen: newLockedBuffer(), code: make(chan int, 1), stop: stop}
	p.Args, p.Stdin, p.Stdout, p.Stderr = args, terminal, terminal, terminal
	p.Terminal, p.ErrTerminal, p.InTerminal = true, true, true
	go func() {
		code := cli.Run(ctx, p)
		_ = terminal.Close()
		s.code <- code
	}()
	go func() { _, _ = io.Copy(s.screen, keyboard) }()
	t.Cleanup(func() {
		stop()
		_ = keyboard.Close()
	})
	return s
}

func (s *person) types(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *person) ends() int {
	s.t.Helper()
	select {
	case code := <-s.code:
		return code
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end: %q", s.screen)
		return -1
	}
}

const bookingSchema = `{"type":"object","properties":{
 "day":{"type":"string","format":"date","description":"When."},
 "seats":{"type":"integer","minimum":1,"maximum":8},
 "class":{"type":"string","enum":["first","second"]},
 "api_key":{"type":"string"},
 "note":{"type":"string"}},
 "required":["day","seats","class"]}`

// booking is a gateway with one tool that asks for three arguments.
type booking struct{ gateway }

func (b *booking) ListTools(context.Context, *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return &toolgatev1.ListToolsResponse{Tools: []*toolgatev1.Tool{{Name: "book", Description: "Books seats.", InputSchemaJson: bookingSchema}}}, nil
}

func TestAPersonIsAskedForWhatIsMissing(t *testing.T) {
	b := &booking{gateway{events: []*toolgatev1.CallToolsResponse{result(&toolgatev1.ToolResult{StructuredJson: `{"booked":true}`})}}}
	s := sit(t, cli.Program{}, "call", "book", "class=first", "--gateway", serveGateway(t, b))
	s.screen.waitFor("day\x1b[0m \x1b[2mdate, required, When.")
	s.screen.waitForSo("> ", 1)
	s.types("\n")
	s.screen.waitFor("it is required")
	s.types("tomorrow\n")
	s.screen.waitFor("YYYY-MM-DD")
	s.types("14 March 2026\n")
	s.screen.waitFor("seats\x1b[0m")
	s.types("nine\n")
	s.screen.waitFor("integer")
	s.types("3\n")
	s.screen.waitFor(`"booked": true`)
	if code := s.ends(); code != 0 {
		t.Errorf("it ended with %d: %q", code, s.screen)
	}
	if _, call := b.last(); call.GetArgumentsJson() != `{"class":"first","day":"14 March 2026","seats":3}` {
		t.Errorf("sent %s", call.GetArgumentsJson())
	}
	if want := "next time: toolgate call book class=first 'day=14 March 2026' seats=3"; !strings.Contains(s.screen.String(), want) {
		t.Errorf("%q lacks %q", s.screen, want)
	}
}

func TestAPersonMayLeaveWhileTheyAreAsked(t *testing.T) {
	b := &booking{}
	address := serveGateway(t, b)
	leaves := sit(t, cli.Program{}, "call", "book", "--gateway", address)
	leaves.screen.waitFor("> ")
	leaves.types("\x04") // Ctrl-D
	leaves.screen.waitFor("pass it as day=")
	if code := leaves.ends(); code != 1 {
		t.Errorf("it ended with %d: %q", code, leaves.screen)
	}
	interrupts := sit(t, cli.Program{}, "call", "book", "--gateway", address)
	interrupts.screen.waitFor("> ")
	interrupts.stop() // which is what Ctrl-C does to the program
	interrupts.screen.waitFor("the call was not made")
	if code := interrupts.ends(); code != 1 {
		t.Errorf("it ended with %d: %q", code, interrupts.screen)
	}
	if _, call := b.last(); call != nil {
		t.Errorf("sent %v", call)
	}
}

func TestNobodyIsAskedInAPipe(t *testing.T) {
	b := &booking{gateway{events: []*toolgatev1.CallToolsResponse{result(&toolgatev1.ToolResult{StructuredJson: `{}`})}}}
	address := serveGateway(t, b)
	for name, p := range map[string]cli.Program{
		"standard input is a pipe":  {Terminal: true, ErrTerminal: true},
		"standard output is a pipe": {InTerminal: true, ErrTerminal: true},
		"standard error is a pipe":  {InTerminal: true, Terminal: true},
	} {
		if got := run(t, p, "call", "book", "class=first", "--gateway", address); got.code != 0 || strings.Contains(got.err, "> ") {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := sit(t, cli.Program{}, "call", "book", "--no-input", "--gateway", address); got.ends() != 0 {
		t.Errorf("got %q", got.screen)
	}
}

// A gateway in front of a back end that is down at first: the person sees the
// wait while it lasts, and a line of it when it is over.
func TestAPersonSeesWaitsAndAttemptsLive(t *testing.T) {
	var asked atomic.Int64
	backend := listen(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"up":true}`)
	})})
	gateway := serve(t, "--catalog", write(t, "tools:\n  - name: slow\n    http: {method: GET, url: \"http://"+backend+"/\"}\n"),
		"--listen", "127.0.0.1:0", "--admin-listen", "")
	s := sit(t, cli.Program{}, "call", "slow", "--gateway", gateway.Grpc)
	if code := s.ends(); code != 0 {
		t.Errorf("it ended with %d: %q", code, s.screen)
	}
	s.screen.waitFor(`"up": true`)
	screen := s.screen.String()
	for _, part := range []string{"\r\x1b[K", "waiting ", "waited 1.", "1 of 5 attempts made"} {
		if !strings.Contains(screen, part) {
			t.Errorf("%q lacks %q", screen, part)
		}
	}
	if last := screen[strings.LastIndex(screen, "\r\x1b[K")+len("\r\x1b[K"):]; !strings.HasPrefix(last, "{") && !strings.HasPrefix(last, "\x1b") {
		t.Errorf("the answer does not begin a line of its own: %q", last)
	}
}

// The shells' own completion, typed at a terminal. The program that they ask is
// this test.
func TestShellsCompleteToolsAndArguments(t *testing.T) {
	address := serveGateway(t, &booking{})
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nTOOLGATE_TEST_PROGRAM=1 TOOLGATE_GATEWAY=" + address + " exec " + self + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, "toolgate"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	const bashCompletion = "/usr/share/bash-completion/bash_completion"
	for _, shell := range []struct {
		name   string
		needs  string
		args   []string
		source string
	}{
		{"bash", bashCompletion, []string{"--norc", "--noprofile", "-i"}, ". " + bashCompletion + "; . <(toolgate completion bash)"},
		{"zsh", "", []string{"-f", "-i"}, "autoload -Uz compinit && compinit -u -D; . <(toolgate completion zsh); compdef _toolgate toolgate"},
		{"fish", "", []string{"--no-config", "-i"}, "toolgate completion fish | source"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("%s itself completes here, install it to run this", shell.name)
			}
			if _, err := os.Stat(shell.needs); shell.needs != "" && err != nil {
				t.Skipf("bash completes by the package bash-completion, install it to run this: there is no %s", shell.needs)
			}
			cmd := exec.CommandContext(t.Context(), path, shell.args...)
			cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "TERM=xterm", "PS1=$ ")
			terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 150})
			if err != nil {
				t.Skipf("a shell completes at a terminal alone, run it where /dev/ptmx can be opened: %v", err)
			}
			defer func() { _ = terminal.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			screen := newLockedBuffer()
			go answerQueries(terminal, screen)
			types := func(text string) { _, _ = io.WriteString(terminal, text) }
			types(shell.source + "; echo rea''dy\n")
			screen.waitFor("ready")
			types("echo toolgate call bo\t") // an argument of another command: nothing of ours
			types("\x15toolgate call bo\t")
			screen.waitFor("call book")
			types("cla\t")
			screen.waitFor("class=")
			types("fi\t")
			screen.waitFor("class=first")
			types("\x15exit\n")
		})
	}
}

// answerQueries collects what a shell prints, and answers the question of fish
// which terminal this is.
func answerQueries(terminal *os.File, screen *lockedBuffer) {
	buffer := make([]byte, 4096)
	for {
		n, err := terminal.Read(buffer)
		if bytes.Contains(buffer[:n], []byte("\x1b[c")) {
			_, _ = io.WriteString(terminal, "\x1b[?62c")
		}
		_, _ = screen.Write(buffer[:n])
		if err != nil {
			return
		}
	}
}
