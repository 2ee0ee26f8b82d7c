package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

const (
	maxLineBytes  = 1 << 20
	maxEmptyNames = 5
)

// ReadLog sums up a gateway's log, one JSON object a line. Other lines are
// counted and left out; what a container's runtime puts around a line is taken
// off. The error is the reader's.
func ReadLog(r io.Reader) (*Day, error) {
	l := &logReader{day: &Day{Tools: map[string]Use{}}, failures: map[Kind]*Failure{}, runs: map[runKey]*logRun{}}
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 {
			l.line(line)
		}
		if errors.Is(err, io.EOF) {
			return l.close(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// readLine reads to the line's end; of a longer line than maxLineBytes only the
// beginning is kept, which then is no JSON.
func readLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		if room := maxLineBytes - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Line reads one line of a log as what it says of a call, or of a run; false
// where it is none of a gateway's.
func Line(line []byte) (call Call, found bool) {
	start := bytes.IndexByte(line, '{') // behind what a log shipper wrote
	if start < 0 {
		return Call{}, false
	}
	var wrapped struct {
		Call
		Log string `json:"log"`
	}
	if json.Unmarshal(line[start:], &wrapped) != nil {
		return Call{}, false
	}
	if wrapped.Log != "" && wrapped.Message == "" {
		return Line([]byte(wrapped.Log))
	}
	call = wrapped.Call
	if call.Message == AnsweredMessage {
		call.Class = ResultClass
	}
	return call, call.Message != ""
}

type runKey struct{ principal, run string }

// logRun is one run, as far as the log tells of it.
type logRun struct {
	turns uint64
	debts map[Kind]*logDebt
}

// logDebt is what one kind of failure left in a run's context.
type logDebt struct{ bytes, since uint64 }

type logReader struct {
	day      *Day
	failures map[Kind]*Failure
	runs     map[runKey]*logRun
	answers  bool
}

func (l *logReader) line(line []byte) {
	call, found := Line(line)
	if !found {
		l.day.Skipped++
		return
	}
	switch call.Message {
	case FailedMessage:
		l.failed(&call)
	case AnsweredMessage:
		l.answered(&call)
	case RunMessage, RunEmptyMessage:
		l.ended(&call)
	default:
		return // of something else
	}
	l.at(call.Time)
}

func (l *logReader) at(when time.Time) {
	if when.IsZero() {
		return
	}
	if l.day.Since.IsZero() || when.Before(l.day.Since) {
		l.day.Since = when
	}
	if when.After(l.day.Until) {
		l.day.Until = when
	}
}

func (l *logReader) use(call *Call, times uint64) {
	use := l.day.Tools[call.Tool]
	use.Calls += times
	use.Attempts += call.Attempts * times
	use.Waited += call.Waited * time.Duration(times) //nolint:gosec // a count of lines
	if !call.Failed() {
		use.Results += times
	}
	if call.Coerced > 0 {
		use.Coerced += times
	}
	l.day.Tools[call.Tool] = use
	l.day.Calls += times
}

func (l *logReader) answered(call *Call) {
	l.answers = true
	l.day.Estimated = l.day.Estimated || call.Sampled > 1
	l.use(call, max(1, call.Sampled))
	if call.Turn > 0 {
		run := l.run(call)
		run.turns = max(run.turns, call.Turn)
	}
}

func (l *logReader) failed(call *Call) {
	l.use(call, 1)
	kind := Kind{
		Tool: call.Tool, Field: call.Field, Code: call.Code, Expected: call.Expected, Class: call.Class, ClassifiedBy: call.ClassifiedBy,
	}
	if kind.guessed() {
		kind.Status = call.UpstreamStatus
	}
	one := Failure{Kind: kind, Count: 1, Attempts: call.Attempts, Waited: call.Waited}
	if call.Exhausted {
		one.Exhausted = 1
	}
	switch call.Cure {
	case CureCoerced:
		one.Coercible = 1
	case CureRefused:
		one.Refusable = 1
	case CureUnknown, CureNone:
	}
	if call.Read() {
		one.ReadBytes = call.ObservationBytes
		l.run(call).owe(kind, call)
	}
	if known := l.failures[kind]; known != nil {
		known.add(one)
		return
	}
	l.failures[kind] = &one
}

func (l *logReader) run(call *Call) *logRun {
	key := runKey{call.Principal, call.Run}
	if l.runs[key] == nil {
		l.runs[key] = &logRun{debts: map[Kind]*logDebt{}}
	}
	return l.runs[key]
}

func (r *logRun) owe(kind Kind, call *Call) {
	r.turns = max(r.turns, call.Turn)
	if call.Turn == 0 {
		return
	}
	if r.debts[kind] == nil {
		r.debts[kind] = &logDebt{}
	}
	r.debts[kind].bytes += call.ObservationBytes
	r.debts[kind].since += call.ObservationBytes * call.Turn
}

func (l *logReader) ended(call *Call) {
	if call.Message == RunEmptyMessage {
		l.day.EmptyRuns++
		if len(l.day.EmptyRunNames) < maxEmptyNames {
			l.day.EmptyRunNames = append(l.day.EmptyRunNames, call.Run)
		}
	}
	key := runKey{call.Principal, call.Run}
	if run := l.runs[key]; run != nil {
		run.turns = max(run.turns, call.Turns)
		l.settle(run)
		delete(l.runs, key) // a later run of that name is another
	}
}

func (l *logReader) settle(run *logRun) {
	for kind, debt := range run.debts {
		l.failures[kind].CarriedBytes += debt.bytes*run.turns - debt.since
	}
}

func (l *logReader) close() *Day {
	for _, run := range l.runs {
		l.settle(run)
	}
	for _, failure := range l.failures {
		l.day.Failures = append(l.day.Failures, *failure)
	}
	l.day.NoAnswers = !l.answers
	return l.day
}
