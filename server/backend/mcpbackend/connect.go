package mcpbackend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/internal/rawjson"
)

// lastHandshake is the newest version with a handshake. Servers that can't make
// anything of the question before it are asked for this one from the start.
const lastHandshake = "2025-11-25"

// open sets up a session within its time: in the newest version, else from anew by
// handshake, for servers that do not survive a method that they don't know. What
// worked is what is tried first the next time.
func (s *Server) open(ctx context.Context) (*session, *outage) {
	patience := s.spec.startTimeout()
	whole, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.handshake {
		return s.connect(whole, lastHandshake)
	}
	newest, stop := context.WithTimeout(whole, patience/2)
	defer stop()
	opened, out := s.connect(newest, "")
	if opened != nil || out.final() || whole.Err() != nil {
		return opened, out
	}
	again, secondOut := s.connect(whole, lastHandshake)
	if again == nil {
		return nil, secondOut
	}
	s.handshake = true
	return again, nil
}

// final reports an outage that another version would end in, too: nobody was
// reached, or somebody wants other credentials.
func (o *outage) final() bool { return o.refusal != nil || o.unreached }

func (s *Server) connect(ctx context.Context, version string) (*session, *outage) {
	options := &mcp.ClientSessionOptions{ProtocolVersion: version}
	if s.spec.Program != nil {
		return s.connectProgram(ctx, options)
	}
	return s.connectHTTP(ctx, options)
}

// client is a fresh one: a change of the list is told to this server alone.
func (s *Server) client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: clientName, Version: s.version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, Logger: slog.New(slog.DiscardHandler),
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { s.noteChange() },
	})
}

const clientName = "toolgate"

// about is clientInfo.
func (s *Server) about() []byte {
	text := rawjson.AppendMember([]byte{'{'}, "name", rawjson.AppendString(nil, clientName))
	return append(rawjson.AppendMember(text, "version", rawjson.AppendString(nil, s.version)), '}')
}

func (s *Server) connectProgram(ctx context.Context, options *mcp.ClientSessionOptions) (*session, *outage) {
	running, err := launch(s.spec.Program, s.chatter.stderr)
	if err != nil {
		return nil, &outage{kind: outageBy(err, nil).kind, cause: err.Error(), unreached: true}
	}
	followed := s.followers()
	p := newPipe(running.in, s.lineLimit, s.noteChange, s.chatter.odd, followed.hear)
	go p.read(running.out)
	agreed, err := s.client().Connect(ctx, handed{p}, options)
	if err != nil {
		_ = p.Close()
		running.stop()
		return nil, outageBy(running.because(err), nil)
	}
	opened := s.newSession(agreed, p, followed, func() {
		_ = p.Close()
		_ = agreed.Close() // its connection is closed
		running.stop()
	})
	go func() {
		select {
		case <-p.gone:
		case <-p.shut:
		}
		s.lose(opened, byItself)
	}()
	return opened, nil
}

func (s *Server) followers() *followers { return &followers{redactor: s.chatter.redactor} }

// because adds how the program ended, where it did before it was told to.
func (r *process) because(err error) error {
	if r.err == nil {
		return err
	}
	return fmt.Errorf("the program ended (%w): %w", r.err, err)
}

func (s *Server) connectHTTP(ctx context.Context, options *mcp.ClientSessionOptions) (*session, *outage) {
	over := &dressed{over: s.over, header: s.spec.Header}
	agreed, err := s.client().Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: s.spec.URL, HTTPClient: &http.Client{Transport: over, CheckRedirect: stays},
		MaxRetries: sdkRetries, DisableStandaloneSSE: true, MaxEventSize: maxSetupBytes,
	}, options)
	if err != nil {
		return nil, over.outage(err)
	}
	life, end := context.WithCancel(s.life)
	followed := s.followers()
	e := &endpoint{
		url: s.spec.URL, over: s.over, header: http.Header{}, session: agreed.ID(), changed: s.noteChange, heard: followed.hear, life: life, end: end,
	}
	opened := s.newSession(agreed, e, followed, func() {
		_ = agreed.Close() // its DELETE is not sent, see dressed
		e.close()
	})
	maps.Copy(e.header, s.spec.Header)
	e.header.Set(headerProtocol, opened.version)
	if e.session != "" {
		e.header.Set(headerSession, e.session)
	}
	if e.notify = !opened.stateless(); e.notify {
		e.aside.Go(func() { e.listen(func() { go s.lose(opened, byItself) }) })
	}
	go func() {
		_ = agreed.Wait() // whyever it ended
		s.lose(opened, byItself)
	}()
	return opened, nil
}

const (
	sdkRetries    = 5
	maxSetupBytes = 16 << 20
)

// stays lets the SDK follow the redirects that we follow ourselves.
func stays(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || !sameSystem(via[0].URL, req.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

// dressed sends the SDK's requests with the catalogue's headers, in bounds, and
// remembers what kept a session from being set up. The end of a session is not
// sent: that waits for its last call, which the SDK knows nothing of.
type dressed struct {
	over   http.RoundTripper
	header http.Header

	mu      sync.Mutex // guards the rest
	err     error
	refused *refusal
}

// RoundTrip implements http.RoundTripper.
func (d *dressed) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodDelete {
		return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
	}
	sent := req.Clone(req.Context())
	maps.Copy(sent.Header, d.header)
	resp, err := d.over.RoundTrip(sent)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err, d.refused = err, nil
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		body, size, _ := readBounded(resp, maxRefusalBytes) // the status says enough where it is torn
		_ = resp.Body.Close()
		d.refused = &refusal{status: resp.StatusCode, header: resp.Header.Clone(), body: body, size: size}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
	if mediaOf(resp) != mediaEvents { // the SDK bounds events itself
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxSetupBytes), resp.Body}
	}
	return resp, nil
}

func (d *dressed) outage(err error) *outage {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil && !errors.Is(err, context.DeadlineExceeded) {
		out := outageBy(d.err, nil)
		out.unreached = true
		return out
	}
	return outageBy(err, d.refused)
}
