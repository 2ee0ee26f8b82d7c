package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/evidence"
)

// tailFlags say which calls are followed.
type tailFlags struct {
	from, admin, output string
	failed              bool
	lines               int
	filter              evidence.Filter
}

var classNames = []string{evidence.ResultClass, "transient", "invalid_request", "terminal", "abandoned"}

func (s *session) tail() *cobra.Command {
	var flags tailFlags
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follow the calls of a running gateway, or of its log",
		Long: "Prints each call as it finishes: when, which tool, its class, code and field, what it waited and\n" +
			"took, and its run. Nothing of its arguments, nothing of what the tool said.\n\n" +
			"A running gateway is followed over its admin address. --from FILE follows a log, also one that is\n" +
			"rotated; --from - reads standard input to its end. A log holds a sample of the answered calls.",
		Example: "  toolgate tail --class invalid_request\n  toolgate tail --tool transfer_funds --run rent\n  toolgate tail --from gateway.log -o json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.tailCalls(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.from, "from", "", "a log of the gateway (JSON lines) in place of the running one; - is standard input")
	f.StringVar(&flags.admin, "admin", s.defaultAdmin(), "admin address of the gateway; also TOOLGATE_ADMIN")
	f.StringVar(&flags.filter.Tool, "tool", "", "only this tool")
	f.StringVar(&flags.filter.Class, "class", "", "only this class: "+strings.Join(classNames, ", "))
	f.StringVar(&flags.filter.Run, "run", "", "only this run")
	f.StringVar(&flags.filter.Code, "code", "", "only this code")
	f.BoolVar(&flags.failed, "failed", false, "only calls that failed")
	f.IntVarP(&flags.lines, "lines", "n", 10, "how many of the log's last calls to show first")
	f.StringVarP(&flags.output, "output", "o", "", "json or table (default: a table at a terminal, else JSON, one call a line)")
	_ = cmd.RegisterFlagCompletionFunc("tool", s.completeToolFlag)
	_ = cmd.RegisterFlagCompletionFunc("class", cobra.FixedCompletions(classNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (s *session) defaultAdmin() string {
	if address := s.Getenv("TOOLGATE_ADMIN"); address != "" {
		return address
	}
	return "127.0.0.1:7441"
}

func (s *session) tailCalls(ctx context.Context, flags tailFlags) error {
	if flags.output != "" && flags.output != "json" && flags.output != "table" {
		return usage(fmt.Sprintf("-o %s is not an output", flags.output), "-o json or -o table")
	}
	if flags.filter.Class != "" && !slices.Contains(classNames, flags.filter.Class) {
		return usage(fmt.Sprintf("--class %s is not a class", flags.filter.Class), "one of "+strings.Join(classNames, ", "))
	}
	show := s.callsAsJSON
	if flags.output == "table" || flags.output == "" && s.Terminal {
		show = newCallLines(s).show
	}
	chosen := func(call *evidence.Call) {
		if flags.filter.Takes(call) && (!flags.failed || call.Failed()) {
			show(call)
		}
	}
	switch flags.from {
	case "":
		return s.tailGateway(ctx, flags, chosen)
	case "-":
		return s.tailReader(ctx, chosen)
	}
	last := &latest{room: max(0, flags.lines), chosen: func(call *evidence.Call) bool {
		return flags.filter.Takes(call) && (!flags.failed || call.Failed())
	}}
	return s.tailFile(ctx, flags.from, last, chosen)
}

func (s *session) callsAsJSON(call *evidence.Call) {
	text, err := json.Marshal(call)
	if err == nil { // a call always has a JSON form
		fmt.Fprintln(s.Stdout, string(text))
	}
}

// callLines prints calls as lines whose columns keep their width, or grow.
type callLines struct {
	*session
	widths [4]int
}

func newCallLines(s *session) *callLines {
	return &callLines{session: s, widths: [4]int{16, len("invalid_request"), 18, 12}}
}

func (l *callLines) show(call *evidence.Call) {
	cells := [4]string{visible(call.Tool), call.Class, visible(call.Code), visible(call.Field)}
	if call.Expected != "" {
		cells[3] += " (" + call.Expected + ")"
	}
	var line strings.Builder
	line.WriteString(l.out.dim(call.Time.Local().Format("15:04:05.000")))
	for i, cell := range cells {
		l.widths[i] = max(l.widths[i], min(len([]rune(cell)), 40))
		padded := cell + strings.Repeat(" ", max(0, l.widths[i]-len([]rune(cell))))
		if i == 1 {
			padded = l.classColour(call.Class)(padded)
		}
		line.WriteString("  " + padded)
	}
	line.WriteString("  " + strings.Join(l.facts(call), ", "))
	line.WriteString("  " + l.out.dim(visible(call.Run)))
	fmt.Fprintln(l.Stdout, line.String())
}

// facts are what is worth a word: nothing of one attempt that was not waited for.
func (l *callLines) facts(call *evidence.Call) []string {
	facts := []string{shortTime(call.Took)}
	if call.Waited > 0 {
		facts = append(facts, "waited "+shortTime(call.Waited))
	}
	if call.Attempts > 1 {
		facts = append(facts, count(int(call.Attempts), "attempt")) //nolint:gosec // a handful
	}
	if call.AnsweredBy != "" {
		facts = append(facts, "by "+call.AnsweredBy)
	}
	if call.Coerced > 0 {
		facts = append(facts, "coerced")
	}
	if call.Exhausted {
		facts = append(facts, "given up")
	}
	if call.MaybeExecuted {
		facts = append(facts, l.out.bad("maybe executed"))
	}
	return facts
}

func (l *callLines) classColour(class string) func(string) string {
	switch class {
	case evidence.ResultClass:
		return l.out.good
	case "transient", "abandoned":
		return l.out.warn
	case "invalid_request":
		return func(text string) string { return l.out.wrap("35", text) }
	}
	return l.out.bad
}

func shortTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// visible keeps what a stranger wrote from steering the terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '·'
		}
		return r
	}, text)
}

// hostAndPort reports whether an address is one.
func hostAndPort(address string) bool {
	_, _, err := net.SplitHostPort(address)
	return err == nil
}
