package expression

import (
	"fmt"
	"math"
	"net/textproto"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Rules compiles the error rules of one tool; nil where there are none. The
// error is a Faults.
func (c *Compiler) Rules(tool string, rules []*catalogv1.ErrorRule) (interceptors.Rules, error) {
	var faults collector
	compiled := make(ruleList, 0, len(rules))
	for i, written := range rules {
		compiled = append(compiled, c.rule(tool, i, written, &faults))
	}
	if err := faults.err(); err != nil || len(rules) == 0 {
		return nil, err
	}
	return compiled, nil
}

// rule is one error rule, compiled.
type rule struct {
	tool       string
	when       *program
	retryAfter *program // nil: none
	verdict    interceptors.RuleVerdict
	violation  *toolgatev1.Violation // without value and range; nil: none
	rangeText  string
	facts      []fact
	requested  []string
	pointer    string // to the provider's alternatives; empty: none
}

func (c *Compiler) rule(tool string, place int, written *catalogv1.ErrorRule, faults *collector) *rule {
	path := fmt.Sprintf("[%d]", place)
	at := func(field string, wants string, want ...*cel.Type) site {
		return site{
			env: c.rules, cost: costLimitOfRule, tool: tool, place: "errors" + path + "." + field,
			path: path + "." + field, want: want, wants: wants,
		}
	}
	r := &rule{
		tool: tool, verdict: verdictOf(written), violation: violationOf(written), rangeText: written.GetRange(),
		requested: written.GetRequested(), pointer: written.GetAlternatives(),
	}
	r.when = c.compile(at("when", "a CEL expression that is true or false", cel.BoolType), written.GetWhen(), faults)
	if text := written.GetRetryAfter(); text != "" {
		r.retryAfter = c.compile(at("retry_after", "a CEL expression that gives a number of seconds",
			cel.IntType, cel.UintType, cel.DoubleType, cel.DurationType), text, faults)
	}
	r.facts = factsOf(written.GetFacts(), path, faults)
	checkRule(written, path, faults)
	return r
}

func verdictOf(written *catalogv1.ErrorRule) interceptors.RuleVerdict {
	verdict := interceptors.RuleVerdict{
		Code: written.GetCode(), Message: written.GetMessage(),
		BlockedBy: written.GetBlockedBy(), UnblockWith: written.GetUnblockWith(),
	}
	switch written.GetClass() {
	case catalogv1.Class_CLASS_TRANSIENT:
		verdict.Class = interceptors.Transient
	case catalogv1.Class_CLASS_INVALID_REQUEST:
		verdict.Class = interceptors.InvalidRequest
	case catalogv1.Class_CLASS_TERMINAL:
		verdict.Class = interceptors.Terminal
	}
	switch written.GetExecuted() {
	case catalogv1.Executed_EXECUTED_NO:
		verdict.Executed = interceptors.ExecutedNo
	case catalogv1.Executed_EXECUTED_MAYBE:
		verdict.Executed = interceptors.ExecutedMaybe
	}
	if written.GetScope() == catalogv1.Scope_SCOPE_ACCOUNT {
		verdict.Scope = interceptors.ScopeAccount
	}
	return verdict
}

func violationOf(written *catalogv1.ErrorRule) *toolgatev1.Violation {
	if written.GetField() == "" && len(written.GetAccepted()) == 0 && written.GetFormat() == "" && written.GetRange() == "" {
		return nil
	}
	return &toolgatev1.Violation{Field: written.GetField(), Accepted: written.GetAccepted(), Format: written.GetFormat()}
}

// ruleList implements interceptors.Rules.
type ruleList []*rule

// Match implements interceptors.Rules. Only an answer can match: what failed
// below the protocol has neither status nor body.
func (rules ruleList) Match(reply *interceptors.Reply, arguments []byte) *interceptors.RuleVerdict {
	if reply.Failure != interceptors.FailureNone {
		return nil
	}
	seen := &sight{reply: reply, arguments: arguments}
	for _, r := range rules {
		if r.when.isTrue(seen) {
			return r.judge(seen)
		}
	}
	return nil
}

// judge makes the verdict of a rule that matched.
func (r *rule) judge(seen *sight) *interceptors.RuleVerdict {
	verdict := r.verdict
	facts := readFacts(r.facts, seen)
	verdict.FactsJSON = factsJSON(facts)
	verdict.RequestedJSON = requestedJSON(r.requested, seen.arguments)
	verdict.Violation = r.violate(facts, seen.arguments)
	if r.retryAfter != nil {
		verdict.RetryAfter = r.seconds(seen)
	}
	if r.pointer != "" {
		verdict.Alternatives, verdict.Truncated = r.alternatives(seen)
	}
	return &verdict
}

// seconds is the wait that the rule's expression gives; nil where it gives none
// that can be waited.
func (r *rule) seconds(seen *sight) *float64 {
	value, ok := r.retryAfter.eval(seen)
	if !ok {
		return nil
	}
	var seconds float64
	switch value := value.(type) {
	case types.Int:
		seconds = float64(value)
	case types.Uint:
		seconds = float64(value)
	case types.Double:
		seconds = float64(value)
	case types.Duration:
		seconds = value.Seconds()
	default:
		r.retryAfter.fail(errWrongType)
		return nil
	}
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 {
		r.retryAfter.fail(nil)
		return nil
	}
	return &seconds
}

// sight is what the rules of one reply read. What nobody asks for is not made;
// what is made is made once. It implements cel.Activation and belongs to one
// goroutine.
type sight struct {
	reader
	reply     *interceptors.Reply
	arguments []byte

	body, headers, args ref.Val // nil: nobody asked yet
}

// ResolveName implements cel.Activation.
func (s *sight) ResolveName(name string) (any, bool) {
	switch name {
	case "status":
		return types.Int(s.reply.Status), true
	case "headers":
		if s.headers == nil {
			s.headers = headerMap(s.reply.Header)
		}
		return s.headers, true
	case "body":
		if s.body == nil {
			s.body = s.document(s.reply.Body)
		}
		return s.body, true
	case "arguments":
		if s.args == nil {
			s.args = s.reader.arguments(s.arguments)
		}
		return s.args, true
	}
	return nil, false
}

// Parent implements cel.Activation.
func (s *sight) Parent() cel.Activation { return nil }

// headerMap has lower-case names; several values of one are joined as RFC 9110
// section 5.3 joins them.
func headerMap(header map[string][]string) ref.Val {
	flat := make(map[string]string, len(header))
	for name, values := range header {
		name = strings.ToLower(textproto.CanonicalMIMEHeaderKey(name))
		flat[name] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return types.NewStringStringMap(types.DefaultTypeAdapter, flat)
}

func quoted(text string) string { return strconv.Quote(text) }
