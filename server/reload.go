package server

import (
	"log/slog"

	"toolgate.dev/toolgate/server/catalog"
)

// Changes is what one catalogue changed against another, tools by name.
type Changes struct {
	Added, Removed, Changed []string
}

// Reload lets another catalogue serve from now on and tells what it changed. The
// swap is atomic: a call keeps the tool that it was resolved to, later calls get
// the new one, none is lost. Breakers, cooldowns, counts and memory of tools
// that did not change survive; a changed tool's counts and memory are forgotten,
// since its answers may be others now.
//
// Catalogues that follow each other should share one pool of connections
// (catalog.WithPool). The former catalogue is not closed: its calls may still
// run. Reload is safe for concurrent use.
func (s *Server) Reload(next *catalog.Catalog) Changes {
	former := s.parts.wiring.catalogue.Swap(next)
	changes := compare(former, next)
	for _, gone := range changes.Removed {
		if tool, ok := former.Lookup(gone); ok {
			s.parts.wiring.rooms.breaker.Forget(tool.Upstream, tool.Name)
		}
	}
	s.log.Info("catalogue reloaded", slog.String("from", former.Version()), slog.String("to", next.Version()),
		slog.Any("added", changes.Added), slog.Any("removed", changes.Removed), slog.Any("changed", changes.Changed))
	return changes
}

// Catalog returns the catalogue that serves now.
func (s *Server) Catalog() *catalog.Catalog { return s.parts.wiring.current() }

func compare(former, next *catalog.Catalog) (changes Changes) {
	for _, tool := range next.Tools() {
		before, ok := former.Lookup(tool.Name)
		switch {
		case !ok:
			changes.Added = append(changes.Added, tool.Name)
		case before.Version != tool.Version:
			changes.Changed = append(changes.Changed, tool.Name)
		}
	}
	for _, tool := range former.Tools() {
		if _, ok := next.Lookup(tool.Name); !ok {
			changes.Removed = append(changes.Removed, tool.Name)
		}
	}
	return changes
}
