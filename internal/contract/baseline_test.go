package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

const baselines = "../../proto/baseline"

// A baseline that could be edited would forgive every break. `make baseline`
// notes the sum of each new one; none is ever written again.
func TestPublishedBaselinesAreNeverEdited(t *testing.T) {
	sums := checksums(t)
	for _, name := range filesOf(t, baselines) {
		if name == "SHA256SUMS" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(baselines, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		if want, ok := sums[name]; !ok || want != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not the file that was published (SHA256SUMS says %q)", name, want)
		}
		delete(sums, name)
	}
	for name := range sums {
		t.Errorf("%s was published and is gone", name)
	}
}

func TestEveryBaselineIsWholeAndHasItsChangelogEntry(t *testing.T) {
	changelog := readChangelog(t)
	for _, version := range versions(t) {
		set := &descriptorpb.FileDescriptorSet{}
		if err := proto.Unmarshal([]byte(readTable(t, version+".binpb")), set); err != nil {
			t.Errorf("%s is not an image: %v", version, err)
		}
		if s := build(t, set); len(s.services) == 0 {
			t.Errorf("%s has no service", version)
		}
		for _, suffix := range []string{".names", ".meanings", ".samples.yaml"} {
			if _, err := os.Stat(filepath.Join(baselines, version+suffix)); err != nil && (version != withoutTables || suffix == ".names") {
				t.Error(err)
			}
		}
		if sectionOf(changelog, version) == "" {
			t.Errorf("CHANGELOG.md says nothing about contract %s", version)
		}
	}
}

func checksums(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(baselines, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(content)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if _, twice := sums[name]; !ok || twice {
			t.Errorf("SHA256SUMS: %q", line)
		}
		sums[name] = sum
	}
	return sums
}

// versions lists the published ones, oldest first.
func versions(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range filesOf(t, baselines) {
		if version, ok := strings.CutSuffix(name, ".binpb"); ok {
			all = append(all, version)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return slices.Compare(numbers(t, a), numbers(t, b)) })
	return all
}

func newestBaseline(t *testing.T) string {
	t.Helper()
	all := versions(t)
	if len(all) == 0 {
		t.Fatal("no baseline is published: make baseline VERSION=...")
	}
	return all[len(all)-1]
}

func numbers(t *testing.T, version string) (parts []int) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimPrefix(version, "v"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("%s is no version: %v", version, err)
		}
		parts = append(parts, n)
	}
	return parts
}

func filesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// withoutTables was published before meanings and samples were kept.
const withoutTables = "v0.1.0"
