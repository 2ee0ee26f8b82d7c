package redistest

import (
	"bufio"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Proxy stands between a client and a server. It counts the answers that pass,
// holds them back, and breaks connections.
type Proxy struct {
	// URL reaches the server through the proxy.
	URL string

	t      testing.TB
	server *Server
	listen net.Listener

	mu      sync.Mutex // guards the rest
	moved   *sync.Cond // something below changed
	passed  int        // answers that went through
	held    int        // answers that wait
	allowed int        // that may go through yet; negative: all
	silent  bool       // nothing is read from clients any more
	refuse  bool       // new connections are closed at once
	ended   bool
	conns   map[net.Conn]bool
}

// StartProxy runs a proxy until the test ends. Everything passes at first.
func StartProxy(t testing.TB, server *Server) *Proxy {
	t.Helper()
	path := filepath.Join(folder(t), "p")
	listen, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{
		URL: (&url.URL{Scheme: "unix", Path: path}).String(), t: t, server: server, listen: listen,
		allowed: -1, conns: map[net.Conn]bool{},
	}
	p.moved = sync.NewCond(&p.mu)
	var all sync.WaitGroup
	all.Go(func() { p.serve(&all) })
	t.Cleanup(func() {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.moved.Broadcast()
		_ = listen.Close()
		p.Cut()
		all.Wait()
	})
	return p
}

// Allow lets so many more answers through, and holds back what comes then.
func (p *Proxy) Allow(answers int) { p.set(func() { p.allowed, p.passed = answers, 0 }) }

// Open lets everything through again.
func (p *Proxy) Open() { p.set(func() { p.allowed, p.silent, p.refuse = -1, false, false }) }

// Silence swallows what clients say: connections stand, and nobody answers.
func (p *Proxy) Silence() { p.set(func() { p.silent = true }) }

// Refuse closes new connections at once.
func (p *Proxy) Refuse() { p.set(func() { p.refuse = true }) }

// Passed is how many answers went through since Allow.
func (p *Proxy) Passed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// AwaitHeld waits until so many answers are held back.
func (p *Proxy) AwaitHeld(answers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held < answers && !p.ended {
		p.moved.Wait()
	}
}

// Cut breaks every connection.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	change()
	p.mu.Unlock()
	p.moved.Broadcast()
}

func (p *Proxy) serve(all *sync.WaitGroup) {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		all.Go(func() { p.join(client) })
	}
}

// join carries one connection.
func (p *Proxy) join(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	refuse := p.refuse || p.ended
	p.mu.Unlock()
	if refuse {
		return
	}
	var dialer net.Dialer
	server, err := p.server.dial(p.t.Context(), &dialer, p.server.Address)
	if err != nil {
		return
	}
	defer server.Close()
	p.set(func() { p.conns[client], p.conns[server] = true, true })
	defer p.set(func() {
		delete(p.conns, client)
		delete(p.conns, server)
	})
	var both sync.WaitGroup
	both.Go(func() {
		p.ask(server, client)
		_, _ = client.Close(), server.Close()
	})
	both.Go(func() {
		p.answer(client, server)
		_, _ = client.Close(), server.Close()
	})
	both.Wait()
}

// ask carries what the client says.
func (p *Proxy) ask(to io.Writer, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		for p.silent && !p.ended {
			p.moved.Wait()
		}
		p.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// answer carries what the server says, answer by answer. What keeps a connection
// alive, and what the server says unasked, does not count.
func (p *Proxy) answer(to io.Writer, from io.Reader) {
	reader := bufio.NewReader(from)
	for {
		var frame strings.Builder
		if err := readFrame(io.TeeReader(reader, &frame)); err != nil {
			return
		}
		text := frame.String()
		if !strings.HasPrefix(text, "+PONG") && !strings.HasPrefix(text, ">") {
			p.pass()
		}
		if _, err := io.WriteString(to, text); err != nil {
			return
		}
	}
}

func (p *Proxy) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
	p.moved.Broadcast()
	for p.allowed == 0 && !p.ended {
		p.moved.Wait()
	}
	p.held--
	p.passed++
	if p.allowed > 0 {
		p.allowed--
	}
}

// readFrame reads one RESP answer.
func readFrame(r io.Reader) error {
	line, err := readLine(r)
	if err != nil || len(line) == 0 {
		return err
	}
	size, _ := strconv.Atoi(line[1:])
	switch line[0] {
	case '$', '=', '!':
		if size < 0 {
			return nil
		}
		_, err = io.CopyN(io.Discard, r, int64(size)+2)
		return err
	case '%', '|':
		size *= 2
	case '*', '~', '>':
	default:
		return nil
	}
	for range size {
		if err := readFrame(r); err != nil {
			return err
		}
	}
	if line[0] == '|' { // attributes come before their answer
		return readFrame(r)
	}
	return nil
}

func readLine(r io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return "", err
		}
		if b[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, b[0])
	}
}
