package dev.toolgate.sdk.conformance;

import dev.toolgate.conformance.v1.ExecuteRequest;
import dev.toolgate.sdk.Client;
import dev.toolgate.sdk.Run;
import dev.toolgate.sdk.ToolgateException;
import java.util.concurrent.FutureTask;

/** Calls that block. A move is cancelled by an interrupt. */
final class BlockingMoves implements Moves {

    @Override
    public void make(Client client, ExecuteRequest request, Told told) throws Exception {
        double cancelAfter = request.getAction().getCancelAfter();
        var task = new FutureTask<Void>(() -> act(client, request, told), null);
        var worker = new Thread(task);
        worker.start();
        if (cancelAfter > 0) {
            worker.join(Executor.seconds(cancelAfter).toMillis());
            worker.interrupt();
        }
        task.get();
    }

    private static void act(Client client, ExecuteRequest request, Told told) {
        Run run = client.run(request.getRunId());
        var action = request.getAction();
        try {
            switch (action.getKindCase()) {
                case CALL -> told.result(run.call(Moves.call(action.getCall())));
                case WAIT_TRANSIENT -> {
                    var wait = action.getWaitTransient();
                    told.result(run.waitTransient(Moves.call(wait.getCall()), Executor.seconds(wait.getWithin())));
                }
                case CALL_MANY -> {
                    try (var outcomes = run.callMany(Moves.calls(request), told::progress)) {
                        outcomes.forEachRemaining(told::outcome);
                    }
                }
                case LIST_TOOLS -> told.tools(client.listTools());
                case END_RUN -> told.summary(client.endRun(request.getRunId()));
                case KIND_NOT_SET -> throw new IllegalArgumentException("a move that this executor does not know");
            }
        } catch (ToolgateException error) {
            told.error(0, error);
        }
    }
}
