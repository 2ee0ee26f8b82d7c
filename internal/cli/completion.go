package cli

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// completionTimeout bounds how long a person waits for a Tab.
const completionTimeout = 2 * time.Second

// completions ask the running gateway. Where none answers they propose nothing:
// a Tab is no place for an error.

// completeTool proposes tools for the first argument.
func (s *session) completeTool(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return s.completeToolFlag(cmd, args, "")
}

// completeToolFlag proposes tools for a flag.
func (s *session) completeToolFlag(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, tool := range s.listedTools(cmd.Context()) {
		all = append(all, cobra.CompletionWithDesc(tool.GetName(), cut(tool.GetDescription(), 60)))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completeCall proposes a tool, then its arguments, then their values.
func (s *session) completeCall(cmd *cobra.Command, args []string, written string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return s.completeTool(cmd, args, written)
	}
	for _, tool := range s.listedTools(cmd.Context()) {
		if tool.GetName() == args[0] {
			return completeArgument(newSchema(tool.GetInputSchemaJson()), args[1:], written)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeArgument proposes `name=`, or behind it the values that the schema
// lists.
func completeArgument(known schema, given []string, written string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _, named := strings.Cut(written, "=")
	if named {
		var all []cobra.Completion
		for _, value := range known.property(strings.TrimSuffix(name, ":")).values() {
			all = append(all, name+"="+value)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, property := range known.names() {
		taken := slices.ContainsFunc(given, func(pair string) bool {
			key, _, _ := strings.Cut(pair, "=")
			return strings.TrimSuffix(key, ":") == property
		})
		if !taken || known.property(property).takes("array") {
			all = append(all, cobra.CompletionWithDesc(property+"=", known.about(property)))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// listedTools asks the gateway, briefly.
func (s *session) listedTools(ctx context.Context) []*toolgatev1.Tool {
	client, err := s.dial()
	if err != nil {
		return nil
	}
	defer func() { _ = client.Close() }() // nothing is left to lose
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	listed, err := client.ListTools(ctx)
	if err != nil {
		return nil
	}
	return listed.GetTools()
}

// names lists the properties, those that are required first.
func (s schema) names() []string {
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(s.node["properties"], &properties) // none: no arguments are known
	names := slices.Sorted(maps.Keys(properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return boolOrder(s.requires(b)) - boolOrder(s.requires(a))
	})
	return names
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// required lists the properties that must be there, in the schema's order.
func (s schema) required() []string {
	var required []string
	_ = json.Unmarshal(s.node["required"], &required) // none is required
	return required
}

func (s schema) requires(name string) bool { return slices.Contains(s.required(), name) }

// about says in a line what a property is.
func (s schema) about(name string) string {
	property := s.property(name)
	parts := []string{strings.Join(property.types(), " or ")}
	if format := property.text("format"); format != "" {
		parts[0] = format
	}
	if s.requires(name) {
		parts = append(parts, "required")
	}
	if text := property.text("description"); text != "" {
		parts = append(parts, text)
	}
	return cut(strings.TrimPrefix(strings.Join(parts, ", "), ", "), 60)
}

// values lists the values that a schema lists, as they are written on a command
// line.
func (s schema) values() (values []string) {
	var listed []json.RawMessage
	_ = json.Unmarshal(s.node["enum"], &listed) // not a list: none is known
	for _, value := range listed {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		values = append(values, text)
	}
	if len(values) == 0 && slices.Equal(s.types(), []string{"boolean"}) {
		return []string{"true", "false"}
	}
	if len(values) == 0 && s.takes("array") && s.node["items"] != nil {
		return s.items().values()
	}
	return values
}
