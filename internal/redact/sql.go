package redact

import (
	"regexp"
	"strings"
)

// sqlVerbs begin statements and PostgreSQL's echo of one.
var sqlVerbs = []string{
	"select ", "insert into ", "update ", "delete from ", "merge into ", "replace into ", "create ", "alter table ", "drop ",
	"truncate ", "line ", "near '",
}

// statements replaces SQL. A statement begins with its verb and ends with the
// quote or bracket that it stands in, a semicolon, or a sentence.
func (t *text) statements(places []int) {
	var b strings.Builder
	s, done := t.s, 0
	cut := func(from, to int, mark string) {
		b.WriteString(s[done:from])
		b.WriteString(mark)
		done = to
	}
	candidates := 0
	for _, at := range places {
		if candidates++; candidates > maxStatements {
			break
		}
		switch {
		case at < done || (at > 0 && isWord(s[at-1])):
		case s[at] == 'L':
			if line := serverLine.FindStringSubmatch(head(s, at)); line != nil {
				cut(at, at+len(line[0]), gap+" "+line[1])
			}
		case lowerByte(s[at]) == 'n':
			if rest := fragment.FindStringSubmatch(head(s, at)); rest != nil && sqlWords.MatchString(rest[1]) && !t.keep.Has(rest[1]) {
				cut(at, at+len(rest[0]), "near "+sqlMark)
			}
		case isStatement(s[at:]):
			if to := statementEnd(s, at); !t.keep.Has(strings.TrimSpace(s[at:to])) {
				mark := sqlMark
				if label := sqlLabel.FindStringIndex(s[max(done, at-40):at]); label != nil {
					at, mark = max(done, at-40)+label[0], gap
				}
				cut(at, to, mark)
			}
		}
	}
	if done > 0 {
		t.s = b.String() + s[done:]
	}
}

var (
	sqlLabel = regexp.MustCompile(`(?i)(?:\b(?:sql|statement|query|failed query|sql statement|sql query)\s*[:=]\s*|-- )["'\x60]?$`)
	// serverLine is PostgreSQL's echo of the line with the fault and the caret
	// below it.
	serverLine = regexp.MustCompile(`^LINE \d+: .*?(?:\s\^(?:\s|$)|\s((?:HINT|DETAIL|CONTEXT|QUERY):)|$)`)
	// fragment is MySQL's echo of a statement's rest.
	fragment = regexp.MustCompile(`^(?i:near) '(.*?)' at line \d+`)
	sqlWords = regexp.MustCompile(`(?i)\b(?:select|from|where|values|join|order by|group by|set|into|limit)\s`)

	upperSQL = regexp.MustCompile(`^(?s:SELECT\s.+?\sFROM\s|SELECT\s+(?:\d|@@|[\w.]+\()|INSERT INTO\s+\S|UPDATE\s+\S+\s+(?:AS\s+\w+\s+)?SET\s|DELETE FROM\s+\S|` +
		`MERGE INTO\s|REPLACE INTO\s|ALTER TABLE\s|(?:CREATE|DROP|TRUNCATE)\s+(?:\w+\s+){0,3}?(?:TABLE|INDEX|VIEW|FUNCTION|SCHEMA|DATABASE|TYPE|TRIGGER)\s)`)
	// Words alone make no statement in lower case: "select a value from the list".
	lowerSQL = regexp.MustCompile(`^(?is:select\s+(?:\*|[^.!?]*?[*,"\x60=.()][^.!?]*?)\s*from\s+[\w"\x60\[.]+|` +
		`select\s[^.!?]+?\sfrom\s+[\w"\x60\[.]+\s+(?:where|limit|order by|group by|join|inner|left)\s|` +
		`insert into\s+[\w"\x60\[\].]+\s*(?:\(|values\b|select\b)|update\s+[\w"\x60\[\].]+\s+set\s+[\w"\x60\[\].]+\s*=|` +
		`delete from\s+[\w"\x60\[\].]+\s+where\s+[\w"\x60\[\].]+\s*(?:=|<|>|in\b|like\b)|` +
		`(?:create|alter|drop|truncate) table\s+(?:if (?:not )?exists\s+)?["\x60\[]|(?:create|alter) table\s+[\w.]+\s*(?:\(|add\b|drop\b))`)
)

// How far a statement's shape is read, in bytes, and at how many places one is
// looked for.
const (
	maxStatement  = 2400
	maxStatements = 64
)

func head(s string, at int) string { return s[at:min(len(s), at+maxStatement)] }

// isStatement first looks for what stands behind each verb, which is cheap.
func isStatement(s string) bool {
	s = head(s, 0)
	verb := strings.ToLower(s[:min(len(s), 6)])
	rest := s[min(len(s), 6):]
	switch {
	case verb == "select" && !containsFold(rest, " from ") && !selectsConstant.MatchString(rest):
		return false
	case verb == "update" && !containsFold(rest, " set "):
		return false
	}
	return upperSQL.MatchString(s) || lowerSQL.MatchString(s)
}

var selectsConstant = regexp.MustCompile(`^\s+(?:\d|@@|[\w.]+\()`)

func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i] == word[0] && hasPrefixFold(s[i:], word) {
			return true
		}
	}
	return false
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
