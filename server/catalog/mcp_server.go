package catalog

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

const maxMCPStart = 5 * time.Minute

// readMCP reads what an upstream says of its server.
func (b *builder) readMCP(at at, u *upstream) *mcpServer {
	written, before := u.written.GetMcp(), len(b.report.found)
	place := at.field("mcp")
	m := &mcpServer{upstream: u, spec: mcpbackend.Spec{
		Upstream: u.name, StartTimeout: defaultMCPStart, Speaks: u.written.GetSpeaks() == catalogv1.Speaks_SPEAKS_TOOLGATE,
	}}
	reader := policyReader{report: b.report, at: place}
	reader.span("start_timeout", written.GetStartTimeout(), &m.spec.StartTimeout, time.Millisecond, maxMCPStart)
	switch program := written.GetProgram(); {
	case program != nil && u.written.GetUrl() != "":
		b.report.sayf(place.field("program"), "url: …, or mcp: {program: …}", "the server is either a program or at a URL")
	case program != nil:
		b.readProgram(place.field("program"), program, &m.spec)
	case u.written.GetUrl() == "":
		b.report.sayf(place, "url: …, or mcp: {program: {command: …}}", "nobody says where the server is")
	case u.base != nil:
		m.spec.URL = u.base.String()
		m.spec.Header = http.Header{}
		for name, value := range joined(u.written.GetHeaders(), u.secrets.sent) {
			m.spec.Header.Set(name, value)
		}
		m.spec.Secrets = u.secrets.values
		m.spec.Connect, m.spec.Connections = b.connectionsOf(u)
		if u.bearer != nil {
			m.spec.Bearer = u.bearer
		}
	}
	u.wrong = u.wrong || len(b.report.found) > before
	return m
}

func (b *builder) readProgram(at at, written *catalogv1.McpProgram, spec *mcpbackend.Spec) {
	if written.GetCommand() == "" {
		b.report.sayf(at, "command: …", "the program is missing")
	}
	folder := filepath.Dir(b.source.name)
	if written.GetFolder() != "" {
		folder = within(folder, written.GetFolder())
	}
	program := &mcpbackend.Program{Command: written.GetCommand(), Arguments: written.GetArguments(), Folder: folder}
	if strings.ContainsRune(program.Command, filepath.Separator) {
		program.Command = within(folder, program.Command)
	}
	secret := b.readSecrets(at.field("secret_environment"), written.GetSecretEnvironment())
	spec.Secrets = secret.values
	b.checkVariables(at.field("environment"), written.GetEnvironment())
	b.checkVariables(at.field("secret_environment"), secret.sent)
	environment := maps.Clone(written.GetEnvironment())
	if environment == nil {
		environment = map[string]string{}
	}
	maps.Copy(environment, secret.sent)
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		program.Environment = append(program.Environment, name+"="+environment[name])
	}
	spec.Program = program
}

// within is a path, relative to a folder.
func within(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	joined, err := filepath.Abs(filepath.Join(folder, path))
	if err != nil { // the folder that the gateway stands in is gone
		return filepath.Join(folder, path)
	}
	return joined
}

func (b *builder) checkVariables(at at, variables map[string]string) {
	for _, name := range sortedKeys(variables) {
		switch {
		case !envName.MatchString(name):
			b.report.sayf(at.field(name), "letters, digits and _", "%s is no name of a variable", quote(name))
		case strings.ContainsRune(variables[name], 0):
			b.report.sayf(at.field(name), "text", "the value holds a zero byte")
		}
	}
}
