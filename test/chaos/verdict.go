package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Verdict is what the two records say.
type Verdict struct {
	Calls   int `json:"calls"`
	Sends   int `json:"sends"`   // rpcs
	Effects int `json:"effects"` // at the back end

	Lost      int `json:"lost"`
	Unclean   int `json:"unclean"`    // of these: a status that says nothing, or nothing at all
	Hung      int `json:"hung"`       // of these: an rpc that outlived its deadline
	Dropped   int `json:"dropped"`    // of these: a status where none may be
	Invented  int `json:"invented"`   // of these: a result without an effect
	Hidden    int `json:"hidden"`     // of these: an effect behind an error that denies it
	Doubled   int `json:"doubled"`    // writes that took effect twice
	DoubleKey int `json:"double_key"` // of these: under two idempotency keys

	// While a replica could not reach Redis: calls that were sent again then, which
	// is the bound, and those of them that took effect twice.
	BlindResent  int `json:"blind_resent"`
	BlindDoubled int `json:"blind_doubled"`

	CapRuns     int `json:"cap_runs"`     // runs that met the cap while Redis was there
	CapBroken   int `json:"cap_broken"`   // those that reached the tool once too often
	RepeatRuns  int `json:"repeat_runs"`  // runs that repeated a refused call
	RepeatTwice int `json:"repeat_twice"` // those that reached the tool again

	Faulty []string `json:"faulty,omitempty"` // the first calls that count against us
}

// failed reports that the gateway broke its word.
func (v *Verdict) failed() bool {
	return v.Lost > 0 || v.Doubled > 0 || v.CapBroken > 0 || v.RepeatTwice > 0
}

// trial is what a verdict is made from.
type trial struct {
	calls  []*call
	record []entry
	blind  []window
	gentle func(phase int) bool
}

func (t *trial) judge() *Verdict {
	v := &Verdict{Calls: len(t.calls)}
	effects, keys := map[string]int{}, map[string][]string{}
	for _, e := range t.record {
		if !e.Effect {
			continue
		}
		v.Effects++
		effects[e.Ref]++
		if e.Key != "" && !slices.Contains(keys[e.Ref], e.Key) {
			keys[e.Ref] = append(keys[e.Ref], e.Key)
		}
	}
	for _, c := range t.calls {
		v.Sends += len(c.Sends)
		if what := t.lost(v, c, effects[c.Ref]); what != "" {
			v.Lost++
			v.against(what, c)
		}
		if c.Tool == toolPay && effects[c.Ref] > 1 || c.Tool == toolKeyed && len(keys[c.Ref]) > 1 {
			t.doubled(v, c)
		}
		if len(c.Sends) > 1 && t.wasBlind(c) {
			v.BlindResent++
		}
	}
	t.caps(v)
	return v
}

func (v *Verdict) against(what string, c *call) {
	if len(v.Faulty) < 20 {
		v.Faulty = append(v.Faulty, fmt.Sprintf("%s: %s %s: %s", what, c.Tool, c.Ref, c.story()))
	}
}

func (c *call) story() string {
	var all strings.Builder
	for _, s := range c.Sends {
		what := s.Outcome.Code
		switch {
		case s.Code != codes.OK:
			what = s.Code.String() + " " + s.Detail
		case s.Outcome.Result:
			what = "result"
		}
		fmt.Fprintf(&all, "[phase %d, %s +%v, %d attempts: %s]", s.Phase, s.Begin.Format("05.000"), s.End.Sub(s.Begin).Round(time.Millisecond), s.Outcome.Tried, what)
	}
	return all.String()
}

// lost says in what way a call was lost, if it was.
func (t *trial) lost(v *Verdict, c *call, effects int) string {
	inBand, maybe := true, false
	for _, s := range c.Sends {
		switch {
		case s.End.Sub(s.Begin) > rpcDeadline+rpcGrace:
			v.Hung++
			return "hung"
		case s.Code == codes.OK && s.Outcome.None, !clean(s):
			v.Unclean++
			return "unclean"
		case s.Code != codes.OK && !s.Left && t.gentle(s.Phase):
			v.Dropped++
			return "dropped"
		}
		inBand = inBand && s.Code == codes.OK
		maybe = maybe || s.Outcome.Maybe
	}
	last := c.last().Outcome
	changes := c.Tool == toolPay || c.Tool == toolKeyed || c.Tool == toolPut
	switch {
	case changes && last.Result && effects == 0:
		v.Invented++
		return "invented"
	case changes && inBand && !last.Result && !maybe && effects > 0:
		v.Hidden++
		return "hidden"
	}
	return ""
}

// clean reports an end that tells the caller what to do.
func clean(s send) bool {
	switch s.Code {
	case codes.OK:
		return s.Outcome.Result || s.Outcome.Class != toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	case codes.Canceled:
		return s.Left
	}
	return false
}

func (t *trial) doubled(v *Verdict, c *call) {
	if len(c.Sends) > 1 && t.wasBlind(c) {
		v.BlindDoubled++
		return
	}
	v.Doubled++
	if c.Tool == toolKeyed {
		v.DoubleKey++
	}
	v.against("doubled", c)
}

// wasBlind reports that a replica could not reach Redis during a call.
func (t *trial) wasBlind(c *call) bool {
	begin, end := c.Sends[0].Begin, c.last().End
	return slices.ContainsFunc(t.blind, func(w window) bool { return w.meets(begin, end) })
}

// caps judges the runs whose calls are refused, as far as Redis was there from
// the first to the last.
func (t *trial) caps(v *Verdict) {
	runs := map[string][]*call{}
	for _, c := range t.calls {
		if c.Tool == toolBook {
			runs[c.Run] = append(runs[c.Run], c)
		}
	}
	for _, calls := range runs {
		whole := &call{}
		reached := 0
		for _, c := range calls {
			whole.Sends = append(whole.Sends, c.Sends...)
			if o := c.last().Outcome; o.Code == "slot_taken" && o.Tried > 0 {
				reached++
			}
		}
		if t.wasBlind(whole) {
			continue
		}
		repeats := calls[0].Ref == calls[0].Run // the same call every time
		broken := repeats && reached > 1 || reached > rejectionCap
		switch {
		case repeats && broken:
			v.RepeatTwice++
		case broken:
			v.CapBroken++
		}
		if repeats {
			v.RepeatRuns++
		} else {
			v.CapRuns++
		}
		if broken {
			v.against(fmt.Sprintf("reached the tool %d times", reached), &call{Tool: toolBook, Ref: calls[0].Run, Sends: whole.Sends})
		}
	}
}
