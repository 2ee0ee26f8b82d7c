package lint

import "strings"

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
	line := []rune(strings.ReplaceAll(r.document.lines[p.Line-1], "\t", " "))
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
