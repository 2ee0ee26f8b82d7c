package agent_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/examples/agent"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// script answers call after call, and remembers them. The last answer repeats.
type script struct {
	answers []agent.Answer
	calls   []agent.Call
}

func (s *script) Arguments(tool string) []string {
	return map[string][]string{"request_deposit": {"account_id", "amount"}}[tool]
}

func (s *script) Call(_ context.Context, call agent.Call) agent.Answer {
	s.calls = append(s.calls, call)
	return s.answers[min(len(s.calls), len(s.answers))-1]
}

var fine = agent.Answer{OK: true, Text: "{}"}

func invalid(violations ...*toolgatev1.Violation) agent.Answer {
	return agent.Answer{Failure: &toolgate.ToolError{Class: toolgate.InvalidRequest, Violations: violations}}
}

func terminal(unblock string, offered ...*toolgatev1.Alternative) agent.Answer {
	return agent.Answer{Failure: &toolgate.ToolError{Class: toolgate.Terminal, UnblockWith: unblock, Alternatives: offered}}
}

func transient(after time.Duration, exhausted bool) agent.Answer {
	return agent.Answer{Failure: &toolgate.ToolError{Class: toolgate.Transient, RetryAfter: after, Exhausted: exhausted}}
}

func TestTheClassAndTheFieldsDecideTheMove(t *testing.T) {
	for _, tc := range []struct {
		name    string
		first   string // arguments
		answers []agent.Answer
		sent    []string // arguments of each call
		moves   []agent.Move
	}{
		{"a result ends the task", `{}`, []agent.Answer{fine}, []string{`{}`}, []agent.Move{agent.Finish}},
		{"a format rewrites a date", `{"start_date":"03/14/2026"}`,
			[]agent.Answer{invalid(&toolgatev1.Violation{Field: "start_date", Format: "YYYY-MM-DD"}), fine},
			[]string{`{"start_date":"03/14/2026"}`, `{"start_date":"2026-03-14"}`}, []agent.Move{agent.ChangeArguments, agent.Finish}},
		{"another format rewrites it otherwise", `{"d":"2026-03-14"}`,
			[]agent.Answer{invalid(&toolgatev1.Violation{Field: "d", Format: "DD.MM.YYYY"}), fine},
			[]string{`{"d":"2026-03-14"}`, `{"d":"14.03.2026"}`}, []agent.Move{agent.ChangeArguments, agent.Finish}},
		{"a listed value is taken, the first", `{"status":"late","x":1.50}`,
			[]agent.Answer{invalid(&toolgatev1.Violation{Field: "status", Accepted: []string{"overdue", "open"}}), fine},
			[]string{`{"status":"late","x":1.50}`, `{"status":"overdue","x":1.50}`}, []agent.Move{agent.ChangeArguments, agent.Finish}},
		{"a range clamps, with its own digits", `{"amount":750.00}`,
			[]agent.Answer{invalid(&toolgatev1.Violation{Field: "amount", Range: "0.01 to 500.00"}), fine},
			[]string{`{"amount":750.00}`, `{"amount":500.00}`}, []agent.Move{agent.ChangeArguments, agent.Finish}},
		{"every violation is mended in one move", `{"amount":0,"status":"x"}`,
			[]agent.Answer{invalid(&toolgatev1.Violation{Field: "amount", Range: "0.01 to 500.00"}, &toolgatev1.Violation{Field: "status", Accepted: []string{"open"}}), fine},
			[]string{`{"amount":0,"status":"x"}`, `{"amount":0.01,"status":"open"}`}, []agent.Move{agent.ChangeArguments, agent.Finish}},
		{"what it can't mend it reports", `{"q":"x"}`, []agent.Answer{invalid(&toolgatev1.Violation{Field: "", Problem: "no"})},
			[]string{`{"q":"x"}`}, []agent.Move{agent.Report}},
		{"a fault that stays is not sent again", `{"amount":10}`, []agent.Answer{invalid(&toolgatev1.Violation{Field: "amount", Range: "0.01 to 500.00"})},
			[]string{`{"amount":10}`}, []agent.Move{agent.Report}},
		{"the first alternative is taken", `{"slot":1}`,
			[]agent.Answer{terminal("", &toolgatev1.Alternative{Tool: "t", ArgumentsJson: `{"slot":2}`}, &toolgatev1.Alternative{Tool: "t", ArgumentsJson: `{"slot":3}`}), fine},
			[]string{`{"slot":1}`, `{"slot":2}`}, []agent.Move{agent.TakeAlternative, agent.Finish}},
		{"what unblocks is called first, then the call again", `{"account_id":"a","amount":150.00,"to":"b"}`,
			[]agent.Answer{terminal("request_deposit"), fine, fine},
			[]string{`{"account_id":"a","amount":150.00,"to":"b"}`, `{"account_id":"a","amount":150.00}`, `{"account_id":"a","amount":150.00,"to":"b"}`},
			[]agent.Move{agent.Unblock, agent.Continue, agent.Finish}},
		{"a dead end is reported", `{}`, []agent.Answer{terminal("")}, []string{`{}`}, []agent.Move{agent.Report}},
		{"a class that nobody gave is repeated to the cap", `{}`, []agent.Answer{{Text: "try again"}},
			slices.Repeat([]string{`{}`}, 20), slices.Repeat([]agent.Move{agent.Repeat}, 20)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tools := &script{answers: tc.answers}
			run := (&agent.Agent{Tools: tools}).Do(t.Context(), agent.Task{Call: agent.Call{Tool: "t", Arguments: tc.first}})
			var sent []string
			var moves []agent.Move
			for i, step := range run.Steps {
				sent, moves = append(sent, tools.calls[i].Arguments), append(moves, step.Move)
			}
			if !slices.Equal(sent, tc.sent) || !slices.Equal(moves, tc.moves) {
				t.Errorf("sent %v, moved %v\nwant %v, %v", sent, moves, tc.sent, tc.moves)
			}
			if want := tc.moves[len(tc.moves)-1] == agent.Finish; run.Done != want {
				t.Errorf("done is %v", run.Done)
			}
		})
	}
}

