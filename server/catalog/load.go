package catalog

import (
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// Load reads and compiles a catalogue file. The error is a Problems where the
// file was read.
func Load(path string, options ...Option) (*Catalog, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	return Parse(path, data, options...)
}

// Parse compiles a catalogue's text. name stands in the places of problems, and
// its folder is where relative secret files are looked for. The error is a
// Problems.
func Parse(name string, data []byte, options ...Option) (*Catalog, error) {
	problems := newReport(name)
	text := newSource(name, data)
	message := &catalogv1.Catalog{}
	root := text.read(problems, message)
	if root == nil {
		return nil, problems.err()
	}
	b, err := newBuilder(problems, text, message, root, newSettings(options))
	if err != nil {
		return nil, err
	}
	return b.build()
}

// New compiles a catalogue that consists of tools of the embedding program
// alone; see WithTool.
func New(options ...Option) (*Catalog, error) {
	b, err := newBuilder(newReport(""), &source{}, &catalogv1.Catalog{}, nil, newSettings(options))
	if err != nil {
		return nil, err
	}
	return b.build()
}

func newBuilder(problems *report, text *source, message *catalogv1.Catalog, root *yaml.Node, settings *settings) (*builder, error) {
	var hooks []expression.Option
	if settings.failed != nil {
		hooks = append(hooks, expression.WithFailureHook(settings.failed))
	}
	expressions, err := expression.New(hooks...)
	if err != nil {
		return nil, err
	}
	if settings.secret == nil {
		settings.secret = secretReader(filepath.Dir(text.name), settings.readFile)
	}
	b := &builder{
		settings: settings, report: problems, source: text, message: message, root: at{node: root},
		expressions: expressions, pool: settings.pool, servers: settings.servers,
		grpcParts: grpcParts{connections: settings.grpc},
	}
	if b.pool == nil {
		b.pool = httpbackend.NewPool(settings.ownPool...)
		b.ownPool = b.pool
	}
	return b, nil
}
