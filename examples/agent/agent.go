// Package agent is a scripted agent: a small state machine that shows how little
// a caller has to know of the tools that it uses. It branches on the class of a
// failure alone, takes arguments out of fields, and never reads prose: whoever
// rewrites every message sees the same moves.
//
// NaiveStack is what it is measured against: the same agent behind a tool layer
// that tries five times, blindly, and then says that the call failed.
package agent

import (
	"context"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// Tools is the layer between the agent and its tools.
type Tools interface {
	// Call runs one call and tells what came of it. It never fails: what goes
	// wrong is in the answer.
	Call(ctx context.Context, call Call) Answer
	// Arguments names the arguments of a tool; nil when it is not known.
	Arguments(tool string) []string
}

// Call is one call as the model writes it.
type Call struct {
	Tool      string
	Arguments string // one JSON object
}

// Answer is what the tool layer gives back.
type Answer struct {
	OK   bool
	Text string // what goes into the transcript
	// Coercions are what the layer changed in the arguments before it sent them.
	Coercions []*toolgatev1.Coercion
	// Failure is the typed failure; nil where OK, and from a tool layer that
	// types nothing.
	Failure *toolgate.ToolError
}

// Task is what the agent is told to do: one call that has to succeed.
type Task struct {
	Call Call
	// Stubborn makes the agent send a terminal call once more before it reads on,
	// as models do.
	Stubborn bool
}

// Agent works on tasks.
type Agent struct {
	Tools Tools
	// MaxSteps bounds the model's calls for one task; 0 means 20.
	MaxSteps int
	// Patience is how long the harness waits out transient failures of a task, in
	// all; 0 means not at all.
	Patience time.Duration
}

const defaultMaxSteps = 20

// Run is what happened while the agent worked on a task.
type Run struct {
	Steps  []Step
	Done   bool          // the task's call, or what took its place, succeeded
	Waited time.Duration // by the harness, out of the model's sight
}

// Step is one round trip of the model: its call, what came back, and the move
// that it made next.
type Step struct {
	Call   Call
	Answer Answer
	Move   Move
}

// Move is what the agent does about an answer.
type Move string

// The moves.
const (
	Finish          Move = "finish"           // the task is done
	Continue        Move = "go on"            // unblocked: back to the task's call
	Repeat          Move = "repeat"           // the same call again
	ChangeArguments Move = "change arguments" // as a violation's field says
	TakeAlternative Move = "take alternative" // the first one offered
	Unblock         Move = "unblock"          // call what unblocks it first
	Report          Move = "report"           // give up and say so
)

// Do works on one task until it is done, hopeless, or out of steps.
func (a *Agent) Do(ctx context.Context, task Task) Run {
	limit := a.MaxSteps
	if limit == 0 {
		limit = defaultMaxSteps
	}
	run := Run{}
	state := state{tools: a.Tools, call: task.Call, stubborn: task.Stubborn}
	for len(run.Steps) < limit && ctx.Err() == nil {
		call := state.call
		answer := a.ask(ctx, call, &run)
		move := state.next(answer)
		run.Steps = append(run.Steps, Step{Call: call, Answer: answer, Move: move})
		if move == Finish || move == Report {
			run.Done = move == Finish
			break
		}
	}
	return run
}

// ask sends a call; the harness waits out what time cures and shows the model
// nothing of it.
func (a *Agent) ask(ctx context.Context, call Call, run *Run) Answer {
	for {
		answer := a.Tools.Call(ctx, call)
		if answer.OK || answer.Failure == nil || answer.Failure.Class != toolgate.Transient || answer.Failure.Exhausted {
			return answer
		}
		wait := max(answer.Failure.RetryAfter, time.Millisecond)
		if run.Waited+wait > a.Patience {
			return answer
		}
		select {
		case <-time.After(wait):
			run.Waited += wait
		case <-ctx.Done():
			return answer
		}
	}
}
