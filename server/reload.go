package server

import (
	"log/slog"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

// Changes is what one catalogue changed against another, tools by name.
type Changes struct {
	Added, Removed, Changed []string
	// Parts says what changed of each tool in Changed, in the words of the
	// catalogue: description, input_schema, policy…
	Parts map[string][]string
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
	s.parts.wiring.follow(next)
	former := s.parts.wiring.catalogue.Swap(next)
	changes := compare(former, next)
	for _, gone := range changes.Removed {
		if tool, ok := former.Lookup(gone); ok {
			s.parts.wiring.rooms.breaker.Forget(tool.Upstream, tool.Name)
		}
	}
	outcome := reloadSwapped
	if former.Version() == next.Version() {
		outcome = reloadUnchanged
	}
	s.parts.wiring.reloads.count(outcome)
	s.log.Info("catalogue reloaded", slog.String("from", former.Version()), slog.String("to", next.Version()),
		slog.Any("added", changes.Added), slog.Any("removed", changes.Removed), slog.Any("changed", changes.lines()))
	s.warn(next)
	if outcome == reloadSwapped {
		s.parts.mcp.ToolsChanged()
	}
	return changes
}

// Catalog returns the catalogue that serves now.
func (s *Server) Catalog() *catalog.Catalog { return s.parts.wiring.current() }

func compare(former, next *catalog.Catalog) (changes Changes) {
	changes.Parts = map[string][]string{}
	for _, tool := range next.Tools() {
		before, ok := former.Lookup(tool.Name)
		switch {
		case !ok:
			changes.Added = append(changes.Added, tool.Name)
		case before.Version != tool.Version:
			changes.Changed = append(changes.Changed, tool.Name)
			changes.Parts[tool.Name] = partsChanged(before, tool)
		}
	}
	for _, tool := range former.Tools() {
		if _, ok := next.Lookup(tool.Name); !ok {
			changes.Removed = append(changes.Removed, tool.Name)
		}
	}
	return changes
}

// partsChanged names what differs. What is compiled can't be compared: it is
// named where nothing else differs.
func partsChanged(before, now *interceptors.Tool) (parts []string) {
	for _, part := range []struct {
		name string
		same bool
	}{
		{"description", before.Description == now.Description},
		{"upstream", before.Upstream == now.Upstream && before.Diagnosis.Host == now.Diagnosis.Host},
		{"input_schema", before.SchemaJSON == now.SchemaJSON},
		{"effect", before.Effect == now.Effect},
		{"provider", before.Diagnosis.Provider == now.Diagnosis.Provider},
		{"secrets", slices.Equal(before.Diagnosis.Secrets, now.Diagnosis.Secrets)},
		{"idempotency_key", before.HasIdempotencyKey == now.HasIdempotencyKey},
		{"fallbacks", slices.EqualFunc(before.Fallbacks, now.Fallbacks, func(a, b *toolgatev1.Alternative) bool { return proto.Equal(a, b) })},
		{"narrow", before.Narrow == now.Narrow},
		{"poll", before.Poll == now.Poll},
		{"result", before.Results == now.Results},
		{"policy", before.Policy == now.Policy},
	} {
		if !part.same {
			parts = append(parts, part.name)
		}
	}
	if len(parts) == 0 {
		return []string{"request, errors, alternatives or verify_with"}
	}
	return parts
}

func (c Changes) lines() []string {
	lines := make([]string, 0, len(c.Changed))
	for _, name := range c.Changed {
		lines = append(lines, name+": "+strings.Join(c.Parts[name], ", "))
	}
	return lines
}
