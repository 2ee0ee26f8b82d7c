package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolRequest;
import dev.toolgate.v1.EndRunResponse;
import dev.toolgate.v1.RunSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Calls tools through a gateway. It is safe for concurrent use. It connects with the first call; close it when done,
 * best by try-with-resources: calls in flight then end as CANCELLED.
 *
 * <p>Each call has a twin that returns a future, which fails with the exception that the call throws. Cancelling that
 * future cancels the call, at the tool too; so does interrupting the thread that waits in a call, which then throws a
 * {@link GatewayException} of code CANCELLED and leaves the thread interrupted. Futures complete on threads of gRPC's:
 * what blocks belongs into {@code thenApplyAsync} and its kin.
 */
public final class Client implements AutoCloseable {
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final Gateway gateway;

    Client(Gateway gateway) {
        this.gateway = gateway;
    }

    /** Makes a client of the gateway at target, 127.0.0.1:7440 for example, without encryption and token. */
    public static Client connect(String target) {
        return builder(target).build();
    }

    /** Sets up a client of the gateway at target, 127.0.0.1:7440 or dns:///gateway:7440 for example. */
    public static ClientBuilder builder(String target) {
        return new ClientBuilder(target);
    }

    /** Closes the connection. Calls in flight end as CANCELLED, at the tool too. */
    @Override
    public void close() {
        gateway.close();
    }

    /** Begins a run, which ends itself: {@code try (Run run = client.run())}. */
    public Run run() {
        return run(UUID.randomUUID().toString());
    }

    /** Begins a run under an id, of 1 to 128 bytes, or goes on with it. */
    public Run run(String id) {
        return new Run(this, id);
    }

    /**
     * Runs one call with values to its outcome; see {@link Call#of(String, Map)}.
     *
     * @throws ToolCallException if the tool failed
     * @throws GatewayException if the rpc failed
     */
    public Result call(String tool, Map<String, ?> arguments, String run) {
        return call(Call.of(tool, arguments), run);
    }

    /**
     * Runs one call with the text that a model wrote to its outcome; see {@link Call#of(String, String)}.
     *
     * @throws ToolCallException if the tool failed
     * @throws GatewayException if the rpc failed
     */
    public Result call(String tool, String argumentsJson, String run) {
        return call(Call.of(tool, argumentsJson), run);
    }

    /**
     * Runs one call to its outcome.
     *
     * @throws ToolCallException if the tool failed
     * @throws GatewayException if the rpc failed
     */
    public Result call(Call call, String run) {
        return Waiting.await(callAsync(call, run));
    }

    /** The twin of {@link #call(Call, String)}. */
    public CompletableFuture<Result> callAsync(Call call, String run) {
        return Waiting.map(gateway.callTool(request(call, run), gateway.deadline), Result::of);
    }

    /**
     * Calls, and waits out transient failures, for a time in all. It sleeps what the gateway says and sends the
     * identical call. Where a wait does not fit, and after an exhausted failure, which the gateway has waited out
     * already, the failure is thrown at once.
     *
     * @throws ToolCallException if the tool failed
     * @throws GatewayException if the rpc failed
     */
    public Result waitTransient(Call call, String run, Duration within) {
        return Waiting.await(waitTransientAsync(call, run, within));
    }

    /** The twin of {@link #waitTransient}. It holds no thread while it sleeps. */
    public CompletableFuture<Result> waitTransientAsync(Call call, String run, Duration within) {
        return new Repetition(gateway, request(call, run), within).start();
    }

    /**
     * Runs a model's parallel calls of one turn, 1 to 64. One broken call never fails the others: each has exactly one
     * outcome. Leaving {@code try (Outcomes outcomes = ...)} cancels what is still running. Transient failures are not
     * waited out.
     */
    public Outcomes callMany(List<Call> calls, String run) {
        return callMany(calls, run, progress -> {});
    }

    /** As {@link #callMany(List, String)}; progress is told to the thread that reads the outcomes. */
    public Outcomes callMany(List<Call> calls, String run, Consumer<? super Progress> onProgress) {
        return new Outcomes(gateway, new Batch(run, calls, onProgress));
    }

    /**
     * The twin of {@link #callMany(List, String)}: outcomes are told as they arrive, one after the other, on threads of
     * gRPC's, and the future brings them all in that order. What the consumer throws ends the calls and fails the
     * future. Once the future is cancelled nothing more is told.
     */
    public CompletableFuture<List<Outcome>> callManyAsync(
            List<Call> calls, String run, Consumer<? super Outcome> onOutcome) {
        return callManyAsync(calls, run, onOutcome, progress -> {});
    }

    /** As {@link #callManyAsync(List, String, Consumer)}, with progress. */
    public CompletableFuture<List<Outcome>> callManyAsync(
            List<Call> calls, String run, Consumer<? super Outcome> onOutcome, Consumer<? super Progress> onProgress) {
        return new Telling(new Batch(run, calls, onProgress), onOutcome).start(gateway);
    }

    /** Lists the tools that this caller may use. */
    public ToolList listTools() {
        return Waiting.await(listToolsAsync());
    }

    /** The twin of {@link #listTools}. */
    public CompletableFuture<ToolList> listToolsAsync() {
        return Waiting.map(gateway.listTools(), ToolList::new);
    }

    /** Forgets a run and sums it up. Ending an unknown run is not an error. */
    public RunSummary endRun(String run) {
        return Waiting.await(endRunAsync(run));
    }

    /** The twin of {@link #endRun}. */
    public CompletableFuture<RunSummary> endRunAsync(String run) {
        return Waiting.map(gateway.endRun(run, gateway.deadline), EndRunResponse::getRun);
    }

    /** Ends a run that is left: nobody waits for long for what only tells. */
    RunSummary farewell(String run) {
        Duration deadline = gateway.deadline;
        boolean shorter = deadline != null && deadline.compareTo(FAREWELL) < 0;
        return Waiting.await(gateway.endRun(run, shorter ? deadline : FAREWELL)).getRun();
    }

    private static CallToolRequest request(Call call, String run) {
        return CallToolRequest.newBuilder()
                .setRunId(run)
                .setCall(call.message())
                .build();
    }
}
