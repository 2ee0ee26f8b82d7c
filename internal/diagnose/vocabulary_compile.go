package diagnose

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

func (c *compiler) place(e entry) place {
	p, err := parsePlace(e.text)
	if err != nil {
		c.faultf(e.line, "%v", err)
	}
	return p
}

func (c *compiler) places(list entries) []place {
	out := make([]place, 0, len(list))
	for _, e := range list {
		out = append(out, c.place(e))
	}
	return out
}

func (c *compiler) bodyPlaces(list entries) []place {
	for _, e := range list {
		if !strings.HasPrefix(e.text, "/") {
			c.faultf(e.line, "%q: only a /pointer may stand here", e.text)
		}
	}
	return c.places(list)
}

func (c *compiler) fieldPlaces(list entries) []fieldPlace {
	out := make([]fieldPlace, 0, len(list))
	for _, e := range list {
		switch e.text {
		case "@key":
			out = append(out, fieldPlace{key: true})
		case "@path":
			out = append(out, fieldPlace{path: true})
		default:
			out = append(out, fieldPlace{place: c.place(e)})
		}
	}
	return out
}

// waits reads "PLACE UNIT".
func (c *compiler) waits(list entries) []waitPlace {
	out := make([]waitPlace, 0, len(list))
	for _, e := range list {
		where, unit, _ := strings.Cut(e.text, " ")
		out = append(out, waitPlace{place: c.place(entry{where, e.line}), unit: c.unit(strings.TrimSpace(unit), e.line)})
	}
	return out
}

func (c *compiler) unit(s string, line int) waitUnit {
	u, ok := waitUnits[s]
	if !ok {
		c.faultf(line, "%q is no unit of waits", s)
	}
	return u
}

func (c *compiler) facts(m map[string]entry) []factPlace {
	out := make([]factPlace, 0, len(m))
	for name, e := range m {
		out = append(out, factPlace{name: name, place: c.place(e)})
	}
	slices.SortFunc(out, func(a, b factPlace) int { return strings.Compare(a.name, b.name) })
	return out
}

func (c *compiler) alternatives(list []conditionsFile) [][]condition {
	out := make([][]condition, 0, len(list))
	for _, conditions := range list {
		out = append(out, c.conditions(conditions))
	}
	return out
}

func (c *compiler) conditions(list conditionsFile) []condition {
	out := make([]condition, 0, len(list))
	for _, f := range list {
		one := condition{place: c.place(f.place)}
		for _, e := range f.values {
			one.values = append(one.values, c.wanted(e))
		}
		if len(one.values) == 0 {
			c.faultf(f.place.line, "%s has no value to compare with", f.place.text)
		}
		out = append(out, one)
	}
	return out
}

func (c *compiler) wanted(e entry) wanted {
	if e.text == nullText {
		return wanted{absent: true}
	}
	if strings.Contains(strings.Trim(e.text, "*"), "*") {
		c.faultf(e.line, "%q: a star may stand at an end only", e.text)
	}
	return newWanted(e.text)
}

func (c *compiler) wantedList(list entries) []wanted {
	out := make([]wanted, 0, len(list))
	for _, e := range list {
		out = append(out, c.wanted(e))
	}
	return out
}

// pattern compiles RE2 and, where it decides, demands an anchor.
func (c *compiler) pattern(e entry, decides bool) *regexp.Regexp {
	bare := strings.TrimPrefix(e.text, "(?i)")
	loose := strings.HasPrefix(bare, "^.*") || strings.HasPrefix(bare, "^.+") || strings.HasPrefix(bare, "^(?s).*")
	if decides && (loose || !strings.HasPrefix(bare, "^") && !strings.HasSuffix(bare, "$")) {
		c.faultf(e.line, "pattern %q is not anchored: begin it with ^ (and not with ^.*) or end it with $", e.text)
	}
	re, err := regexp.Compile(e.text)
	if err != nil {
		c.faultf(e.line, "pattern %q: %v", e.text, err)
		return regexp.MustCompile(`^\z.`)
	}
	return re
}

