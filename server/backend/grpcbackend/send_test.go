package grpcbackend

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// echo answers what it is sent.
func echo(stream grpc.ServerStream, _ string, request []byte) error {
	return stream.SendMsg(&frame{request})
}

func TestACallCarriesWhatItMust(t *testing.T) {
	var seen metadata.MD
	var left time.Duration
	server := serveShop(t, func(stream grpc.ServerStream, method string, request []byte) error {
		seen, _ = metadata.FromIncomingContext(stream.Context())
		deadline, _ := stream.Context().Deadline()
		left = time.Until(deadline)
		if method != "/"+service+"Everything" {
			t.Errorf("called %s", method)
		}
		return echo(stream, method, request)
	})
	b := backendFor(t, pooled(t, WithVersion("1.2.3")), server.address, "Everything", func(s *Spec) {
		s.Headers = map[string]string{"X-Team": "blue", "X-Key": "open"}
		s.SecretHeaders = map[string]string{"x-key": "secret"}
		s.IdempotencyKey = &catalogv1.IdempotencyKey{}
	})
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	ctx, cancel := context.WithTimeout(trace.ContextWithSpanContext(t.Context(), span), 30*time.Second)
	defer cancel()
	reply := b.Attempt(ctx, &interceptors.Call{
		IdempotencyKey: "key-1", Arguments: interceptors.Checked{JSON: []byte(`{"text":"hello","signed":-7}`)},
	})
	if !strings.Contains(string(reply.Body), `"signed":-7,`) || !strings.Contains(string(reply.Body), `"text":"hello"`) || reply.Status != 0 || !reply.Sent {
		t.Errorf("%+v", reply)
	}
	for name, want := range map[string]string{
		"x-team": "blue", "x-key": "secret", "idempotency-key": "key-1", "traceparent": "00-01000000000000000000000000000000-0200000000000000-01",
	} {
		if got := seen.Get(name); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if agent := seen.Get("user-agent"); len(agent) != 1 || !strings.HasPrefix(agent[0], "toolgate/1.2.3 ") {
		t.Errorf("user agent %v", agent)
	}
	if left <= 0 || left > 30*time.Second {
		t.Errorf("the server has %v", left)
	}
}

func TestAStatusComesWithAllThatTheServerSaid(t *testing.T) {
	server := serveShop(t, func(stream grpc.ServerStream, _ string, _ []byte) error {
		stream.SetTrailer(metadata.Pairs("retry-after", "7", "x-secret-bin", "\x01\x02"))
		st, err := status.New(codes.FailedPrecondition, "no").WithDetails(
			&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "text", Description: "too short"}}},
			&toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "slot_taken"},
		)
		if err != nil {
			return err
		}
		return st.Err()
	})
	reply := attempt(t.Context(), backendFor(t, pooled(t), server.address, "Everything"), `{}`)
	if reply.Failure != interceptors.FailureNone || reply.Status != int(codes.FailedPrecondition) || reply.Message != "no" || !reply.Sent {
		t.Errorf("%+v", reply)
	}
	if !slices.Equal(reply.Header["Retry-After"], []string{"7"}) || len(reply.Header["X-Secret-Bin"])+len(reply.Header["Grpc-Status-Details-Bin"]) > 0 {
		t.Errorf("header %v", reply.Header)
	}
	var details statuspb.Status
	if err := proto.Unmarshal(reply.Details, &details); err != nil || len(details.GetDetails()) != 2 || details.GetCode() != int32(codes.FailedPrecondition) {
		t.Errorf("details %v, %v", &details, err)
	}
}

