package dev.toolgate.sdk;

import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** How threads wait, and futures follow each other. */
final class Waiting {
    private Waiting() {}

    /** Waits for a call. Interrupting the thread cancels the call, at the tool too. */
    static <T> T await(CompletableFuture<T> call) {
        try {
            return call.get();
        } catch (InterruptedException interrupted) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw interrupted(interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof ToolgateException failure) {
                throw failure.here();
            }
            throw new CompletionException(failed.getCause());
        }
    }

    static GatewayException interrupted(InterruptedException interrupted) {
        return new GatewayException(Status.Code.CANCELLED, "the thread was interrupted", interrupted);
    }

    /** What a future brings, mapped. Whoever completes or cancels what is returned cancels its source. */
    static <T, R> CompletableFuture<R> map(CompletableFuture<T> source, Function<T, R> mapping) {
        var mapped = new CompletableFuture<R>();
        source.whenComplete((value, error) -> {
            try {
                if (error == null) {
                    mapped.complete(mapping.apply(value));
                } else {
                    mapped.completeExceptionally(error);
                }
            } catch (RuntimeException failure) {
                mapped.completeExceptionally(failure);
            }
        });
        mapped.whenComplete((value, error) -> source.cancel(true));
        return mapped;
    }
}
