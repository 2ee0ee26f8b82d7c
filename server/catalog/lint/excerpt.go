package lint

import (
	"regexp"
	"strings"

	"toolgate.dev/toolgate/internal/redact"
)

// Excerpt is a line of the file with the place that is meant.
type Excerpt struct {
	Line   int
	Text   string // secrets that were found are masked; cut where it is long
	Column int    // of the place in Text, from 1
	Width  int    // at least 1
}

// excerptWidth keeps a long line from filling the screen, in characters.
const excerptWidth = 110

// Excerpt shows the line of a finding. The zero Excerpt stands for a place that
// is not in the file.
func (r *Report) Excerpt(f Finding) Excerpt { return r.excerpt(f.Place) }

// ExcerptOf shows the other line that a finding is about.
func (r *Report) ExcerptOf(related *Related) Excerpt { return r.excerpt(related.Place) }

func (r *Report) excerpt(p Place) Excerpt {
	if p.Line < 1 || p.Line > len(r.document.lines) {
		return Excerpt{}
	}
	line := []rune(veiled(strings.ReplaceAll(r.document.lines[p.Line-1], "\t", " ")))
	for _, mask := range r.masks[p.Line] {
		for i := mask.Column - 1; i < min(mask.EndColumn-1, len(line)); i++ {
			line[i] = '*'
		}
		if mask.EndColumn-mask.Column <= 1 { // a text of several lines
			line = append(line[:min(mask.Column-1, len(line))], []rune("***")...)
		}
	}
	start := 0
	if over := p.Column - excerptWidth*3/4; len(line) > excerptWidth && over > 0 {
		start = min(over, len(line)-1)
	}
	shown := string(line[start:min(len(line), start+excerptWidth)])
	column := p.Column - start
	if start > 0 {
		shown, column = "…"+shown, column+1
	}
	if len(line) > start+excerptWidth {
		shown += "…"
	}
	width := max(1, min(p.EndColumn-p.Column, len([]rune(shown))-column+1))
	return Excerpt{Line: p.Line, Text: shown, Column: column, Width: width}
}

// named is a name with a value behind it.
var named = regexp.MustCompile(`([A-Za-z0-9_-]+)["']?\s*[:=]\s*("[^"]*"|'[^']*'|[^\s,{}\[\]]+)`)

// veiled masks what may be a secret in a line that is shown for another fault: a
// misspelt key keeps what stands below it from being read.
func veiled(line string) string {
	for _, at := range named.FindAllStringSubmatchIndex(line, -1) {
		value := strings.Trim(line[at[4]:at[5]], `"'`)
		if redact.SecretName(line[at[2]:at[3]]) && meansSomething(value) && value != "string" {
			line = line[:at[4]] + strings.Repeat("*", at[5]-at[4]) + line[at[5]:]
		}
	}
	if start, end, found := secretIn(line); found {
		line = line[:start] + strings.Repeat("*", end-start) + line[end:]
	}
	return line
}
