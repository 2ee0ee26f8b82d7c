package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
	"toolgate.dev/toolgate/server/catalog"
)

// CatalogFile is a catalogue's file, and the files of the secrets that it names.
// It loads them and tells whether they hold something else since. All that it
// loads shares one pool of connections and one of MCP servers. It belongs to one goroutine at a time.
type CatalogFile struct {
	path    string
	pool    *httpbackend.Pool
	servers *mcpbackend.Pool
	grpc    *grpcbackend.Pool
	options []catalog.Option

	// changed is told of what the catalogue took from elsewhere.
	changed chan struct{}

	settling
}

// settling tells when files hold something else, and no longer change.
type settling struct {
	loaded digests // of the latest load, refused or not
	next   digests // that differ from loaded and have to be seen once more
}

// settled is asked with what the files hold now.
func (s *settling) settled(now digests) bool {
	if maps.Equal(now, s.loaded) {
		s.next = nil
		return false
	}
	same := s.next != nil && maps.Equal(now, s.next)
	s.next = now
	return same
}

// digests are what files hold, by path; a file that can't be read holds zero.
type digests map[string][sha256.Size]byte

// NewCatalogFile names the file and says how it is read. version stands in the
// User-Agent of HTTP tools, and is what MCP servers are told.
func NewCatalogFile(path, version string, options ...catalog.Option) *CatalogFile {
	f := &CatalogFile{
		path: path, pool: httpbackend.NewPool(httpbackend.WithVersion(version)),
		servers: mcpbackend.NewPool(mcpbackend.WithVersion(version)), grpc: grpcbackend.NewPool(grpcbackend.WithVersion(version)),
		changed: make(chan struct{}, 1),
	}
	f.options = slices.Concat(options, []catalog.Option{
		catalog.WithPool(f.pool), catalog.WithDocuments(catalog.NewDocuments()), catalog.WithServers(f.servers), catalog.WithGRPCPool(f.grpc), catalog.WithChanged(f.noteChange),
	})
	return f
}

// noteChange is catalog.WithChanged's: any number of changes is one load.
func (f *CatalogFile) noteChange() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// Path is the file's.
func (f *CatalogFile) Path() string { return f.path }

// Load reads and compiles the catalogue as it stands. The error is a
// catalog.Problems where the file could be read, and wraps fs.ErrNotExist where
// there is none.
func (f *CatalogFile) Load() (*catalog.Catalog, error) {
	f.loaded, f.next = digests{}, nil
	text, err := os.ReadFile(f.path)
	if err != nil {
		f.loaded[f.path] = [sha256.Size]byte{}
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	f.loaded[f.path] = sha256.Sum256(text)
	beside := catalog.WithReadFiles(func(path string, digest [sha256.Size]byte) { f.loaded[path] = digest })
	return catalog.Parse(f.path, text, append(slices.Clip(f.options), beside)...)
}

// Changed reports whether the files hold something else than at the latest Load,
// and have kept it since the previous question: what an editor is still writing
// is not taken for a catalogue. It reads the files, since a file that was
// replaced, or reached through another link, may have any time of change.
func (f *CatalogFile) Changed() bool {
	now := digests{}
	for path := range f.loaded {
		now[path] = f.digest(path)
	}
	return f.settled(now)
}

func (f *CatalogFile) digest(path string) [sha256.Size]byte {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return f.loaded[path] // a pipe holds what it holds once
	}
	if path != f.path {
		return catalog.FileDigest(path)
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(text)
}

// Close closes idle connections and ends MCP servers. Call it when the gateway has
// stopped.
func (f *CatalogFile) Close() {
	f.servers.Close()
	f.grpc.Close()
	f.pool.Close()
}

// problemsOf lists what is wrong with a catalogue, each with its place.
func problemsOf(err error) []string {
	var problems catalog.Problems
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []string{"the file is gone"}
	case !errors.As(err, &problems):
		return []string{err.Error()}
	}
	lines := make([]string, 0, len(problems))
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	return lines
}