func TestAStreamIsCollectedUpToItsBound(t *testing.T) {
	for name, c := range map[string]struct {
		sent, max uint32
		ends      bool
		want      string
		size      int64
	}{
		"none":                        {0, 3, true, `[]`, 0},
		"fewer":                       {2, 3, true, `[{"id":"x"},{"id":"x"}]`, 0},
		"as many":                     {3, 3, true, `[{"id":"x"},{"id":"x"},{"id":"x"}]`, 0},
		"more":                        {4, 3, true, `[{"id":"x"},{"id":"x"},{"id":"x"},`, -1},
		"as many, and the stream on":  {3, 3, false, `[{"id":"x"},{"id":"x"},{"id":"x"},`, -1},
		"fewer, when its time is out": {2, 3, false, `[{"id":"x"},{"id":"x"},`, -1},
	} {
		t.Run(name, func(t *testing.T) {
			order := encoded(t, "Upload", `{"id":"x"}`)
			server := serveShop(t, func(stream grpc.ServerStream, _ string, _ []byte) error {
				for range c.sent {
					if err := stream.SendMsg(&frame{order}); err != nil {
						return err
					}
				}
				if !c.ends {
					<-stream.Context().Done()
				}
				return nil
			})
			b := backendFor(t, pooled(t), server.address, "FollowOrders", func(s *Spec) {
				s.Reads, s.Call.MaxMessages = true, &c.max
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			reply := attempt(ctx, b, `{}`)
			body := strings.ReplaceAll(string(reply.Body), `"items":[],"labels":{},"status":"STATUS_UNSPECIFIED"`, "")
			if body = strings.ReplaceAll(body, `,}`, `}`); body != c.want || reply.BodySize != c.size || reply.Failure != interceptors.FailureNone {
				t.Errorf("%s, size %d, %v %s", body, reply.BodySize, reply.Failure, reply.Cause)
			}
		})
	}
}

func TestAStreamThatBreaksIsNoAnswer(t *testing.T) {
	order := encoded(t, "Upload", `{"id":"x"}`)
	server := serveShop(t, func(stream grpc.ServerStream, _ string, _ []byte) error {
		if err := stream.SendMsg(&frame{order}); err != nil {
			return err
		}
		return status.Error(codes.DataLoss, "gone")
	})
	reply := attempt(t.Context(), backendFor(t, pooled(t), server.address, "FollowOrders"), `{}`)
	if reply.Status != int(codes.DataLoss) || reply.Message != "gone" || string(reply.Body) != `{"code":15,"status":"DATA_LOSS","message":"gone","details":[]}` {
		t.Errorf("%+v", reply)
	}
}

func TestWhatCanNotBeSentIsRefusedBeforeAnythingLeaves(t *testing.T) {
	server := serveShop(t, func(grpc.ServerStream, string, []byte) error {
		t.Error("something arrived")
		return nil
	})
	b := backendFor(t, pooled(t), server.address, "Everything")
	reply := attempt(t.Context(), b, `{"tree":{"count":99999999999}}`)
	violation := reply.ToolError.GetViolations()[0]
	if reply.Failure != interceptors.FailureRequest || reply.Sent || violation.GetField() != "tree.count" || violation.GetValueJson() != "99999999999" {
		t.Errorf("%+v", reply)
	}
}

func TestAnAnswerThatIsNotAsDescribedIsNoSuccess(t *testing.T) {
	server := serveShop(t, func(stream grpc.ServerStream, _ string, _ []byte) error { return stream.SendMsg(&frame{[]byte{0xff}}) })
	reply := attempt(t.Context(), backendFor(t, pooled(t), server.address, "Everything"), `{}`)
	if reply.Failure != interceptors.FailureBodyCut || !reply.Sent {
		t.Errorf("%+v", reply)
	}
}

// A balancer that speaks HTTP alone says with its own status what happened.
func TestAnAnswerInHTTPKeepsItsStatus(t *testing.T) {
	for _, code := range []int{http.StatusServiceUnavailable, http.StatusForbidden, http.StatusOK} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(code)
		}))
		protocols := &http.Protocols{}
		protocols.SetUnencryptedHTTP2(true)
		server.Config.Protocols = protocols
		server.Start()
		t.Cleanup(server.Close)
		reply := attempt(t.Context(), backendFor(t, pooled(t), server.Listener.Addr().String(), "Everything"), `{}`)
		want := code
		if code == http.StatusOK {
			want = http.StatusBadGateway
		}
		if reply.Transport != interceptors.TransportHTTP || reply.Status != want || reply.Failure != interceptors.FailureNone || !reply.Sent {
			t.Errorf("%d: %+v", code, reply)
		}
	}
}

func TestARequestThatIsTooLargeForTheServerIsTheCallersToMend(t *testing.T) {
	server := serveShop(t, echo, grpc.MaxRecvMsgSize(1000))
	reply := attempt(t.Context(), backendFor(t, pooled(t), server.address, "Everything"), `{"text":"`+strings.Repeat("x", 2000)+`"}`)
	if reply.ToolError.GetErrorClass() != interceptors.InvalidRequest || reply.ToolError.GetCode() != interceptors.CodeArgumentsTooLarge {
		t.Errorf("%+v", reply)
	}
}

func TestAnAnswerThatIsCompressedIsRead(t *testing.T) {
	server := serveShop(t, func(stream grpc.ServerStream, method string, request []byte) error {
		if err := grpc.SetSendCompressor(stream.Context(), "gzip"); err != nil {
			return err
		}
		return echo(stream, method, request)
	})
	text := strings.Repeat("x", 10_000)
	reply := attempt(t.Context(), backendFor(t, pooled(t), server.address, "Everything"), `{"text":"`+text+`"}`)
	if reply.Status != 0 || !strings.Contains(string(reply.Body), text) {
		t.Errorf("%+v", reply)
	}
}

// bearer is a source of tokens.
type bearer struct {
	mu      sync.Mutex
	tokens  []string // guarded by mu
	renewed []string // what was refused; guarded by mu
}

func (b *bearer) Token(context.Context) (string, *interceptors.Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens[0], nil
}

func (b *bearer) Renew(_ context.Context, refused string) (string, *interceptors.Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens, b.renewed = b.tokens[1:], append(b.renewed, refused)
	return b.tokens[0], nil
}

func TestATokenThatIsRefusedIsRenewedOnceAndReachesNobody(t *testing.T) {
	var shown []string
	server := serveShop(t, func(stream grpc.ServerStream, method string, request []byte) error {
		md, _ := metadata.FromIncomingContext(stream.Context())
		token := strings.TrimPrefix(md.Get("authorization")[0], "Bearer ")
		shown = append(shown, token)
		if token == "good" {
			return echo(stream, method, request)
		}
		return status.Error(codes.Unauthenticated, "the token "+token+" has expired")
	})
	source := &bearer{tokens: []string{"expired", "good"}}
	b := backendFor(t, pooled(t), server.address, "Everything", func(s *Spec) { s.Bearer = source })
	if reply := attempt(t.Context(), b, `{}`); reply.Status != 0 || !slices.Equal(shown, []string{"expired", "good"}) || !slices.Equal(source.renewed, []string{"expired"}) {
		t.Errorf("%+v after %v", reply, shown)
	}
	source.tokens, shown = []string{"wrong", "wrong2"}, nil
	if reply := attempt(t.Context(), b, `{}`); reply.Status != int(codes.Unauthenticated) || len(shown) != 2 || strings.Contains(reply.Message, "wrong") {
		t.Errorf("%+v after %v", reply, shown)
	}
}
