package spool_test

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"toolgate.dev/toolgate/server/spool"
)

func Example() {
	var log *slog.Logger
	lines := spool.New(os.Stdout, 0, func(lost uint64) { log.Warn("log lines were lost", slog.Uint64("lines", lost)) })
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	log.Info("serving")
	fmt.Println(lines.Close(time.Minute))
	// Output:
	// level=INFO msg=serving
	// true
}
