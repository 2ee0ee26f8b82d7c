package arguments

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime bounds one match of a pattern that needs backtracking.
const patternTime = 100 * time.Millisecond

// compilePattern compiles a schema's pattern. Patterns are ECMA-262 (JSON Schema
// core, section 6.4); most are expressions that regexp runs in linear time, and
// only what it can't express (looking ahead, going back) takes a backtracking
// engine, with a bound on its time.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	linear, err := regexp.Compile(pattern)
	if err == nil {
		return linear, nil
	}
	for _, mode := range []regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript} {
		re, backtrackErr := regexp2.Compile(pattern, mode)
		if backtrackErr == nil {
			re.MatchTimeout = patternTime
			return backtracking{re}, nil
		}
	}
	return nil, err
}

type backtracking struct{ re *regexp2.Regexp }

func (b backtracking) String() string { return b.re.String() }

// MatchString takes a match that ran out of time for none: a pattern may be
// what keeps a path inside its folder.
func (b backtracking) MatchString(s string) bool {
	matched, err := b.re.MatchString(s)
	return err == nil && matched
}
