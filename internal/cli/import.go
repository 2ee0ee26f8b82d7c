package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/openapi"
)

// importFlags say what becomes of a document.
type importFlags struct {
	file                string
	output, url, prefix string
	only, except, tags  []string
	schemaBytes         uint32
}

func (s *session) imports() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make a catalogue of what is described elsewhere",
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(s.importOpenAPI())
	return cmd
}

func (s *session) importOpenAPI() *cobra.Command {
	flags := importFlags{schemaBytes: openapi.DefaultSchemaBytes}
	cmd := &cobra.Command{
		Use:   "openapi FILE",
		Short: "Make a catalogue of the operations of an OpenAPI document",
		Long: "Reads an OpenAPI document (3.0 or 3.1, JSON or YAML; a file, an http or https URL, or - for standard\n" +
			"input) and writes a catalogue to edit: one tool for each operation, with a comment at what could not be\n" +
			"taken over. A catalogue can also import the document whenever it is loaded: docs/openapi.md shows both.\n\n" +
			"A pattern of --only and --except is an operation id, `METHOD /path` or the name of a tool; * stands for\n" +
			"any run of characters.",
		Example: "  toolgate import openapi openapi.yaml -o catalog.yaml\n  toolgate import openapi github.json --tag issues --except 'DELETE *' > issues.yaml",
		Args:    exactlyOne,
		RunE: func(_ *cobra.Command, args []string) error {
			flags.file = args[0]
			return s.runImport(flags)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the file to write; it must not be there (default standard output)")
	f.StringVar(&flags.url, "url", "", "where the server is (default the document's first server)")
	f.StringVar(&flags.prefix, "prefix", "", "put before the name of each tool")
	f.StringArrayVar(&flags.only, "only", nil, "take only operations that fit this pattern; can be given several times")
	f.StringArrayVar(&flags.except, "except", nil, "leave out operations that fit this pattern; can be given several times")
	f.StringArrayVar(&flags.tags, "tag", nil, "take only operations with this tag; can be given several times")
	f.Uint32Var(&flags.schemaBytes, "max-schema-bytes", flags.schemaBytes, "how large the input_schema of one tool may be, 512 to 262144")
	return cmd
}

func exactlyOne(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("which document?", "toolgate import openapi FILE")
	}
	return nil
}

func (s *session) runImport(flags importFlags) error {
	if flags.file == "-" {
		kept, err := s.keepInput()
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(kept) }()
		flags.file = kept
	}
	made, err := s.importDocument(flags)
	if err != nil {
		return err
	}
	text, err := made.catalogue()
	if err != nil {
		return err
	}
	if err := s.writeImport(flags.output, text); err != nil {
		return err
	}
	made.summary()
	return nil
}

// keepInput puts standard input into a file, which an import needs.
func (s *session) keepInput() (name string, err error) {
	file, err := os.CreateTemp("", "openapi-*")
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(file, io.LimitReader(s.Stdin, openapi.MaxBytes+1)); err == nil {
		err = file.Close()
	}
	return file.Name(), err
}

// writeImport never takes the place of a file: a person may have edited it.
func (s *session) writeImport(output string, text []byte) error {
	if output == "" {
		_, err := s.Stdout.Write(text)
		return err
	}
	file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the file that the person named, and others may read it
	if os.IsExist(err) {
		return usage(output+" is there already", "name another file, or remove it first")
	}
	if err != nil {
		return usage(err.Error(), "name a file that can be written")
	}
	if _, err := file.Write(text); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// where finds the document: its absolute path or its URL.
func (f importFlags) where() (string, error) {
	if f.isURL() {
		return f.file, nil
	}
	return filepath.Abs(f.file)
}

func (f importFlags) isURL() bool {
	return strings.HasPrefix(f.file, "http://") || strings.HasPrefix(f.file, "https://")
}

const importTimeout = 15 * time.Second

// glance reads the document itself, for what it says of the whole.
func (f importFlags) glance() (*openapi.Document, error) {
	const next = "an OpenAPI 3.0 or 3.1 document, JSON or YAML"
	data, err := f.bytes()
	if err != nil {
		return nil, usage(err.Error(), next)
	}
	document, err := openapi.Read(data)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s can't be read: %v", f.file, err), next)
	}
	return document, nil
}

func (f importFlags) bytes() ([]byte, error) {
	if !f.isURL() {
		return os.ReadFile(f.file)
	}
	client := &http.Client{Timeout: importTimeout}
	resp, err := client.Get(f.file) //nolint:noctx // the client has a timeout
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", f.file, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, openapi.MaxBytes+1))
}
