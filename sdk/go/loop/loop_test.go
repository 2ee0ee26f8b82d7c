package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
	"toolgate.dev/toolgate/sdk/go/loop"
	"toolgate.dev/toolgate/server/servertest"
)

// The gateway waits a second at most, so that the loop has something to wait out.
const catalogue = `
upstreams: {u: {url: "http://upstream.test"}}
tools:
  - name: look
    upstream: u
    effect: read
    http: {method: POST, url: /look}
    input_schema: {type: object, properties: {n: {type: integer}}, additionalProperties: false}
    policy: {max_wait: 1s}
`

// stage is a run of a real gateway before an upstream with a script.
func stage(t *testing.T, script ...servertest.Step) (*toolgate.Run, *servertest.Upstream) {
	t.Helper()
	upstream := servertest.NewUpstream(t, script...)
	gateway := servertest.Start(t, servertest.Load(t, catalogue, upstream))
	client, err := toolgate.Dial("passthrough:///gateway", toolgate.WithDialOptions(
		grpc.WithContextDialer(gateway.Dial), grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client.Run("r"), upstream
}

// scripted is a model that makes these calls, turn by turn, and keeps what it
// read.
type scripted struct {
	turns [][]loop.Call
	read  [][]loop.Answer
}

func (s *scripted) model(_ context.Context, answers []loop.Answer) ([]loop.Call, error) {
	if answers != nil {
		s.read = append(s.read, answers)
	}
	if len(s.turns) == 0 {
		return nil, nil
	}
	calls := s.turns[0]
	s.turns = s.turns[1:]
	return calls, nil
}

func looks(n int) (calls []loop.Call) {
	for i := range n {
		calls = append(calls, loop.Call{ID: "call_0", Tool: "look", Arguments: `{"n":` + strconv.Itoa(i) + `}`})
	}
	return calls
}

func TestATransientFailureIsWaitedOutOutOfTheModelsSight(t *testing.T) {
	busy := servertest.Respond(http.StatusServiceUnavailable, `{}`, "Retry-After", "3")
	for _, tc := range []struct {
		name     string
		patience time.Duration
		waited   time.Duration
		sent     int
		text     string
	}{
		{"it fits", 10 * time.Second, 6 * time.Second, 3, `{"fine":true}`},
		{"the second wait does not fit", 5 * time.Second, 3 * time.Second, 2, `"retry_after":3`},
		{"no patience", -1, 0, 1, `"retry_after":3`},
		{"nobody said how long", 0, 6 * time.Second, 3, `{"fine":true}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run, upstream := stage(t, busy, busy, servertest.Respond(http.StatusOK, `{"fine":true}`))
				start, model, attempts := time.Now(), scripted{turns: [][]loop.Call{looks(1)}}, 0
				patient := loop.Loop{Run: run, Patience: tc.patience, Progress: func(call loop.Call, progress *toolgatev1.CallProgress) {
					if call.ID == "call_0" && progress.GetPhase() == toolgatev1.CallProgress_PHASE_ATTEMPT {
						attempts++
					}
				}}
				if err := patient.Do(t.Context(), model.model); err != nil {
					t.Fatal(err)
				}
				if len(model.read) != 1 || !strings.Contains(model.read[0][0].Text, tc.text) {
					t.Errorf("the model read %+v", model.read)
				}
				if waited := time.Since(start).Truncate(time.Second); waited != tc.waited || patient.Waited != waited || upstream.Count() != tc.sent || attempts != tc.sent {
					t.Errorf("waited %v, it says %v; sent %d, told of %d", waited, patient.Waited, upstream.Count(), attempts)
				}
			})
		})
	}
}

// One mistake that a model makes five times in a turn is one rejection, and the
// ids that it gave are only copied.
func TestATurnGoesOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, upstream := stage(t, servertest.Respond(http.StatusUnprocessableEntity, `{"error":"no_such_n","message":"there is none"}`))
		answers, err := (&loop.Loop{Run: run}).Turn(t.Context(), looks(5))
		if err != nil || len(answers) != 5 || upstream.Count() != 5 {
			t.Fatalf("%d answers, sent %d, %v", len(answers), upstream.Count(), err)
		}
		for i, answer := range answers {
			if answer.ID != "call_0" || answer.Failure == nil || answer.Failure.Proto().GetRejectionsInRun() != 1 {
				t.Errorf("answer %d: %+v", i, answer)
			}
			if answer.Failure != nil && answer.Text != answer.Failure.Observation {
				t.Errorf("answer %d reads %s", i, answer.Text)
			}
		}
	})
}

func TestAnswersAreInTheOrderOfTheCallsAndMoreThanABatchIsSeveral(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"path":"` + r.Header.Get("Content-Type") + `"}`))
	}
	synctest.Test(t, func(t *testing.T) {
		run, upstream := stage(t, echo)
		calls := looks(100)
		calls[70].Arguments = `{"n":`
		answers, err := (&loop.Loop{Run: run}).Turn(t.Context(), calls)
		if err != nil || upstream.Count() != 99 {
			t.Fatalf("sent %d, %v", upstream.Count(), err)
		}
		for i, answer := range answers {
			if failed := answer.Failure != nil; failed != (i == 70) || !json.Valid([]byte(answer.Text)) {
				t.Errorf("answer %d: %+v", i, answer)
			}
		}
		if code := answers[70].Failure.Code; code != "malformed_json" {
			t.Error(code)
		}
	})
}

func TestAModelThatNeverFinishesIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, upstream := stage(t)
		turns := 0
		err := (&loop.Loop{Run: run, MaxTurns: 3}).Do(t.Context(), func(context.Context, []loop.Answer) ([]loop.Call, error) {
			turns++
			return []loop.Call{{Tool: "look", Arguments: `{"n":` + strconv.Itoa(turns) + `}`}}, nil
		})
		if !errors.Is(err, loop.ErrTurns) || turns != 3 || upstream.Count() != 3 {
			t.Errorf("%v after %d turns, sent %d", err, turns, upstream.Count())
		}
	})
}

// The gateway's own status is not a tool's failure: no model reads it.
func TestAFailedRPCEndsTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, _ := stage(t, servertest.Hang)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go func() { time.Sleep(time.Second); cancel() }()
		model := scripted{turns: [][]loop.Call{looks(2)}}
		if err := (&loop.Loop{Run: run, Patience: time.Hour}).Do(ctx, model.model); err == nil || len(model.read) != 0 {
			t.Errorf("%v; the model read %+v", err, model.read)
		}
	})
}
