package toolgate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Client calls tools through a gateway. It is safe for concurrent use.
type Client struct {
	gateway       toolgatev1.ToolGatewayServiceClient
	close         func() error
	transientWait time.Duration
}

// Option sets up a Client.
type Option func(*settings)

type settings struct {
	transientWait time.Duration
	dial          []grpc.DialOption
	badToken      bool
}

// WithTransientWait lets each call wait out transient failures: the client sleeps
// what the gateway says and sends the identical call. Limit is counted from the
// beginning of the call, the attempts included. It does not sleep where a wait does
// not fit limit or the context's deadline, nor after an exhausted failure, which the
// gateway has waited out already; then the failure is returned at once. An attempt
// is ended by the context alone. Zero, the default, returns every transient failure
// to the caller.
func WithTransientWait(limit time.Duration) Option {
	return func(s *settings) { s.transientWait = limit }
}

// WithDialOptions adds gRPC options to those of Dial, for example
// grpc.WithContextDialer. Without [WithTLS] the connection is not encrypted.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dial = append(s.dial, options...) }
}

// WithTLS encrypts the connection, with the system's authorities where config is
// nil.
func WithTLS(config *tls.Config) Option {
	return WithDialOptions(grpc.WithTransportCredentials(credentials.NewTLS(config)))
}

// WithToken shows a bearer token with every rpc: an API key of the gateway's
// access file, or a token of an issuer that it knows. It is sent in the clear
// where the connection is not encrypted.
func WithToken(token string) Option {
	return func(s *settings) {
		s.badToken = strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' })
		s.dial = append(s.dial, grpc.WithPerRPCCredentials(bearer(token)))
	}
}

// bearer is a token as gRPC sends it.
type bearer string

// GetRequestMetadata is the header of an rpc.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false: a gateway on loopback speaks plain text.
func (b bearer) RequireTransportSecurity() bool { return false }

const (
	pingAfter   = 30 * time.Second
	pingTimeout = 20 * time.Second
)

// Dial makes a client of the gateway at target, a gRPC target such as
// `127.0.0.1:7440` or `dns:///gateway:7440`. It does not connect until the
// first call. Close it when done. A URL is an error, and so is a token that no header
// holds.
func Dial(target string, options ...Option) (*Client, error) {
	if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
		return nil, fmt.Errorf("toolgate: dial: %s is not host:port; WithTLS encrypts", target)
	}
	set := read(options)
	if set.badToken {
		return nil, errors.New("toolgate: dial: no header holds the token: is there an end of line in it?")
	}
	dial := append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableRetry(), // one layer retries, and that is the gateway
		// A connection that is gone without a word is noticed, and calls on it fail.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
	}, set.dial...)
	conn, err := grpc.NewClient(target, dial...)
	if err != nil {
		return nil, fmt.Errorf("toolgate: dial %s: %w", target, err)
	}
	client := New(conn, options...)
	client.close = conn.Close
	return client, nil
}

// New makes a client over a connection that stays the caller's: Close leaves it
// open, dial options are ignored, and gRPC's retries should be off on it.
func New(conn grpc.ClientConnInterface, options ...Option) *Client {
	return &Client{
		gateway:       toolgatev1.NewToolGatewayServiceClient(conn),
		close:         func() error { return nil },
		transientWait: read(options).transientWait,
	}
}

func read(options []Option) settings {
	var set settings
	for _, option := range options {
		option(&set)
	}
	return set
}

// Close closes the connection that Dial made. Calls in flight fail.
func (c *Client) Close() error { return c.close() }

// ListTools lists the tools that this caller may use, with the sentence of the
// contract for a system prompt.
func (c *Client) ListTools(ctx context.Context) (*toolgatev1.ListToolsResponse, error) {
	return c.gateway.ListTools(ctx, &toolgatev1.ListToolsRequest{})
}

// EndRun forgets a run and sums it up. Ending an unknown run is not an error.
func (c *Client) EndRun(ctx context.Context, run string) (*toolgatev1.RunSummary, error) {
	ended, err := c.gateway.EndRun(ctx, &toolgatev1.EndRunRequest{RunId: run})
	return ended.GetRun(), err
}
