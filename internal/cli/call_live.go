package cli

import (
	"fmt"
	"strings"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const (
	liveEvery = 100 * time.Millisecond
	// liveAfter is how long a call is let be before it is spoken of.
	liveAfter = 400 * time.Millisecond
)

// liveCall tells a person at a terminal what becomes of a call while it runs: one
// line that is written anew, and for what is over a line that stays.
type liveCall struct {
	*session
	tool   string
	events chan *toolgatev1.CallProgress
	ended  chan struct{}
}

// startLive begins to tell. Stop it before anything else is printed.
func (s *session) startLive(tool string) *liveCall {
	l := &liveCall{session: s, tool: tool, events: make(chan *toolgatev1.CallProgress, 16), ended: make(chan struct{})}
	go l.run()
	return l
}

// progress is the client's; it does not wait.
func (l *liveCall) progress(p *toolgatev1.CallProgress) {
	select {
	case l.events <- p:
	default: // a person misses one of sixteen at once
	}
}

func (l *liveCall) stop() {
	close(l.events)
	<-l.ended
}

func (l *liveCall) run() {
	defer close(l.ended)
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	state := &toolgatev1.CallProgress{Phase: toolgatev1.CallProgress_PHASE_ATTEMPT, Attempt: 1}
	since, quiet := time.Now(), true
	for {
		select {
		case next, more := <-l.events:
			if !more {
				l.erase(quiet)
				return
			}
			l.settle(state, since, quiet)
			quiet = quiet && next.GetPhase() == toolgatev1.CallProgress_PHASE_ATTEMPT && next.GetAttempt() <= 1
			if state = next; !quiet {
				since = time.Now()
				l.draw(state, 0)
			}
		case <-tick.C:
			spent := time.Since(since)
			if quiet = quiet && spent < liveAfter; !quiet {
				l.draw(state, spent)
			}
		}
	}
}

// settle leaves a line of what is over, where it is worth one.
func (l *liveCall) settle(state *toolgatev1.CallProgress, since time.Time, quiet bool) {
	l.erase(quiet)
	switch state.GetPhase() {
	case toolgatev1.CallProgress_PHASE_WAIT:
		l.notef("waited %s%s, %d of %d attempts made", shortTime(time.Since(since)), afterCode(state), state.GetAttempt(), state.GetMaxAttempts())
	case toolgatev1.CallProgress_PHASE_QUEUED:
		l.notef("waited %s for a turn", shortTime(time.Since(since)))
	}
}

func (l *liveCall) draw(state *toolgatev1.CallProgress, spent time.Duration) {
	var text string
	switch state.GetPhase() {
	case toolgatev1.CallProgress_PHASE_WAIT:
		left := max(0, time.Duration(state.GetWait()*float64(time.Second))-spent)
		text = fmt.Sprintf("waiting %s%s, %d of %d attempts made", shortTime(left), afterCode(state), state.GetAttempt(), state.GetMaxAttempts())
	case toolgatev1.CallProgress_PHASE_QUEUED:
		text = "waiting for a turn, " + shortTime(spent)
	case toolgatev1.CallProgress_PHASE_WORKING:
		text = fmt.Sprintf("%s, %s, %s", visible(l.tool), working(state), shortTime(spent))
	default:
		text = fmt.Sprintf("%s, %s", visible(l.tool), shortTime(spent))
		if state.GetMaxAttempts() > 0 && state.GetAttempt() > 1 {
			text = fmt.Sprintf("%s, attempt %d of %d%s, %s", visible(l.tool), state.GetAttempt(), state.GetMaxAttempts(), afterCode(state), shortTime(spent))
		}
	}
	frame := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[int(time.Now().UnixMilli()/100)%10]
	fmt.Fprintf(l.Stderr, "\r\x1b[K%c %s", frame, l.err.dim(cut(text, max(20, l.Width-3))))
}

func (l *liveCall) erase(quiet bool) {
	if !quiet {
		fmt.Fprint(l.Stderr, "\r\x1b[K")
	}
}

func afterCode(p *toolgatev1.CallProgress) string {
	if p.GetCode() == "" {
		return ""
	}
	return " after " + visible(p.GetCode())
}

// commandLine is how a call is repeated without being asked.
func commandLine(tool string, pairs []pair) string {
	words := []string{"toolgate call", quoteWord(tool)}
	for _, p := range pairs {
		sign := "="
		if p.raw {
			sign = ":="
		}
		words = append(words, quoteWord(p.key+sign+p.value))
	}
	return strings.Join(words, " ")
}

// quoteWord writes a word so that a shell reads it as that word.
func quoteWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-=:./,@+%", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
