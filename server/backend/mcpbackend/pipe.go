package mcpbackend

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolgate.dev/toolgate/interceptors"
)

const (
	firstID     = 1 << 20 // ours, above those of the SDK, which counts from 1
	queueLength = 64
	inboxLength = 64
)

// pipe is a session's two streams of lines. It carries our own questions, and is
// the SDK's connection for all else. It implements mcp.Connection.
type pipe struct {
	to      io.Writer
	limit   func() int // bytes of a line that are held
	changed func()     // the list of tools has
	odd     func(text []byte)
	heard   func(notification []byte) // how far a tool is

	inbox chan jsonrpc.Message // for the SDK
	queue chan *parcel
	gone  chan struct{} // closed when nothing can be read any more
	shut  chan struct{} // closed by Close

	closing sync.Once
	latest  atomic.Int64

	mu      sync.Mutex // guards waiting
	waiting map[int64]chan *answer
}

// newPipe makes a pipe that writes; read has to be run.
func newPipe(to io.Writer, limit func() int, changed func(), odd, heard func([]byte)) *pipe {
	p := &pipe{
		to: to, limit: limit, changed: changed, odd: odd, heard: heard,
		inbox: make(chan jsonrpc.Message, inboxLength), queue: make(chan *parcel, queueLength),
		gone: make(chan struct{}), shut: make(chan struct{}), waiting: map[int64]chan *answer{},
	}
	p.latest.Store(firstID)
	go p.write()
	return p
}

// parcel is one line on its way out.
type parcel struct {
	text  []byte
	state atomic.Int32
	done  chan error
}

const (
	parcelTaken     = 1 // being written
	parcelWithdrawn = 2
)

func (p *pipe) write() {
	for {
		select {
		case next := <-p.queue:
			if next.state.CompareAndSwap(0, parcelTaken) {
				_, err := p.to.Write(append(next.text, '\n'))
				next.done <- err
				if err != nil { // a server that does not listen is none
					_ = p.Close()
				}
			}
		case <-p.shut:
			return
		case <-p.gone:
			return
		}
	}
}

// post writes one line. On an error sent tells whether some of it may have been.
func (p *pipe) post(ctx context.Context, text []byte) (sent bool, err error) {
	out := &parcel{text: text, done: make(chan error, 1)}
	select {
	case p.queue <- out:
	case <-ctx.Done():
		return false, ctx.Err()
	case <-p.gone:
		return false, errClosed
	case <-p.shut:
		return false, errClosed
	}
	select {
	case err = <-out.done:
		return true, err
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.gone:
		err = errClosed
	case <-p.shut:
		err = errClosed
	}
	return !out.state.CompareAndSwap(0, parcelWithdrawn), err
}

// drop writes a line that nobody waits for, where there is room.
func (p *pipe) drop(text []byte) {
	select {
	case p.queue <- &parcel{text: text, done: make(chan error, 1)}:
	default:
	}
}

// ask implements wire.
func (p *pipe) ask(ctx context.Context, q *question) (*answer, error) {
	id := p.latest.Add(1)
	came := make(chan *answer, 1)
	p.mu.Lock()
	p.waiting[id] = came
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	if sent, err := p.post(ctx, q.frame(id)); err != nil {
		return nil, p.unposted(ctx, sent, err)
	}
	select {
	case a := <-came:
		return a, nil
	case <-ctx.Done():
		p.drop(cancellation(id))
		return nil, &lost{kind: interceptors.EndedAs(ctx), sent: true, cause: ctx.Err()}
	case <-p.shut:
	case <-p.gone:
	}
	select { // the answer may have been its last word
	case a := <-came:
		return a, nil
	default:
		return nil, &lost{kind: interceptors.FailureReset, sent: true, cause: errClosed}
	}
}

func (p *pipe) unposted(ctx context.Context, sent bool, err error) *lost {
	switch {
	case ctx.Err() != nil:
		return &lost{kind: interceptors.EndedAs(ctx), sent: sent, cause: err}
	case sent:
		return &lost{kind: interceptors.FailureReset, sent: true, cause: err}
	}
	return &lost{kind: interceptors.FailureRefused, cause: err}
}

// read takes lines until there are none; it closes gone then.
func (p *pipe) read(from io.Reader) {
	defer close(p.gone)
	lines := newLineReader(from)
	for {
		l, err := lines.next(p.limit())
		if len(bytes.TrimSpace(l.text)) > 0 {
			p.take(l)
		}
		if err != nil {
			return
		}
	}
}

func (p *pipe) take(l line) {
	if l.cut {
		p.takeHead(l)
		return
	}
	text := bytes.Clone(bytes.TrimSpace(l.text))
	if !valid(text) {
		p.odd(text)
		return
	}
	all := messages(text)
	if len(all) == 0 {
		p.odd(text)
	}
	for _, m := range all {
		p.sort(m)
	}
}

// sort hands a message to whom it is for.
func (p *pipe) sort(m message) {
	switch {
	case m.method == methodListChanged:
		p.changed()
	case m.method == methodProgress:
		p.heard(m.text)
	case m.method != "" && m.id != nil:
		p.drop(response(m.id, m.method))
	case m.method == "":
		if id, ok := m.number(); ok && id >= firstID {
			p.deliver(id, m.answer(false))
			return
		}
		p.pass(m)
	}
}

// pass hands a response to the SDK; its notifications are of no use here.
func (p *pipe) pass(m message) {
	decoded, err := jsonrpc.DecodeMessage(m.text)
	if err != nil {
		p.odd(m.text)
		return
	}
	select {
	case p.inbox <- decoded:
	case <-p.shut:
	}
}

// deliver hands over an answer; one that comes too late is nobody's.
func (p *pipe) deliver(id int64, a *answer) {
	p.mu.Lock()
	came := p.waiting[id]
	delete(p.waiting, id)
	p.mu.Unlock()
	if came != nil {
		came <- a
	}
}

// lateID is an id in the end of a line.
var lateID = regexp.MustCompile(`"id"\s*:\s*"?(\d{7,18})"?\s*[,}]`)

// takeHead makes what can be made of a line that is longer than what is held.
func (p *pipe) takeHead(l line) {
	m, ok := readMessage(mend(bytes.TrimSpace(l.text)))
	if !ok || m.method != "" {
		p.odd(l.text)
		return
	}
	id, known := m.number()
	if !known {
		for _, found := range lateID.FindAllSubmatch(l.tail, -1) {
			id, _ = strconv.ParseInt(string(found[1]), 10, 64)
		}
	}
	p.deliver(id, m.answer(true))
}

// Read implements mcp.Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.inbox:
		return m, nil
	default:
	}
	select {
	case m := <-p.inbox:
		return m, nil
	case <-p.gone:
		return nil, io.EOF
	case <-p.shut:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("write to the server: %w", err)
	}
	_, err = p.post(ctx, text)
	return err
}

// Close implements mcp.Connection. The streams are closed by who opened them.
func (p *pipe) Close() error {
	p.closing.Do(func() { close(p.shut) })
	return nil
}

// SessionID implements mcp.Connection: a program has one session.
func (*pipe) SessionID() string { return "" }
