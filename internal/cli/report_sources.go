package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/evidence"
	toolgate "toolgate.dev/toolgate/sdk/go"
	"toolgate.dev/toolgate/server/catalog"
)

// maxReportRows is what a gateway lists at most.
const maxReportRows = 1000

// surfaces are the tools as far as they are known, and where they stand.
type surfaces struct {
	tools map[string]*evidence.Surface
	file  string // empty: not known
	root  *yaml.Node
	index map[string]int // of a tool in the file
}

// evidence reads what happened, and what the tools look like.
func (s *session) evidence(ctx context.Context, flags reportFlags) (*evidence.Day, *surfaces, error) {
	known := &surfaces{tools: map[string]*evidence.Surface{}, index: map[string]int{}}
	if flags.catalog != "" {
		if err := known.read(flags.catalog); err != nil {
			return nil, nil, err
		}
	}
	if flags.from != "" {
		day, err := s.loggedDay(flags.from)
		return day, known, err
	}
	conn, err := s.connect()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close() }()
	told, err := toolgatev1.NewToolGatewayServiceClient(conn).GetFailureReport(ctx, &toolgatev1.GetFailureReportRequest{Tool: flags.tool, Limit: maxReportRows})
	if err != nil {
		return nil, nil, s.unreachable(err)
	}
	if flags.catalog == "" {
		err = known.ask(ctx, toolgate.New(conn))
	}
	if err != nil {
		return nil, nil, s.unreachable(err)
	}
	return evidence.FromReport(told), known, nil
}

func (s *session) connect() (*grpc.ClientConn, error) {
	target, options, err := s.dialing()
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(target, append(options, grpc.WithDisableRetry())...)
	if err != nil {
		return nil, usage(err.Error(), dialHelp)
	}
	return conn, nil
}

func (s *session) loggedDay(from string) (*evidence.Day, error) {
	log, err := s.open(from)
	if err != nil {
		return nil, usage(err.Error(), "--from takes the log of a gateway, or -")
	}
	defer func() { _ = log.Close() }() // it was only read
	day, err := evidence.ReadLog(log)
	if err == nil && day.Calls == 0 && day.Skipped > 0 {
		return nil, usage("nothing in "+from+" is a line of a gateway's log", "a gateway writes it with `serve --log-format json`, the default, to standard error")
	}
	return day, err
}

func (k *surfaces) ask(ctx context.Context, client *toolgate.Client) error {
	listed, err := client.ListTools(ctx)
	for _, tool := range listed.GetTools() {
		k.tools[tool.GetName()] = &evidence.Surface{Tool: tool.GetName(), Schema: tool.GetInputSchemaJson()}
	}
	return err
}

// read takes the surfaces from a catalogue, be it one that would be refused.
func (k *surfaces) read(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the file that the person named
	if errors.Is(err, fs.ErrNotExist) {
		return usage("there is no file "+file, "--catalog names the YAML file with the tools")
	}
	if err != nil {
		return err
	}
	reading, err := catalog.Read(file, text, catalog.Alone())
	if err != nil {
		return err
	}
	k.file, k.root = file, reading.Root
	for _, entry := range reading.Entries {
		written := entry.Written
		surface := &evidence.Surface{Tool: written.GetName(), Schema: written.GetInputSchema()}
		for _, rule := range written.GetErrors() {
			surface.Rules = append(surface.Rules, evidence.Rule{
				Field: rule.GetField(), Code: rule.GetCode(), Accepted: rule.GetAccepted(), Range: rule.GetRange(),
			})
		}
		k.tools[surface.Tool], k.index[surface.Tool] = surface, entry.Index
	}
	return nil
}

// place says where in the file each change belongs.
func (k *surfaces) place(found *evidence.Report) {
	if k.root == nil {
		return
	}
	for i := range found.Failures {
		k.placeFix(found.Failures[i].Tool, found.Failures[i].Fix)
	}
	for i := range found.Guesses {
		k.placeFix(found.Guesses[i].Tool, found.Guesses[i].Fix)
	}
}

func (k *surfaces) placeFix(tool string, fix *evidence.Fix) {
	index, known := k.index[tool]
	if fix == nil || !known {
		return
	}
	path := strings.Replace(fix.Path, "tools["+tool+"]", "tools["+strconv.Itoa(index)+"]", 1)
	fix.File, fix.FileLine = k.file, lineAt(k.root, path)
}

var pathStep = regexp.MustCompile(`[^.\[\]]+`)

// lineAt is the line at which a path stands, or the nearest above it that does.
func lineAt(node *yaml.Node, path string) int {
	line := node.Line
	for _, step := range pathStep.FindAllString(path, -1) {
		key, value := memberOf(node, step)
		if value == nil {
			break
		}
		node, line = value, key.Line
	}
	return line
}

// memberOf finds a member by name, or an item by its place.
func memberOf(node *yaml.Node, step string) (key, value *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i], node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if place, err := strconv.Atoi(step); err == nil && place < len(node.Content) {
			return node.Content[place], node.Content[place]
		}
	}
	return nil, nil
}
