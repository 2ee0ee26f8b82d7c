package cli

import (
	"context"
	"log/slog"
	"time"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/tracing"
)

// tracesTimeout is how long an ending program waits for its collector.
const tracesTimeout = 5 * time.Second

// trace has the gateway traced as the environment says. What is returned ends the
// traces, behind the drain.
func (s *session) trace(ctx context.Context, config *server.Config, log *slog.Logger) (stop func(), err error) {
	pipeline, err := tracing.FromEnvironment(ctx, tracing.Environment{Getenv: s.Getenv, Logger: log, Version: moduleVersion()})
	if err != nil {
		return nil, usage(err.Error(), "mend the OTEL_ variables, or set OTEL_TRACES_EXPORTER=none")
	}
	if pipeline == nil {
		return func() {}, nil
	}
	config.TracerProvider, config.Propagator = pipeline.Provider, pipeline.Propagator
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesTimeout)
		defer cancel()
		if err := pipeline.Shutdown(ctx); err != nil {
			log.Warn("the last traces are lost", slog.String("cause", err.Error()))
		}
	}, nil
}
