// Command protodoc is a protoc plugin: the reference of the protos as Markdown,
// a page for each package, and the JSON Schema of ToolError.
package main

import (
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/types/pluginpb"
)

const schemaOf = "toolgate.v1.ToolError"

func main() {
	protogen.Options{}.Run(func(plugin *protogen.Plugin) error {
		plugin.SupportedFeatures = uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL)
		var packages []string
		files := map[string][]*protogen.File{}
		for _, file := range plugin.Files {
			if !file.Generate {
				continue
			}
			name := string(file.Desc.Package())
			if files[name] == nil {
				packages = append(packages, name)
			}
			files[name] = append(files[name], file)
		}
		for _, name := range packages {
			_, _ = plugin.NewGeneratedFile(name+".md", "").Write(page(name, files[name]))
			for _, message := range messages(files[name]) {
				if string(message.Desc.FullName()) != schemaOf {
					continue
				}
				schema, err := schemaFor(message)
				if err != nil {
					return err
				}
				_, _ = plugin.NewGeneratedFile("tool_error.schema.json", "").Write(schema)
			}
		}
		return nil
	})
}

// messages are those of the files and those within them.
func messages(files []*protogen.File) (all []*protogen.Message) {
	for _, file := range files {
		all = append(all, nested(file.Messages)...)
	}
	return all
}

func nested(messages []*protogen.Message) (all []*protogen.Message) {
	for _, message := range messages {
		if message.Desc.IsMapEntry() {
			continue
		}
		all = append(all, message)
		all = append(all, nested(message.Messages)...)
	}
	return all
}
