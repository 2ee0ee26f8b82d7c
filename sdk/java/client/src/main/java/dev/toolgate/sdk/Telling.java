package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Tells the outcomes of a batch as they arrive, and all of them in the end. */
final class Telling {
    private final Batch batch;
    private final Consumer<? super Outcome> onOutcome;
    private final List<Outcome> told = new ArrayList<>();
    private final CompletableFuture<List<Outcome>> all = new CompletableFuture<>();

    Telling(Batch batch, Consumer<? super Outcome> onOutcome) {
        this.batch = batch;
        this.onOutcome = onOutcome;
    }

    CompletableFuture<List<Outcome>> start(Gateway gateway) {
        if (batch.finished()) {
            all.complete(List.of());
            return all;
        }
        var stream = gateway.callTools(batch.request, this::take);
        stream.whenComplete((last, error) -> end(error));
        all.whenComplete((outcomes, error) -> stream.cancel(true));
        return all;
    }

    private void take(CallToolsResponse event) {
        if (!all.isDone()) {
            batch.take(event).ifPresent(this::tell);
        }
    }

    private void tell(Outcome outcome) {
        told.add(outcome);
        onOutcome.accept(outcome);
    }

    private void end(Throwable error) {
        try {
            if (error != null && !(error instanceof ToolgateException)) { // cancelled, or thrown by a consumer
                throw error;
            }
            batch.rest((ToolgateException) error).forEach(this::tell);
            all.complete(List.copyOf(told));
        } catch (Throwable thrown) {
            all.completeExceptionally(thrown);
        }
    }
}
