package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// around widens an absence that a replica reports: it notices late that Redis is
// gone, and what it was told alone takes a moment to arrive when it is back.
const around = 500 * time.Millisecond

// absences reads from a replica's log when it was without Redis, by its own
// account: on a busy machine that is also when nothing was broken. An end that
// the log does not have is the start of the next process, or the zero time.
func absences(log string) ([]window, error) {
	text, err := os.ReadFile(log) //nolint:gosec // our own file
	if err != nil {
		return nil, err
	}
	var all []window
	away := false
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var line struct {
			Time time.Time `json:"time"`
			Msg  string    `json:"msg"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		switch gone := strings.HasPrefix(line.Msg, "the state's server is away"); {
		case gone && !away:
			all = append(all, window{Begin: line.Time.Add(-around)})
			away = true
		case away && !gone && (line.Msg == "serving" || strings.HasPrefix(line.Msg, "the state's server is back")):
			all[len(all)-1].End = line.Time.Add(around)
			away = false
		}
	}
	return all, nil
}
