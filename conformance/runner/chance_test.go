package runner

import (
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
)

// A wait is drawn between zero and its backoff step. Where the steps are longer than
// all waits may be, chance decides whether the last attempts are made; where no wait
// may be, or all of them fit, it does not. (A deadline before that would be another
// chance; no vector has one.)
func TestNoVectorLeavesAnAttemptToChance(t *testing.T) {
	for _, vector := range load(t) {
		for _, name := range leftToChance(t, vector.GetCatalog()) {
			t.Errorf("%s: the backoff steps of %s are longer than its max_wait: let that be 0s, or make room for all", vector.GetName(), name)
		}
	}
}

func TestAnAttemptThatIsLeftToChanceIsFound(t *testing.T) {
	for policy, found := range map[string]bool{
		"{max_wait: 0.001s}":                               true,
		"{max_wait: 0s}":                                   false,
		"{max_wait: 0.001s, max_attempts: 1}":              false,
		"{max_wait: 14s}":                                  true,
		"{max_wait: 15s}":                                  false,
		"{max_attempts: 7}":                                true,
		"{max_wait: 1s, backoff: 0.1s, backoff_max: 0.2s}": false,
		"{max_wait: 1s, backoff: 0.4s, backoff_max: 0.4s}": true,
		"{max_attempts: 3, backoff: 0.01s}":                false,
	} {
		names := leftToChance(t, "tools: [{name: get, description: d, http: {method: GET, url: \"{backend}/\"}, policy: "+policy+"}]")
		if (len(names) > 0) != found {
			t.Errorf("%s: %v", policy, names)
		}
	}
}

// leftToChance names the tools of a catalogue whose waits may or may not fit.
func leftToChance(t *testing.T, text string) (names []string) {
	t.Helper()
	if text == "" {
		return nil
	}
	read, err := catalog.Parse("catalog.yaml", []byte(strings.ReplaceAll(text, "{backend}", "http://127.0.0.1:1")))
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for _, tool := range read.Tools() {
		if waits := tool.Policy.MaxWait; waits > 0 && steps(tool.Policy) > waits {
			names = append(names, tool.Name)
		}
	}
	return names
}

func steps(policy interceptors.Policy) (all time.Duration) {
	step := policy.Backoff
	for range max(1, policy.MaxAttempts) - 1 {
		all += min(step, policy.BackoffMax)
		step *= 2
	}
	return all
}
