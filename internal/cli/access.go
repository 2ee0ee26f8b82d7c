package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/access"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	catalogschema "toolgate.dev/toolgate/server/catalog/schema"
)

func (s *session) access() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "access",
		Short: "Make keys for callers, and check who may call what",
		Long: "An access file says who may call what (docs/security.md): `toolgate serve --access FILE`. It holds\n" +
			"no key, only what is enough to recognise one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no command access "+args[0], "toolgate access --help lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(s.newKey(), s.hashKey(), s.checkAccess(), s.accessSchema())
	return cmd
}

func (s *session) newKey() *cobra.Command {
	return &cobra.Command{
		Use:   "new-key NAME",
		Short: "Make an API key: shown once, to standard output; the access file's lines go to standard error",
		Long: "Makes an API key of 256 random bits. The key itself goes to standard output, for whoever calls with it,\n" +
			"and is kept nowhere; the lines for the access file go to standard error.",
		Example: "  toolgate access new-key billing-agent > billing-agent.key",
		Args:    one("for whom is the key?", "toolgate access new-key NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			key, kept := access.NewKey()
			fmt.Fprintln(s.Stdout, key)
			fmt.Fprintf(s.Stderr, "principals:\n  %s:\n    keys:\n      - %s\n", args[0], keyLine(kept))
			return nil
		},
	}
}

func (s *session) hashKey() *cobra.Command {
	return &cobra.Command{
		Use:     "hash-key",
		Short:   "Tell what an access file holds of an API key, which is read from standard input",
		Example: "  toolgate access hash-key < billing-agent.key",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			line, _ := bufio.NewReader(s.Stdin).ReadString('\n') // the last line may have no end
			kept, err := access.HashKey(strings.TrimSpace(line))
			if err != nil {
				return usage(err.Error(), "toolgate access new-key NAME makes one")
			}
			fmt.Fprintln(s.Stdout, keyLine(kept))
			return nil
		},
	}
}

func (s *session) accessSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of an access file, for editors",
		Example: "  toolgate access schema > access.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Stdout, catalogschema.Access())
			return err
		},
	}
}

func keyLine(kept access.Key) string {
	return fmt.Sprintf("{id: %s, sha256: %s}", kept.ID, kept.SHA256)
}

func (s *session) checkAccess() *cobra.Command {
	var tools string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check an access file, and tell what each caller of it may do",
		Long: "Checks an access file without serving it. With a catalogue it also names the tools that each caller\n" +
			"may use, and the patterns that fit none.\n\nExit codes: 0 nothing is wrong, 1 the file can't be used, 2 a pattern fits no tool.",
		Example: "  toolgate access check access.yaml --catalog tools.yaml",
		Args:    one("which access file?", "toolgate access check FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			opened, err := s.openAccess(args[0])
			if err != nil {
				return err
			}
			return s.showAccess(opened, tools)
		},
	}
	cmd.Flags().StringVar(&tools, "catalog", "", "catalogue whose tools are named")
	return cmd
}

func one(problem, next string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(problem, next)
		}
		return nil
	}
}

// showAccess prints what each caller may do.
func (s *session) showAccess(opened *server.Access, file string) error {
	names, whole, err := s.toolNames(file)
	if err != nil {
		return err
	}
	policy, unused := opened.Policy(), 0
	list := table{head: []string{"CALLER", "TOOLS", "REPORT", "PER SECOND", "IN FLIGHT"}}
	show := func(caller string, rights *access.Rights) {
		list.add(caller, toolsOf(rights, names), yesNo(rights.MayReport()), bound(rights.Limits().PerSecond), bound(float64(rights.Limits().InFlight)))
		if !whole {
			return
		}
		for _, pattern := range rights.Unused(names) {
			unused++
			fmt.Fprintf(s.Stderr, "%s %s: %q fits no tool of %s\n", s.err.bad("warning:"), caller, pattern, file)
		}
	}
	for _, name := range policy.Principals() {
		show(name, policy.Rights(name))
	}
	for _, name := range policy.Roles() {
		show("role "+name, policy.Role(name))
	}
	if policy.Anonymous() {
		show("anonymous", policy.Rights("anonymous"))
	}
	list.write(s.Stdout, s.out, s.Width)
	if unused > 0 {
		return exitError{code: exitFindings}
	}
	return nil
}

// toolNames names the tools of a catalogue and of the documents beside it. They are
// not the whole where a server would have to be asked for more.
func (s *session) toolNames(file string) (names []string, whole bool, err error) {
	if file == "" {
		return nil, false, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the file that the person named
	if err != nil {
		return nil, false, usage(err.Error(), "--catalog names the YAML file with the tools")
	}
	reading, err := catalog.Read(file, text, catalog.UnreadSecrets(), catalog.AnyFunction(), catalog.WithOffline())
	if err != nil {
		return nil, false, err
	}
	if reading.Catalog == nil {
		printProblems(s.Stderr, s.err, reading.Problems, text)
		return nil, false, usage(file+" names no tools", "mend what is named above")
	}
	defer reading.Catalog.Close()
	for _, tool := range reading.Catalog.Tools() {
		names = append(names, tool.Name)
	}
	return names, s.knowsAll(reading.Warnings), nil
}

// knowsAll prints which tools are missing here: of patterns that fit none of the
// others nothing can be said.
func (s *session) knowsAll(warnings catalog.Problems) bool {
	whole := true
	for _, w := range warnings {
		if strings.Contains(w.Message, "not known here") || strings.Contains(w.Message, "not read here") {
			whole = false
			fmt.Fprintf(s.Stderr, "note: %s\n", w.String())
		}
	}
	return whole
}

// toolsOf names the tools where a catalogue is known, else what is allowed.
func toolsOf(rights *access.Rights, names []string) string {
	if names == nil {
		return rights.String()
	}
	var may []string
	for _, name := range names {
		if rights.Permits(name) {
			may = append(may, name)
		}
	}
	if len(may) == 0 {
		return "none"
	}
	return strings.Join(may, ", ")
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func bound(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
