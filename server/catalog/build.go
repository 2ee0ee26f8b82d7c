package catalog

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// builder compiles one catalogue.
type builder struct {
	settings    *settings
	report      *report
	source      *source
	message     *catalogv1.Catalog
	root        at
	expressions *expression.Compiler
	pool        *httpbackend.Pool
	ownPool     *httpbackend.Pool
	servers     *mcpbackend.Pool // nil: none is needed yet
	ownServers  *mcpbackend.Pool
	grpcParts

	upstreams  map[string]*upstream
	transports map[string]transport // by host or pattern
	defaults   interceptors.Policy
	entries    []*entry
	byName     map[string]*entry
	mcp        map[string]*mcpServer  // by upstream
	unlisted   []*catalogv1.McpImport // of which nobody knows the tools

	judge        *diagnose.Engine // nil: no vocabularies of its own
	vocabularies [sha256.Size]byte
}

// entry is one tool on its way.
type entry struct {
	at        at
	place     int // in the file's list of tools
	written   *catalogv1.Tool
	imported  bool     // it is described elsewhere
	added     Function // of a tool that was added in Go
	outline   outline
	upstream  *upstream                // nil: one of its own
	transport *catalogv1.HttpTransport // nil: nothing is said of it
	secrets   []string
	tool      *interceptors.Tool
}

func (b *builder) build() (*Catalog, error) {
	b.readTransports()
	b.readUpstreams()
	b.readVocabularies()
	b.defaults = b.over(interceptors.DefaultPolicy(), b.root.field("defaults"), b.message.GetDefaults())
	b.collect()
	for _, e := range b.entries {
		if e.tool == nil { // an import may have compiled it already
			b.compileTool(e)
		}
	}
	for _, e := range b.entries {
		b.checkReferences(e)
	}
	if err := b.report.err(); err != nil {
		if b.ownServers != nil {
			b.ownServers.Close()
		}
		b.close()
		return nil, err
	}
	return b.finish(), nil
}

// collect lists the entries of the file, those that it imports and those that were
// added in Go.
func (b *builder) collect() {
	b.byName = map[string]*entry{}
	tools := b.root.field("tools")
	for i, written := range b.message.GetTools() {
		b.enter(&entry{at: tools.index(i), place: i, written: written})
	}
	b.importOpenAPI()
	b.importGRPC()
	b.importMCP()
	for _, added := range b.settings.added {
		b.enter(&entry{at: at{path: "tool " + added.tool.GetName()}, written: added.tool, added: added.function})
	}
	if len(b.entries)+len(b.unlisted)+len(b.undescribed) == 0 && !b.report.isDark("tools") {
		b.refuseEmpty()
	}
}

// refuseEmpty says why there are no tools: what was a warning beside others is the
// fault where no import brings any.
func (b *builder) refuseEmpty() {
	imports := len(b.message.GetOpenapi()) + len(b.message.GetGrpc()) + len(b.message.GetMcp())
	switch {
	case imports > 0 && len(b.report.found) > 0: // which is why
	case imports > 0 && len(b.report.warned) > 0:
		b.report.found, b.report.warned = b.report.warned, nil
	default:
		b.report.add(b.root.field("tools"), Problem{Message: "the catalogue has no tools", Accepted: "tools: [{name: …, http: …}]"})
	}
}

// enter takes an entry in whose name nobody has.
func (b *builder) enter(e *entry) {
	name := e.written.GetName()
	b.checkName(e)
	if other, twice := b.byName[name]; twice && name != "" {
		b.report.sayf(e.at.field("name"), "a name of its own", "the tool %s stands here twice, first in %s", quote(name), other.at.path)
		return
	}
	b.byName[name] = e
	b.entries = append(b.entries, e)
}

const maxNameBytes = 64

func (b *builder) checkName(e *entry) {
	const accepted = "1 to 64 of A-Z a-z 0-9 _ . -"
	name := e.written.GetName()
	switch {
	case name == "":
		b.report.sayf(e.at.field("name"), accepted, "the tool has no name")
	case len(name) > maxNameBytes || !wordOf(name):
		b.report.sayf(e.at.field("name"), accepted, "%s is no name of a tool", quote(name))
	case name == unknownName:
		b.report.sayf(e.at.field("name"), "another name", "%s is what unknown names are counted under", name)
	}
}

func wordOf(name string) bool {
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// unknownName is the pseudo-tool's, so that unknown names are one line in counts
// and metrics.
const unknownName = interceptors.CodeUnknownTool

// finish makes the catalogue of entries that are right.
func (b *builder) finish() *Catalog {
	c := &Catalog{
		byName: map[string]*interceptors.Tool{}, verifies: map[string][]*interceptors.Tool{},
		contract: b.message.ContractInDescriptions == nil || b.message.GetContractInDescriptions(), pool: b.pool, ownPool: b.ownPool,
		servers: b.servers, ownServers: b.ownServers, grpc: b.grpcParts,
	}
	for _, m := range b.mcp {
		if m.server != nil {
			c.mcp = append(c.mcp, m.server)
		}
	}
	hosts := map[string]*Upstream{}
	slices.SortFunc(b.entries, func(x, y *entry) int { return cmp.Compare(x.tool.Name, y.tool.Name) })
	for _, e := range b.entries {
		tool := e.tool
		c.tools, c.byName[tool.Name] = append(c.tools, tool), tool
		if v := tool.Verification; v != nil {
			c.verifies[v.Tool] = append(c.verifies[v.Tool], tool)
		}
		of := hosts[tool.Upstream]
		if of == nil {
			of = &Upstream{Name: tool.Upstream, Host: tool.Diagnosis.Host}
			hosts[tool.Upstream] = of
		}
		of.Tools = append(of.Tools, tool.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		c.upstreams = append(c.upstreams, *hosts[name])
	}
	b.report.warned.sort()
	c.warnings = b.report.warned
	c.version = b.versionOf(catalogVersion(c.tools, c.contract))
	c.judge = b.judge
	c.unknown = &interceptors.Tool{Name: unknownName, Version: c.version, Unknown: true, Policy: b.defaults}
	return c
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
