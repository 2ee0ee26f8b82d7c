package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	catalogschema "toolgate.dev/toolgate/server/catalog/schema"
)

func (s *session) catalogSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a catalogue, for editors",
		Long: "Prints the JSON Schema (draft 7) of a catalogue. Editors with a YAML language server complete and\n" +
			"check a catalogue whose first line names it:\n\n" +
			"  # yaml-language-server: $schema=catalog.schema.json\n\n" +
			"`toolgate lint` knows more: the schema sees the form of a file alone.",
		Example: "  toolgate schema > catalog.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Stdout, catalogschema.JSON())
			return err
		},
	}
}
