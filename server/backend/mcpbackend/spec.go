package mcpbackend

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"toolgate.dev/toolgate/server/backend"
)

// Spec is one MCP server with everything resolved that stands elsewhere. Servers
// whose specs are the same share one session.
type Spec struct {
	// Upstream names the system, in logs. Required.
	Upstream string
	// Program is started and spoken to; nil: the server is at URL.
	Program *Program
	// URL is the endpoint of the streamable HTTP transport.
	URL string
	// Header is sent with every request, secrets among it.
	Header http.Header
	// Connections says how connections to URL are made, for comparison alone.
	Connections any
	// Connect opens them. Every error of the round tripper should tell by a method
	// Failure() (interceptors.TransportFailure, bool) what went wrong and whether
	// bytes may have left; one that does not counts as a reset after that. The
	// function that comes with it is called when it is used no longer. Required
	// with URL.
	Connect func() (http.RoundTripper, func())
	// Bearer has the token that requests show; nil: they show none.
	Bearer backend.Bearer
	// StartTimeout is how long a session may take to be set up; 0: 20 s.
	StartTimeout time.Duration
	// Secrets are removed from what goes to the log.
	Secrets []string
	// Speaks says that ToolErrors in the `_meta` of its results are believed.
	Speaks bool
}

// Program is one that speaks MCP on its standard input and output.
type Program struct {
	// Command is a path, or a name that is looked for in PATH.
	Command string
	// Arguments are the program's.
	Arguments []string
	// Environment holds the variables `NAME=value` beside PATH, HOME, LANG, TMPDIR
	// and USER, which are those of the gateway.
	Environment []string
	// Folder is where it starts; empty: where the gateway did.
	Folder string
}

const defaultStartTimeout = 20 * time.Second

func (s *Spec) startTimeout() time.Duration {
	if s.StartTimeout > 0 {
		return s.StartTimeout
	}
	return defaultStartTimeout
}

// key is what servers must have in common to be one.
func (s *Spec) key() (sum [sha256.Size]byte) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %v %+v\n", s.Upstream, s.URL, s.startTimeout(), s.Connections)
	fmt.Fprintf(hash, "%q %q %v %v\n", s.Header, s.Secrets, s.Speaks, s.Program != nil)
	if p := s.Program; p != nil {
		fmt.Fprintf(hash, "%q %q %q %q\n", p.Command, p.Arguments, p.Environment, p.Folder)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// Tool is one tool as its server lists it.
type Tool struct {
	Name        string
	Title       string
	Description string
	// InputSchema is JSON as the server wrote it; empty: there is none.
	InputSchema string
	// ReadOnly and Idempotent are the server's own word (readOnlyHint,
	// idempotentHint), worth what the server is.
	ReadOnly, Idempotent bool
}
