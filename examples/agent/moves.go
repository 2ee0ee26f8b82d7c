package agent

import (
	"slices"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// state is where the agent stands: the call that it makes next, and the calls
// that it goes back to.
type state struct {
	tools    Tools
	call     Call
	blocked  []Call // behind what unblocks them
	tried    []Call // unblocked before
	stubborn bool
}

// next reads an answer, decides on a move and sets up its call. The class is the
// only thing that it branches on.
func (s *state) next(answer Answer) Move {
	switch {
	case answer.OK:
		return s.succeeded()
	case answer.Failure == nil:
		return Repeat // all that it was told is to try again
	}
	switch failure := answer.Failure; failure.Class {
	case toolgate.InvalidRequest:
		return s.change(failure)
	case toolgate.Terminal:
		return s.leave(failure)
	default: // transient, and the harness gave up waiting
		return Report
	}
}

func (s *state) succeeded() Move {
	if len(s.blocked) == 0 {
		return Finish
	}
	last := len(s.blocked) - 1
	s.call, s.blocked = s.blocked[last], s.blocked[:last]
	return Continue
}

// change mends every argument that a violation names; one that it can't mend
// makes it look at the alternatives.
func (s *state) change(failure *toolgate.ToolError) Move {
	arguments, err := parse(s.call.Arguments)
	if err != nil {
		return Report
	}
	for _, violation := range failure.Violations {
		if !mend(arguments, violation) {
			return s.alternative(failure.Alternatives)
		}
	}
	if changed := arguments.text(); len(failure.Violations) > 0 && changed != s.call.Arguments {
		s.call.Arguments = changed
		return ChangeArguments
	}
	return s.alternative(failure.Alternatives)
}

// leave gives the call up for what the failure offers.
func (s *state) leave(failure *toolgate.ToolError) Move {
	if s.stubborn {
		s.stubborn = false
		return Repeat
	}
	if move := s.alternative(failure.Alternatives); move != Report {
		return move
	}
	return s.unblock(failure.UnblockWith)
}

func (s *state) alternative(offered []*toolgatev1.Alternative) Move {
	for _, alternative := range offered {
		if alternative.GetArgumentsJson() != "" {
			s.call = Call{Tool: alternative.GetTool(), Arguments: alternative.GetArgumentsJson()}
			return TakeAlternative
		}
	}
	return Report
}

// unblock calls the tool that lifts the block, with those arguments of the
// blocked call that it knows, and then goes back to the blocked call. A call
// that is blocked again after that is reported.
func (s *state) unblock(tool string) Move {
	arguments, err := parse(s.call.Arguments)
	if tool == "" || err != nil || slices.Contains(s.tried, s.call) {
		return Report
	}
	s.blocked, s.tried = append(s.blocked, s.call), append(s.tried, s.call)
	s.call = Call{Tool: tool, Arguments: arguments.only(s.tools.Arguments(tool)).text()}
	return Unblock
}
