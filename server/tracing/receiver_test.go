package tracing_test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// receiver is an OTLP collector: the real service, over real gRPC.
type receiver struct {
	flush func() // has the exporter send what it holds

	collectorv1.UnimplementedTraceServiceServer

	address string

	mu        sync.Mutex // guards the rest
	spans     []*tracev1.Span
	resources []map[string]string
	raw       []byte // everything that was received
}

func startReceiver(t *testing.T) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{address: listener.Addr().String()}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, r)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return r
}

// Export takes spans in.
func (r *receiver) Export(_ context.Context, req *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, err := proto.Marshal(req)
	if err != nil {
		return nil, err
	}
	r.raw = append(r.raw, raw...)
	for _, of := range req.GetResourceSpans() {
		r.resources = append(r.resources, texts(of.GetResource().GetAttributes()))
		for _, in := range of.GetScopeSpans() {
			r.spans = append(r.spans, in.GetSpans()...)
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

func (r *receiver) all() []*tracev1.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spans
}

// named lists the spans of that name in the order of their beginning.
func (r *receiver) named(name string) (found []*tracev1.Span) {
	for _, span := range r.all() {
		if span.GetName() == name {
			found = append(found, span)
		}
	}
	for i := range found { // there are a handful
		for j := i; j > 0 && found[j].GetStartTimeUnixNano() < found[j-1].GetStartTimeUnixNano(); j-- {
			found[j], found[j-1] = found[j-1], found[j]
		}
	}
	return found
}

// one is the only span of that name. The span of an rpc ends behind its answer,
// so it may take a moment.
func (r *receiver) one(t *testing.T, name string) *tracev1.Span {
	t.Helper()
	found := r.named(name)
	for late := time.Now().Add(10 * time.Second); len(found) == 0 && time.Now().Before(late); found = r.named(name) {
		r.flush()
		runtime.Gosched()
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q, want one; all: %v", len(found), name, r.names())
	}
	return found[0]
}

func (r *receiver) names() (names []string) {
	for _, span := range r.all() {
		names = append(names, span.GetName())
	}
	return names
}

func texts(attributes []*commonv1.KeyValue) map[string]string {
	all := map[string]string{}
	for _, pair := range attributes {
		all[pair.GetKey()] = text(pair.GetValue())
	}
	return all
}
