package check

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// failures compares what callers are told when a call fails. A rule is the same
// where it has the same condition, else the same code.
func (p *pair) failures() {
	old, now := p.old.Written.GetErrors(), p.now.Written.GetErrors()
	changed := len(old) != len(now)
	for i, before := range old {
		place := ruleLike(now, before)
		if place < 0 {
			p.codeGone(i, before, now)
			changed = true
			continue
		}
		after := now[place]
		if before.GetClass() != after.GetClass() {
			p.add(errorClassChanged, "", fmt.Sprintf("%s was %s and is %s", ruleName(before), className(before.GetClass()), className(after.GetClass())), "errors", place, "class")
		}
		if before.GetUnblockWith() != "" && before.GetUnblockWith() != after.GetUnblockWith() {
			p.add(unblockRemoved, "", fmt.Sprintf("%s no longer names %s, which unblocks it", ruleName(before), before.GetUnblockWith()), "errors", place)
		}
		if before.GetCode() != "" && before.GetCode() != after.GetCode() {
			p.codeGone(i, before, now)
		}
		changed = changed || !proto.Equal(before, after)
	}
	if changed {
		p.add(errorsChanged, "", "the error rules changed", "errors")
	}
}

// codeGone reports the code of a rule that no rule gives any more.
func (p *pair) codeGone(place int, rule *catalogv1.ErrorRule, now []*catalogv1.ErrorRule) {
	if rule.GetCode() == "" {
		return
	}
	for _, other := range now {
		if other.GetCode() == rule.GetCode() {
			return
		}
	}
	p.gone(errorCodeRemoved, "", fmt.Sprintf("the code %s is no longer given", rule.GetCode()), "errors", place, "code")
}

// ruleLike finds the rule that took the place of another; -1 where none did.
func ruleLike(rules []*catalogv1.ErrorRule, one *catalogv1.ErrorRule) int {
	for i, other := range rules {
		if strings.Join(strings.Fields(other.GetWhen()), " ") == strings.Join(strings.Fields(one.GetWhen()), " ") {
			return i
		}
	}
	for i, other := range rules {
		if one.GetCode() != "" && other.GetCode() == one.GetCode() {
			return i
		}
	}
	return -1
}

func ruleName(rule *catalogv1.ErrorRule) string {
	if rule.GetCode() != "" {
		return rule.GetCode()
	}
	return "what " + rule.GetWhen() + " finds"
}

func className(class catalogv1.Class) string {
	return strings.ToLower(strings.TrimPrefix(class.String(), "CLASS_"))
}
