package dev.toolgate.sdk;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** One rpc as a future of its last message. Whoever completes or cancels the future ends the rpc, at the tool too. */
final class Rpc<R> implements ClientResponseObserver<Object, R> {
    private final CompletableFuture<R> ended = new CompletableFuture<>();
    private final Consumer<R> onMessage;
    private final Function<Throwable, ToolgateException> failure;
    private ClientCallStreamObserver<?> stream;
    private volatile boolean over;
    private R last;

    Rpc(Consumer<R> onMessage, Function<Throwable, ToolgateException> failure) {
        this.onMessage = onMessage;
        this.failure = failure;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Object> requests) {
        stream = requests;
    }

    /** The future, once the rpc is started. */
    CompletableFuture<R> started() {
        ended.whenComplete((message, error) -> leave(error));
        return ended;
    }

    private void leave(Throwable reason) {
        if (!over) { // else a reset would still be sent
            stream.cancel("the caller left", reason);
        }
    }

    @Override
    public void onNext(R message) {
        last = message;
        try {
            onMessage.accept(message);
        } catch (RuntimeException | Error thrown) { // by the caller's own code, who hears of it
            ended.completeExceptionally(thrown);
        }
    }

    @Override
    public void onError(Throwable thrown) {
        over = true;
        ended.completeExceptionally(failure.apply(thrown));
    }

    @Override
    public void onCompleted() {
        over = true;
        ended.complete(last);
    }
}
