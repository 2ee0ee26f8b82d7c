package lint_test

import (
	"testing"
	"time"

	"toolgate.dev/toolgate/server/catalog/lint"
)

func TestTheWorstCaseIsThatOfTheRoomThatRetries(t *testing.T) {
	const text = `
tools:
  - name: defaults
    description: As it comes.
    http: {method: GET, url: "https://example.com/1"}
  - name: quick
    description: One attempt.
    http: {method: GET, url: "https://example.com/2"}
    policy: {max_attempts: 1, max_wait: 0s, attempt_timeout: 3s, queue_timeout: 0s}
  - name: lookup
    description: With a lookup.
    http: {method: GET, url: "https://example.com/3"}
    policy: {max_attempts: 2, attempt_timeout: 5s, max_wait: 4s}
    alternatives: {tool: quick, arguments: '{}', items: '[]', when: always}
  - name: long
    description: Long.
    http: {method: GET, url: "https://example.com/4"}
    policy: {max_attempts: 3, attempt_timeout: 1m, max_wait: 30s, call_deadline: 4m, backoff: 2s}
`
	want := []lint.Wait{
		{Tool: "defaults", Attempts: 5, Attempt: 8 * time.Second, Backoff: 15 * time.Second, Waits: 20 * time.Second, Queue: 2 * time.Second, Deadline: time.Minute, Worst: time.Minute},
		{Tool: "quick", Attempts: 1, Attempt: 3 * time.Second, Deadline: time.Minute, Worst: 3 * time.Second},
		{
			Tool: "lookup", Attempts: 2, Attempt: 5 * time.Second, Backoff: time.Second, Waits: 4 * time.Second, Queue: 2 * time.Second,
			Lookup: 250 * time.Millisecond, Deadline: time.Minute, Worst: 16250 * time.Millisecond,
		},
		{
			Tool: "long", Attempts: 3, Attempt: time.Minute, Backoff: 6 * time.Second, Waits: 30 * time.Second, Queue: 2 * time.Second,
			Deadline: 4 * time.Minute, Worst: 212 * time.Second,
		},
	}
	sums := []string{
		"5 × 8s + 20s waits + 2s queue, ended by call_deadline 1m", "1 × 3s",
		"2 × 5s + 4s waits + 2s queue, + 250ms lookup", "3 × 1m + 30s waits + 2s queue",
	}
	got := checkText(t, "c.yaml", text).Waits
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range got {
		if got[i].Line == 0 {
			t.Errorf("%s has no line", got[i].Tool)
		}
		got[i].Line = 0
		if got[i] != want[i] || got[i].Sum() != sums[i] {
			t.Errorf("got  %+v %s\nwant %+v %s", got[i], got[i].Sum(), want[i], sums[i])
		}
	}
}
