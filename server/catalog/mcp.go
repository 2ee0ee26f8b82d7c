package catalog

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// mcpServer is the MCP server of an upstream.
type mcpServer struct {
	upstream *upstream
	spec     mcpbackend.Spec
	server   *mcpbackend.Server // nil: it is not asked
	deadline time.Time          // until which its list is waited for
	tools    []mcpbackend.Tool
	known    bool // tools is what it lists
	asked    bool
}

const defaultMCPStart = 20 * time.Second

// importMCP enters the tools that servers list, and completes those that are
// written out with what their servers say of them. The servers are started
// together, and then waited for.
func (b *builder) importMCP() {
	b.mcp = map[string]*mcpServer{}
	all := b.root.field("upstreams")
	for _, name := range sortedKeys(b.upstreams) {
		if u := b.upstreams[name]; u.written.GetMcp() != nil {
			b.mcp[name] = b.readMCP(all.field(name), u)
		}
	}
	for _, name := range b.usedMCP() {
		b.startMCP(b.mcp[name])
	}
	for _, e := range b.entries {
		if e.written.GetMcp() != nil {
			b.completeMCP(e)
		}
	}
	for i, written := range b.message.GetMcp() {
		b.importFrom(b.root.field("mcp").index(i), written)
	}
}

// usedMCP lists the servers that a tool or an import names and that nothing is
// wrong with. Others are not started.
func (b *builder) usedMCP() (used []string) {
	names := map[string]bool{}
	for _, written := range b.message.GetMcp() {
		names[written.GetUpstream()] = true
	}
	for _, e := range b.entries {
		if e.written.GetMcp() != nil {
			names[e.written.GetUpstream()] = true
		}
	}
	for _, name := range sortedKeys(names) {
		if server := b.mcp[name]; server != nil && !server.upstream.wrong {
			used = append(used, name)
		}
	}
	return used
}

func (b *builder) startMCP(m *mcpServer) {
	if b.settings.offline {
		return
	}
	if b.servers == nil {
		b.servers = mcpbackend.NewPool(mcpbackend.WithVersion(b.settings.version))
		b.ownServers = b.servers
	}
	b.servers.SetLogger(b.settings.log)
	b.servers.OnChanged(b.settings.changed)
	m.server = b.servers.Server(m.spec)
	m.deadline = time.Now().Add(m.spec.StartTimeout)
}

// list is what the server lists. It waits for that once, and no longer than the
// server may take to start.
func (m *mcpServer) list() ([]mcpbackend.Tool, bool) {
	if m.server != nil && !m.asked {
		ctx, cancel := context.WithDeadline(context.Background(), m.deadline)
		defer cancel()
		m.tools, m.known = m.server.Tools(ctx)
	}
	m.asked = true
	return m.tools, m.known
}

// find is the tool as its server lists it; nil where it does not, or not yet.
func (m *mcpServer) find(name string) *mcpbackend.Tool {
	tools, _ := m.list()
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// completeMCP puts what the server says of a tool beneath what is written of it.
func (b *builder) completeMCP(e *entry) {
	m := b.mcp[e.written.GetUpstream()]
	if m == nil || m.upstream.wrong {
		return
	}
	name := e.written.GetMcp().GetTool()
	if name == "" {
		name = e.written.GetName()
	}
	listed := m.find(name)
	switch {
	case listed != nil:
		whole := m.describe(listed)
		proto.Merge(whole, e.written)
		e.written = whole
	case m.known:
		b.report.warn(e.at.field("mcp"), Problem{
			Message: "the server lists no tool " + quote(name), Suggestion: nearest(name, m.names()), Accepted: strings.Join(m.names(), ", "),
		})
	}
}

func (m *mcpServer) names() (names []string) {
	for _, tool := range m.tools {
		names = append(names, tool.Name)
	}
	return names
}

// describe is the entry that a listed tool makes.
func (m *mcpServer) describe(listed *mcpbackend.Tool) *catalogv1.Tool {
	description := listed.Description
	if description == "" {
		description = listed.Title
	}
	tool := &catalogv1.Tool{
		Description: firstWords(description, maxDescriptionBytes), Upstream: m.upstream.name, InputSchema: listed.InputSchema,
	}
	if m.upstream.written.GetMcp().GetTrustAnnotations() {
		switch {
		case listed.ReadOnly:
			tool.Effect = catalogv1.Effect_EFFECT_READ
		case listed.Idempotent:
			tool.Effect = catalogv1.Effect_EFFECT_IDEMPOTENT
		}
	}
	return tool
}

// firstWords cuts a text at a sentence, else at a word.
func firstWords(text string, limit int) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "")
	if len(text) <= limit {
		return text
	}
	head := strings.ToValidUTF8(text[:limit], "")
	if end := max(strings.LastIndex(head, ". "), strings.LastIndex(head, ".\n")); end > limit/2 {
		return head[:end+1]
	}
	if end := strings.LastIndexAny(head, " \n"); end > 0 {
		head = head[:end]
	}
	return strings.TrimRight(head, " \n,;:")
}

func (b *builder) compileMCP(e *entry) {
	at, u := e.at.field("mcp"), e.upstream
	if u == nil {
		b.report.sayf(at, "upstream: a key of upstreams that has mcp", "nobody says which server the tool belongs to")
		return
	}
	m := b.mcp[u.name]
	switch {
	case u.wrong:
		return
	case m == nil:
		b.report.sayf(at, "mcp: {} or mcp: {program: …} there", "the upstream %s is no MCP server", quote(u.name))
		return
	}
	e.secrets = append(e.secrets, m.spec.Secrets...)
	if u.base != nil {
		merged := b.transportFor(u.base.Host, u.transport)
		e.transport, e.secrets = merged.written, append(e.secrets, merged.secrets...)
		e.tool.Diagnosis.Host = u.base.Hostname()
	}
	call := mcpbackend.Call{
		Tool: e.written.GetMcp().GetTool(), InputSchema: e.written.GetInputSchema(), MaxResultBytes: int64(e.tool.Policy.MaxResultBytes),
		KeyArgument: b.keyArgument(e),
	}
	if call.Tool == "" {
		call.Tool = e.tool.Name
	}
	if m.server == nil {
		e.tool.Backend = mcpbackend.Absent()
		return
	}
	e.tool.Backend = mcpbackend.New(m.server, call)
}

// keyArgument is where an idempotency key goes: a call has its arguments alone.
func (b *builder) keyArgument(e *entry) string {
	key := e.written.GetIdempotencyKey()
	if key == nil {
		return ""
	}
	if key.GetIn() != catalogv1.Location_LOCATION_BODY || key.GetName() == "" {
		b.report.sayf(e.at.field("idempotency_key"), "in: body, with the argument's name", "a tool of an MCP server is told the key in an argument")
	}
	return key.GetName()
}

// connectionsOf gives a server over HTTP the way to it, and what tells that way from
// another.
func (b *builder) connectionsOf(u *upstream) (func() (http.RoundTripper, func()), any) {
	settings := b.transportFor(u.base.Host, u.transport).settings()
	pool, name := b.pool, u.name
	return func() (http.RoundTripper, func()) {
		over := pool.RoundTripper(name, settings)
		return over, over.Release
	}, fmt.Sprintf("%+v %v", settings, u.written.GetClientCredentials())
}
