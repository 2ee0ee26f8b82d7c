package mcpbackend

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/redact"
)

const (
	maxChatterBytes = 1 << 10          // of a line, in the log
	maxChatterRead  = 16 << 10         // of a line, for redaction
	chatterWindow   = 10 * time.Second // in which there are
	maxChatterLines = 100              // lines at most
)

// chatter writes what a server says outside of the protocol to the log: redacted,
// each line bounded, and so many lines in a while. It is safe for concurrent use.
type chatter struct {
	log      *slog.Logger
	redactor *redact.Redactor

	mu      sync.Mutex // guards the rest
	since   time.Time
	lines   int
	skipped int
}

func newChatter(log *slog.Logger, secrets []string) *chatter {
	return &chatter{log: log, redactor: redact.New(secrets)}
}

// stderr takes a line of a program's standard error.
func (c *chatter) stderr(text []byte) { c.say("an MCP server says", text) }

// odd takes what a server wrote that is no message.
func (c *chatter) odd(text []byte) { c.say("an MCP server wrote what is no message", text) }

func (c *chatter) say(message string, text []byte) {
	words := strings.TrimSpace(string(text[:min(len(text), maxChatterRead)]))
	if words == "" || !c.admits() {
		return
	}
	c.log.Info(message, slog.String("line", shorten(c.redactor.Text(words, redact.Keep{}))))
}

// admits counts a line, and tells at the beginning of a window what was left out
// of the one before.
func (c *chatter) admits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.since) >= chatterWindow {
		if c.skipped > 0 {
			c.log.Info("an MCP server said more than is logged", slog.Int("lines", c.skipped))
		}
		c.since, c.lines, c.skipped = now, 0, 0
	}
	if c.lines == maxChatterLines {
		c.skipped++
		return false
	}
	c.lines++
	return true
}

func shorten(text string) string { return shortened(text, maxChatterBytes) }

// shortened has at most so many bytes, and an ellipsis where it is cut.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// listen hands over each line until there are none.
func listen(from io.Reader, words func([]byte)) {
	lines := newLineReader(from)
	for {
		l, err := lines.next(maxChatterRead)
		words(l.text)
		if err != nil {
			return
		}
	}
}
