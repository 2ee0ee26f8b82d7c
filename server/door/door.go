// Package door says what lies behind every door of the gateway: the same rpcs,
// behind the same rooms, whatever protocol a caller speaks.
package door

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// House is the gateway as a door sees it. Each method passes the rooms of every
// rpc (recovery, observe, authenticate, admit) and fails with a gRPC status alone,
// never for a tool. The context is a caller's: see Caller. Safe for concurrent use.
type House interface {
	ListTools(ctx context.Context, req *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error)
	// CallTool runs one call. progress is told what the gateway does meanwhile,
	// from other goroutines, one at a time; nil: nobody listens.
	CallTool(ctx context.Context, req *toolgatev1.CallToolRequest, progress func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error)
	// CallTools runs a batch. send is called one event at a time; its error ends
	// the rpc.
	CallTools(ctx context.Context, req *toolgatev1.CallToolsRequest, send func(*toolgatev1.CallToolsResponse) error) error
	GetRun(ctx context.Context, req *toolgatev1.GetRunRequest) (*toolgatev1.GetRunResponse, error)
	EndRun(ctx context.Context, req *toolgatev1.EndRunRequest) (*toolgatev1.EndRunResponse, error)
	GetFailureReport(ctx context.Context, req *toolgatev1.GetFailureReportRequest) (*toolgatev1.GetFailureReportResponse, error)
}

// forwarded are the headers that rooms read, as gRPC's metadata.
var forwarded = []string{"Authorization", "X-Api-Key", "Traceparent", "Tracestate", "Baggage", "User-Agent"}

// Caller returns a context that tells the rooms who sent an HTTP request, just as
// gRPC's would: its credentials and trace as metadata, its address and certificate
// as the peer. It ends with the request.
func Caller(r *http.Request) context.Context {
	md := metadata.MD{}
	for _, name := range forwarded {
		if values := r.Header.Values(name); len(values) > 0 {
			md[strings.ToLower(name)] = values
		}
	}
	ctx := metadata.NewIncomingContext(r.Context(), md)
	return peer.NewContext(ctx, &peer.Peer{Addr: address(r.RemoteAddr), AuthInfo: authInfo(r.TLS)})
}

func address(text string) net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", text) // digits, never a name: nothing is looked up
	if err != nil {
		return unnamed(text)
	}
	return addr
}

type unnamed string

func (unnamed) Network() string  { return "tcp" }
func (a unnamed) String() string { return string(a) }

func authInfo(state *tls.ConnectionState) credentials.AuthInfo {
	if state == nil {
		return nil
	}
	return credentials.TLSInfo{
		State: *state, CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
	}
}
