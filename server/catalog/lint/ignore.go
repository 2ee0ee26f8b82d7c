package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// excuse is one toolgate:ignore comment.
type excuse struct {
	line, column int // of the comment
	rules        []string
	reason       string
	from, to     int // the lines that it covers
	used         map[string]bool
}

var (
	ignoreMark = regexp.MustCompile(`#\s*toolgate:ignore\b(.*)$`)
	ignoreForm = regexp.MustCompile(`^\s+([a-z-]+(?:\s*,\s*[a-z-]+)*)\s*:\s*(\S.*?)\s*$`)
)

// excuse marks the findings that comments cover, and reports comments that cover
// nothing.
func (c *checker) excuse() {
	excuses := c.excuses()
	for i := range c.findings {
		f := &c.findings[i]
		for _, e := range excuses {
			if f.Rule != refused && f.Place.Line >= e.from && f.Place.Line <= e.to && e.names(f.Rule) {
				f.Excuse = e.reason
				e.used[f.Rule] = true
				break
			}
		}
	}
	for _, e := range excuses {
		for _, rule := range e.rules {
			switch {
			case ruleOf(rule).Severity == Note && ruleOf(rule).Title == "":
				c.add(unusedIgnore, e.place(), fmt.Sprintf("there is no rule %q", rule), "the rules are listed in docs/lint.md")
			case !e.used[rule]:
				c.add(unusedIgnore, e.place(), rule+" finds nothing here", "take it out")
			}
		}
	}
}

func (e *excuse) names(rule string) bool {
	return slices.Contains(e.rules, rule)
}

func (e *excuse) place() Place {
	return Place{Line: e.line, Column: e.column, EndColumn: e.column + 1}
}

// excuses reads the comments.
func (c *checker) excuses() (all []*excuse) {
	for i, line := range c.doc.lines {
		at := ignoreMark.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		e := &excuse{line: i + 1, column: utf8.RuneCountInString(line[:at[0]]) + 1, used: map[string]bool{}}
		form := ignoreForm.FindStringSubmatch(line[at[2]:at[3]])
		if form == nil {
			c.add(unusedIgnore, e.place(), "this comment says not what it excuses, or not why", "# toolgate:ignore RULE, RULE: the reason")
			continue
		}
		for rule := range strings.SplitSeq(form[1], ",") {
			e.rules = append(e.rules, strings.TrimSpace(rule))
		}
		e.reason = form[2]
		e.from, e.to = c.covered(i, strings.TrimSpace(line[:at[0]]) == "")
		all = append(all, e)
	}
	return all
}

// covered are the lines, from 1, that a comment in line i covers: its own; or,
// for one that stands alone, what follows, with all that is indented below.
func (c *checker) covered(i int, alone bool) (from, to int) {
	if !alone {
		return i + 1, i + 1
	}
	next := i + 1
	for next < len(c.doc.lines) && isSilent(c.doc.lines[next]) {
		next++
	}
	if next == len(c.doc.lines) {
		return i + 1, i + 1
	}
	indent := indentOf(c.doc.lines[next])
	end := next
	first := strings.HasPrefix(c.doc.lines[next][indent:], "- ") // a list's items may stand as deep as its key
	for j := next + 1; j < len(c.doc.lines); j++ {
		if isSilent(c.doc.lines[j]) {
			continue
		}
		item := strings.HasPrefix(c.doc.lines[j][indentOf(c.doc.lines[j]):], "- ")
		if depth := indentOf(c.doc.lines[j]); depth < indent || depth == indent && (first || !item) {
			break
		}
		end = j
	}
	return next + 1, end + 1
}

// isSilent reports a line that is empty or a comment.
func isSilent(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
