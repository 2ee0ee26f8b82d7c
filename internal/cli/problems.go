package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"toolgate.dev/toolgate/server/catalog"
)

// printProblems prints what is wrong with a catalogue, each problem with the
// line that it stands in.
func printProblems(w io.Writer, p palette, err error, text []byte) {
	var problems catalog.Problems
	if !errors.As(err, &problems) {
		fmt.Fprintln(w, err)
		return
	}
	lines := strings.Split(string(text), "\n")
	for _, problem := range problems {
		place := problem
		place.Message, place.Accepted, place.Suggestion = "", "", ""
		fmt.Fprintf(w, "%s %s\n", p.bold(strings.TrimSuffix(place.String(), " ")), problem.Message)
		if problem.Line > 0 && problem.Line <= len(lines) {
			printExcerpt(w, p, lines[problem.Line-1], problem.Line, problem.Column)
		}
		if problem.Suggestion != "" {
			fmt.Fprintf(w, "  did you mean %s?\n", p.good(problem.Suggestion))
		}
		if problem.Accepted != "" {
			fmt.Fprintf(w, "  accepted: %s\n", problem.Accepted)
		}
	}
}

// excerptWidth keeps a long line, and a secret that stands in one by mistake,
// from filling the screen.
const excerptWidth = 100

func printExcerpt(w io.Writer, p palette, line string, number, column int) {
	runes := []rune(strings.TrimRight(strings.ReplaceAll(line, "\t", " "), "\r"))
	if len(runes) > excerptWidth {
		runes = append(runes[:excerptWidth], '…')
	}
	margin := strconv.Itoa(number)
	fmt.Fprintf(w, "  %s %s\n", p.dim(margin+" |"), string(runes))
	if column > 0 && column <= len(runes) {
		fmt.Fprintf(w, "  %s %s%s\n", p.dim(strings.Repeat(" ", len(margin))+" |"), strings.Repeat(" ", column-1), p.bad("^"))
	}
}
