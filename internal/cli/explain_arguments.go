package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/arguments"
)

func (s *session) explainArguments() *cobra.Command {
	var schemaFile, text, casesFile, output string
	cmd := &cobra.Command{
		Use:   "arguments --schema FILE --json '{…}'",
		Short: "Show what would be changed in arguments, or is wrong with them, and why",
		Long: "Judges the JSON text of a call's arguments by a JSON Schema, as the gateway would.\n\n" +
			"--cases FILE answers many, one JSON object a line (id, schema, arguments), with one line each:\n" +
			"{\"id\", \"outcome\": \"pass|coerce|reject\", \"arguments\", \"changed\", \"errors\"}.",
		Example: `  toolgate explain arguments --schema schema.json --json '{"days": "3"}'`,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case casesFile != "":
				return s.eachLine(casesFile, answerArguments)
			case schemaFile == "":
				return usage("which schema?", "--schema FILE holds the tool's input_schema as JSON; - is standard input")
			case output != "" && output != "json" && output != "table":
				return usage(fmt.Sprintf("-o %s is not an output", output), "-o json or -o table")
			}
			return s.showArguments(schemaFile, text, output == "table" || output == "" && s.Terminal)
		},
	}
	f := cmd.Flags()
	f.StringVar(&schemaFile, "schema", "", "file with the JSON Schema")
	f.StringVar(&text, "json", "", "the arguments as JSON text, @FILE, or -")
	f.StringVar(&casesFile, "cases", "", "answer many, one JSON object a line")
	f.StringVarP(&output, "output", "o", "", "json or table (default: a table at a terminal, else json)")
	return cmd
}

func (s *session) showArguments(schemaFile, text string, asTable bool) error {
	schema, err := s.readAll(schemaFile)
	if err != nil {
		return err
	}
	if text, err = s.read(text); err != nil {
		return err
	}
	explained, err := arguments.Explain(schema, text)
	if err != nil {
		return usage(err.Error(), "the gateway would refuse the catalogue")
	}
	if asTable {
		s.argumentsTable(explained)
		return nil
	}
	line, err := compactJSON(explained)
	if err != nil {
		return err
	}
	s.printJSON(line)
	return nil
}

func (s *session) argumentsTable(explained arguments.Explanation) {
	fmt.Fprintf(s.Stdout, "%s %s\n", s.out.bold(explained.Outcome), explained.Arguments)
	changes := table{head: []string{"FIELD", "FROM", "TO", "RULE"}}
	for _, change := range explained.Changed {
		changes.add(change.Field, string(change.From), string(change.To), change.Rule)
	}
	faults := table{head: []string{"FIELD", "PROBLEM", "MESSAGE"}}
	for _, problem := range explained.Errors {
		faults.add(problem.Field, problem.Problem, sentence(problem.Message, problem.Accepted, problem.Suggest))
	}
	for _, list := range []table{changes, faults} {
		if len(list.rows) > 0 {
			fmt.Fprintln(s.Stdout)
			list.write(s.Stdout, s.out, s.Width)
		}
	}
}

// answerArguments answers one case. A schema that does not compile refuses
// everything.
func answerArguments(line []byte) ([]byte, error) {
	var given struct {
		ID        string          `json:"id"`
		Schema    json.RawMessage `json:"schema"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(line, &given); err != nil {
		return nil, fmt.Errorf("a case is one JSON object per line: %w", err)
	}
	explained, err := arguments.Explain(given.Schema, string(given.Arguments))
	if err != nil {
		explained = arguments.Explanation{
			Outcome: "reject", Changed: []arguments.Change{},
			Errors: []arguments.Problem{{Problem: "schema", Message: err.Error()}},
		}
	}
	answer, err := compactJSON(struct {
		ID string `json:"id"`
		arguments.Explanation
	}{given.ID, explained})
	return []byte(answer), err
}

// compactJSON writes a value on one line, markup as it is.
func compactJSON(value any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return string(bytes.TrimSpace(text.Bytes())), err
}
