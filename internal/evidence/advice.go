package evidence

import (
	"fmt"
	"regexp"
)

// advice says of the gateway's own codes what can be done where no line of a
// schema ends the failure.
var advice = map[string]string{
	"unknown_tool":        "models call tools that are not there, or that they may not use: names that differ clearly, and descriptions that say when to use which",
	"malformed_json":      "models write text that is no JSON: a flat schema with short texts is easier to write",
	"arguments_too_large": "models send more than the tool takes: say how much in the description, or raise policy.max_arguments_bytes",
	"rejection_cap":       "the tool rejected three calls of a run: see its other failures",
	"outcome_unknown":     "a write got no answer: idempotency_key lets it be repeated, verify_with finds out",
	"already_executed":    "the call took effect and its result is not kept: a smaller result, or a read that tells",
	"run_budget":          "runs spend more calls than policy.max_calls_per_run",
	"call_id_reused":      "the runtime gives two calls of a run one id",
	"internal":            "a fault of the gateway: its log holds the stack, under the correlation id",
}

func adviceFor(g *group) string {
	if text, own := advice[g.Code]; own {
		return text
	}
	if g.rejectsArguments() {
		return "nobody says which argument is wrong: an error rule with field, and format, range or accepted"
	}
	return "the tool's own answer, and final: alternatives or unblock_with in the catalogue give the model somewhere to go"
}

// waitAdvice says what may help against what time cures.
var waitAdvice = map[string]string{
	"timeout":            "the tool answers later than policy.attempt_timeout: narrow: ARGUMENT has models ask for less; or give it more time",
	"circuit_open":       "the tool was down: fallbacks name what else may be used meanwhile",
	"unreachable":        "no connection to the upstream: its address, its network; fallbacks name what else may be used meanwhile",
	"cooling_down":       "the upstream asked for a pause: policy.max_in_flight_per_tool holds calls back before it has to",
	"busy":               "calls queued longer than policy.queue_timeout: raise policy.max_in_flight_per_tool or per_run, if the tool can take it",
	"deadline_too_short": "callers give less time than one attempt takes",
}

// limited are codes that say that there were too many calls.
var limited = regexp.MustCompile(`(?i)rate|limit|quota|throttl|too_?many`)

func adviceForWait(f *Failure) string {
	if text, own := waitAdvice[f.Code]; own {
		return text
	}
	if limited.MatchString(f.Code) {
		return waitAdvice["cooling_down"]
	}
	if f.Exhausted == 0 {
		return "none was given up by the gateway: callers may wait and repeat"
	}
	return "given up after all attempts: fallbacks name what else may be used meanwhile"
}

func notesOf(day *Day, r *Report) []string {
	notes := []string{fmt.Sprintf("tokens are estimated: bytes of the observation, read once and again with every later call of its run, at %d bytes a token", bytesPerToken)}
	if day.Estimated {
		notes = append(notes, "the log holds a sample of the answered calls: calls and shares are estimated from it")
	}
	if day.NoAnswers && r.Failed > 0 {
		notes = append(notes, "the log holds no answered call: shares are of the failed ones")
	}
	if day.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("lines that are none of a gateway's log: %d", day.Skipped))
	}
	if day.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("failures that are counted and not listed, the rarest: %d", day.Dropped))
	}
	return notes
}
