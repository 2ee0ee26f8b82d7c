package server

import (
	"log/slog"
	"time"

	"toolgate.dev/toolgate/server/catalog"
)

// follow has the troubles of a catalogue's upstreams logged.
func (w *wiring) follow(served *catalog.Catalog) {
	served.OnStaleFiles(w.logStaleFiles)
	served.OnTrouble(w.logTrouble)
}

// logStaleFiles is the HTTP back end's. The error names files and holds nothing of
// them.
func (w *wiring) logStaleFiles(upstream string, err error) {
	w.log.Warn("certificates have changed and can't be read; the former are in force",
		slog.String("upstream", upstream), slog.String("cause", err.Error()))
}

// logTrouble is the back ends'. It names addresses, and holds no secret.
func (w *wiring) logTrouble(upstream, problem string) {
	if skipped, ok := w.troubles.due(time.Now()); ok {
		w.log.Error("an upstream can't be asked until an operator mends it",
			slog.String("upstream", upstream), slog.String("cause", problem), slog.Uint64("left_out_meanwhile", skipped))
	}
}
