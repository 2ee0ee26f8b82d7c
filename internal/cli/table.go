package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is rows of cells for a person: columns aligned, the last one cut to the
// terminal's width.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer, p palette, width int) {
	widths := t.widths()
	line := func(cells []string, style func(string) string) {
		var text strings.Builder
		used := 0
		for i, cell := range cells {
			if i == len(cells)-1 {
				text.WriteString(style(cut(cell, max(width-used, minLastColumn))))
				break
			}
			text.WriteString(style(cell) + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
			used += widths[i] + gap
		}
		fmt.Fprintln(w, strings.TrimRight(text.String(), " "))
	}
	line(t.head, p.bold)
	for _, row := range t.rows {
		line(row, func(s string) string { return s })
	}
}

const (
	gap           = 2
	minLastColumn = 20
)

func (t *table) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// cut shortens text to one line of at most width characters.
func cut(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
