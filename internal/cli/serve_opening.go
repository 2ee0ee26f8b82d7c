package cli

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// opening is what every gateway that a command runs begins with: metrics, a log, and
// a catalogue that is followed.
type opening struct {
	registry *prometheus.Registry
	log      *slog.Logger
	file     *server.CatalogFile
	tools    *catalog.Catalog
	endLog   func()
}

// opening opens the log and loads the catalogue. close has to be called, unless there
// is an error.
func (s *session) opening(flags serveFlags) (*opening, error) {
	registry := prometheus.NewRegistry()
	log, endLog, err := s.openLog(flags, registry)
	if err != nil {
		return nil, err
	}
	options, err := server.CatalogOptions(registry, log)
	if err != nil {
		endLog()
		return nil, err
	}
	o := &opening{registry: registry, log: log, endLog: endLog, file: server.NewCatalogFile(flags.catalog, moduleVersion(), options...)}
	if o.tools, err = s.loadCatalog(o.file); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// close ends them; the log is the last to end.
func (o *opening) close() {
	o.file.Close()
	o.endLog()
}
