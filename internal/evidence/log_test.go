package evidence

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func sprint(value any) string { return fmt.Sprint(value) }

// logged writes calls as the observe room does.
func logged(calls ...Call) string {
	var text bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&text, nil))
	for _, call := range calls {
		log.LogAttrs(context.Background(), slog.LevelInfo, call.Message, call.Attrs()...)
	}
	return text.String()
}

func failedCall(run, tool string, turn uint64) Call {
	return Call{
		Message: FailedMessage, Principal: "p", Run: run, Tool: tool, Class: "invalid_request", Code: "bad", ClassifiedBy: "provider",
		Field: "start_date", Expected: "date", Cure: CureCoerced, Attempts: 1, ObservationBytes: 160, Turn: turn, Took: 5,
	}
}

func TestALineOfTheLogSaysWhatWasLogged(t *testing.T) {
	want := failedCall("r", "t", 3)
	want.CorrelationID, want.ID, want.UpstreamStatus, want.Rejections, want.AnsweredBy, want.TraceID, want.Waited = "c0", "c1", 422, 2, "repeat", "abc", 7
	line := logged(want)
	for _, around := range []string{"%s", `gateway-7f  | %s`, `{"stream":"stderr","log":%q}`} {
		got, found := Line(fmt.Appendf(nil, around, strings.TrimSpace(line)))
		want.Time = got.Time
		if !found || got != want || got.Time.IsZero() {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	for _, other := range []string{"", "plain text", `{"a":1}`, `{"msg":`, `[1]`} {
		if got, found := Line([]byte(other)); found {
			t.Errorf("%q is read as %+v", other, got)
		}
	}
}

func TestALogIsSummedUp(t *testing.T) {
	answered := Call{Message: AnsweredMessage, Class: ResultClass, Run: "r2", Tool: "t", Attempts: 1, Sampled: 100, Coerced: 1}
	follows := Call{Message: AnsweredMessage, Class: ResultClass, Principal: "p", Run: "r1", Tool: "t", Attempts: 1, Turn: 4}
	text := logged(failedCall("r1", "t", 1), failedCall("r1", "t", 2), answered, follows) +
		`{"time":"2026-11-29T10:00:00Z","level":"WARN","msg":"run ended without one result","principal":"p","run":"r1","calls":7,"turns":6}` + "\n" +
		"some stack trace\n" + logged(failedCall("r1", "t", 1)) + `{"msg":"serving"}` + "\n"
	day, err := ReadLog(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(day.Failures) != 1 {
		t.Fatalf("got %+v", day.Failures)
	}
	f := day.Failures[0]
	// Two observations of 160 bytes in turns 1 and 2 of 6: 5 and 4 calls follow. The
	// third is of a later run, which nothing follows.
	if f.Count != 3 || f.ReadBytes != 3*160 || f.CarriedBytes != 160*9 || f.Coercible != 3 || f.Attempts != 3 {
		t.Errorf("got %+v", f)
	}
	use := day.Tools["t"]
	if day.Calls != 104 || !day.Estimated || day.NoAnswers || use.Results != 101 || use.Coerced != 100 || use.Attempts != 104 {
		t.Errorf("got %+v with %+v", day, use)
	}
	if day.EmptyRuns != 1 || sprint(day.EmptyRunNames) != "[r1]" || day.Skipped != 1 || !day.Since.Before(day.Until) {
		t.Errorf("got %+v", day)
	}
}

func TestOnlyWhatAModelReadsCosts(t *testing.T) {
	waits := failedCall("r", "t", 1)
	waits.Class = "transient"
	givenUp := waits
	givenUp.Exhausted, givenUp.Turn = true, 2
	day, err := ReadLog(strings.NewReader(logged(waits, givenUp)))
	if err != nil || len(day.Failures) != 1 {
		t.Fatalf("got %+v, %v", day, err)
	}
	if f := day.Failures[0]; f.Count != 2 || f.ReadBytes != 160 || f.Exhausted != 1 {
		t.Errorf("got %+v", f)
	}
}

// A log may be anything.
func FuzzReadLog(f *testing.F) {
	f.Add(logged(failedCall("r", "t", 1)))
	f.Add(`{"msg":"run ended","turns":3}`)
	f.Add(`{"log":"{\"log\":\"{}\"}"}`)
	f.Fuzz(func(t *testing.T, text string) {
		day, err := ReadLog(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		New(day, nil)
	})
}
