package dev.toolgate.sdk;

import dev.toolgate.v1.RunSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One run of an agent: what the gateway remembers, counts and refuses belongs to it. It is safe for concurrent use.
 * Closed, best by try-with-resources, it ends itself, and {@link #summary()} then tells what happened. A gateway that
 * can't be reached for that is no error: it forgets the run by itself.
 */
public final class Run implements AutoCloseable {
    private final Client client;
    private final String id;
    private volatile RunSummary summary;

    Run(Client client, String id) {
        this.client = client;
        this.id = Objects.requireNonNull(id, "id");
    }

    /** The run's id. */
    public String id() {
        return id;
    }

    /** Ends the run, within five seconds. */
    @Override
    public void close() {
        try {
            summary = client.farewell(id);
        } catch (GatewayException unreachable) {
            summary = null;
        }
    }

    /** What happened in the run, once it was closed and the gateway could be reached for that. */
    public Optional<RunSummary> summary() {
        return Optional.ofNullable(summary);
    }

    /** A call without arguments; see {@link Client#call(Call, String)}. */
    public Result call(String tool) {
        return call(Call.of(tool));
    }

    /** As {@link Client#call(String, Map, String)}. */
    public Result call(String tool, Map<String, ?> arguments) {
        return call(Call.of(tool, arguments));
    }

    /** As {@link Client#call(String, String, String)}. */
    public Result call(String tool, String argumentsJson) {
        return call(Call.of(tool, argumentsJson));
    }

    /** As {@link Client#call(Call, String)}. */
    public Result call(Call call) {
        return client.call(call, id);
    }

    /** As {@link Client#callAsync}. */
    public CompletableFuture<Result> callAsync(Call call) {
        return client.callAsync(call, id);
    }

    /** As {@link Client#waitTransient}. */
    public Result waitTransient(Call call, Duration within) {
        return client.waitTransient(call, id, within);
    }

    /** As {@link Client#waitTransientAsync}. */
    public CompletableFuture<Result> waitTransientAsync(Call call, Duration within) {
        return client.waitTransientAsync(call, id, within);
    }

    /** As {@link Client#callMany(List, String)}. */
    public Outcomes callMany(List<Call> calls) {
        return client.callMany(calls, id);
    }

    /** As {@link Client#callMany(List, String, Consumer)}. */
    public Outcomes callMany(List<Call> calls, Consumer<? super Progress> onProgress) {
        return client.callMany(calls, id, onProgress);
    }

    /** As {@link Client#callManyAsync(List, String, Consumer)}. */
    public CompletableFuture<List<Outcome>> callManyAsync(List<Call> calls, Consumer<? super Outcome> onOutcome) {
        return client.callManyAsync(calls, id, onOutcome);
    }

    /** As {@link Client#callManyAsync(List, String, Consumer, Consumer)}. */
    public CompletableFuture<List<Outcome>> callManyAsync(
            List<Call> calls, Consumer<? super Outcome> onOutcome, Consumer<? super Progress> onProgress) {
        return client.callManyAsync(calls, id, onOutcome, onProgress);
    }
}
