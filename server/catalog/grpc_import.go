package catalog

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// serviceImport is one import of a server's methods on its way.
type serviceImport struct {
	*builder

	at       at
	written  *catalogv1.GrpcImport
	names    toolNames
	overlaid map[string]bool // patterns of what is put over that fitted something
	streams  []string        // methods that are left out, since they take a stream
	missing  []string        // since the description lacks what they need
}

// importServices enters the tools of a server's methods. Whatever the description
// holds, it refuses no catalogue: what can't be entered is left out with a warning.
func (b *builder) importServices(at at, written *catalogv1.GrpcImport) {
	g := b.grpc[written.GetUpstream()]
	if g == nil {
		b.noGRPCServer(at, written.GetUpstream())
		return
	}
	i := &serviceImport{builder: b, at: at, written: written, overlaid: map[string]bool{}}
	i.checkOverlay()
	if g.upstream.wrong || !b.prefixFits(at, written.GetPrefix()) {
		return
	}
	if g.services == nil {
		b.undescribed = append(b.undescribed, written)
		b.warnUndescribed(at, g, "the tools are missing until it can")
		return
	}
	i.run(g.services)
}

func (i *serviceImport) run(services *methods.Services) {
	i.names = nameTools(services.Methods())
	entered := 0
	for _, method := range services.Methods() {
		if i.selects(method) && i.callable(method) {
			i.enterMethod(method)
			entered++
		}
	}
	i.warnOfRest(entered, services)
}

// selects reports whether a method is one of those that are wanted.
func (i *serviceImport) selects(method *methods.Method) bool {
	fits := func(pattern string) bool {
		return globbed(pattern, method.Name()) || globbed(pattern, i.nameOf(method))
	}
	only, except := i.written.GetSelect().GetOnly(), i.written.GetSelect().GetExcept()
	if len(only) == 0 && infrastructure(method) {
		return false
	}
	return (len(only) == 0 || slices.ContainsFunc(only, fits)) && !slices.ContainsFunc(except, fits)
}

// infrastructure are the services that every server has and that no tool is made of
// unless somebody asks for it.
func infrastructure(method *methods.Method) bool { return strings.HasPrefix(method.Service(), "grpc.") }

func (i *serviceImport) callable(method *methods.Method) bool {
	switch {
	case method.TakesStream():
		i.streams = append(i.streams, method.Name())
	case method.Missing():
		i.missing = append(i.missing, method.Name())
	default:
		return true
	}
	return false
}

// nameOf is the tool's name: the prefix and what the method is called.
func (i *serviceImport) nameOf(method *methods.Method) string {
	return i.written.GetPrefix() + i.names[method.Name()]
}

// enterMethod enters one tool with what is put over it, the less specific first.
func (i *serviceImport) enterMethod(method *methods.Method) {
	name := i.nameOf(method)
	patterns := sortedKeys(i.written.GetTools())
	slices.SortStableFunc(patterns, func(x, y string) int { return cmp.Compare(weight(x), weight(y)) })
	over, place := &catalogv1.Tool{}, i.at
	for _, pattern := range patterns {
		if !globbed(pattern, name) && !globbed(pattern, method.Name()) {
			continue
		}
		i.overlaid[pattern] = true
		proto.Merge(over, i.written.GetTools()[pattern])
		if !strings.Contains(pattern, "*") {
			place = i.at.field("tools").field(pattern)
		}
	}
	tool := describeMethod(method, over)
	tool.Name, tool.Upstream = name, i.written.GetUpstream()
	tool.Backend = &catalogv1.Tool_Grpc{Grpc: &catalogv1.GrpcCall{Method: method.Name()}}
	proto.Merge(tool, over)
	if reason := i.unfit(tool.GetName()); reason != "" {
		i.report.warn(place, Problem{Message: "the method " + method.Name() + " is left out: " + reason})
		return
	}
	i.enter(&entry{at: place, written: tool, imported: true})
}

// checkOverlay refuses what can't be put over a described tool.
func (i *serviceImport) checkOverlay() {
	const accepted = "all but upstream, http, mcp, function and grpc.method"
	for _, pattern := range sortedKeys(i.written.GetTools()) {
		over, place := i.written.GetTools()[pattern], i.at.field("tools").field(pattern)
		_, ours := over.GetBackend().(*catalogv1.Tool_Grpc)
		switch {
		case over.GetBackend() != nil && !ours, over.GetGrpc().GetMethod() != "", over.GetUpstream() != "":
			i.report.sayf(place, accepted, "where the tool goes is said by the import")
		case over.GetName() != "" && strings.Contains(pattern, "*"):
			i.report.sayf(place.field("name"), "the name of one tool, without *", "a name can't be that of all that fit a pattern")
		}
	}
}

// warnOfRest says what did not become a tool, and what was put over nothing.
func (i *serviceImport) warnOfRest(entered int, services *methods.Services) {
	if len(i.streams) > 0 {
		i.report.warn(i.at, Problem{Message: "left out, since they take a stream of requests: " + few(i.streams)})
	}
	if len(i.missing) > 0 {
		i.report.warn(i.at, Problem{Message: "left out, since the description lacks what they take or answer: " + few(i.missing)})
	}
	if entered == 0 {
		i.report.warn(i.at, Problem{Message: "no method became a tool", Accepted: few(services.Names())})
	}
	for _, pattern := range sortedKeys(i.written.GetTools()) {
		if !i.overlaid[pattern] {
			names := i.all(services)
			i.report.warn(i.at.field("tools").field(pattern), Problem{
				Message: "no tool of the server fits " + quote(pattern), Suggestion: nearest(pattern, names), Accepted: few(names),
			})
		}
	}
}

func (i *serviceImport) all(services *methods.Services) (names []string) {
	for _, method := range services.Methods() {
		if i.selects(method) && !method.TakesStream() {
			names = append(names, i.nameOf(method))
		}
	}
	return names
}

func (b *builder) noGRPCServer(at at, name string) {
	servers := sortedKeys(b.grpc)
	switch _, known := b.upstreams[name]; {
	case name == "":
		b.report.sayf(at, "upstream: a key of upstreams whose url is grpc://… or grpcs://…", "nobody says which server's methods")
	case known:
		b.report.sayf(at.field("upstream"), "one whose url is grpc://… or grpcs://…", "the upstream %s is no gRPC server", quote(name))
	default:
		b.report.add(at.field("upstream"), Problem{
			Message: "no upstream is named " + quote(name), Suggestion: nearest(name, servers), Accepted: strings.Join(servers, ", "),
		})
	}
}

// mayBeDescribed reports whether a tool of that name may be one that a server will
// describe: what is said of it is no fault as long as nobody knows.
func (b *builder) mayBeDescribed(name string) bool {
	for _, written := range b.undescribed {
		if strings.HasPrefix(name, written.GetPrefix()) {
			return true
		}
		for _, over := range written.GetTools() {
			if over.GetName() == name {
				return true
			}
		}
	}
	return false
}
