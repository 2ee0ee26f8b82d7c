package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolRequest;
import io.grpc.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One call, sent again and again while time cures it. */
final class Repetition {
    private final Gateway gateway;
    private final CallToolRequest request;
    private final Patience patience;
    private final CompletableFuture<Result> outcome = new CompletableFuture<>();
    private final Context context = Context.current();
    private volatile CompletableFuture<Result> sent;

    Repetition(Gateway gateway, CallToolRequest request, Duration within) {
        this.gateway = gateway;
        this.request = request;
        this.patience = new Patience(within);
    }

    CompletableFuture<Result> start() {
        attempt();
        outcome.whenComplete((result, error) -> sent.cancel(true));
        return outcome;
    }

    private void attempt() {
        if (outcome.isDone()) { // left during a sleep
            return;
        }
        var attempt = Waiting.map(gateway.callTool(request, patience.timeout(gateway.deadline)), Result::of);
        sent = attempt;
        if (outcome.isDone()) { // left just now
            attempt.cancel(true);
        }
        attempt.whenComplete((result, error) -> {
            if (error == null) {
                outcome.complete(result);
            } else {
                waitFor(error).ifPresentOrElse(this::later, () -> outcome.completeExceptionally(error));
            }
        });
    }

    private Optional<Duration> waitFor(Throwable error) {
        return error instanceof ToolCallException failed ? patience.wait(failed) : Optional.empty();
    }

    private void later(Duration wait) {
        CompletableFuture.delayedExecutor(Seconds.nanos(wait), TimeUnit.NANOSECONDS)
                .execute(context.wrap(this::attempt));
    }
}
