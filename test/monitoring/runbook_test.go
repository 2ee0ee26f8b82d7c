package monitoring

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/server/spool"
)

const runbook = "../../docs/runbook.md"

// What every section of the runbook answers.
var answers = []string{"**Means.**", "**Look at.**", "**Do.**", "**Ends by itself**"}

type rule struct {
	Alert       string
	Labels      map[string]string
	Annotations map[string]string
}

func rulesOf(t *testing.T) (all []rule) {
	t.Helper()
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

func TestEveryAlertHasItsSectionOfTheRunbook(t *testing.T) {
	text, err := os.ReadFile(runbook)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		sections[name] = body
	}
	alerts := rulesOf(t)
	if len(alerts) < 15 {
		t.Fatalf("only %d alerts were found", len(alerts))
	}
	for _, alert := range alerts {
		body, found := sections[alert.Alert]
		if !found {
			t.Errorf("%s has no section", alert.Alert)
		}
		for _, answer := range answers {
			if found && !strings.Contains(body, answer) {
				t.Errorf("the section %s lacks %s", alert.Alert, answer)
			}
		}
		if want := "docs/runbook.md#" + strings.ToLower(alert.Alert); alert.Annotations["runbook"] != want {
			t.Errorf("%s names %q, want %s", alert.Alert, alert.Annotations["runbook"], want)
		}
		if severity := alert.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s has the severity %q", alert.Alert, severity)
		}
		delete(sections, alert.Alert)
	}
	for name := range sections {
		t.Errorf("the section %s belongs to no alert", name)
	}
}

// stuck is a log that nobody reads.
type stuck struct{ ends <-chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.ends
	return len(p), nil
}

// losesItsLog gives a gateway a log that nobody reads and that is full.
func (g target) losesItsLog(t *testing.T) {
	t.Helper()
	ends := make(chan struct{})
	log := spool.New(stuck{ends}, 100, nil)
	g.Registry.MustRegister(log.Collector())
	line := []byte(strings.Repeat("x", 80) + "\n")
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-ends:
				return
			case <-time.After(scrapeEvery):
				_, _ = log.Write(line)
			}
		}
	}()
	t.Cleanup(func() {
		close(ends)
		<-over
		log.Close(time.Minute)
	})
}

// What the pages for operators name is there: the dashboard and the rules are asked
// of Prometheus' engine, the flags of the program.
func TestTheOperatorsPagesNameWhatExists(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	asked := read(rules) + read(dashboard)
	var help strings.Builder
	for _, command := range []string{"serve", "report", "tail", "check", "lint", "explain"} {
		cli.Run(t.Context(), cli.Program{Args: []string{command, "--help"}, Stdout: &help, Stderr: &help})
	}
	metric, flag := regexp.MustCompile(`toolgate_[a-z_]+[a-z]`), regexp.MustCompile("[`(]--[a-z][a-z-]+")
	for _, page := range []string{runbook, "../../docs/state.md", "../../docs/production.md"} {
		text := read(page)
		metrics, flags := metric.FindAllString(text, -1), flag.FindAllString(text, -1)
		for _, name := range metrics {
			if !strings.Contains(asked, name) {
				t.Errorf("%s names the metric %s, which nobody asks for", page, name)
			}
		}
		for _, name := range flags {
			if !strings.Contains(help.String(), name[1:]+" ") {
				t.Errorf("%s names the flag %s, which no command has", page, name[1:])
			}
		}
		if len(metrics) == 0 || len(flags) == 0 {
			t.Errorf("%s names %d metrics and %d flags: this shows nothing", page, len(metrics), len(flags))
		}
	}
}
