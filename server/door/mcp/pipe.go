package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/server/door"
)

// pipe is one client over standard input and output. It reads messages, one a
// line, and answers what is none, after which the SDK would end the session. The
// end of the input waits for the answers that are still owed: the SDK would cancel
// those calls.
type pipe struct {
	in   *bufio.Reader
	out  io.Writer
	tame func([]byte) ([]byte, error)
	run  string
	ctx  context.Context //nolint:containedctx // the client's: it ends what he called
	rest []byte          // of the message that is being read

	writing sync.Mutex // guards out

	asked owed // requests without an answer

	used atomic.Bool // a call was counted in run
}

type pipeKey struct{}

// pipeFrom is the pipe that a request came through.
func pipeFrom(ctx context.Context) *pipe {
	p, _ := ctx.Value(pipeKey{}).(*pipe)
	return p
}

var errLine = fmt.Errorf("the message is longer than %d bytes", door.MaxBodyBytes)

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if err := p.next(); err != nil {
			select {
			case <-p.asked.settled():
			case <-p.ctx.Done():
			}
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// next reads a line into rest, which stays empty where the line holds no message.
func (p *pipe) next() error {
	line, err := p.line()
	switch {
	case errors.Is(err, errLine):
	case len(line) == 0:
		return err
	default:
		line, err = p.tame(line)
	}
	if err != nil {
		return p.write(append(refusal(err), '\n'))
	}
	if asks(line) {
		p.asked.add(1)
	}
	line = append(line, '\n')
	p.rest = line
	return nil
}

// line reads up to the end of a line, or of the input. Space around it is cut. A
// line that is too long is read to its end and forgotten.
func (p *pipe) line() (line []byte, err error) {
	long := false
	for {
		part, err := p.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > door.MaxBodyBytes; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLine
		}
		if line = rawjson.Trim(line); len(line) > 0 {
			err = nil // what ends the input comes again
		}
		return line, err
	}
}

// Write implements io.Writer: one message each time.
func (p *pipe) Write(message []byte) (int, error) {
	if err := p.write(message); err != nil {
		return 0, err
	}
	if answers(message) {
		p.asked.add(-1)
	}
	return len(message), nil
}

func (p *pipe) write(message []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err := p.out.Write(message)
	return err
}

// Close implements io.Closer. Standard output is the program's.
func (*pipe) Close() error { return nil }

// asks reports whether a message wants an answer soon: one who listens gets his
// when he stops.
func asks(message []byte) bool {
	_, numbered := rawjson.Get(message, "id")
	method, named := rawjson.Get(message, "method")
	return numbered && named && rawjson.Text(method) != methodListen
}

// answers reports whether a message is an answer.
func answers(message []byte) bool {
	_, named := rawjson.Get(message, "method")
	return !named && rawjson.KindOf(message) == rawjson.Object
}

// use notes that a call is counted in the pipe's run.
func (p *pipe) use() string {
	p.used.Store(true)
	return p.run
}
