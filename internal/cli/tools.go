package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func (s *session) tools() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "tools [TOOL]",
		Short: "List the tools of the gateway, or show one",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("one tool at a time", "toolgate tools [TOOL]")
			}
			return nil
		},
		ValidArgsFunction: s.completeTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "" && output != "json" && output != "table" {
				return usage(fmt.Sprintf("-o %s is not an output", output), "-o json or -o table")
			}
			asTable := output == "table" || output == "" && s.Terminal
			return s.showTools(cmd.Context(), slices.Concat(args, []string{""})[0], asTable)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json or table (default: a table at a terminal, else json)")
	return cmd
}

func (s *session) showTools(ctx context.Context, only string, asTable bool) error {
	client, err := s.dial()
	if err != nil {
		return err
	}
	defer client.Close()
	listed, err := client.ListTools(ctx)
	if err != nil {
		return s.unreachable(err)
	}
	if only != "" {
		listed.Tools = slices.DeleteFunc(listed.GetTools(), func(t *toolgatev1.Tool) bool { return t.GetName() != only })
		if len(listed.GetTools()) == 0 {
			return usage(fmt.Sprintf("the gateway has no tool %q", only), "`toolgate tools` lists them")
		}
	}
	switch {
	case !asTable:
		return s.toolsJSON(listed)
	case only != "":
		s.toolPage(listed.GetTools()[0])
	default:
		s.toolsTable(listed.GetTools())
	}
	return nil
}

func (s *session) toolsTable(tools []*toolgatev1.Tool) {
	list := table{head: []string{"TOOL", "EFFECT", "DESCRIPTION"}}
	for _, tool := range tools {
		list.add(tool.GetName(), effectName(tool), tool.GetDescription())
	}
	list.write(s.Stdout, s.out, s.Width)
}

// toolPage shows one tool with its arguments.
func (s *session) toolPage(tool *toolgatev1.Tool) {
	fmt.Fprintf(s.Stdout, "%s %s\n%s\n", s.out.bold(tool.GetName()), s.out.dim("("+effectName(tool)+")"), tool.GetDescription())
	known := newSchema(tool.GetInputSchemaJson())
	var properties map[string]json.RawMessage
	var required []string
	_ = json.Unmarshal(known.node["properties"], &properties) // none: no arguments are known
	_ = json.Unmarshal(known.node["required"], &required)
	if len(properties) == 0 {
		return
	}
	fmt.Fprintln(s.Stdout)
	list := table{head: []string{"ARGUMENT", "TYPE", "", "DESCRIPTION"}}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		must := ""
		if slices.Contains(required, name) {
			must = "required"
		}
		property := known.property(name)
		list.add(name, strings.Join(property.types(), " or "), must, property.text("description"))
	}
	list.write(s.Stdout, s.out, s.Width)
}

// toolsJSON prints the tools with their schemas as JSON, not as JSON in strings.
func (s *session) toolsJSON(listed *toolgatev1.ListToolsResponse) error {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Effect      string          `json:"effect"`
		InputSchema json.RawMessage `json:"input_schema,omitempty"`
	}
	tools := []tool{}
	for _, t := range listed.GetTools() {
		tools = append(tools, tool{t.GetName(), t.GetDescription(), effectName(t), json.RawMessage(t.GetInputSchemaJson())})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		CatalogVersion string `json:"catalog_version"`
		Contract       string `json:"contract"`
		Tools          []tool `json:"tools"`
	}{listed.GetCatalogVersion(), listed.GetContract(), tools})
	if err != nil {
		return fmt.Errorf("the gateway sent a schema that is not JSON: %w", err)
	}
	s.printJSON(strings.TrimSpace(text.String()))
	return nil
}

func effectName(tool *toolgatev1.Tool) string {
	switch tool.GetEffect() {
	case toolgatev1.Effect_EFFECT_READ:
		return "read"
	case toolgatev1.Effect_EFFECT_IDEMPOTENT:
		return "idempotent"
	default:
		return "write"
	}
}
