package demo

import (
	"errors"
	"fmt"
	"slices"

	"toolgate.dev/toolgate/examples/agent"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// story is a task, and how it must end behind toolgate.
type story struct {
	name string
	goal string
	task agent.Task
	must ending
}

// ending is what has to be counted at the end of a story.
type ending struct {
	moves    []agent.Move
	requests int64
	// failure checks the failure of the first step; nil: there must be none.
	failure func(*toolgate.ToolError) error
}

func stories() []story {
	return []story{
		{
			name: "Invoices, a date in the schema",
			goal: "List the invoices since 14 March 2026. The schema says format: date.",
			task: task("list_invoices", `{"start_date":"03/14/2026"}`),
			must: ending{moves: []agent.Move{agent.Finish}, requests: 1},
		},
		{
			name: "Invoices, a bare string",
			goal: "The same, but the schema says string, and the provider finds the fault.",
			task: task("list_invoices_untyped", `{"start_date":"03/14/2026"}`),
			must: ending{
				moves: []agent.Move{agent.ChangeArguments, agent.Finish}, requests: 2,
				failure: violates("start_date", "YYYY-MM-DD", ""),
			},
		},
		{
			name: "Clinic, a taken slot",
			goal: "Book p_17 at 14:30. Somebody was faster.",
			task: task("book_slot", `{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}`),
			must: ending{
				moves: []agent.Move{agent.TakeAlternative, agent.Finish}, requests: 3, // one of them looks for free slots
				failure: offers(3),
			},
		},
		{
			name: "Balance, too little money",
			goal: "Pay 150.00 from an account that holds 42.10. The agent is stubborn: it tries the same again first.",
			task: stubborn(task("transfer_funds", `{"account_id":"acc_1042","to":"acc_9000","amount":150.00,"reference":"rent-03"}`)),
			must: ending{
				moves: []agent.Move{agent.Repeat, agent.Unblock, agent.Continue, agent.Finish}, requests: 3, // the repeat reached nobody
				failure: blocked("balance", "request_deposit", `{"balance":42.10,"requested":150.00}`),
			},
		},
		{
			name: "Ceiling, too much at once",
			goal: "Pay as much of 750.00 as one transfer carries. The refusal has the body of the story before.",
			task: task("transfer_funds", `{"account_id":"acc_2077","to":"acc_9000","amount":750.00,"reference":"bill-09"}`),
			must: ending{
				moves: []agent.Move{agent.ChangeArguments, agent.Finish}, requests: 2,
				failure: violates("amount", "", "0.01 to 500.00"),
			},
		},
	}
}

func task(tool, arguments string) agent.Task {
	return agent.Task{Call: agent.Call{Tool: tool, Arguments: arguments}}
}

func stubborn(t agent.Task) agent.Task {
	t.Stubborn = true
	return t
}

// violates wants an invalid_request with one violation.
func violates(field, format, bounds string) func(*toolgate.ToolError) error {
	return func(failed *toolgate.ToolError) error {
		if failed.Class != toolgate.InvalidRequest || len(failed.Violations) != 1 {
			return fmt.Errorf("%s with %d violations", failed.Class, len(failed.Violations))
		}
		got := failed.Violations[0]
		if got.GetField() != field || got.GetFormat() != format || got.GetRange() != bounds {
			return fmt.Errorf("violation of %q, format %q, range %q", got.GetField(), got.GetFormat(), got.GetRange())
		}
		return nil
	}
}

// offers wants a terminal failure with so many alternatives, and more to find.
func offers(alternatives int) func(*toolgate.ToolError) error {
	return func(failed *toolgate.ToolError) error {
		if failed.Class != toolgate.Terminal || len(failed.Alternatives) != alternatives || !failed.Proto().GetAlternativesTruncated() {
			return fmt.Errorf("%s with %d alternatives, truncated %v", failed.Class, len(failed.Alternatives), failed.Proto().GetAlternativesTruncated())
		}
		return nil
	}
}

// blocked wants a terminal failure that says what blocks, what unblocks, and
// the numbers.
func blocked(by, with, facts string) func(*toolgate.ToolError) error {
	return func(failed *toolgate.ToolError) error {
		if failed.Class != toolgate.Terminal || failed.BlockedBy != by || failed.UnblockWith != with || failed.Proto().GetFactsJson() != facts {
			return fmt.Errorf("%s, blocked by %q, unblocked with %q, facts %s", failed.Class, failed.BlockedBy, failed.UnblockWith, failed.Proto().GetFactsJson())
		}
		return nil
	}
}

// check tells what of a story did not end as it must; nil: it did.
func (e ending) check(played Played) error {
	var moves []agent.Move
	for _, step := range played.Run.Steps {
		moves = append(moves, step.Move)
	}
	var wrong []error
	if !slices.Equal(moves, e.moves) {
		wrong = append(wrong, fmt.Errorf("the moves were %v, not %v", moves, e.moves))
	}
	if played.Requests != e.requests {
		wrong = append(wrong, fmt.Errorf("%d requests reached the back ends, not %d", played.Requests, e.requests))
	}
	if played.Slept != 0 {
		wrong = append(wrong, fmt.Errorf("%v were slept", played.Slept))
	}
	if len(moves) == 0 {
		return errors.Join(wrong...)
	}
	switch failed := played.Run.Steps[0].Answer.Failure; {
	case e.failure == nil && failed != nil:
		wrong = append(wrong, fmt.Errorf("the first call failed: %w", failed))
	case e.failure != nil && failed == nil:
		wrong = append(wrong, errors.New("the first call did not fail"))
	case e.failure != nil:
		wrong = append(wrong, e.failure(failed))
	}
	return errors.Join(wrong...)
}
