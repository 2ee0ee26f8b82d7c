package redact

import (
	"regexp"
	"strings"
)

// statements replaces SQL. A statement begins with its keyword and ends with
// the quote or bracket that it stands in, a semicolon, or a sentence.
func (t *text) statements() {
	if !mentionsSQL(t.lower) {
		return
	}
	t.s = replace(t.s, serverLine, t.keep, always(gap))
	var b strings.Builder
	s, done := t.s, 0
	for _, at := range sqlStart.FindAllStringIndex(s, -1) {
		if at[0] < done || !isStatement(s[at[0]:]) {
			continue
		}
		from, to := at[0], statementEnd(s, at[0])
		if t.keep.Has(strings.TrimSpace(s[from:to])) {
			continue
		}
		mark := sqlMark
		if label := sqlLabel.FindStringIndex(s[done:from]); label != nil {
			from, mark = done+label[0], gap
		}
		b.WriteString(s[done:from])
		b.WriteString(mark)
		done = to
	}
	if done > 0 {
		t.s = b.String() + s[done:]
	}
}

func mentionsSQL(lower string) bool {
	for _, word := range []string{"select", "insert into", "update", "delete from", "merge into", "replace into", "create ", "alter ", "drop ", "truncate", "line "} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

var (
	sqlStart = regexp.MustCompile(`(?i)\b(?:select|insert into|update|delete from|merge into|replace into|` +
		`create (?:or replace )?(?:temp(?:orary)? |unique )?(?:table|index|view|function|schema)|alter table|drop (?:table|index|view|schema)|truncate table)\s`)
	sqlLabel = regexp.MustCompile(`(?i)(?:\b(?:sql|statement|query|failed query|sql statement|sql query)\s*[:=]\s*|-- )["'\x60]?$`)
	// serverLine is PostgreSQL's echo of the line with the fault and the caret
	// below it.
	serverLine = regexp.MustCompile(`\bLINE \d+: .*?(?:\s\^(?:\s|$)|\s(?:HINT|DETAIL|CONTEXT|QUERY):|$)`)

	upperSQL = regexp.MustCompile(`^(?s:SELECT\s.+?\sFROM\s|SELECT\s+(?:\d|@@|[\w.]+\()|INSERT INTO\s+\S|UPDATE\s+\S+\s+(?:AS\s+\w+\s+)?SET\s|DELETE FROM\s+\S|` +
		`MERGE INTO\s|REPLACE INTO\s|CREATE\s|ALTER TABLE\s|DROP\s|TRUNCATE TABLE\s)`)
	// Words alone make no statement in lower case: "select a value from the list".
	lowerSQL = regexp.MustCompile(`^(?is:select\s+(?:\*|[^.!?]*?[*,"\x60=.()][^.!?]*?)\s*from\s+[\w"\x60\[.]+|select\s[^.!?]+?\sfrom\s+[\w"\x60\[.]+\s+(?:where|limit|order by|group by|join|inner|left)\s|` +
		`insert into\s+[\w"\x60\[\].]+\s*(?:\(|values\b|select\b)|update\s+[\w"\x60\[\].]+\s+set\s+[\w"\x60\[\].]+\s*=|delete from\s+[\w"\x60\[\].]+\s+where\s+[\w"\x60\[\].]+\s*(?:=|<|>|in\b|like\b)|` +
		`(?:create|alter|drop|truncate) table\s+(?:if (?:not )?exists\s+)?["\x60\[]|(?:create|alter) table\s+[\w.]+\s*(?:\(|add\b|drop\b))`)
)

func isStatement(s string) bool {
	s = s[:min(len(s), 2400)]
	return upperSQL.MatchString(s) || lowerSQL.MatchString(s)
}

// statementStops end a statement that nothing encloses.
var statementStops = regexp.MustCompile(`;|\.\s+[A-Z]|\s(?:HINT|DETAIL|CONTEXT|SQLSTATE)\b|\s\[parameters|\s\(Background`)

func statementEnd(s string, from int) int {
	if from > 0 {
		switch quote := s[from-1]; quote {
		case '"', '\'', '`':
			if end := endOfQuote(s, from, quote); end > 0 {
				return end
			}
		}
	}
	end := len(s)
	if stop := statementStops.FindStringIndex(s[from:]); stop != nil {
		end = from + stop[0]
		if s[end] == ';' {
			end++
		}
	}
	depth := 0
	for i := from; i < end; i++ {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return end
}

// endOfQuote finds the quote that ends a quoted statement: one that no letter
// follows and that is not doubled.
func endOfQuote(s string, from int, quote byte) int {
	for i := from; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 == len(s) || (s[i+1] != quote && !isWord(s[i+1]) && s[i+1] != '.') {
			// A literal inside ('x' AND …) goes on with an operator or a bracket.
			if next := strings.TrimLeft(s[i+1:], " "); quote == '\'' && (strings.HasPrefix(next, "AND ") || strings.HasPrefix(next, ")")) {
				continue
			}
			return i
		}
	}
	return 0
}
