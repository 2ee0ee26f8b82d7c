package server

import (
	"context"
	"log/slog"
	"os"
	"time"
)

const (
	defaultWatchEvery = time.Second
	maxLoggedProblems = 20
)

// Watch loads the catalogue again whenever its file, or that of a secret, holds
// something else, whenever a server that it imports tools from lists others, and
// whenever now says so; it returns when ctx ends. The file
// may be rewritten, replaced, or reached through a link that is turned elsewhere:
// it is read every so often [1 s; negative: only when now says so], and what it
// holds counts once it was found twice. now may be nil; a SIGHUP is what it
// usually carries.
//
// A good catalogue serves from then on, see Reload. A bad one is refused: what
// is wrong with it is logged, and the one before serves on. The access file, where
// there is one, is followed in the same way.
func (s *Server) Watch(ctx context.Context, file *CatalogFile, every time.Duration, now <-chan os.Signal) {
	var due <-chan time.Time // never, where every is negative
	if every == 0 {
		every = defaultWatchEvery
	}
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-now:
			s.reloadFrom(file)
			s.reloadAccess()
		case <-file.changed:
			s.reloadFrom(file)
		case <-due:
			if file.Changed() {
				s.reloadFrom(file)
			}
			if s.config.Access != nil && s.config.Access.Changed() {
				s.reloadAccess()
			}
		}
	}
}

func (s *Server) reloadFrom(file *CatalogFile) {
	next, err := file.Load()
	if err != nil {
		s.refuse(file, err)
		return
	}
	s.Reload(next)
	next.RetireOthers()
}

func (s *Server) refuse(file *CatalogFile, err error) {
	s.parts.wiring.reloads.count(reloadRefused)
	problems := problemsOf(err)
	s.log.Error("catalogue refused, the one before serves on",
		slog.String("file", file.Path()), slog.String("serving", s.Catalog().Version()),
		slog.Int("faults", len(problems)), slog.Any("problems", problems[:min(len(problems), maxLoggedProblems)]))
}
