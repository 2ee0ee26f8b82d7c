package dev.toolgate.sdk.conformance;

import dev.toolgate.conformance.v1.ExecuteRequest;
import dev.toolgate.sdk.Client;
import dev.toolgate.sdk.Run;
import dev.toolgate.sdk.ToolgateException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Calls that return futures. A move is cancelled by cancelling its future. */
final class FutureMoves implements Moves {

    @Override
    public void make(Client client, ExecuteRequest request, Told told) throws Exception {
        var action = request.getAction();
        var move = move(client, request, told);
        if (action.getCancelAfter() > 0) {
            long nanos = Executor.seconds(action.getCancelAfter()).toNanos();
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(() -> move.future.cancel(true));
        }
        try {
            move.run();
        } catch (CancellationException cancelled) {
            told.cancelled(Math.max(action.getCallMany().getCallsCount(), 1));
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof ToolgateException error)) {
                throw failed;
            }
            told.error(0, error);
        }
    }

    private static Move<?> move(Client client, ExecuteRequest request, Told told) {
        Run run = client.run(request.getRunId());
        var action = request.getAction();
        return switch (action.getKindCase()) {
            case CALL -> new Move<>(run.callAsync(Moves.call(action.getCall())), told::result);
            case WAIT_TRANSIENT -> {
                var wait = action.getWaitTransient();
                var within = Executor.seconds(wait.getWithin());
                yield new Move<>(run.waitTransientAsync(Moves.call(wait.getCall()), within), told::result);
            }
            case CALL_MANY -> {
                var all = run.callManyAsync(Moves.calls(request), told::outcome, told::progress);
                yield new Move<>(all, outcomes -> {});
            }
            case LIST_TOOLS -> new Move<>(client.listToolsAsync(), told::tools);
            case END_RUN -> new Move<>(client.endRunAsync(request.getRunId()), told::summary);
            case KIND_NOT_SET -> throw new IllegalArgumentException("a move that this executor does not know");
        };
    }

    private record Move<T>(CompletableFuture<T> future, Consumer<T> tell) {
        void run() throws InterruptedException, ExecutionException {
            tell.accept(future.get());
        }
    }
}
