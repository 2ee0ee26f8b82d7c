package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// printJSON prints JSON text, indented for a person, as it stands for a pipe.
// Digits and key order are kept either way. Other text is printed as it is.
func (s *session) printJSON(text string) {
	var pretty bytes.Buffer
	if s.Terminal && json.Indent(&pretty, []byte(text), "", "  ") == nil {
		text = pretty.String()
	}
	fmt.Fprintln(s.Stdout, text)
}

// printMessage prints a message as ProtoJSON. protojson varies its white space
// on purpose; here it is fixed again.
func (s *session) printMessage(msg proto.Message) error {
	text, err := protojson.Marshal(msg)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	s.printJSON(compact.String())
	return nil
}

// printResult prints a structured answer, else its blocks: text as it is, the
// rest by name and size.
func (s *session) printResult(result *toolgate.Result) {
	if result.GetTruncated() {
		s.notef("the answer was larger than the limit and is cut: %d items%s", result.GetReturned(), ofMatched(result))
	}
	if text := result.GetStructuredJson(); text != "" {
		s.printJSON(text)
		return
	}
	for _, block := range result.GetContent() {
		fmt.Fprintln(s.Stdout, blockText(block))
	}
}

func ofMatched(result *toolgate.Result) string {
	if result.Matched == nil {
		return ""
	}
	return fmt.Sprintf(" of %d", result.GetMatched())
}

func blockText(block *toolgatev1.ContentBlock) string {
	switch {
	case block.GetText() != nil:
		return block.GetText().GetText()
	case block.GetImage() != nil:
		return fmt.Sprintf("[image %s, %d bytes]", block.GetImage().GetMimeType(), len(block.GetImage().GetData()))
	case block.GetAudio() != nil:
		return fmt.Sprintf("[audio %s, %d bytes]", block.GetAudio().GetMimeType(), len(block.GetAudio().GetData()))
	case block.GetResource().GetText() != "":
		return block.GetResource().GetText()
	default:
		return fmt.Sprintf("[resource %s]", block.GetResource().GetUri())
	}
}

// headline tells a person in one line what a failure is; a pipe has the
// observation and needs none.
func (s *session) headline(failed *toolgate.ToolError) {
	if !s.ErrTerminal {
		return
	}
	msg := failed.Proto()
	by := strings.ToLower(strings.TrimPrefix(msg.GetClassifiedBy().String(), "CLASSIFIED_BY_"))
	fmt.Fprintf(s.Stderr, "%s %s %s\n", s.err.class(failed.Class), s.err.bold(failed.Code),
		s.err.dim(fmt.Sprintf("(decided by %s, %s, log %s)", by, count(int(msg.GetAttempts()), "attempt"), msg.GetCorrelationId())))
}

func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func responseOf(result *toolgate.Result, failed *toolgate.ToolError) *toolgatev1.CallToolResponse {
	if failed != nil {
		return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: failed.Proto()}}
	}
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: result.ToolResult}}
}

// unreachable explains a status of the gateway and what to do about it.
func (s *session) unreachable(err error) error {
	st := status.Convert(err)
	reason := toolgate.Reason(err)
	_, handshake, isTLS := strings.Cut(st.Message(), "authentication handshake failed: ")
	switch {
	case st.Code() == codes.Unavailable && reason == "" && isTLS:
		return usage("TLS with "+s.gateway+" failed: "+strings.TrimSuffix(handshake, `"`), "TOOLGATE_CA names a PEM file with the authorities of its certificate; a gateway without TLS is named without https://")
	case st.Code() == codes.Unavailable && reason == "":
		return usage("no gateway answers at "+s.gateway, "start one with `toolgate serve --catalog FILE`, or name another with --gateway HOST:PORT, https://HOST:PORT for TLS")
	case st.Code() == codes.Unimplemented:
		return usage("what answers at "+s.gateway+" is not a toolgate gateway", "name another with --gateway HOST:PORT")
	case st.Code() == codes.Unauthenticated:
		return usage("the gateway does not know the caller: "+st.Message(), "set TOOLGATE_API_KEY or TOOLGATE_TOKEN, or TOOLGATE_CERT and TOOLGATE_KEY")
	case st.Code() == codes.Canceled:
		return usage("the call was interrupted", "it may have taken effect: check before it is repeated")
	case st.Code() == codes.DeadlineExceeded:
		return usage("the deadline passed before the gateway answered", "give the call more time with --timeout")
	case reason != "":
		return fmt.Errorf("the gateway refused: %s (%s)", st.Message(), reason)
	}
	return fmt.Errorf("the gateway failed: %s (%s)", st.Message(), st.Code())
}
