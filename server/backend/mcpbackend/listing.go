package mcpbackend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxPages        = 256
	maxTools        = 4096
	maxPageBytes    = 8 << 20
	relistEvery     = 10 * time.Minute // for servers that don't tell of changes
	relistAfterFail = 30 * time.Second
	relistPause     = time.Second // for servers that tell of changes all the time
)

// listing is what a server listed last, and what of it was taken.
type listing struct {
	tried chan struct{} // closed when the first attempt to get it has ended
	once  sync.Once

	mu    sync.Mutex // guards the rest
	tools []Tool
	known bool
	sum   [sha256.Size]byte
	taken *[sha256.Size]byte // nil: nobody asked
	cause string             // why the latest reading failed; empty: it did not
}

// fail keeps why a list could not be read.
func (l *listing) fail(cause string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cause = cause
}

// note says that an attempt has ended, well or not.
func (l *listing) note() { l.once.Do(func() { close(l.tried) }) }

// put keeps a list and reports whether somebody has taken another.
func (l *listing) put(tools []Tool) (stale bool) {
	sum := sha256.New()
	for _, tool := range tools {
		fmt.Fprintf(sum, "%q\n", []string{tool.Name, tool.Title, tool.Description, tool.InputSchema})
		fmt.Fprintln(sum, tool.ReadOnly, tool.Idempotent)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cause, l.tools, l.known, l.sum = "", tools, true, [sha256.Size]byte(sum.Sum(nil))
	stale = l.taken != nil && *l.taken != l.sum
	if stale {
		l.taken = nil // one change is told once
	}
	return stale
}

func (l *listing) take() ([]Tool, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.sum
	l.taken = &taken
	return l.tools, l.known
}

// Tools is what the server lists, in its order, with every page. It waits for the
// first attempt to get the list, and no longer than ctx. Unknown: the server has
// not listed any yet. Later changes, of this answer too, are told to the hook of
// the pool.
func (s *Server) Tools(ctx context.Context) (tools []Tool, known bool) {
	select {
	case <-s.list.tried:
	case <-ctx.Done():
	}
	return s.list.take()
}

// Trouble says why the server can't be reached or listed at present, for people who
// run it; empty: it can, or nobody knows yet.
func (s *Server) Trouble() string {
	s.mu.Lock()
	out := s.outage
	s.mu.Unlock()
	if out != nil {
		return s.chatter.redactor.Secrets(out.cause)
	}
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	return s.chatter.redactor.Secrets(s.list.cause)
}

// attend keeps the list of a session up to date, until it ends.
func (s *Server) attend(opened *session) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-opened.ended:
			return
		case <-s.life.Done():
			return
		case <-s.relist:
			if sleep(s.life, relistPause) != nil {
				return
			}
		case <-timer.C:
		}
		timer.Reset(s.read(opened))
	}
}

// read reads the list and says when to do so again.
func (s *Server) read(opened *session) time.Duration {
	defer s.list.note()
	if !opened.use() {
		return relistAfterFail
	}
	defer opened.release()
	ctx, cancel := context.WithTimeout(s.life, s.spec.startTimeout())
	defer cancel()
	tools, err := listTools(ctx, opened)
	if gone, ok := errors.AsType[*lost](err); ok && gone.expired {
		go s.lose(opened, byItself)
	}
	if err != nil {
		if s.life.Err() == nil {
			s.log.Warn("the tools of an MCP server can't be listed", slog.String("cause", s.chatter.redactor.Secrets(err.Error())))
		}
		s.list.fail(err.Error())
		return relistAfterFail
	}
	if s.list.put(tools) {
		s.changed()
	}
	return relistEvery
}

// listTools reads all pages. A cursor that comes again would go on for ever.
func listTools(ctx context.Context, opened *session) (all []Tool, err error) {
	if !opened.lists {
		return nil, nil
	}
	cursor, seen := "", map[string]bool{}
	for range maxPages {
		a, err := opened.ask(ctx, opened.page(ctx, cursor, maxPageBytes))
		if err != nil {
			return nil, err
		}
		switch {
		case a.refusal != nil:
			return nil, fmt.Errorf("HTTP %d", a.refusal.status)
		case a.fault != nil && a.fault.code == codeNoMethod:
			return nil, nil
		case a.fault != nil:
			return nil, errors.New(a.fault.message)
		case a.cut:
			return nil, fmt.Errorf("a page is larger than %d bytes", maxPageBytes)
		}
		all = append(all, toolsIn(a.result)...)
		cursor = member(a.result, "nextCursor")
		if cursor == "" || len(all) >= maxTools {
			return all[:min(len(all), maxTools)], nil
		}
		if seen[cursor] {
			return nil, errors.New("the server's list has no end: a cursor came twice")
		}
		seen[cursor] = true
	}
	return nil, fmt.Errorf("the server's list has more than %d pages", maxPages)
}

func toolsIn(page []byte) (all []Tool) {
	list, _ := rawjson.Get(page, "tools")
	for item := range rawjson.Items(list) {
		tool := Tool{Name: member(item, "name"), Title: member(item, "title"), Description: member(item, "description")}
		if schema, found := rawjson.Get(item, "inputSchema"); found && rawjson.KindOf(schema) == rawjson.Object {
			tool.InputSchema = string(bytes.Clone(schema))
		}
		annotations, _ := rawjson.Get(item, "annotations")
		tool.ReadOnly, tool.Idempotent = isTrue(annotations, "readOnlyHint"), isTrue(annotations, "idempotentHint")
		if tool.Title == "" {
			tool.Title = member(annotations, "title")
		}
		all = append(all, tool)
	}
	return all
}

func isTrue(object []byte, name string) bool {
	value, found := rawjson.Get(object, name)
	return found && rawjson.KindOf(value) == rawjson.True
}
