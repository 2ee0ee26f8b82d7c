package catalog

import (
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/openapi"
)

// importOpenAPI enters the tools that documents describe.
func (b *builder) importOpenAPI() {
	for i, written := range b.message.GetOpenapi() {
		o := &openAPIImport{
			builder: b, at: b.root.field("openapi").index(i), written: written, missing: map[string][]string{}, outcome: Import{Index: i},
		}
		o.run()
	}
}

// openAPIImport is one document on its way.
type openAPIImport struct {
	*builder

	at        at
	written   *catalogv1.OpenApiImport
	document  *openapi.Document
	described *openapi.Description
	upstream  *upstream // nil: the tools have whole URLs
	server    string    // of the document; may be empty
	security  map[string]openapi.Scheme
	unsaid    bool // no operation says what it needs

	missing map[string][]string // tools by the scheme that nobody has a secret for
	groups  groups
	outcome Import
}

func (o *openAPIImport) run() {
	if !o.read() {
		o.report.dark["tools"] = true // they are not none
		return
	}
	described, err := o.document.Describe(openapi.Settings{
		Selection: openapi.Selection{
			Only: o.written.GetSelect().GetOnly(), Except: o.written.GetSelect().GetExcept(), Tags: o.written.GetTags(),
		},
		Prefix: o.written.GetPrefix(), MaxSchemaBytes: o.schemaBytes(),
	})
	if err != nil {
		o.report.darken(o.at.field("document"), Problem{Message: "the document can't be imported: " + err.Error()})
		o.report.dark["tools"] = true
		return
	}
	o.described = described
	if !o.checkPrefix() || !o.findUpstream() || !o.readSchemes() {
		o.report.dark["tools"] = true
		return
	}
	o.checkOverrides()
	for _, d := range described.Tools {
		o.enterTool(d)
	}
	o.conclude()
	o.warnOfRest()
}

func (o *openAPIImport) schemaBytes() int {
	size := uint32(openapi.DefaultSchemaBytes)
	policyReader{report: o.report, at: o.at}.count("max_schema_bytes", o.written.MaxSchemaBytes, &size, 512, 256<<10)
	return int(size)
}

func (o *openAPIImport) checkPrefix() bool {
	prefix := o.written.GetPrefix()
	if wordOf(prefix) && len(prefix) <= maxNameBytes/2 {
		return true
	}
	o.report.sayf(o.at.field("prefix"), "up to 32 of A-Z a-z 0-9 _ . -", "%s can't begin the name of a tool", quote(prefix))
	return false
}

// findUpstream finds out where the tools go.
func (o *openAPIImport) findUpstream() bool {
	o.server = o.absolute(o.document.Server())
	name := o.written.GetUpstream()
	if name == "" {
		return o.checkServer()
	}
	found, known := o.upstreams[name]
	if !known {
		o.report.add(o.at.field("upstream"), Problem{
			Message:    "no upstream is named " + quote(name),
			Suggestion: nearest(name, sortedKeys(o.upstreams)), Accepted: strings.Join(sortedKeys(o.upstreams), ", "),
		})
		return false
	}
	o.upstream = found
	return !found.wrong && (found.base != nil || o.checkServer())
}

func (o *openAPIImport) checkServer() bool {
	own := func(d openapi.Described) bool { return strings.Contains(d.Server, "://") }
	if strings.Contains(o.server, "://") || o.server == "" && len(o.described.Tools) > 0 && !slices.ContainsFunc(o.described.Tools, func(d openapi.Described) bool { return !own(d) }) {
		return true
	}
	message := "the document does not say where its server is"
	if o.server != "" {
		message = "the document's server, " + quote(o.server) + ", has no host"
	}
	o.report.sayf(o.at.field("upstream"), "upstream: a key of upstreams, whose URL is the server's", "%s", message)
	return false
}

