package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// source is one file written by hand.
type source struct {
	path   string // relative to the module
	folder string // of its package, likewise
	test   bool
	lines  int
	syntax *ast.File
	files  *token.FileSet
}

// sources parses every Go file of the module that people write.
func sources(t *testing.T) (all []source) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative := filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
		if entry.IsDir() {
			if skipped(relative) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		syntax, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(syntax) {
			return err
		}
		all = append(all, source{
			path: relative, folder: filepath.ToSlash(filepath.Dir(relative)), test: strings.HasSuffix(path, "_test.go"),
			lines: files.File(syntax.Pos()).LineCount(), syntax: syntax, files: files,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// skipped folders hold nothing of this module that is written by hand.
func skipped(folder string) bool {
	base := filepath.Base(folder)
	return folder == "gen" || folder == "tools" || base == "testdata" || base == "node_modules" ||
		(strings.HasPrefix(base, ".") && folder != root)
}
