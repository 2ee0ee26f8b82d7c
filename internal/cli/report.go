package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/evidence"
)

// reportFlags say of what the report is.
type reportFlags struct {
	from, catalog, tool, output string
	rows                        int
	classified                  bool
}

func (s *session) report() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Show which failures come back, what they cost, and the line that ends them",
		Long: "Sums up the failures of a running gateway since it started, or of its log, by tool, field and code:\n" +
			"their share of the calls, what they cost in round trips and tokens, and the change of the catalogue\n" +
			"that would end each, the ones to mend first on top. Then the classes that only a status speaks for,\n" +
			"the tools that time out or cool down, and the runs that brought nothing back.\n\n" +
			"Tokens are estimated: the bytes of a failure's observation, read once and again with every later\n" +
			"call of its run, at 4 bytes a token.\n\n" +
			"With --catalog the changes name the file's lines, and know its error rules.\n" +
			"With --require-classified the exit code is 1 while any class is a guess: for CI.",
		Example: "  toolgate report\n  toolgate report --from gateway.log --catalog catalog.yaml\n  kubectl logs deploy/toolgate | toolgate report --from - -o json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.output != "" && flags.output != "json" && flags.output != "table" {
				return usage(fmt.Sprintf("-o %s is not an output", flags.output), "-o json or -o table")
			}
			return s.showReport(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.from, "from", "", "a log of the gateway (JSON lines) in place of the running one; - is standard input")
	f.StringVar(&flags.catalog, "catalog", s.Getenv("TOOLGATE_CATALOG"), "the catalogue that the changes are for; also TOOLGATE_CATALOG (default: what the running gateway lists)")
	f.StringVar(&flags.tool, "tool", "", "only this tool")
	f.IntVar(&flags.rows, "rows", 10, "how many of each list a table shows; JSON has all")
	f.BoolVar(&flags.classified, "require-classified", false, "exit with 1 if only a status speaks for a class")
	f.StringVarP(&flags.output, "output", "o", "", "json or table (default: a table at a terminal, else json)")
	_ = cmd.RegisterFlagCompletionFunc("tool", s.completeToolFlag)
	return cmd
}

func (s *session) showReport(ctx context.Context, flags reportFlags) error {
	day, surfaces, err := s.evidence(ctx, flags)
	if err != nil {
		return err
	}
	if flags.tool != "" {
		day.Only(flags.tool)
	}
	found := evidence.New(day, surfaces.tools)
	surfaces.place(found)
	if flags.output == "table" || flags.output == "" && s.Terminal {
		s.reportTables(found, max(1, flags.rows))
	} else {
		text, err := compactJSON(found)
		if err != nil {
			return err
		}
		s.printJSON(text)
	}
	if flags.classified && len(found.Guesses) > 0 {
		return usage(count(len(found.Guesses), "kind")+" of failure classified by a status alone",
			"an error rule, or `provider` where a vocabulary reads these failures, says what they are")
	}
	return nil
}
