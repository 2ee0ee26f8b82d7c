package runner

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log" //nolint:depguard // net/http takes no other
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"path"
	"strconv"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// hop stands between a client and a gateway, as a proxy does. It passes on less of
// a call's time, or makes of the gateway one that knows the contract of a release
// and no more.
type hop struct {
	through  http.RoundTripper
	passesOn time.Duration // 0: all that the client gave
	past     *past         // nil: the gateway stays as it is
}

// startHop serves until stop.
func startHop(gateway string, passesOn time.Duration, past *past) (target string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var plain http.Protocols
	plain.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &plain, DisableCompression: true}
	h := &hop{through: transport, passesOn: passesOn, past: past}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL.Scheme, request.Out.URL.Host, request.Out.Host = "http", gateway, request.In.Host
		},
		Transport: h, ErrorLog: silent(),
	}
	server := &http.Server{Handler: proxy, Protocols: &plain, ReadHeaderTimeout: time.Minute, ErrorLog: silent()}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close(); transport.CloseIdleConnections() }, nil
}

// RoundTrip passes one rpc on.
func (h *hop) RoundTrip(request *http.Request) (*http.Response, error) {
	if h.past == nil {
		return h.hurry(request)
	}
	method := h.past.method(path.Base(request.URL.Path))
	if method == nil {
		return unimplemented(request), nil
	}
	body := request.Body
	request.Body, request.ContentLength = frames(body, method.Input(), h.past.wouldRead), -1
	response, err := h.through.RoundTrip(request)
	if err != nil || response.Header.Get("Grpc-Status") != "" { // it failed, without a message
		return response, err
	}
	response.Body, response.ContentLength = frames(response.Body, method.Output(), h.past.wouldWrite), -1
	response.Header.Del("Content-Length")
	return response, nil
}

// patience is how often a hurried call is sent: the machine may be so busy that
// what little time there is passes before the gateway has read the call.
const patience = 100

func (h *hop) hurry(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	for i := range patience {
		again := request.Clone(request.Context())
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if h.passesOn > 0 {
			again.Header.Set("Grpc-Timeout", strconv.FormatInt(h.passesOn.Milliseconds(), 10)+"m")
		}
		response, err := h.through.RoundTrip(again)
		if err != nil || i == patience-1 || !tooLate(response) {
			return response, err
		}
		_ = response.Body.Close()
	}
	return nil, nil
}

// tooLate reports that the gateway answered with DEADLINE_EXCEEDED and nothing else.
func tooLate(response *http.Response) bool { return response.Header.Get("Grpc-Status") == "4" }

func unimplemented(request *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 2, Request: request, Body: http.NoBody,
		Header: http.Header{"Content-Type": {"application/grpc"}, "Grpc-Status": {"12"}},
	}
}

// frames rewrites the messages of a gRPC body one by one. A compressed one is an
// error: no client of ours asks for it.
func frames(body io.ReadCloser, kind protoreflect.MessageDescriptor, rewrite func(protoreflect.MessageDescriptor, []byte) ([]byte, error)) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		defer func() { _ = body.Close() }()
		for {
			frame, err := readFrame(body)
			if err == nil {
				frame, err = rewrite(kind, frame)
			}
			if err != nil {
				_ = writer.CloseWithError(err) // io.EOF ends it
				return
			}
			if _, err := writer.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(frame)))); err != nil {
				return
			}
			if _, err := writer.Write(frame); err != nil {
				return
			}
		}
	}()
	return reader
}

func readFrame(body io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(body, head[:]); err != nil {
		return nil, err
	}
	if head[0] != 0 {
		return nil, fmt.Errorf("a frame of kind %d", head[0])
	}
	frame := make([]byte, binary.BigEndian.Uint32(head[1:]))
	_, err := io.ReadFull(body, frame)
	return frame, err
}

// silent is a log for what clients that leave in the middle make servers say.
func silent() *log.Logger { return slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) }
