package mcp

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/server/door"
)

// ServeStdio serves one client until in ends or ctx does. All that it calls is one
// run, which ends with it. in may be read on after ctx has ended, until it ends
// too.
func (d *Door) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	shared := &lockedWriter{out: out}
	transport := &sdk.IOTransport{
		Reader: io.NopCloser(&lineReader{in: bufio.NewReaderSize(in, 64<<10), tame: d.tame, refuse: shared}),
		Writer: shared, MaxLineLength: -1, // lineReader's bound
	}
	session, err := d.server.Connect(ctx, transport, nil)
	if err != nil {
		return fmt.Errorf("serve standard input: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	err = session.Wait()
	if run, used := d.pipes.LoadAndDelete(session); used {
		d.endRun(ctx, run.(string))
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve standard input: %w", err)
	}
	return nil
}

// runOfPipe is the run of whoever holds standard input.
func (d *Door) runOfPipe(session *sdk.ServerSession) string {
	run, _ := d.pipes.LoadOrStore(session, runName("pipe", rand.Text()))
	return run.(string)
}

// lockedWriter is written to by the SDK and by whoever refuses a line.
type lockedWriter struct {
	mu  sync.Mutex // guards out
	out io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close implements io.Closer. Standard output is the program's.
func (*lockedWriter) Close() error { return nil }

// lineReader reads messages, one a line. What is none is answered, and the session
// goes on: the SDK would end it.
type lineReader struct {
	in     *bufio.Reader
	tame   func([]byte) ([]byte, error)
	refuse io.Writer
	rest   []byte // of the message that is being read
}

var errLine = fmt.Errorf("the message is longer than %d bytes", door.MaxBodyBytes)

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line into rest, which stays empty where the line holds no message.
func (l *lineReader) next() error {
	line, err := l.line()
	switch {
	case errors.Is(err, errLine):
	case len(line) == 0:
		return err
	default:
		line, err = l.tame(line)
	}
	if err != nil {
		_, err = l.refuse.Write(append(refusal(err), '\n'))
		return err
	}
	l.rest = append(line, '\n')
	return nil
}

// line reads up to the end of a line, or of the input. Space around it is cut. A
// line that is too long is read to its end and forgotten.
func (l *lineReader) line() (line []byte, err error) {
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > door.MaxBodyBytes; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return nil, errLine
		default:
			line = rawjson.Trim(line)
			if len(line) > 0 {
				err = nil // what ends the input comes again
			}
			return line, err
		}
	}
}
