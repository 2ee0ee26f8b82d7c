package redact_test

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/redact"
)

func benchText(b *testing.B, s string) {
	r := redact.New([]string{"own-canary-4f9c2d71e8", "another-own-value"})
	keep := redact.KeepFrom([]byte(`{"start_date":"03/14/2026","customer":"c_17"}`))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		r.Text(s, keep)
	}
}

func BenchmarkText(b *testing.B) {
	short := "Amount 750.00 above the limit of 500.00 per transaction for the account of this customer. Lower it or ask for a higher limit; the limit is checked per transaction and per day, as the terms say."
	frame := "\tat com.acme.export.ExportServlet.doGet(ExportServlet.java:88)\n"
	trace := "java.lang.IllegalStateException: region 'eu-9' is unknown\n" + strings.Repeat(frame, (64<<10)/len(frame))
	b.Run("40 B", func(b *testing.B) { benchText(b, "invalid date format: expected YYYY-MM-DD") })
	b.Run("200 B", func(b *testing.B) { benchText(b, short) })
	b.Run("1 KiB", func(b *testing.B) { benchText(b, strings.Repeat(short+" ", 5)) })
	b.Run("1 KiB that mentions keys", func(b *testing.B) {
		benchText(b, strings.Repeat("Incorrect API key provided: sk-abc123def456ghi789jkl. The request id: 4442587FB7D0A2F9 is for user ana@example.com at https://api.acme.com/x?y=1. ", 7))
	})
	b.Run("150 B that mentions a key", func(b *testing.B) {
		benchText(b, "Incorrect API key provided: sk-abc123def456ghi789jkl. The request id: 4442587FB7D0A2F9 is for user ana@example.com at https://api.acme.com/x?y=1.")
	})
	b.Run("64 KiB of frames", func(b *testing.B) { benchText(b, trace) })
	b.Run("64 KiB of prose", func(b *testing.B) { benchText(b, strings.Repeat(short+"\n", 330)) })
	b.Run("5 MiB, cut", func(b *testing.B) {
		body := []byte(strings.Repeat(short+"\n", 26000))
		b.ReportAllocs()
		for b.Loop() {
			redact.New(nil).Text(redact.HeadTail(body, 16<<10), redact.Keep{})
		}
	})
}

func BenchmarkKeep(b *testing.B) {
	arguments := []byte(`{"start_date":"03/14/2026","customer":{"id":"c_17","name":"Ada"},"lines":[{"sku":"a-1","n":2},{"sku":"b-2","n":3}]}`)
	b.ReportAllocs()
	for b.Loop() {
		redact.KeepFrom(arguments)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		redact.New([]string{"Bearer own-canary-4f9c2d71e8"})
	}
}
