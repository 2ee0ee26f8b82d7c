package house

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/server/catalog"
)

func TestEveryCatalogueOfAPageLoads(t *testing.T) {
	read := catalog.WithSecrets(func(string) (string, error) { return "a secret of a page", nil })
	total := 0
	for _, page := range pages {
		for i, text := range blocks(t, page, "yaml") {
			loaded, err := catalog.Parse(page, []byte(text), read, catalog.WithOffline())
			if err != nil {
				t.Errorf("%s, YAML block %d: %v", page, i+1, err)
				continue
			}
			loaded.Close()
			total++
		}
	}
	if total < 4 {
		t.Errorf("found only %d catalogues", total)
	}
}

func TestTheEmbeddingSnippetIsOfTheExampleThatRuns(t *testing.T) {
	example := read(t, "examples/embed/main.go")
	snippets := blocks(t, "README.md", "go")
	for _, snippet := range snippets {
		if !strings.Contains(example, snippet) {
			t.Errorf("examples/embed/main.go does not hold this snippet of README.md:\n%s", snippet)
		}
	}
	if len(snippets) != 1 {
		t.Errorf("README.md has %d Go snippets, want the one", len(snippets))
	}
}

// Those of the README are the SDK's own, which its tests run.
func TestThePythonOfTheReadmeIsOfTheSDK(t *testing.T) {
	own := blocks(t, "sdk/python/README.md", "python")
	snippets := blocks(t, "README.md", "python")
	for _, snippet := range snippets {
		if !slices.Contains(own, snippet) {
			t.Errorf("sdk/python/README.md does not hold this snippet of README.md:\n%s", snippet)
		}
	}
	if len(snippets) != 2 {
		t.Errorf("README.md has %d Python snippets, want a caller's and a tool's", len(snippets))
	}
}

// The commands and flags that a page shows are those of the program.
func TestEveryCommandOfAPageExists(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\.bin/toolgate ([a-z-]+)(.*)$`)
	flag := regexp.MustCompile(`--[a-z-]+`)
	helps := map[string]string{}
	for _, page := range slices.Concat(pages, []string{"examples/README.md"}) {
		for _, block := range blocks(t, page, "sh") {
			for _, match := range line.FindAllStringSubmatch(block, -1) {
				help, ok := helps[match[1]]
				if !ok {
					help = helpOf(t, page, match[1])
					helps[match[1]] = help
				}
				for _, name := range flag.FindAllString(match[2], -1) {
					if !strings.Contains(help, name) {
						t.Errorf("%s: toolgate %s has no %s", page, match[1], name)
					}
				}
			}
		}
	}
	if len(helps) < 3 {
		t.Errorf("found only the commands %v", helps)
	}
}

func helpOf(t *testing.T, page, command string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	code := cli.Run(context.Background(), cli.Program{
		Args: []string{command, "--help"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Getenv: func(string) string { return "" },
	})
	if code != 0 || !strings.Contains(out.String(), "toolgate "+command) {
		t.Errorf("%s: toolgate %s: exit %d %s%s", page, command, code, out.String(), complaints.String())
	}
	return out.String()
}

// blocks are the code blocks of a page in one language.
func blocks(t *testing.T, page, language string) (all []string) {
	t.Helper()
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, match := range fence.FindAllStringSubmatch(read(t, page), -1) {
		all = append(all, match[1])
	}
	return all
}
