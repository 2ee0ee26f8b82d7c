package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/redact"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// callFlags are what `call` can be told beside tool and arguments.
type callFlags struct {
	run, id, json, output string
	timeout, wait         time.Duration
	fresh, alternatives   bool
	noInput               bool
}

func (s *session) call() *cobra.Command {
	var flags callFlags
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value… | --json '{…}']",
		Short: "Call a tool and print its result, or what the model would read",
		Long: "Calls a tool through the gateway and prints its result, or the observation of its failure.\n\n" +
			"key=value is typed by the tool's schema where that is known, else a string; a key given twice\n" +
			"is a list; key:=value is JSON as it stands. --json takes the arguments as one text: '{…}',\n" +
			"@FILE, or - for standard input. At a terminal you are asked for what is required and missing;\n" +
			"a script never is.\n\n" +
			"Exit codes: 0 result, 10 transient, 11 invalid_request, 12 terminal, 1 gateway or usage error.",
		Example: "  toolgate call list_invoices start_date=2026-03-14\n" +
			"  toolgate call transfer_funds --run rent --json '{\"account_id\": \"acc_1042\", \"to\": \"acc_9000\", \"amount\": 150.00, \"reference\": \"rent-03\"}'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which tool?", "toolgate call TOOL [key=value…]; `toolgate tools` lists them")
			}
			return nil
		},
		ValidArgsFunction: s.completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.callTool(cmd.Context(), args[0], args[1:], flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.run, "run", "", "the run that the call belongs to (default: a new one)")
	f.StringVar(&flags.id, "call-id", "", "id of the call within its run; a resend joins or repeats it")
	f.StringVar(&flags.json, "json", "", "all arguments as JSON text, @FILE, or -")
	f.StringVarP(&flags.output, "output", "o", "", "json: the whole response")
	f.DurationVar(&flags.timeout, "timeout", 0, "deadline of the call (default: the tool's)")
	f.DurationVar(&flags.wait, "wait", 0, "wait out transient failures for so long, in all")
	f.BoolVar(&flags.fresh, "fresh", false, "a person acted: lift the memory of this call and tool")
	f.BoolVar(&flags.noInput, "no-input", false, "never ask, not at a terminal either")
	f.BoolVar(&flags.alternatives, "alternatives", false, "also look for alternatives that are made on request")
	return cmd
}

func (s *session) callTool(ctx context.Context, tool string, pairs []string, flags callFlags) error {
	if flags.output != "" && flags.output != "json" {
		return usage(fmt.Sprintf("-o %s is not an output", flags.output), "leave it out, or say -o json")
	}
	if flags.run == "" {
		flags.run = "cli-" + strings.ToLower(rand.Text())
	}
	client, err := s.dial(toolgate.WithTransientWait(flags.wait))
	if err != nil {
		return err
	}
	defer client.Close()
	arguments, err := s.arguments(ctx, client, tool, pairs, flags)
	if err != nil {
		return err
	}
	if flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flags.timeout)
		defer cancel()
	}
	progress, done := s.progress, func() {}
	if s.ErrTerminal && s.Getenv("TERM") != "dumb" {
		live := s.startLive(tool)
		progress, done = live.progress, live.stop
	}
	result, err := client.Do(ctx, flags.run, toolgate.Call{
		Tool: tool, Args: arguments, ID: flags.id,
		Fresh: flags.fresh, WantAlternatives: flags.alternatives,
		Progress: progress,
	})
	done()
	return s.answer(result, err, flags.output)
}

// arguments is the text that is sent: --json untouched, else the pairs, and what a
// person at a terminal adds to them.
func (s *session) arguments(ctx context.Context, client *toolgate.Client, tool string, texts []string, flags callFlags) (string, error) {
	asks := s.interactive() && !flags.noInput
	switch {
	case flags.json != "" && len(texts) > 0:
		return "", usage("--json and key=value exclude each other", "put all arguments into one of them")
	case flags.json != "":
		return s.read(flags.json)
	case len(texts) == 0 && !asks:
		return "", nil
	}
	var pairs []pair
	for _, text := range texts {
		p, err := parsePair(text)
		if err != nil {
			return "", err
		}
		pairs = append(pairs, p)
	}
	known, err := s.schemaOf(ctx, client, tool)
	if err != nil {
		return "", err
	}
	if asks {
		given := len(pairs)
		if pairs, err = s.askMissing(ctx, pairs, known); err != nil {
			return "", err
		}
		if len(pairs) > given && !holdsSecret(pairs) {
			s.notef("next time: %s", commandLine(tool, pairs))
		}
	}
	if len(pairs) == 0 {
		return "", nil
	}
	return argumentsOf(pairs, known), nil
}

