package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolRequest;
import dev.toolgate.v1.CallToolResponse;
import dev.toolgate.v1.CallToolsRequest;
import dev.toolgate.v1.CallToolsResponse;
import dev.toolgate.v1.EndRunRequest;
import dev.toolgate.v1.EndRunResponse;
import dev.toolgate.v1.ListToolsRequest;
import dev.toolgate.v1.ListToolsResponse;
import dev.toolgate.v1.ToolGatewayServiceGrpc;
import dev.toolgate.v1.ToolGatewayServiceGrpc.ToolGatewayServiceStub;
import io.grpc.CallCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The rpcs, as futures that fail with a ToolgateException, and end the rpc where they are left. */
final class Gateway {
    final Duration deadline; // null: the gateway's default
    private final ManagedChannel channel;
    private final ToolGatewayServiceStub stub;
    private volatile boolean closed;

    Gateway(ManagedChannel channel, CallCredentials token, Duration deadline) {
        this.channel = channel;
        this.stub = ToolGatewayServiceGrpc.newStub(channel).withCallCredentials(token);
        this.deadline = deadline;
    }

    void close() {
        closed = true;
        channel.shutdownNow();
    }

    CompletableFuture<CallToolResponse> callTool(CallToolRequest request, Duration timeout) {
        return send((rpc, sink) -> rpc.callTool(request, sink), timeout, message -> {});
    }

    CompletableFuture<ListToolsResponse> listTools() {
        var request = ListToolsRequest.getDefaultInstance();
        return send((rpc, sink) -> rpc.listTools(request, sink), deadline, message -> {});
    }

    CompletableFuture<EndRunResponse> endRun(String run, Duration timeout) {
        var request = EndRunRequest.newBuilder().setRunId(run).build();
        return send((rpc, sink) -> rpc.endRun(request, sink), timeout, message -> {});
    }

    /** The events of a batch are told one after the other, on threads of gRPC's. */
    CompletableFuture<?> callTools(CallToolsRequest request, Consumer<CallToolsResponse> onEvent) {
        return send((rpc, sink) -> rpc.callTools(request, sink), deadline, onEvent);
    }

    private <R> CompletableFuture<R> send(
            BiConsumer<ToolGatewayServiceStub, StreamObserver<R>> method, Duration timeout, Consumer<R> onMessage) {
        if (closed) {
            return CompletableFuture.failedFuture(GatewayException.closed(null));
        }
        var timed = timeout == null ? stub : stub.withDeadlineAfter(Seconds.nanos(timeout), TimeUnit.NANOSECONDS);
        var rpc = new Rpc<R>(onMessage, this::failure);
        method.accept(timed, rpc);
        return rpc.started();
    }

    /** What gRPC says. Of a channel that was shut down it says that it is unavailable. */
    private ToolgateException failure(Throwable thrown) {
        var failure = GatewayException.of(thrown);
        boolean ours = closed && failure.code() == Status.Code.UNAVAILABLE;
        return ours ? GatewayException.closed(thrown) : failure;
    }
}