func TestAStubbornAgentRepeatsATerminalCallOnce(t *testing.T) {
	tools := &script{answers: []agent.Answer{terminal("")}}
	run := (&agent.Agent{Tools: tools}).Do(t.Context(), agent.Task{Call: agent.Call{Tool: "t", Arguments: `{}`}, Stubborn: true})
	if len(run.Steps) != 2 || run.Steps[0].Move != agent.Repeat || run.Steps[1].Move != agent.Report {
		t.Errorf("steps %+v", run.Steps)
	}
}

func TestABlockThatStaysIsReported(t *testing.T) {
	blocked := terminal("request_deposit")
	tools := &script{answers: []agent.Answer{blocked, fine, blocked, fine, blocked}}
	run := (&agent.Agent{Tools: tools}).Do(t.Context(), agent.Task{Call: agent.Call{Tool: "t", Arguments: `{}`}})
	if run.Done || len(run.Steps) != 3 || run.Steps[2].Move != agent.Report {
		t.Errorf("steps %+v", run.Steps)
	}
}

func TestTransientIsWaitedOutOutOfTheModelsSight(t *testing.T) {
	for _, tc := range []struct {
		name     string
		patience time.Duration
		answers  []agent.Answer
		waited   time.Duration
		move     agent.Move
	}{
		{"two waits, one step", time.Minute, []agent.Answer{transient(2*time.Second, false), transient(3*time.Second, false), fine}, 5 * time.Second, agent.Finish},
		{"a wait beyond its patience is reported", 4 * time.Second, []agent.Answer{transient(2*time.Second, false), transient(3*time.Second, false), fine}, 2 * time.Second, agent.Report},
		{"exhausted is reported", time.Minute, []agent.Answer{transient(2*time.Second, true), fine}, 0, agent.Report},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				run := (&agent.Agent{Tools: &script{answers: tc.answers}, Patience: tc.patience}).Do(t.Context(), agent.Task{Call: agent.Call{Tool: "t", Arguments: `{}`}})
				if len(run.Steps) != 1 || run.Steps[0].Move != tc.move || run.Waited != tc.waited || time.Since(start) != tc.waited {
					t.Errorf("waited %v (%v), steps %+v", run.Waited, time.Since(start), run.Steps)
				}
			})
		})
	}
}