// codes files the lists; a code in two lists is refused.
func (c *compiler) codes(v *vocabulary, lists map[string][]entry) {
	v.exact = map[string]meaning{}
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		codes := lists[list]
		m, ok := meanings[list]
		if !ok {
			line := 0
			if len(codes) > 0 {
				line = codes[0].line
			}
			c.faultf(line, "codes: there is no list %q", list)
		}
		for _, e := range codes {
			if strings.Contains(e.text, "*") {
				v.wild = append(v.wild, wildCode{code: c.wanted(e), meaning: m})
				continue
			}
			key := foldCode(e.text)
			if v.name == commonName {
				key = looseCode(e.text)
			}
			if known, twice := v.exact[key]; twice && known != m {
				c.faultf(e.line, "code %q stands twice", e.text)
			}
			v.exact[key] = m
		}
	}
	// The longest pattern is the most exact one.
	slices.SortFunc(v.wild, func(a, b wildCode) int {
		if d := len(b.code.text) - len(a.code.text); d != 0 {
			return d
		}
		return strings.Compare(a.code.text, b.code.text)
	})
}

// foldCode makes codes comparable.
func foldCode(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func (c *compiler) rule(f *ruleFile) providerRule {
	r := providerRule{
		codes: c.wantedList(f.Code), methods: c.wantedList(f.Method), where: c.conditions(f.Where),
	}
	for _, e := range f.Status {
		r.statuses = append(r.statuses, c.status(e))
	}
	for _, e := range f.Message {
		r.message = append(r.message, newPattern(c.pattern(e, true)))
	}
	for where, e := range f.Match {
		r.match = append(r.match, placePattern{place: c.place(entry{where, e.line}), pattern: newPattern(c.pattern(e, true))})
	}
	slices.SortFunc(r.match, func(a, b placePattern) int { return strings.Compare(a.pattern.String(), b.pattern.String()) })
	if len(r.codes)+len(r.methods)+len(r.where)+len(r.statuses)+len(r.message)+len(r.match) == 0 {
		c.faultf(f.line, "a rule without a condition")
	}
	if f.Class != "" {
		r.meaning, r.classed = meanings[f.Class], true
		if _, ok := meanings[f.Class]; !ok {
			c.faultf(f.line, "class: there is no list %q", f.Class)
		}
	}
	r.result = c.result(f)
	return r
}

func (c *compiler) result(f *ruleFile) ruleResult {
	r := ruleResult{
		field: texts(f.Field), problem: f.Problem, format: f.Format, span: f.Range,
		blockedBy: f.BlockedBy, wait: c.waits(f.Wait), waitUnit: c.unit(f.WaitUnit, f.line),
		waitDefault: f.WaitDefault, facts: c.facts(f.Facts), partial: f.Partial,
	}
	switch f.Executed {
	case "":
	case "no":
		r.executed = interceptors.ExecutedNo
	case "maybe":
		r.executed = interceptors.ExecutedMaybe
	default:
		c.faultf(f.line, "executed: %q is neither no nor maybe", f.Executed)
	}
	switch f.Scope {
	case "", "tool", "account":
		r.account = f.Scope == "account"
	default:
		c.faultf(f.line, "scope: %q is neither tool nor account", f.Scope)
	}
	if text, literal := strings.CutPrefix(f.CodeAs, "="); literal {
		r.code = text
	} else if f.CodeAs != "" {
		p := c.place(entry{f.CodeAs, f.line})
		r.codePlace = &p
	}
	if len(f.Accepted) == 1 && strings.HasPrefix(f.Accepted[0].text, "/") {
		p := c.place(f.Accepted[0])
		r.acceptedPlace = &p
	} else {
		r.accepted = texts(f.Accepted)
	}
	if a := f.Alternatives; a != nil {
		p := c.place(a.Each)
		r.alternatives, r.alternativeArg = &p, a.Argument
	}
	return r
}

func (c *compiler) status(e entry) statusRange {
	if len(e.text) == 3 && strings.HasSuffix(strings.ToLower(e.text), "xx") && digits(e.text) == 1 {
		low := int(e.text[0]-'0') * 100
		return statusRange{low, low + 99}
	}
	n, err := strconv.Atoi(e.text)
	if err != nil {
		c.faultf(e.line, "status: %q is neither a number nor 4xx, 5xx", e.text)
	}
	return statusRange{n, n}
}
