package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// page is the reference of one package.
func page(name string, files []*protogen.File) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", name)
	out.WriteString("\n<!-- Written by `make generate` from the comments of the protos. -->\n")
	for _, file := range files {
		fmt.Fprintf(&out, "\n## %s\n", file.Desc.Path())
		for _, service := range file.Services {
			writeService(&out, service)
		}
		for _, message := range nested(file.Messages) {
			writeMessage(&out, message)
		}
		for _, enum := range enums(file) {
			writeEnum(&out, enum)
		}
	}
	return []byte(out.String())
}

func enums(file *protogen.File) []*protogen.Enum {
	all := append([]*protogen.Enum(nil), file.Enums...)
	for _, message := range nested(file.Messages) {
		all = append(all, message.Enums...)
	}
	return all
}

func heading(out *strings.Builder, desc protoreflect.Descriptor, comments protogen.CommentSet) {
	fmt.Fprintf(out, "\n### %s\n\n%s\n", local(desc), comment(comments))
}

func writeService(out *strings.Builder, service *protogen.Service) {
	heading(out, service.Desc, service.Comments)
	out.WriteString("\n| rpc | takes | gives | |\n| --- | --- | --- | --- |\n")
	for _, method := range service.Methods {
		gives := link(method.Output.Desc)
		if method.Desc.IsStreamingServer() {
			gives = "a stream of " + gives
		}
		fmt.Fprintf(out, "| `%s` | %s | %s | %s |\n", method.Desc.Name(), link(method.Input.Desc), gives, cell(method.Comments))
	}
}

func writeMessage(out *strings.Builder, message *protogen.Message) {
	heading(out, message.Desc, message.Comments)
	if len(message.Fields) == 0 {
		return
	}
	out.WriteString("\n| field | no. | type | |\n| --- | --- | --- | --- |\n")
	for _, field := range message.Fields {
		name := fmt.Sprintf("`%s`", field.Desc.Name())
		if field.Desc.HasJSONName() && field.Desc.JSONName() != string(field.Desc.Name()) && field.Desc.Name() == "error_class" {
			name += fmt.Sprintf(" (JSON: `%s`)", field.Desc.JSONName())
		}
		kind := typeOf(field.Desc)
		if choice := field.Oneof; choice != nil && !choice.Desc.IsSynthetic() {
			kind += fmt.Sprintf(", one of `%s`", choice.Desc.Name())
		}
		fmt.Fprintf(out, "| %s | %d | %s | %s |\n", name, field.Desc.Number(), kind, cell(field.Comments))
	}
}

func writeEnum(out *strings.Builder, enum *protogen.Enum) {
	heading(out, enum.Desc, enum.Comments)
	out.WriteString("\n| value | no. | |\n| --- | --- | --- |\n")
	for _, value := range enum.Values {
		fmt.Fprintf(out, "| `%s` | %d | %s |\n", value.Desc.Name(), value.Desc.Number(), cell(value.Comments))
	}
}

func typeOf(field protoreflect.FieldDescriptor) string {
	switch {
	case field.IsMap():
		return fmt.Sprintf("map of %s to %s", scalar(field.MapKey()), scalar(field.MapValue()))
	case field.IsList():
		return "repeated " + scalar(field)
	case field.HasOptionalKeyword():
		return "optional " + scalar(field)
	}
	return scalar(field)
}

func scalar(field protoreflect.FieldDescriptor) string {
	switch {
	case field.Message() != nil:
		return link(field.Message())
	case field.Enum() != nil:
		return link(field.Enum())
	}
	return field.Kind().String()
}

// link names a type; those of the page's own package are links within it.
func link(desc protoreflect.Descriptor) string {
	if strings.HasPrefix(string(desc.FullName()), "google.") {
		return fmt.Sprintf("`%s`", desc.FullName())
	}
	name := local(desc)
	anchor := strings.NewReplacer(".", "").Replace(strings.ToLower(name))
	return fmt.Sprintf("[%s](%s.md#%s)", name, desc.ParentFile().Package(), anchor)
}

// local is a name within its package.
func local(desc protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(desc.FullName()), string(desc.ParentFile().Package())+".")
}

func comment(comments protogen.CommentSet) string {
	var lines []string
	for line := range strings.Lines(string(comments.Leading)) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\n"), " ")
		lines = append(lines, line)
	}
	return listed(lines)
}

// listed fences lines that are set in columns.
func listed(lines []string) string {
	var out []string
	fenced := false
	for _, line := range lines {
		if columns := strings.HasPrefix(line, "  "); columns != fenced {
			fence := "```"
			if columns {
				fence = "\n```text"
			}
			out, fenced = append(out, fence), columns
		}
		out = append(out, line)
	}
	if fenced {
		out = append(out, "```")
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// cell is a comment within a table.
func cell(comments protogen.CommentSet) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(string(comments.Leading)), " "), "|", `\|`)
}
