package certfile

import (
	"io/fs"
	"os"
)

// Sight is how a file looked at a moment. The zero value is that of a file that
// was not there, at no path.
type Sight struct {
	path string
	info fs.FileInfo // nil: it was not there
}

// Look looks at a file. Links are followed, which is how Kubernetes swaps a mounted
// secret.
func Look(path string) Sight {
	info, err := os.Stat(path)
	if err != nil {
		return Sight{path: path}
	}
	return Sight{path: path, info: info}
}

// Changed reports whether the file looks otherwise now.
func (s Sight) Changed() bool {
	now := Look(s.path)
	if s.info == nil || now.info == nil {
		return s.info != nil || now.info != nil
	}
	return !s.info.ModTime().Equal(now.info.ModTime()) || s.info.Size() != now.info.Size() || !os.SameFile(s.info, now.info)
}
