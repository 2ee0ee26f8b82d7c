package server

import (
	"log/slog"

	"toolgate.dev/toolgate/server/catalog"
)

// warn logs what is wrong with a catalogue that is served all the same.
func (s *Server) warn(served *catalog.Catalog) {
	for _, warning := range served.Warnings() {
		s.log.Warn("the catalogue has a fault", slog.String("fault", warning.String()))
	}
}
