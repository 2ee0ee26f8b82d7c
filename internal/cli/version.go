package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func (s *session) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Stdout, "toolgate "+buildVersion())
			return err
		},
	}
}

// buildVersion is the module's version, else the commit, as the build recorded
// them.
func buildVersion() string {
	return fmt.Sprintf("%s (%s, %s/%s)", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, dirty := info.Main.Version, ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision" && (version == "" || version == "(devel)"):
			version = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "+dirty"
		}
	}
	// A build without a version calls itself (devel): parentheses are a comment in
	// a User-Agent.
	return strings.Trim(strings.TrimSuffix(version, "+dirty"), "()") + dirty
}

// noArguments is cobra.NoArgs with a hint.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), args[0]), "see "+cmd.CommandPath()+" --help")
}
