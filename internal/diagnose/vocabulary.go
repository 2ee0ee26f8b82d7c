package diagnose

import (
	"regexp"
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// vocabulary is what is known of one provider's failures, compiled. It never
// changes after loading.
type vocabulary struct {
	name  string
	names []string // values of a catalogue's provider that mean it
	hosts []string
	// services are the packages of its gRPC services, with a dot at the end.
	services []string
	shape    [][]condition

	marks  [][]byte // of failures that hide in a 2xx
	hidden [][]condition

	code, message, detail  []place
	field, value, accepted []place
	wait                   []waitPlace
	facts                  []factPlace
	violations             *violationPlaces
	batch                  *batchPlaces

	hide  []*regexp.Regexp
	exact map[string]meaning // by folded code
	wild  []wildCode
	rules []providerRule

	base *vocabulary // asked next; nil: none
}

type waitPlace struct {
	place place
	unit  waitUnit
}

type factPlace struct {
	name  string
	place place
}

type violationPlaces struct {
	each, code, problem, value, accepted []place
	field                                []fieldPlace
}

// fieldPlace is a place, or the way to the item itself.
type fieldPlace struct {
	place place
	key   bool // the member's own name
	path  bool // the whole way below each's fixed part
}

type batchPlaces struct {
	each, code, message, id []place
	failed                  [][]condition
	argument                []string
}

type wildCode struct {
	code    wanted
	meaning meaning
}

// providerRule is one entry of `rules`.
type providerRule struct {
	codes, methods []wanted
	statuses       []statusRange
	message        []pattern
	where          []condition
	match          []placePattern

	classed bool // it ends the search
	meaning meaning
	result  ruleResult
}

type placePattern struct {
	place   place
	pattern pattern
}

type statusRange struct{ low, high int }

// ruleResult is what a rule adds to a finding.
type ruleResult struct {
	code           string
	codePlace      *place
	field          []string
	problem        string
	format         string
	span           string
	accepted       []string
	acceptedPlace  *place
	blockedBy      string
	executed       interceptors.Executed
	account        bool
	wait           []waitPlace
	waitUnit       waitUnit
	waitDefault    float64
	facts          []factPlace
	alternatives   *place
	alternativeArg string
	partial        bool
}

// lookup finds the meaning of a code in v and what it extends.
func (v *vocabulary) lookup(code string) (meaning, bool) {
	for ; v != nil; v = v.base {
		for _, spelling := range v.spellings(code) {
			if m, ok := v.exact[spelling]; ok {
				return m, true
			}
			for _, w := range v.wild {
				if w.code.matches(spelling) {
					return w.meaning, true
				}
			}
		}
	}
	return meaning{}, false
}

// spellings are the forms in which a code is looked up: as it stands, and
// loosely where the vocabulary is everybody's.
func (v *vocabulary) spellings(code string) []string {
	if v.name != commonName {
		return []string{foldCode(code)}
	}
	whole := looseCode(code)
	last := code[strings.LastIndexAny(code, `./:#\\`)+1:]
	if loose := looseCode(last); loose != whole && len(loose) > 3 {
		return []string{whole, loose}
	}
	return []string{whole}
}

// looseCode drops separators, case, and the words that say only that this is an
// error, so that RATE_LIMIT_EXCEEDED and RateLimitExceededException are one.
func looseCode(code string) string {
	s := plain(code)
	for _, end := range []string{"exception", "error", "fault"} {
		if t := strings.TrimSuffix(s, end); len(t) > 3 {
			s = t
		}
	}
	for _, start := range []string{"err", "error"} {
		if t := strings.TrimPrefix(s, start); t != s && len(t) > 4 && strings.ContainsAny(code, "_-.") {
			s = t
		}
	}
	return s
}

// chain calls visit for v and all that it extends, until visit is done.
func (v *vocabulary) chain(visit func(*vocabulary) (done bool)) {
	for ; v != nil; v = v.base {
		if visit(v) {
			return
		}
	}
}
