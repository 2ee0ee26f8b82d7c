package lint

import (
	"fmt"
	"strings"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// usualDeadline is what most runtimes give a tool call.
const usualDeadline = time.Minute

// Wait is how long a call of a tool may take at worst, where the caller sets no
// deadline of its own.
type Wait struct {
	Tool     string
	Line     int
	Attempts uint32
	Attempt  time.Duration // one attempt, at most
	Backoff  time.Duration // the backoff steps without jitter, as far as max_wait allows
	Waits    time.Duration // all waits together, at most: those that providers ask for, too
	Queue    time.Duration // for its turn
	Lookup   time.Duration // of alternatives, behind the last attempt; 0: none
	Deadline time.Duration // call_deadline, which ends it all
	Worst    time.Duration // at most
}

// waitOf follows the room `retry`: an attempt gets its share of the deadline
// without the waits, and everything ends with the deadline; the lookup of
// alternatives comes after it.
func waitOf(tool *interceptors.Tool) Wait {
	p := tool.Policy
	w := Wait{
		Tool: tool.Name, Attempts: max(1, p.MaxAttempts), Queue: p.QueueTimeout, Deadline: p.CallDeadline, Waits: p.MaxWait,
	}
	w.Attempt = min(p.AttemptTimeout, share(p))
	w.Backoff = min(backoff(p), p.MaxWait)
	if tool.Lookup != nil && tool.Lookup.When != interceptors.LookupNever {
		w.Lookup = p.AlternativesTimeout
	}
	w.Worst = min(w.Deadline, w.Queue+time.Duration(w.Attempts)*w.Attempt+w.Waits) + w.Lookup
	return w
}

// share is what an attempt may take at most.
func share(p interceptors.Policy) time.Duration {
	return (p.CallDeadline - min(p.MaxWait, p.CallDeadline/3)) / time.Duration(max(1, p.MaxAttempts))
}

// backoff is the sum of all steps without jitter.
func backoff(p interceptors.Policy) (sum time.Duration) {
	step := p.Backoff
	for range max(1, p.MaxAttempts) - 1 {
		sum += min(step, p.BackoffMax)
		step *= 2
	}
	return sum
}

// time judges the numbers of a tool. What `defaults` say is judged there, once.
func (c *checker) time(t *tool) {
	if t.Tool.Policy.CallDeadline <= 0 {
		return // it could not be read
	}
	w := waitOf(t.Tool)
	w.Line = t.at.value.Line
	c.waits = append(c.waits, w)
	if c.unread(t, "policy") || c.refusedBelow("defaults") {
		return
	}
	at := func(fields ...string) spot {
		for _, field := range fields {
			for _, place := range []spot{t.at.at("policy"), c.doc.root.at("defaults")} {
				if found := place.at(field); found.exists() {
					return found
				}
			}
		}
		return spot{}
	}
	if place := at("call_deadline"); place.exists() && w.Worst-w.Lookup > usualDeadline {
		c.add(waitTooLong, c.doc.content(place), fmt.Sprintf("a call of %s may take %s: %s", w.Tool, brief(w.Worst), w.Sum()),
			"call_deadline: 60s, or callers that are known to wait longer")
	} else if place := at("alternatives_timeout"); place.exists() && w.Lookup >= time.Second && w.Worst > usualDeadline {
		c.add(waitTooLong, c.doc.content(place), fmt.Sprintf("a call of %s may take %s: %s", w.Tool, brief(w.Worst), w.Sum()),
			"alternatives_timeout: 250ms, or an earlier call_deadline: the lookup comes after it")
	}
	p := t.Tool.Policy
	steps := backoff(p)
	if place := at("max_wait", "backoff", "max_attempts", "backoff_max"); place.exists() && steps > p.MaxWait {
		c.add(backoffUnused, c.doc.content(place), fmt.Sprintf("the backoff steps of %s come to %s (%s), and max_wait is %s", w.Tool, brief(steps), stepsOf(p), brief(p.MaxWait)),
			fmt.Sprintf("max_attempts: %d, or max_wait: %s", fitting(p), brief(steps)))
	}
	if place := at("attempt_timeout"); place.exists() && p.AttemptTimeout > share(p) {
		c.add(attemptCut, c.doc.content(place), fmt.Sprintf("an attempt of %s is cut after %s: (%s - %s) / %d", w.Tool, brief(w.Attempt), brief(w.Deadline), brief(min(w.Waits, w.Deadline/3)), w.Attempts),
			fmt.Sprintf("attempt_timeout: %s, or fewer attempts, or a later call_deadline", brief(w.Attempt.Truncate(time.Second))))
	}
}

// fitting is how many attempts max_wait has room for.
func fitting(p interceptors.Policy) uint32 {
	for p.MaxAttempts > 1 && backoff(p) > p.MaxWait {
		p.MaxAttempts--
	}
	return p.MaxAttempts
}

func stepsOf(p interceptors.Policy) string {
	var steps []string
	step := p.Backoff
	for range max(1, p.MaxAttempts) - 1 {
		steps = append(steps, brief(min(step, p.BackoffMax)))
		step *= 2
	}
	return strings.Join(steps, " + ")
}

// Sum says what the worst case is made of.
func (w Wait) Sum() string {
	parts := []string{fmt.Sprintf("%d × %s", w.Attempts, brief(w.Attempt))}
	for _, part := range []struct {
		of   string
		time time.Duration
	}{{"waits", w.Waits}, {"queue", w.Queue}} {
		if part.time > 0 {
			parts = append(parts, brief(part.time)+" "+part.of)
		}
	}
	text := strings.Join(parts, " + ")
	if w.Worst-w.Lookup == w.Deadline {
		text += ", ended by call_deadline " + brief(w.Deadline)
	}
	if w.Lookup > 0 {
		text += ", + " + brief(w.Lookup) + " lookup"
	}
	return text
}

// brief writes a duration without what is zero: 2m, 1m30s, 250ms.
func brief(d time.Duration) string {
	if d > time.Second {
		d = d.Round(10 * time.Millisecond)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