// absolute puts a server's URL, which may be relative to the document's, in full.
func (o *openAPIImport) absolute(server string) string {
	if !isAddress(o.written.GetDocument()) || strings.Contains(server, "://") {
		return server
	}
	base, err := url.Parse(o.written.GetDocument())
	if err != nil {
		return server
	}
	there, err := base.Parse(server)
	if err != nil {
		return server
	}
	there.RawQuery, there.Fragment = "", ""
	if server == "" { // OpenAPI 3.1, section 4.8.1: the default is `/`
		there.Path = ""
	}
	return strings.TrimRight(there.String(), "/")
}

// checkOverrides refuses what is put over a tool that is not there.
func (o *openAPIImport) checkOverrides() {
	var names []string
	for _, d := range o.described.Tools {
		names = append(names, d.Tool.GetName())
	}
	for _, name := range sortedKeys(o.written.GetTools()) {
		fits := func(tool string) bool { return openapi.Matches(name, tool) }
		switch {
		case slices.ContainsFunc(names, fits):
		case strings.Contains(name, "*"):
			o.report.warn(o.at.field("tools").field(name), Problem{Message: "no tool of the document fits " + quote(name)})
		default:
			o.report.add(o.at.field("tools").field(name), Problem{
				Message:    "no tool of the document is named " + quote(name) + o.whyNot(name),
				Suggestion: nearest(name, names), Accepted: "the name of one of its tools, or a pattern with *",
			})
		}
	}
}

// whyNot explains the absence of a tool whose operation is there.
func (o *openAPIImport) whyNot(name string) string {
	for _, left := range o.described.LeftOut {
		if left.Name == name {
			return ": " + left.Method + " " + left.Path + " is left out, since " + left.Reason
		}
	}
	return ""
}

// enterTool enters one tool, unless there is something wrong with what the document
// says: that leaves it out, and refuses nothing.
func (o *openAPIImport) enterTool(d openapi.Described) {
	name := d.Tool.GetName()
	if reason := o.place(d); reason != "" {
		o.leaveOut(d, reason)
		return
	}
	o.authorize(d)
	exact := o.override(d.Tool)
	e := &entry{at: o.at, written: d.Tool, imported: true}
	if exact {
		e.at = o.at.field("tools").field(name)
	}
	if other, twice := o.byName[d.Tool.GetName()]; twice {
		o.report.sayf(e.at, "prefix: …, select: {except: …}", "the tool %s of %s %s stands here twice, first in %s", quote(d.Tool.GetName()), d.Method, d.Path, other.at.path)
		return
	}
	if reason := o.compile(e, exact); reason != "" {
		o.leaveOut(d, reason)
		return
	}
	o.enter(e)
	o.take(d)
}

// place gives the tool its URL; the reason why it has none.
func (o *openAPIImport) place(d openapi.Described) (reason string) {
	call := d.Tool.GetHttp()
	d.Tool.Upstream = o.written.GetUpstream()
	server := o.server
	if d.Server != "" {
		server = o.absolute(d.Server)
	}
	if o.upstream != nil && o.upstream.base != nil {
		if o.server != "" && server != o.server {
			return "it has a server of its own, " + server + ": import it with an upstream of its own"
		}
		return ""
	}
	if !strings.Contains(server, "://") {
		return "nobody says where its server is"
	}
	call.Url = server + call.Url
	return ""
}

// override puts over the tool what the operator says of it, the less specific first;
// exact reports that something is said of it by name.
func (o *openAPIImport) override(tool *catalogv1.Tool) (exact bool) {
	name := tool.GetName()
	all := sortedKeys(o.written.GetTools())
	slices.SortStableFunc(all, func(a, b string) int { return precision(a) - precision(b) })
	for _, pattern := range all {
		if !openapi.Matches(pattern, name) {
			continue
		}
		exact = exact || pattern == name
		over := proto.CloneOf(o.written.GetTools()[pattern])
		rules := slices.Concat(over.GetErrors(), tool.GetErrors())
		over.Errors = nil
		if over.GetInputSchema() != "" { // its arguments may be others
			tool.GetHttp().Arguments = nil
		}
		proto.Merge(tool, over)
		tool.Errors = rules
	}
	return exact
}

// precision is how much a pattern says of a name.
func precision(pattern string) int {
	if !strings.Contains(pattern, "*") {
		return 1 << 20
	}
	return len(pattern) - strings.Count(pattern, "*")
}
