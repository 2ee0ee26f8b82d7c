package diagnose

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheFirstLookNeverHidesAMatch(t *testing.T) {
	texts := []string{
		"a", "Rate limit exceeded", "rate limit reached for x", "Too many requests.", "You have exceeded a secondary rate limit",
		"please try again later", "It failed. Please retry later.", "cannot be done in its current state", "API rate limit exceeded for user ID 1.",
		"The access token expired", "Insufficient funds", "Permission denied", "slot is no longer available", "é", "x\n", "(#4) limit",
		"Operation cannot be fulfilled on pods \"a\": the object has been modified; x", "5 of 7 required status checks", "\"quoted\"",
	}
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	patterns, spared := 0, 0
	for _, v := range e.registry.all {
		for _, rule := range v.rules {
			all := slices.Clone(rule.message)
			for _, m := range rule.match {
				all = append(all, m.pattern)
			}
			for i := range all {
				patterns++
				for _, text := range texts {
					may := all[i].mayMatch(text, strings.ToLower(text))
					if !may && all[i].MatchString(text) {
						t.Errorf("%s: the first look hides %q from %s", v.name, text, all[i].String())
					}
					if !may {
						spared++
					}
				}
			}
		}
	}
	if spared*2 < patterns*len(texts) {
		t.Errorf("the first look spared only %d of %d runs", spared, patterns*len(texts))
	}
}

func TestBordersOfPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		may           bool
	}{
		{`^abc`, "abc", true}, {`^abc`, "xabc", false}, {`(?i)^abc`, "ABC", true},
		{`^(?:a|b)c`, "bc", true}, {`^(?:a|b)c`, "cc", false},
		{`^(?:please )?try`, "try", true}, {`^(?:please )?try`, "please try", true}, {`^(?:please )?try`, "x", false},
		{`later\.?$`, "later", true}, {`later\.?$`, "later.", true}, {`later\.?$`, "later!", false},
		{`^\d+ x`, "7 x", true}, {`^\d+ x`, "x", false}, {`^[^.]*x`, "yx", true}, {`x`, "yxy", true},
		{`^a*b`, "b", true}, {`^a*b`, "aab", true}, {`^(?P<x>\S+) is`, "it is", true}, {`^a|b`, "xb", true},
	} {
		p := newPattern(regexp.MustCompile(c.pattern))
		if p.mayMatch(c.text, strings.ToLower(c.text)) != c.may {
			t.Errorf("%s on %q: may %v", c.pattern, c.text, !c.may)
		}
	}
}

func FuzzFirstLook(f *testing.F) {
	f.Add(`^(?:a|b+)c?$`, "ac")
	f.Add(`(?i)^x[^y]*z$`, "XZ")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		if err != nil || text == "" || len(pattern) > 200 || len(text) > 200 {
			return
		}
		for i := range len(text) {
			if text[i] >= 0x80 {
				return // folding beyond ASCII is out of the first look's reach
			}
		}
		if p := newPattern(re); !p.mayMatch(text, strings.ToLower(text)) && re.MatchString(text) {
			t.Errorf("%s is hidden from %q", pattern, text)
		}
	})
}
