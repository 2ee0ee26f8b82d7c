package mcp

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client until in ends, and what it asked for is answered,
// or until ctx does: then its calls are cancelled. All that it calls is one run,
// which ends with it. in may be read on after ctx has ended, until it ends too.
func (d *Door) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancel(ctx)
	defer end() // whoever still waits to read or to be answered
	p := &pipe{
		in: bufio.NewReaderSize(in, 64<<10), out: out, tame: d.tame, run: runName("pipe", rand.Text()), ctx: ctx,
	}
	transport := &sdk.IOTransport{Reader: io.NopCloser(p), Writer: p, MaxLineLength: -1} // the pipe has bounds of its own
	session, err := d.server.Connect(context.WithValue(ctx, pipeKey{}, p), transport, nil)
	if err != nil {
		return fmt.Errorf("serve standard input: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	err = session.Wait()
	if p.used.Load() {
		d.endRun(ctx, p.run)
	}
	if err == nil || ctx.Err() != nil || hungUp(err) {
		return nil
	}
	return fmt.Errorf("serve standard input: %w", err)
}

// hungUp reports that the client is gone, which is how a session ends.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed)
}
