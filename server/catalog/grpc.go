package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// grpcServer is the gRPC server of an upstream.
type grpcServer struct {
	at       at
	upstream *upstream
	server   *grpcbackend.Server
	services *methods.Services // nil: nobody knows them
	cause    error             // why; nil: nobody was asked
}

// importGRPC enters the tools that services describe, and completes those that are
// written out with what their services say of them. All servers are asked together.
func (b *builder) importGRPC() {
	b.grpc = map[string]*grpcServer{}
	all := b.root.field("upstreams")
	for _, name := range sortedKeys(b.upstreams) {
		if u := b.upstreams[name]; u.written.GetGrpc() != nil || speaksGRPC(u.written.GetUrl()) {
			b.grpc[name] = b.readGRPC(all.field(name), u)
		}
	}
	b.describeServers()
	for _, e := range b.entries {
		if e.written.GetGrpc() != nil {
			b.completeGRPC(e)
		}
	}
	for i, written := range b.message.GetGrpc() {
		b.importServices(b.root.field("grpc").index(i), written)
	}
}

// describeServers finds out about the services of each server that a tool or an
// import names and that nothing is wrong with.
func (b *builder) describeServers() {
	var asked sync.WaitGroup
	for _, name := range b.usedGRPC() {
		g := b.grpc[name]
		switch set := g.upstream.written.GetGrpc().GetDescriptorSet(); {
		case set != "":
			b.readDescriptors(g, set)
		case b.settings.offline || b.settings.unreadFiles:
		default:
			asked.Go(func() { g.services, g.cause = g.server.Describe(context.Background(), b.asking(g)) })
		}
	}
	asked.Wait()
}

func (b *builder) asking(g *grpcServer) grpcbackend.Asking {
	asking := grpcbackend.Asking{
		Headers: grpcbackend.Metadata(g.upstream.written.GetHeaders(), g.upstream.secrets.sent), Changed: b.settings.changed,
	}
	if g.upstream.bearer != nil {
		asking.Bearer = g.upstream.bearer
	}
	return asking
}

// usedGRPC lists the servers that are named. Others are not asked.
func (b *builder) usedGRPC() (used []string) {
	names := map[string]bool{}
	for _, written := range b.message.GetGrpc() {
		names[written.GetUpstream()] = true
	}
	for _, e := range b.entries {
		if e.written.GetGrpc() != nil {
			names[e.written.GetUpstream()] = true
		}
	}
	for _, name := range sortedKeys(names) {
		if g := b.grpc[name]; g != nil && !g.upstream.wrong {
			used = append(used, name)
		}
	}
	return used
}

// completeGRPC puts what the services say of a method beneath what is written of it.
func (b *builder) completeGRPC(e *entry) {
	g := b.grpc[e.written.GetUpstream()]
	if g == nil || g.services == nil {
		return
	}
	method, found := g.services.Find(strings.TrimPrefix(e.written.GetGrpc().GetMethod(), "/"))
	if !found || method.TakesStream() || method.Missing() {
		return // said when the back end is made
	}
	whole := describeMethod(method, e.written)
	if e.written.GetInputSchema() != "" {
		whole.InputSchema = ""
	}
	proto.Merge(whole, e.written)
	e.written = whole
}

// describeMethod is the entry that a method makes beneath what is written of it.
func describeMethod(method *methods.Method, written *catalogv1.Tool) *catalogv1.Tool {
	var hidden []string
	if key := written.GetIdempotencyKey(); key.GetIn() == catalogv1.Location_LOCATION_BODY {
		hidden = append(hidden, key.GetName())
	}
	return &catalogv1.Tool{
		Description: firstWords(method.Description(), maxDescriptionBytes),
		InputSchema: method.Schema(hidden...), Effect: method.Effect(),
	}
}

// compileGRPC makes the back end of a method.
func (b *builder) compileGRPC(e *entry) {
	at, u := e.at.field("grpc"), e.upstream
	if u == nil {
		b.report.sayf(at, "upstream: a key of upstreams whose url is grpc://… or grpcs://…", "nobody says which server the method is of")
		return
	}
	g := b.grpc[u.name]
	switch {
	case u.wrong:
		return
	case g == nil:
		b.report.sayf(at, "url: grpc://… or grpcs://… there", "the upstream %s is no gRPC server", quote(u.name))
		return
	}
	merged := b.transportFor(u.address.Host, u.transport)
	e.transport, e.secrets = merged.written, append(e.secrets, merged.secrets...)
	e.tool.Diagnosis.Host = u.address.Hostname()
	e.tool.Diagnosis.Method = strings.TrimPrefix(e.written.GetGrpc().GetMethod(), "/")
	spec := grpcbackend.Spec{
		Server: g.server, Services: g.services, Call: e.written.GetGrpc(), Headers: u.written.GetHeaders(), SecretHeaders: u.secrets.sent,
		IdempotencyKey: e.written.GetIdempotencyKey(), Reads: e.tool.Reads(), MaxResultBytes: int(e.tool.Policy.MaxResultBytes),
	}
	if u.bearer != nil {
		spec.Bearer = u.bearer
	}
	made, err := grpcbackend.New(spec)
	if faults, wrong := errors.AsType[backend.Faults](err); wrong {
		b.reportGRPC(e, faults)
		return
	}
	e.tool.Backend = made
	if g.services == nil {
		e.tool.Unvalidated = e.tool.Unvalidated || e.written.GetInputSchema() == ""
		b.warnUndescribed(at, g, "each call asks for it until it is there, and any object passes")
	}
}

func (b *builder) reportGRPC(e *entry, faults backend.Faults) {
	for _, fault := range faults {
		problem := Problem{Message: fault.Message, Accepted: fault.Accepted}
		if fault.Name != "" {
			problem.Suggestion = nearest(fault.Name, fault.Names)
			problem.Accepted = few(fault.Names)
		}
		b.report.add(e.at.below(fault.Path), problem)
	}
}

// few lists names, as many as one reads.
func few(names []string) string {
	const some = 12
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:some], ", ") + fmt.Sprintf(" and %d more", len(names)-some)
}

// warnUndescribed says that nobody knows a server's services, and what comes of it.
func (b *builder) warnUndescribed(at at, g *grpcServer, consequence string) {
	message := "the services of " + quote(g.upstream.name) + " are not known here: "
	accepted := ""
	switch {
	case g.cause == nil:
		message += "its server is not asked"
	case grpcbackend.Undescribable(g.cause):
		message += "its server does not tell (gRPC reflection); the calls fail"
		accepted = "grpc: {descriptor_set: FILE} of the upstream"
	default:
		message += "its server can't be asked now; " + consequence
	}
	b.report.warn(at, Problem{Message: message, Accepted: accepted})
}
