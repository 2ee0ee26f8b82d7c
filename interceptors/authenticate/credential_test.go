package authenticate_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/authenticate"
)

func TestACredentialIsFoundWhereItStands(t *testing.T) {
	leaf := &x509.Certificate{}
	from := func(state tls.ConnectionState, headers ...string) context.Context {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(headers...))
		return peer.NewContext(ctx, &peer.Peer{
			Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 4711}, AuthInfo: credentials.TLSInfo{State: state},
		})
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		want authenticate.Credential
	}{
		"nothing":                 {t.Context(), authenticate.Credential{}},
		"a key":                   {from(tls.ConnectionState{}, "X-Api-Key", " k "), authenticate.Credential{Key: "k", Address: "10.0.0.7"}},
		"a token":                 {from(tls.ConnectionState{}, "authorization", "bEARER  a.b.c"), authenticate.Credential{Bearer: "a.b.c", Address: "10.0.0.7"}},
		"both":                    {from(tls.ConnectionState{}, "authorization", "Bearer t", "x-api-key", "k"), authenticate.Credential{Key: "k", Bearer: "t", Address: "10.0.0.7"}},
		"a password":              {from(tls.ConnectionState{}, "authorization", "Basic YTpi"), authenticate.Credential{Address: "10.0.0.7"}},
		"a scheme alone":          {from(tls.ConnectionState{}, "authorization", "Bearer"), authenticate.Credential{Address: "10.0.0.7"}},
		"a header twice":          {from(tls.ConnectionState{}, "x-api-key", "a", "x-api-key", "b"), authenticate.Credential{Twice: true, Address: "10.0.0.7"}},
		"a certificate":           {from(tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{leaf}}}), authenticate.Credential{Certificate: leaf, Address: "10.0.0.7"}},
		"one that nobody checked": {from(tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}}), authenticate.Credential{Address: "10.0.0.7"}},
	} {
		if got := authenticate.Presented(c.ctx); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestHealthIsToldToEverybody(t *testing.T) {
	room := authenticate.New(func(context.Context) (string, error) {
		return "", interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing, "who is there?")
	})
	for method, exempt := range map[string]bool{
		healthv1.Health_Check_FullMethodName: true, healthv1.Health_Watch_FullMethodName: true,
		"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": false, "/toolgate.v1.ToolGatewayService/ListTools": false,
		"/grpc.health.v1.HealthX/Check": false,
	} {
		_, err := room.Unary()(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: method}, func(context.Context, any) (any, error) { return nil, nil })
		if (err == nil) != exempt {
			t.Errorf("%s: %v", method, err)
		}
		err = room.Stream()(nil, stream{ctx: t.Context()}, &grpc.StreamServerInfo{FullMethod: method}, func(any, grpc.ServerStream) error { return nil })
		if (err == nil) != exempt {
			t.Errorf("%s as a stream: %v", method, err)
		}
	}
}
