package catalog

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// importFrom enters the tools that a server lists. Whatever a list holds, it refuses
// no catalogue: what can't be entered is left out with a warning.
func (b *builder) importFrom(at at, written *catalogv1.McpImport) {
	m := b.mcp[written.GetUpstream()]
	if m == nil {
		b.noServer(at, written.GetUpstream())
		return
	}
	b.checkOverlay(at, written)
	if m.upstream.wrong || !b.prefixFits(at, written.GetPrefix()) {
		return
	}
	listed, known := m.list()
	if !known {
		b.unlisted = append(b.unlisted, written)
		b.warnUnlisted(at, m)
		return
	}
	overlaid := map[string]bool{}
	for i := range listed {
		if !selected(written.GetSelect(), listed[i].Name) {
			continue
		}
		tool := m.describe(&listed[i])
		tool.Name = written.GetPrefix() + listed[i].Name
		tool.Backend = &catalogv1.Tool_Mcp{Mcp: &catalogv1.McpCall{Tool: listed[i].Name}}
		b.enterListed(at, written, tool, overlaid)
	}
	for _, pattern := range sortedKeys(written.GetTools()) {
		if !overlaid[pattern] {
			b.report.warn(at.field("tools").field(pattern), Problem{
				Message: "the server lists no tool that fits " + quote(pattern), Suggestion: nearest(pattern, m.names()),
				Accepted: strings.Join(m.names(), ", "),
			})
		}
	}
}

func (b *builder) noServer(at at, name string) {
	servers := sortedKeys(b.mcp)
	switch other, known := b.upstreams[name]; {
	case name == "":
		b.report.sayf(at, "upstream: a key of upstreams that has mcp", "nobody says which server's tools")
	case known && other.written.GetMcp() == nil:
		b.report.sayf(at.field("upstream"), "one that has mcp", "the upstream %s is no MCP server", quote(name))
	default:
		b.report.add(at.field("upstream"), Problem{
			Message: "no upstream is named " + quote(name), Suggestion: nearest(name, servers), Accepted: strings.Join(servers, ", "),
		})
	}
}

func (b *builder) prefixFits(at at, prefix string) bool {
	if wordOf(prefix) && len(prefix) <= maxNameBytes/2 {
		return true
	}
	b.report.sayf(at.field("prefix"), "up to 32 of A-Z a-z 0-9 _ . -", "%s can't begin the name of a tool", quote(prefix))
	return false
}

func (b *builder) warnUnlisted(at at, m *mcpServer) {
	if m.server == nil {
		b.report.warn(at, Problem{Message: "the tools of " + quote(m.upstream.name) + " are not known here: its server is not asked for them"})
		return
	}
	message := "the server " + quote(m.upstream.name) + " has not listed its tools: they are missing until it does"
	if cause := m.server.Trouble(); cause != "" {
		message += "; " + cause
	}
	b.report.warn(at, Problem{Message: message})
}

// checkOverlay refuses what can't be put over a listed tool.
func (b *builder) checkOverlay(at at, written *catalogv1.McpImport) {
	for _, pattern := range sortedKeys(written.GetTools()) {
		over, place := written.GetTools()[pattern], at.field("tools").field(pattern)
		switch {
		case over.GetBackend() != nil:
			b.report.sayf(place, "all but name, upstream, http, grpc, mcp, function", "where the tool goes is said by its server")
		case over.GetName() != "" || over.GetUpstream() != "":
			b.report.sayf(place, "all but name, upstream, http, grpc, mcp, function", "name and upstream are the import's: see prefix")
		}
	}
}

// enterListed enters one tool with what is put over it, the less specific first.
func (b *builder) enterListed(at at, written *catalogv1.McpImport, tool *catalogv1.Tool, overlaid map[string]bool) {
	own, exact := tool.GetMcp().GetTool(), ""
	patterns := sortedKeys(written.GetTools())
	slices.SortStableFunc(patterns, func(x, y string) int { return cmp.Compare(weight(x), weight(y)) })
	for _, pattern := range patterns {
		if !globbed(pattern, tool.GetName()) && !globbed(pattern, own) {
			continue
		}
		overlaid[pattern] = true
		if !strings.Contains(pattern, "*") {
			exact = pattern
		}
		proto.Merge(tool, written.GetTools()[pattern])
	}
	place := at.field("tools").field(tool.GetName())
	if exact != "" {
		place = at.field("tools").field(exact)
	}
	if reason := b.unfit(tool.GetName()); reason != "" {
		b.report.warn(at, Problem{Message: "the server's tool " + quote(own) + " is left out: " + reason})
		return
	}
	b.enter(&entry{at: place, written: tool, imported: true})
}

// unfit tells why a name can't be that of a tool.
func (b *builder) unfit(name string) string {
	switch other, taken := b.byName[name]; {
	case taken:
		return "the name " + quote(name) + " is that of another tool, at " + other.at.path
	case name == "" || len(name) > maxNameBytes || !wordOf(name):
		return quote(name) + " is no name of a tool here: 1 to 64 of A-Z a-z 0-9 _ . - are"
	case name == unknownName:
		return quote(name) + " is what unknown names are counted under"
	}
	return ""
}

// weight is how much a pattern says of a name.
func weight(pattern string) int {
	if !strings.Contains(pattern, "*") {
		return maxNameBytes + 1<<10
	}
	return len(pattern) - strings.Count(pattern, "*")
}

func selected(selection *catalogv1.Selection, name string) bool {
	fits := func(pattern string) bool { return globbed(pattern, name) }
	only := selection.GetOnly()
	return (len(only) == 0 || slices.ContainsFunc(only, fits)) && !slices.ContainsFunc(selection.GetExcept(), fits)
}

// globbed reports whether a name fits a pattern, in which * stands for any run of
// characters.
func globbed(pattern, name string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		var piece string
		if piece, rest, starred = strings.Cut(rest, "*"); !starred {
			return strings.HasSuffix(name, piece)
		}
		at := strings.Index(name, piece)
		if at < 0 {
			return false
		}
		name = name[at+len(piece):]
	}
}

// mayCome reports whether a tool of that name may be one that a server will list:
// what is said of it is no fault as long as nobody knows.
func (b *builder) mayCome(name string) bool {
	for _, written := range b.unlisted {
		if own, fits := strings.CutPrefix(name, written.GetPrefix()); fits && selected(written.GetSelect(), own) {
			return true
		}
	}
	return b.mayBeDescribed(name)
}
