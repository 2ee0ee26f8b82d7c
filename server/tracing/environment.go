package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
)

const serviceName = "toolgate" // where OTEL_SERVICE_NAME says nothing

// Environment is where a program learns how to trace.
type Environment struct {
	Getenv  func(string) string // required
	Logger  *slog.Logger        // gets what the exporter complains about; required
	Version string              // of the program; empty: not known
}

// Pipeline makes spans and exports them. Shutdown ends it.
type Pipeline struct {
	Provider   *sdktrace.TracerProvider
	Propagator propagation.TextMapPropagator
}

// FromEnvironment makes a pipeline as the variables of the OpenTelemetry
// specification say, and nil where they ask for none: without an endpoint
// (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) or an
// explicit OTEL_TRACES_EXPORTER=otlp, with OTEL_TRACES_EXPORTER=none, with
// OTEL_SDK_DISABLED=true. A value that means nothing here is logged and passed
// over, as the specification has it.
//
// The exporter, the sampler, the batches and the limits of spans read their own
// variables from the process. The protocol is OTEL_EXPORTER_OTLP_PROTOCOL, by
// default http/protobuf, or grpc where the endpoint's port is 4317.
func FromEnvironment(ctx context.Context, env Environment) (*Pipeline, error) {
	if !env.wanted() {
		return nil, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { // else it writes to standard error by itself
		env.Logger.Warn("traces", slog.String("cause", err.Error()))
	}))
	exporter, err := env.exporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces over OTLP: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(serviceName), semconv.ServiceVersion(env.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return &Pipeline{
		Provider:   sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about)),
		Propagator: env.propagator(),
	}, nil
}

// Shutdown exports what is waiting and ends the pipeline. A nil one is ended.
func (p *Pipeline) Shutdown(ctx context.Context) error {
	if p == nil {
		return nil
	}
	return p.Provider.Shutdown(ctx)
}

func (e Environment) wanted() bool {
	if strings.EqualFold(e.value("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	switch chosen := e.value("OTEL_TRACES_EXPORTER"); {
	case chosen == "":
		_, endpoint := e.endpoint()
		return endpoint != ""
	case chosen == "none":
		return false
	case slices.Contains(list(chosen), "otlp"):
		return true
	default:
		e.passOver("OTEL_TRACES_EXPORTER", chosen, "otlp, none")
		return false
	}
}

// endpoint is what the traces are sent to, and which variable says so.
func (e Environment) endpoint() (variable, text string) {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if text := e.value(variable); text != "" {
			return variable, text
		}
	}
	return "", ""
}

func (e Environment) exporter(ctx context.Context) (*otlptrace.Exporter, error) {
	variable, endpoint := e.endpoint()
	bare := endpoint != "" && !strings.Contains(endpoint, "://")
	if bare {
		e.passOver(variable, "without a scheme", "a URL: http://host:4317; it is taken for one of http")
	}
	if e.protocol(endpoint) == protocolGRPC {
		var options []otlptracegrpc.Option
		if bare {
			options = append(options, otlptracegrpc.WithEndpointURL("http://"+endpoint))
		}
		return otlptracegrpc.New(ctx, options...)
	}
	var options []otlptracehttp.Option
	if bare {
		options = append(options, otlptracehttp.WithEndpoint(endpoint), otlptracehttp.WithInsecure())
	}
	return otlptracehttp.New(ctx, options...)
}

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
	portOfGRPC   = "4317"
)

func (e Environment) protocol(endpoint string) string {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch chosen := e.value(variable); chosen {
		case protocolGRPC, protocolHTTP:
			return chosen
		case "":
		default:
			e.passOver(variable, chosen, protocolGRPC+", "+protocolHTTP)
		}
	}
	if at, err := url.Parse(endpoint); err == nil && at.Port() == portOfGRPC || strings.HasSuffix(endpoint, ":"+portOfGRPC) {
		return protocolGRPC
	}
	return protocolHTTP
}

func (e Environment) propagator() propagation.TextMapPropagator {
	chosen := e.value("OTEL_PROPAGATORS")
	if chosen == "" {
		chosen = "tracecontext"
	}
	var all []propagation.TextMapPropagator
	for _, name := range list(chosen) {
		switch name {
		case "tracecontext":
			all = append(all, propagation.TraceContext{})
		case "baggage", "none": // nothing here reads baggage, and no upstream is sent any
		default:
			e.passOver("OTEL_PROPAGATORS", name, "tracecontext, baggage, none")
		}
	}
	return propagation.NewCompositeTextMapPropagator(all...)
}

// value is a variable's; an empty one is none.
func (e Environment) value(variable string) string { return strings.TrimSpace(e.Getenv(variable)) }

func (e Environment) passOver(variable, value, accepted string) {
	e.Logger.Warn("an environment variable is passed over",
		slog.String("variable", variable), slog.String("value", value), slog.String("accepted", accepted))
}

func list(text string) []string {
	names := strings.Split(strings.ToLower(text), ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}
