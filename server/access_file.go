package server

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// followedFile is a file and those that it names. It belongs to one goroutine at a
// time.
type followedFile struct {
	path string

	settling
}

const maxFollowedBytes = 16 << 20

// read reads the file, and forgets which others it named.
func (f *followedFile) read() ([]byte, error) {
	f.loaded, f.next = digests{}, nil
	text, err := readAtMost(f.path)
	f.loaded[f.path] = digestOfText(text, err)
	return text, err
}

// beside reads a file that this one names, relative to its folder, and follows it
// too.
func (f *followedFile) beside(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(f.path), path)
	}
	text, err := readAtMost(path)
	if f.loaded != nil {
		f.loaded[path] = digestOfText(text, err)
	}
	return text, err
}

// changed reports whether the files hold something else than when they were read, and
// have kept it since the previous question.
func (f *followedFile) changed() bool {
	now := digests{}
	for path, before := range f.loaded {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			now[path] = before // a pipe holds what it holds once
			continue
		}
		now[path] = digestOfText(readAtMost(path))
	}
	return f.settled(now)
}

func readAtMost(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxFollowedBytes+1))
	if err == nil && len(text) > maxFollowedBytes {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFollowedBytes)
	}
	return text, err
}

// digestOfText is zero for what can't be read.
func digestOfText(text []byte, err error) [sha256.Size]byte {
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(text)
}
