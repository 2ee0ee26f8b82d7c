package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"toolgate.dev/toolgate/internal/evidence"
)

const (
	lookEvery  = 250 * time.Millisecond
	maxLogLine = 1 << 20
)

// callOf reads a line of the log that tells of a call.
func callOf(line []byte) (evidence.Call, bool) {
	call, found := evidence.Line(line)
	return call, found && (call.Message == evidence.FailedMessage || call.Message == evidence.AnsweredMessage)
}

// tailReader shows what comes from standard input, to its end or that of ctx.
func (s *session) tailReader(ctx context.Context, show func(*evidence.Call)) error {
	lines := make(chan []byte)
	var failed error
	go func() { // a read of standard input can't be interrupted
		defer close(lines)
		reader := bufio.NewReader(s.Stdin)
		for {
			line, err := reader.ReadBytes('\n')
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					failed = err
				}
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				return failed
			}
			if call, found := callOf(line); found {
				show(&call)
			}
		}
	}
}

// tailFile shows the last calls of a log and follows it until ctx ends.
func (s *session) tailFile(ctx context.Context, path string, last *latest, show func(*evidence.Call)) error {
	log := &logFile{path: path}
	if err := log.open(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return usage("there is no file "+path, "--from takes the log of a gateway, or - for standard input")
		}
		return err
	}
	defer log.close()
	take := last.add // what was there when the command began
	for {
		err := log.read(func(line []byte) {
			if call, found := callOf(line); found {
				take(&call)
			}
		})
		if err != nil {
			return err
		}
		last.flush(show)
		take = show
		if !pause(ctx, lookEvery) {
			return nil
		}
	}
}

// latest keeps the last calls that are chosen.
type latest struct {
	room   int
	chosen func(*evidence.Call) bool
	calls  []evidence.Call
}

func (l *latest) add(call *evidence.Call) {
	if !l.chosen(call) {
		return
	}
	if l.calls = append(l.calls, *call); len(l.calls) > 2*l.room+64 {
		l.calls = slices.Clone(l.calls[len(l.calls)-l.room:])
	}
}

// flush shows what is kept, once.
func (l *latest) flush(show func(*evidence.Call)) {
	for i := max(0, len(l.calls)-l.room); i < len(l.calls); i++ {
		show(&l.calls[i])
	}
	l.calls = nil
}

// logFile is a log that grows, and that may be rotated: renamed with a new one in
// its place, or cut to nothing.
type logFile struct {
	path string
	file *os.File
	rest []byte // of a line whose end is not written yet
}

func (l *logFile) open() (err error) {
	l.file, err = os.Open(l.path)
	return err
}

// reopen opens what stands in the path now; false where nothing does.
func (l *logFile) reopen() bool {
	now, err := os.Open(l.path)
	if err == nil {
		l.file = now
	}
	return err == nil
}

func (l *logFile) close() { _ = l.file.Close() }

// read takes what was written since, through rotations.
func (l *logFile) read(take func(line []byte)) error {
	for {
		if err := l.drain(take); err != nil {
			return err
		}
		if !l.rotated() {
			return nil
		}
		former := l.file
		if !l.reopen() {
			return nil // not there yet
		}
		if err := drainOf(former, &l.rest, take); err != nil { // what came while it was renamed
			return err
		}
		_ = former.Close()
		l.rest = nil
	}
}

func (l *logFile) drain(take func(line []byte)) error { return drainOf(l.file, &l.rest, take) }

func drainOf(file io.Reader, rest *[]byte, take func(line []byte)) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := file.Read(buffer)
		*rest = append(*rest, buffer[:n]...)
		for {
			line, after, whole := bytes.Cut(*rest, []byte("\n"))
			if !whole {
				break
			}
			take(line)
			*rest = after
		}
		if len(*rest) > maxLogLine {
			*rest = nil // no line of ours; its end reads as none either
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// rotated reports that another file stands in the path, or that it was cut; a cut
// one is read from its beginning.
func (l *logFile) rotated() bool {
	now, err := os.Stat(l.path)
	if err != nil {
		return false
	}
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	if !os.SameFile(now, mine) {
		return true
	}
	at, err := l.file.Seek(0, io.SeekCurrent)
	if err == nil && now.Size() < at {
		_, _ = l.file.Seek(0, io.SeekStart) // the next look reads it
		l.rest = nil
	}
	return false
}
