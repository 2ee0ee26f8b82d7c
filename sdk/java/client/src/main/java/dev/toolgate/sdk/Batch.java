package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolsRequest;
import dev.toolgate.v1.CallToolsResponse;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Parallel calls: what was sent and is not yet answered. One thread reads it. */
final class Batch {
    final CallToolsRequest request;
    private final TreeSet<Integer> open = new TreeSet<>();
    private final Consumer<? super Progress> onProgress;

    Batch(String run, List<Call> calls, Consumer<? super Progress> onProgress) {
        this.request = CallToolsRequest.newBuilder()
                .setRunId(run)
                .addAllCalls(calls.stream().map(Call::message).toList())
                .build();
        IntStream.range(0, calls.size()).forEach(open::add);
        this.onProgress = onProgress;
    }

    boolean finished() {
        return open.isEmpty();
    }

    /** Reads one event. Events and places that are not known are ignored. */
    Optional<Outcome> take(CallToolsResponse event) {
        int index = event.getIndex();
        if (event.hasProgress() && open.contains(index)) {
            onProgress.accept(new Progress(index, event.getProgress()));
        }
        if (!event.hasDone() || !open.remove(index)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Outcome.answered(index, Result.of(event.getDone())));
        } catch (ToolgateException error) {
            return Optional.of(Outcome.failed(index, error));
        }
    }

    /** Gives the error, or what a missing one means, to every call that has no outcome. */
    List<Outcome> rest(ToolgateException error) {
        ToolgateException reason = error != null
                ? error
                : new GatewayException(Status.Code.UNKNOWN, "the stream ended before every call had its outcome", null);
        List<Outcome> rest =
                open.stream().map(index -> Outcome.failed(index, reason)).toList();
        open.clear();
        return rest;
    }
}