func holdsSecret(pairs []pair) bool {
	return slices.ContainsFunc(pairs, func(p pair) bool { return redact.SecretName(p.key) })
}

// schemaOf is the tool's schema; one that knows nothing where there is no such
// tool, for the gateway to say so.
func (s *session) schemaOf(ctx context.Context, client *toolgate.Client, tool string) (known schema, err error) {
	listed, err := client.ListTools(ctx)
	if err != nil {
		return schema{}, s.unreachable(err)
	}
	for _, listed := range listed.GetTools() {
		if listed.GetName() == tool {
			known = newSchema(listed.GetInputSchemaJson())
		}
	}
	return known, nil
}

// read takes text as it stands, from @FILE, or from - for standard input.
func (s *session) read(text string) (string, error) {
	var content []byte
	var err error
	switch file, named := strings.CutPrefix(text, "@"); {
	case named:
		content, err = os.ReadFile(file) //nolint:gosec // the file that the person named
	case text == "-":
		content, err = io.ReadAll(s.Stdin)
	default:
		return text, nil
	}
	return string(content), err
}

// progress tells a person what the gateway does while it waits.
func (s *session) progress(p *toolgatev1.CallProgress) {
	after := afterCode(p)
	switch p.GetPhase() {
	case toolgatev1.CallProgress_PHASE_WAIT:
		s.notef("waiting %.3g s%s, %d of %d attempts made", p.GetWait(), after, p.GetAttempt(), p.GetMaxAttempts())
	case toolgatev1.CallProgress_PHASE_QUEUED:
		s.notef("waiting for a turn")
	case toolgatev1.CallProgress_PHASE_WORKING:
		s.notef("%s", working(p))
	case toolgatev1.CallProgress_PHASE_ATTEMPT:
		if p.GetAttempt() > 1 {
			s.notef("attempt %d of %d%s", p.GetAttempt(), p.GetMaxAttempts(), after)
		}
	}
}

// working is what the tool tells of itself: `3 of 10: reading pages`.
func working(p *toolgatev1.CallProgress) string {
	text := "working"
	if p.GetTotal() > 0 {
		text = fmt.Sprintf("%.4g of %.4g", p.GetProgress(), p.GetTotal())
	}
	if p.GetMessage() != "" {
		text += ": " + visible(p.GetMessage())
	}
	return text
}

func (s *session) notef(format string, args ...any) {
	fmt.Fprintln(s.Stderr, s.err.dim(fmt.Sprintf(format, args...)))
}

// answer prints an outcome and ends with its exit code.
func (s *session) answer(result *toolgate.Result, err error, output string) error {
	var failed *toolgate.ToolError
	if err != nil && !errors.As(err, &failed) {
		return s.unreachable(err)
	}
	if output == "json" {
		if err := s.printMessage(responseOf(result, failed)); err != nil {
			return err
		}
		return exitWith(failed)
	}
	if failed != nil {
		s.headline(failed)
		s.printJSON(failed.Observation)
		return exitWith(failed)
	}
	for _, change := range result.GetCoercions() {
		s.notef("sent %s as %s, not %s", orWhole(change.GetField()), change.GetToJson(), change.GetFromJson())
	}
	s.printResult(result)
	return nil
}

func exitWith(failed *toolgate.ToolError) error {
	if failed == nil {
		return nil
	}
	code := map[toolgate.Class]int{
		toolgate.Transient: exitTransient, toolgate.InvalidRequest: exitInvalidRequest, toolgate.Terminal: exitTerminal,
	}[failed.Class]
	return exitError{code: code}
}

func orWhole(field string) string {
	if field == "" {
		return "the arguments"
	}
	return field
}
