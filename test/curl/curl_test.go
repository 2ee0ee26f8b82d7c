package curl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// documented is where the pages say that the HTTP door stands.
const documented = "127.0.0.1:7442"

// page is a page of the manual with the catalogue that its commands are about.
type page struct{ path, catalogue string }

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// example is a command of a page and what it prints there.
type example struct{ command, printed string }

// examplesOf are the blocks of a page that run curl, each with the one behind it.
func examplesOf(text string) (all []example) {
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	blocks := fence.FindAllStringSubmatch(text, -1)
	for i, block := range blocks {
		if block[1] == "sh" && strings.HasPrefix(block[2], "curl ") && i+1 < len(blocks) && blocks[i+1][1] == "" {
			all = append(all, example{command: block[2], printed: blocks[i+1][2]})
		}
	}
	return all
}

// matches returns a line of what a page shows that was not printed; … stands for
// anything. In which order events come is not said.
func matches(printed, got string) (missing string) {
	got = strings.ReplaceAll(got, "\r\n", "\n")
	for line := range strings.Lines(printed) {
		line = strings.TrimSuffix(line, "\n")
		if line == "…" {
			continue
		}
		pattern := "(?m)^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$"
		if !regexp.MustCompile(pattern).MatchString(got) {
			return line
		}
	}
	return ""
}

func TestTheCurlCommandsOfTheManualPrintWhatItShows(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	readme := read(t, "README.md")
	yaml := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindStringSubmatch(readme)
	if yaml == nil {
		t.Fatal("README.md shows no catalogue")
	}
	for _, p := range []page{{"README.md", yaml[1]}, {"docs/http.md", read(t, "examples/catalog.yaml")}} {
		commands := examplesOf(read(t, p.path))
		if len(commands) < 2 {
			t.Errorf("%s: only %d commands", p.path, len(commands))
		}
		address := serve(t, p.catalogue)
		for _, e := range commands {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			command := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(e.command, documented, address))
			command.Env = []string{"PATH=" + filepath.Dir(curl), "HOME=" + t.TempDir()} // no proxies, no .curlrc
			got, err := command.CombinedOutput()
			cancel()
			if missing := matches(e.printed, string(got)); err != nil || missing != "" {
				t.Errorf("%s:\n%sprints (%v)\n%s\nand not the line\n%s", p.path, e.command, err, got, missing)
			}
		}
	}
}

// serve runs the example back ends and a gateway in front of them, until the test ends.
func serve(t *testing.T, text string) (address string) {
	t.Helper()
	back, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = back.Close() })
	of := examples.CatalogAddresses()
	text = strings.NewReplacer(of.Billing, back.Addresses.Billing, of.Clinic, back.Addresses.Clinic, of.Payments, back.Addresses.Payments).Replace(text)
	tools, err := catalog.Parse("catalog.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- gateway.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return gateway.HTTPAddr()
}

// A page may show a problem's reasons only if there are such.
func TestTheReasonsOfTheManualAreThoseOfTheCode(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/http.md"), "| status | reasons |")
	table, _, _ = strings.Cut(table, "\n\n")
	var code strings.Builder
	for _, folder := range []string{"server", "server/door", "server/door/rest", "interceptors", "interceptors/once", "interceptors/admit"} {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	reasons := regexp.MustCompile("`([A-Z][A-Z0-9_]+)`").FindAllStringSubmatch(table, -1)
	for _, reason := range reasons {
		if !strings.Contains(code.String(), `"`+reason[1]+`"`) {
			t.Errorf("nothing answers %s", reason[1])
		}
	}
	if len(reasons) < 15 {
		t.Errorf("only %d reasons", len(reasons))
	}
	said := regexp.MustCompile(`(?:refuse\(http\.\w+, |Reason: )"([A-Z][A-Z0-9_]+)"`)
	for _, match := range said.FindAllStringSubmatch(code.String(), -1) {
		if reason := match[1]; reason != "UNKNOWN" && !strings.Contains(table, "`"+reason+"`") {
			t.Errorf("the manual has no %s", reason)
		}
	}
}
