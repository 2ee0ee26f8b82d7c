package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/lint"
)

// exitFindings says that a file was read, and that what was looked for is in it.
const exitFindings = 2

// lintFlags are how catalogues are looked at.
type lintFlags struct {
	named                []string
	output, failOn, fix  string
	secrets, waits, list bool
}

func (s *session) lint() *cobra.Command {
	var flags lintFlags
	cmd := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Review catalogues without serving them",
		Long: "Reads catalogues as a reviewer would: what the gateway refuses, and what it serves and is a fault\n" +
			"all the same. Each finding has its rule, its place, and what to write instead; docs/lint.md lists the\n" +
			"rules. A finding that is meant to be so is excused beside it:\n\n" +
			"  # toolgate:ignore RULE, RULE: the reason\n\n" +
			"Exit codes: 0 nothing to fail on, 1 a file can't be read or the command is wrong, 2 findings of the\n" +
			"--fail-on severity or worse.",
		Example: "  toolgate lint examples/catalog.yaml\n  toolgate lint --fix tools.yaml\n  toolgate lint -o sarif --fail-on warning tools.yaml > lint.sarif",
		RunE: func(_ *cobra.Command, args []string) error {
			flags.named = slices.Concat(args, flags.named)
			return s.runLint(flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.named, "catalog", nil, "another way to name a FILE; - is standard input")
	f.StringVarP(&flags.output, "output", "o", "text", "text, json (one document) or sarif (2.1.0)")
	f.StringVar(&flags.failOn, "fail-on", "error", "the severity that exits with 2: error, warning, note or never")
	f.StringVar(&flags.fix, "fix", "", "write fixes into the files: sure ones, or all that a finding proposes")
	f.Lookup("fix").NoOptDefVal = fixSure
	f.BoolVar(&flags.secrets, "secrets", false, "read secrets as serve does, and report those that can't be")
	f.BoolVar(&flags.waits, "waits", false, "list how long a call may take tool by tool")
	f.BoolVar(&flags.list, "rules", false, "list the rules and look at no file")
	return cmd
}

// What --fix takes.
const (
	fixSure = "sure"
	fixAll  = "all"
)

func (s *session) runLint(flags lintFlags) error {
	if flags.list {
		return s.listRules(flags.output)
	}
	limit, err := flags.limit()
	if err != nil {
		return err
	}
	switch {
	case len(flags.named) == 0:
		return usage("which catalogue?", "toolgate lint FILE…")
	case !slices.Contains([]string{"text", "json", "sarif"}, flags.output):
		return usage(fmt.Sprintf("-o %s is not an output", flags.output), "-o text, -o json or -o sarif")
	case !slices.Contains([]string{"", fixSure, fixAll}, flags.fix):
		return usage(fmt.Sprintf("--fix=%s is not a choice", flags.fix), "--fix, --fix=sure or --fix=all")
	case flags.fix != "" && slices.Contains(flags.named, "-"):
		return usage("standard input can't be fixed", "name the file")
	}
	review := &review{session: s, flags: flags}
	for _, name := range flags.named {
		if err := review.read(name); err != nil {
			return err
		}
	}
	if err := review.print(); err != nil {
		return err
	}
	if limit != nil && review.worst() >= *limit {
		return exitError{code: exitFindings}
	}
	return nil
}

// limit is the severity to fail on; nil: none.
func (f lintFlags) limit() (*lint.Severity, error) {
	if f.failOn == "never" {
		return nil, nil
	}
	severity, err := lint.ParseSeverity(f.failOn)
	if err != nil {
		return nil, usage("--fail-on: "+err.Error(), "--fail-on error, warning, note or never")
	}
	return &severity, nil
}

// review is what came of all files.
type review struct {
	*session

	flags   lintFlags
	reports []*lint.Report
	fixed   []lint.Finding
}

func (r *review) read(name string) error {
	text, err := r.contents(name)
	if err != nil {
		return usage(err.Error(), "toolgate lint takes the YAML files with the tools")
	}
	options := []catalog.Option{catalog.AnyFunction()}
	switch {
	case name == "-": // nothing is known of where it stands
		options = []catalog.Option{catalog.Alone()}
	case !r.flags.secrets:
		options = append(options, catalog.UnreadSecrets())
	}
	if r.flags.fix != "" {
		if text, err = r.fix(name, text, options); err != nil {
			return err
		}
	}
	report, err := lint.Check(name, text, options...)
	if err != nil {
		return err
	}
	r.reports = append(r.reports, report)
	return nil
}

// fix writes what can be fixed into the file and returns its new text.
func (r *review) fix(name string, text []byte, options []catalog.Option) ([]byte, error) {
	fixed, err := lint.Fix(name, text, func(f lint.Finding) bool { return f.Sure || r.flags.fix == fixAll }, options...)
	if err != nil || len(fixed.Done) == 0 {
		return text, err
	}
	about, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(name, fixed.Data, about.Mode().Perm()); err != nil {
		return nil, usage(err.Error(), "the file can't be written; without --fix it is only read")
	}
	r.fixed = append(r.fixed, fixed.Done...)
	return fixed.Data, nil
}

// worst is the severity of the worst finding; below all where there is none.
func (r *review) worst() lint.Severity {
	worst := lint.Note - 1
	for _, report := range r.reports {
		for _, f := range report.Findings {
			worst = max(worst, f.Severity)
		}
	}
	return worst
}

func (r *review) print() error {
	switch r.flags.output {
	case "json":
		return r.printJSONReport()
	case "sarif":
		text, err := lint.SARIF(moduleVersion(), r.reports)
		if err != nil {
			return err
		}
		r.printJSON(string(text))
		return nil
	}
	r.printText()
	return nil
}

// listRules prints what lint looks for.
func (s *session) listRules(output string) error {
	if output == "json" {
		for _, rule := range lint.Rules() {
			line, err := compactJSON(struct {
				ID       string `json:"id"`
				Severity string `json:"severity"`
				Title    string `json:"title"`
				Why      string `json:"why"`
			}{rule.ID, rule.Severity.String(), rule.Title, rule.Why})
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Stdout, line)
		}
		return nil
	}
	rows := table{head: []string{"RULE", "SEVERITY", "FINDS"}}
	for _, rule := range lint.Rules() {
		rows.add(rule.ID, rule.Severity.String(), strings.TrimSuffix(rule.Title, "."))
	}
	rows.write(s.Stdout, s.out, s.Width)
	return nil
}
