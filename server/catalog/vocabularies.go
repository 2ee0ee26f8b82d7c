package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"toolgate.dev/toolgate/internal/diagnose"
)

// readVocabularies makes the catalogue's own judge of failures. A vocabulary
// that breaks a rule of its format refuses the catalogue.
func (b *builder) readVocabularies() {
	names := b.message.GetVocabularies()
	if len(names) == 0 || b.settings.noVocabularies {
		return
	}
	place := b.root.field("vocabularies")
	digest := sha256.New()
	folders := make([]fs.FS, 0, len(names))
	for i, name := range names {
		folder := name
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(filepath.Dir(b.source.name), folder)
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() { //nolint:gosec // the operator names the folder
			b.report.sayf(place.index(i), "a folder with *.yaml files", "%s is no folder", quote(name))
			return
		}
		b.digestFolder(digest, folder)
		folders = append(folders, os.DirFS(folder))
	}
	judge, err := diagnose.New(folders...)
	if err != nil {
		b.report.sayf(place, "vocabularies as docs/vocabularies.md describes them", "%s", err.Error())
		return
	}
	b.judge = judge
	digest.Sum(b.vocabularies[:0])
}

// digestFolder notes what is read, so that a change of it changes the version
// of the catalogue and is noticed by those who watch its files.
func (b *builder) digestFolder(digest io.Writer, folder string) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.yaml")) // the pattern is well formed
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // the operator names the folder
		if err != nil {
			continue // the judge reports it
		}
		sum := sha256.Sum256(data)
		b.settings.readFile(file, sum)
		_, _ = digest.Write([]byte(filepath.Base(file)))
		_, _ = digest.Write(sum[:])
	}
}

// versionOf adds the vocabularies to the version of the tools.
func (b *builder) versionOf(tools string) string {
	if b.judge == nil {
		return tools
	}
	sum := sha256.Sum256(append([]byte(tools), b.vocabularies[:]...))
	return hex.EncodeToString(sum[:8])
}
