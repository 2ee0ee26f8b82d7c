package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers every question of DNS with the next of its addresses.
func names(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			var question dnsmessage.Message
			if question.Unpack(buffer[:n]) != nil {
				continue
			}
			question.Response, question.Additionals = true, nil
			if asked := question.Questions[0]; asked.Type == dnsmessage.TypeA {
				question.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: asked.Name, Class: dnsmessage.ClassINET, TTL: 0},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(addresses[0]).As4()},
				}}
				if len(addresses) > 1 {
					addresses = addresses[1:]
				}
			}
			if answer, err := question.Pack(); err == nil {
				_, _ = socket.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// A name that meant a good address means another one the next time it is asked for
// (DNS rebinding): what it means when the connection is made decides.
func TestANameThatMeansAnotherAddressLaterIsJudgedLater(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	dialer := net.Dialer{Control: List("").Control, Resolver: names(t, "127.0.0.1", "169.254.169.254")}

	conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort("rebind.test.", port))
	if err != nil {
		t.Fatalf("the first time: %v", err)
	}
	_ = conn.Close()
	var refused *RefusedError
	if _, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort("rebind.test.", port)); !errors.As(err, &refused) {
		t.Errorf("the second time: %v, want a refusal", err)
	}
}
