package cli

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/server/spool"
)

// logPatience is how long an ending program waits for the reader of its log.
const logPatience = 2 * time.Second

// openLog opens the log on standard error. Until the returned function has passed
// its last lines on, all that the command says there goes the same way: no call
// waits for a reader that is stuck, or fails because a disk is full.
func (s *session) openLog(flags serveFlags, registry *prometheus.Registry) (log *slog.Logger, end func(), err error) {
	if s.KeepRunning != nil {
		s.KeepRunning()
	}
	stderr := s.Stderr
	lines := spool.New(stderr, 0, func(lost uint64) {
		log.Warn("log lines were lost: their reader was too slow, or they could not be written", slog.Uint64("lines", lost))
	})
	s.Stderr = lines
	end = func() {
		if lines.Close(logPatience) { // else whoever writes there is stuck
			s.Stderr = stderr
		}
	}
	if log, err = newLogger(lines, flags); err == nil {
		err = registry.Register(lines.Collector())
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return log, end, nil
}

func newLogger(to io.Writer, flags serveFlags) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(flags.logLevel)); err != nil {
		return nil, usage(fmt.Sprintf("--log-level %s is not a level", flags.logLevel), "debug, info, warn or error")
	}
	options := &slog.HandlerOptions{Level: level}
	switch flags.logFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	case "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	}
	return nil, usage(fmt.Sprintf("--log-format %s is not a format", flags.logFormat), "json or text")
}
