package diagnose

// Trail is what each rung of the ladder saw, for people.
type Trail struct {
	Steps []Step
}

// Step is one rung's sight.
type Step struct {
	Rung    string // upstream, rules, verdict_header, provider, envelope, hint, status, transport, safety
	Saw     string // one sentence, redacted
	Decided bool   // its class is the one that stands
}

// add is nothing on a nil trail.
func (t *Trail) add(rung, saw string, decided bool) {
	if t != nil {
		t.Steps = append(t.Steps, Step{Rung: rung, Saw: saw, Decided: decided})
	}
}
