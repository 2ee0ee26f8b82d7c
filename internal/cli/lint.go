package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server/catalog"
)

func (s *session) lint() *cobra.Command {
	var output string
	var named []string
	cmd := &cobra.Command{
		Use:     "lint FILE…",
		Short:   "Check catalogues without serving them",
		Long:    "Loads each catalogue and prints everything that is wrong with it, with the place in the file.\nThe exit code is 1 if a catalogue would be refused.",
		Example: "  toolgate lint examples/catalog.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			files := slices.Concat(args, named)
			switch {
			case len(files) == 0:
				return usage("which catalogue?", "toolgate lint FILE…")
			case output != "" && output != "json" && output != "text":
				return usage(fmt.Sprintf("-o %s is not an output", output), "-o json or -o text")
			}
			return s.lintAll(files, output == "json")
		},
	}
	cmd.Flags().StringArrayVar(&named, "catalog", nil, "another way to name a FILE")
	cmd.Flags().StringVarP(&output, "output", "o", "", "text (default) or json: one object a line")
	return cmd
}

func (s *session) lintAll(files []string, asJSON bool) error {
	refused := 0
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // the file that the person named
		if err != nil {
			return usage(err.Error(), "toolgate lint takes the YAML files with the tools")
		}
		tools, err := catalog.Parse(file, text)
		if err == nil {
			s.notef("%s: %s, nothing wrong", file, count(len(tools.Tools()), "tool"))
			tools.Close()
			continue
		}
		refused++
		if err := s.printLint(err, text, asJSON); err != nil {
			return err
		}
	}
	if refused > 0 {
		return exitError{code: exitFailure}
	}
	return nil
}

func (s *session) printLint(err error, text []byte, asJSON bool) error {
	if !asJSON {
		printProblems(s.Stdout, s.out, err, text)
		return nil
	}
	var problems catalog.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for _, p := range problems {
		line, err := compactJSON(struct {
			File       string `json:"file"`
			Line       int    `json:"line"`
			Column     int    `json:"column"`
			Path       string `json:"path"`
			Message    string `json:"message"`
			Accepted   string `json:"accepted,omitempty"`
			Suggestion string `json:"suggestion,omitempty"`
		}(p))
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Stdout, line)
	}
	return nil
}

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
