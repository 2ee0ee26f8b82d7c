package spool_test

import (
	"io"
	"testing"
	"time"

	"toolgate.dev/toolgate/server/spool"
)

// BenchmarkALine is what a line of the log costs its call.
func BenchmarkALine(b *testing.B) {
	s := spool.New(io.Discard, 0, nil)
	text := []byte(line(1))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Write(text)
	}
	s.Close(time.Minute)
}
