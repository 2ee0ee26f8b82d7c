package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/check"
)

// checkFlags are how two catalogues are compared.
type checkFlags struct {
	output  string
	verbose bool
	allow   []string
	list    bool
}

func (s *session) check() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check OLD NEW",
		Short: "Tell what the change of a catalogue breaks for callers",
		Long: "Compares two catalogues and lists what breaks those who call the tools: a tool or an argument gone,\n" +
			"an argument newly required, values, types and bounds taken away, an effect or a failure's class\n" +
			"changed. - is standard input.\n\n" +
			"Exit codes: 0 nothing breaks, 1 a catalogue can't be read or the command is wrong, 2 something breaks.",
		Example: "  git show HEAD:tools.yaml | toolgate check - tools.yaml\n  toolgate check --allow tool-removed:old_tool old.yaml new.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			if flags.list {
				return s.listKinds(flags.output)
			}
			return s.runCheck(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "text", "text or json (one document)")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "list what breaks nobody, too")
	f.StringSliceVar(&flags.allow, "allow", nil, "breaking changes that are meant: RULE or RULE:TOOL")
	f.BoolVar(&flags.list, "rules", false, "list the kinds of changes and compare nothing")
	return cmd
}

func (s *session) runCheck(args []string, flags checkFlags) error {
	switch {
	case len(args) != 2:
		return usage("which two catalogues?", "toolgate check OLD NEW; - is standard input")
	case args[0] == "-" && args[1] == "-":
		return usage("both catalogues can't come from standard input", "name one of them")
	case flags.output != "text" && flags.output != "json":
		return usage(fmt.Sprintf("-o %s is not an output", flags.output), "-o text or -o json")
	}
	if err := knownRules(flags.allow); err != nil {
		return err
	}
	var both [2]*catalog.Reading
	for i, name := range args {
		reading, err := s.readCatalog(name)
		if err != nil {
			return err
		}
		defer reading.Catalog.Close()
		both[i] = reading
	}
	changes := check.Compare(both[0], both[1])
	if err := s.printChanges(changes, flags); err != nil {
		return err
	}
	if slices.ContainsFunc(changes, func(c check.Change) bool { return c.Breaking && !isAllowed(c, flags.allow) }) {
		return exitError{code: exitFindings}
	}
	return nil
}

// readCatalog reads one of the two; one that would be refused can't be compared.
func (s *session) readCatalog(name string) (*catalog.Reading, error) {
	text, err := s.contents(name)
	if err != nil {
		return nil, usage(err.Error(), "toolgate check takes the YAML files before and after")
	}
	reading, err := catalog.Read(name, text, catalog.Alone())
	if err != nil {
		return nil, err
	}
	if reading.Catalog == nil {
		printProblems(s.Stderr, s.err, reading.Problems, text)
		return nil, usage(name+" can't be compared", "mend what is named above")
	}
	return reading, nil
}

func knownRules(allow []string) error {
	for _, one := range allow {
		rule, _, _ := strings.Cut(one, ":")
		if !slices.ContainsFunc(check.Rules(), func(known check.Rule) bool { return known.ID == rule }) {
			return usage(fmt.Sprintf("--allow: there is no rule %q", rule), "toolgate check --rules lists them")
		}
	}
	return nil
}

func isAllowed(c check.Change, allow []string) bool {
	return slices.Contains(allow, c.Rule) || slices.Contains(allow, c.Rule+":"+c.Tool)
}

func (s *session) printChanges(changes []check.Change, flags checkFlags) error {
	if flags.output == "json" {
		return s.printChangesJSON(changes, flags)
	}
	breaking, allowed, others := 0, 0, 0
	for _, c := range changes {
		mark := s.out.bad("breaking")
		switch {
		case c.Breaking && isAllowed(c, flags.allow):
			allowed++
			mark = s.out.warn("allowed")
		case c.Breaking:
			breaking++
		default:
			others++
			mark = s.out.dim("compatible")
		}
		if c.Breaking || flags.verbose {
			fmt.Fprintf(s.Stdout, "%s %s %s\n  %s: %s\n", s.out.bold(fmt.Sprintf("%s:%d:%d:", c.File, c.Line, c.Column)), mark, s.out.dim(c.Rule), c.Tool, c.Message)
		}
	}
	line := count(breaking, "breaking change")
	if allowed > 0 {
		line += fmt.Sprintf(", %d allowed", allowed)
	}
	line += fmt.Sprintf(", %d compatible", others)
	if others > 0 && !flags.verbose {
		line += " (-v lists them)"
	}
	s.notef("%s", line)
	return nil
}

// changeDocument is what `check -o json` prints. Its names are kept.
type changeDocument struct {
	Changes []changeLine `json:"changes"`
	Summary struct {
		Breaking   int `json:"breaking"`
		Allowed    int `json:"allowed"`
		Compatible int `json:"compatible"`
	} `json:"summary"`
}

type changeLine struct {
	Rule     string `json:"rule"`
	Breaking bool   `json:"breaking"`
	Allowed  bool   `json:"allowed"`
	Tool     string `json:"tool,omitempty"`
	Field    string `json:"field,omitempty"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

func (s *session) printChangesJSON(changes []check.Change, flags checkFlags) error {
	document := changeDocument{Changes: []changeLine{}}
	for _, c := range changes {
		allowed := c.Breaking && isAllowed(c, flags.allow)
		switch {
		case allowed:
			document.Summary.Allowed++
		case c.Breaking:
			document.Summary.Breaking++
		default:
			document.Summary.Compatible++
		}
		document.Changes = append(document.Changes, changeLine{c.Rule, c.Breaking, allowed, c.Tool, c.Field, c.Message, c.File, c.Line, c.Column})
	}
	text, err := compactJSON(document)
	if err != nil {
		return err
	}
	s.printJSON(text)
	return nil
}

// listKinds prints what check tells apart.
func (s *session) listKinds(output string) error {
	if output == "json" {
		for _, rule := range check.Rules() {
			line, err := compactJSON(struct {
				ID       string `json:"id"`
				Breaking bool   `json:"breaking"`
				Title    string `json:"title"`
			}(rule))
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Stdout, line)
		}
		return nil
	}
	rows := table{head: []string{"RULE", "BREAKS", "CHANGE"}}
	for _, rule := range check.Rules() {
		rows.add(rule.ID, map[bool]string{true: "yes", false: "no"}[rule.Breaking], strings.TrimSuffix(rule.Title, "."))
	}
	rows.write(s.Stdout, s.out, s.Width)
	return nil
}
