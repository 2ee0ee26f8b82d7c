package server

import (
	"context"
	"log/slog"
	"net"

	"toolgate.dev/toolgate/interceptors"
)

// reportScope is the service's: a caller reads of the tools that it may use, if it may
// read at all.
func (w *wiring) reportScope(principal string) (visible func(tool string) bool, err error) {
	if w.config.Access != nil {
		rights := w.config.Access.Policy().Rights(principal)
		switch {
		case !rights.MayReport():
			return nil, interceptors.StatusForbidden(interceptors.ReasonReportNotAllowed, "the failure report is not for this caller")
		case rights.PermitsAll():
			return nil, nil
		}
		return rights.Permits, nil
	}
	if w.config.Permitted == nil {
		return nil, nil
	}
	return func(tool string) bool { return w.permitted(principal, tool) }, nil
}

// atDoor tells an HTTP door who calls; nil: everybody is anonymous. The rooms ask again.
func (c *Config) atDoor() func(ctx context.Context) (principal string, err error) {
	if c.Access != nil {
		return c.Access.atDoor
	}
	return c.Identity
}

// seesAll refuses a caller that may not read of every tool.
func (w *wiring) seesAll(principal string) error {
	visible, err := w.reportScope(principal)
	if err == nil && visible != nil {
		err = interceptors.StatusForbidden(interceptors.ReasonReportNotAllowed, "metrics name every tool, and this caller may not use all")
	}
	return err
}

// reloadAccess reads the access file again. A bad one is refused: what is wrong with
// it is logged, and the one before holds on.
func (s *Server) reloadAccess() {
	if s.config.Access == nil {
		return
	}
	if err := s.config.Access.Reload(); err != nil {
		problems := problemsOf(err)
		s.log.Error("access file refused, the one before holds on", slog.String("file", s.config.Access.file.path),
			slog.Int("faults", len(problems)), slog.Any("problems", problems[:min(len(problems), maxLoggedProblems)]))
		return
	}
	s.log.Info("access file reloaded", slog.Int("principals", len(s.config.Access.Policy().Principals())))
	s.parts.mcp.ToolsChanged() // for some, perhaps
}

// warnOfPlaintext logs that credentials travel where anyone on the way reads them.
func (s *Server) warnOfPlaintext() {
	if s.config.Identity == nil || s.config.TLS != nil {
		return
	}
	for _, address := range []string{s.Addr(), s.HTTPAddr()} {
		if host := hostOfAddress(address); host != "" && !isLoopback(host) {
			s.log.Warn("callers show their credentials without TLS: anyone on the way reads them", slog.String("address", address))
		}
	}
}

func hostOfAddress(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil { // a listener of the embedding program's own kind
		return ""
	}
	return host
}
