package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"
	"time"

	"github.com/spf13/cobra"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/diagnose/cases"
	"toolgate.dev/toolgate/internal/observation"
)

// failureFlags say what a failure was, where no `curl -i` output does.
type failureFlags struct {
	cases, output                     string
	method, host, provider, arguments string
	status                            int
	headers                           []string
	network                           string
	grpc, message, details            string
}

func (s *session) explainFailure() *cobra.Command {
	var flags failureFlags
	cmd := &cobra.Command{
		Use:   "failure [FILE | -]",
		Short: "Show class, code, field, wait and observation of a failure, and why",
		Long: "Reads a response from FILE or standard input: the output of `curl -i`, or a body with --status.\n" +
			"--grpc and --network-error stand for failures without an HTTP response. What a catalogue would\n" +
			"know of the call (method, host, provider, arguments) makes the judgement better.\n\n" +
			"--cases FILE answers recorded failures, one JSON object a line (id, transport, request, response,\n" +
			"network_error), with one line each: {\"id\", \"error\"}, error null for a success.",
		Example: "  curl -si https://api.example.com/v1/charges | toolgate explain failure --host api.example.com -\n" +
			"  toolgate explain failure --status 429 --header 'Retry-After: 7'\n" +
			"  toolgate explain failure --network-error timeout --method POST",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("one failure at a time", "--cases FILE takes many")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if flags.cases == "" {
				return s.showFailure(args, flags)
			}
			engine, err := diagnose.New()
			if err != nil {
				return err
			}
			return s.eachLine(flags.cases, func(line []byte) ([]byte, error) { return answerFailure(engine, line) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.cases, "cases", "", "answer recorded failures, one JSON object a line")
	f.StringVarP(&flags.output, "output", "o", "", "json or table (default: a table at a terminal, else json)")
	f.StringVar(&flags.method, "method", "GET", "method of the call: what may be repeated depends on it")
	f.StringVar(&flags.host, "host", "", "host of the upstream: recognises its provider")
	f.StringVar(&flags.provider, "provider", "", "provider, by name")
	f.StringVar(&flags.arguments, "arguments", "", "arguments of the call as JSON: fields are named as they are there")
	f.IntVar(&flags.status, "status", 0, "HTTP status, where the input is only a body")
	f.StringArrayVar(&flags.headers, "header", nil, "response header 'Name: value'; may be repeated")
	f.StringVar(&flags.network, "network-error", "", "no response: timeout, connection_refused, connection_reset, dns, tls, eof_mid_body …")
	f.StringVar(&flags.grpc, "grpc", "", "gRPC code, for example RESOURCE_EXHAUSTED")
	f.StringVar(&flags.message, "message", "", "message of the gRPC status")
	f.StringVar(&flags.details, "details", "", "details of the gRPC status as a JSON list")
	return cmd
}

func answerFailure(engine *diagnose.Engine, line []byte) ([]byte, error) {
	c, err := cases.Read(line)
	if err != nil {
		return nil, err
	}
	return cases.Answer(c.ID, judged(engine, c.Input()))
}

// firstBackoff is the wait after one attempt that nothing hints at: the default
// policy's first step.
const firstBackoff = 1.0

// judged is what a caller would get after one attempt; nil for a success.
func judged(engine *diagnose.Engine, in diagnose.Input) *toolgatev1.ToolError {
	e, _ := engine.Diagnose(in)
	if e == nil {
		return nil
	}
	if e.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT && e.RetryAfter == nil {
		step := firstBackoff
		e.RetryAfter = &step
	}
	e.Attempts = 1
	observation.Finish(in.Tool.Name, e)
	return e
}

func (s *session) showFailure(args []string, flags failureFlags) error {
	if flags.output != "" && flags.output != "json" && flags.output != "table" {
		return usage(fmt.Sprintf("-o %s is not an output", flags.output), "-o json or -o table")
	}
	c, err := s.failureCase(args, flags)
	if err != nil {
		return err
	}
	engine, err := diagnose.New()
	if err != nil {
		return err
	}
	in := cases.Now(c.Input(), time.Now())
	in.Trail = &diagnose.Trail{}
	e := judged(engine, in)
	if flags.output == "table" || flags.output == "" && s.Terminal {
		s.failureTable(e, in.Trail)
		return nil
	}
	return s.failureJSON(e, in.Trail)
}

// failureCase makes a case of a file and flags.
func (s *session) failureCase(args []string, flags failureFlags) (*cases.Case, error) {
	c := &cases.Case{
		Transport: "http", NetworkError: flags.network,
		Request:  cases.Request{Method: flags.method, Host: flags.host, Provider: flags.provider},
		Response: &cases.Response{Status: flags.status, Headers: cases.Headers{}},
	}
	if flags.arguments != "" {
		if !json.Valid([]byte(flags.arguments)) {
			return nil, usage("--arguments is not JSON", `write them as the call had them: --arguments '{"amount": 150.00}'`)
		}
		c.Request.Arguments = json.RawMessage(flags.arguments)
	}
	switch {
	case flags.network != "":
		return c, nil
	case flags.grpc != "":
		c.Transport = "grpc"
		c.Response.Code, c.Response.Message, c.Response.Details = flags.grpc, flags.message, json.RawMessage(flags.details)
		if flags.details != "" && !json.Valid(c.Response.Details) {
			return nil, usage("--details is not JSON", `write a list: --details '[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]'`)
		}
		return c, nil
	}
	return c, s.fillResponse(c.Response, args, flags)
}

func (s *session) fillResponse(response *cases.Response, args []string, flags failureFlags) error {
	if len(args) > 0 {
		text, err := s.readAll(args[0])
		if err != nil {
			return err
		}
		parsed, err := parseHTTPText(text)
		switch {
		case err == nil && flags.status == 0:
			response.Status, response.Headers, response.Body = parsed.status, parsed.header, parsed.body
		case flags.status == 0 && errors.Is(err, errNotHTTP):
			return usage("the input has no status line", "pass the output of `curl -i`, or say --status N for a body alone")
		case flags.status == 0:
			return usage(err.Error(), "pass the output of `curl -i`, or say --status N for a body alone")
		default:
			response.Body = text
		}
	}
	if response.Status == 0 {
		return usage("which failure?", "pass FILE or - with the output of `curl -i`, or --status, --grpc or --network-error")
	}
	for _, line := range flags.headers {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return usage(fmt.Sprintf("%q is not a header", line), "--header 'Name: value'")
		}
		if response.Headers == nil {
			response.Headers = cases.Headers{}
		}
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		response.Headers[name] = append(response.Headers[name], strings.TrimSpace(value))
	}
	return nil
}

func (s *session) readAll(name string) ([]byte, error) {
	input, err := s.open(name)
	if err != nil {
		return nil, usage(err.Error(), "pass a file, or - for standard input")
	}
	defer input.Close()
	return io.ReadAll(input)
}

// contents is what stands in the file that a person named; -: standard input.
func (s *session) contents(name string) ([]byte, error) {
	input, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	return io.ReadAll(input)
}
