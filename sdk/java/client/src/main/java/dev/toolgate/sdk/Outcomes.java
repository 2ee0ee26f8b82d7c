package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolsResponse;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The outcomes of parallel calls, as they arrive: exactly one for each call, whatever breaks. They are read once, by
 * one thread. Closing cancels the calls that still run, at their tools too; so does interrupting the thread that waits
 * for the next one, and the calls then end as CANCELLED.
 */
public final class Outcomes implements Iterable<Outcome>, Iterator<Outcome>, AutoCloseable {
    private final Batch batch;
    private final Queue<Outcome> ready = new ArrayDeque<>();
    private final BlockingQueue<Optional<CallToolsResponse>> arrived = new LinkedBlockingQueue<>();
    private final CompletableFuture<?> stream;

    Outcomes(Gateway gateway, Batch batch) {
        this.batch = batch;
        this.stream = batch.finished()
                ? CompletableFuture.completedFuture(null)
                : gateway.callTools(batch.request, event -> arrived.add(Optional.of(event)));
        stream.whenComplete((nothing, error) -> arrived.add(Optional.empty()));
    }

    /** Itself: outcomes are read once. */
    @Override
    public Iterator<Outcome> iterator() {
        return this;
    }

    @Override
    public boolean hasNext() {
        return !ready.isEmpty() || !batch.finished();
    }

    /** Waits for the next outcome. */
    @Override
    public Outcome next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        while (ready.isEmpty()) {
            try {
                read(arrived.take());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                stream.cancel(true);
                ready.addAll(batch.rest(Waiting.interrupted(interrupted)));
            }
        }
        return ready.remove();
    }

    private void read(Optional<CallToolsResponse> event) {
        if (event.isPresent()) {
            batch.take(event.get()).ifPresent(ready::add);
        } else {
            ready.addAll(batch.rest(reason()));
        }
    }

    /** Why the stream ended early. */
    private ToolgateException reason() {
        if (stream.isCancelled()) {
            return new GatewayException(Status.Code.CANCELLED, "the calls were left", null);
        }
        return stream.handle((nothing, error) -> (ToolgateException) error).join();
    }

    /** Cancels the calls that still run. */
    @Override
    public void close() {
        if (!batch.finished()) {
            stream.cancel(true);
        }
    }
}
