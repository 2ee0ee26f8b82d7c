package certfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAFileThatLooksOtherwiseHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tls.crt")
	gone := Look(path)
	if gone.Changed() {
		t.Error("a file that never was has changed")
	}
	write(t, path, "a")
	if !gone.Changed() {
		t.Error("a file that came is not noticed")
	}
	there := Look(path)
	if there.Changed() {
		t.Error("a file that nobody touched has changed")
	}
	write(t, path+".new", "b") // of the same size
	if err := os.Chtimes(path+".new", time.Time{}, there.info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if !there.Changed() {
		t.Error("a file that was replaced is not noticed")
	}
	there = Look(path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !there.Changed() {
		t.Error("a file that went is not noticed")
	}
}

func TestWhatIsNoCertificateIsRefusedWithoutShowingIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tls.crt")
	write(t, path, "my secret")
	if _, err := Authorities(path); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if _, err := Pair(path, path); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if err := os.Truncate(path, maxPEMBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Authorities(path); err == nil {
		t.Error("a file of any size is read")
	}
	if _, err := Authorities(path + ".none"); err == nil {
		t.Error("a file that is not there is taken")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
