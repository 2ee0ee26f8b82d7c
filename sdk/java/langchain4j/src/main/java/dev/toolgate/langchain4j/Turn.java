package dev.toolgate.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.toolgate.sdk.Call;
import dev.toolgate.sdk.ErrorClass;
import dev.toolgate.sdk.Outcome;
import dev.toolgate.sdk.Outcomes;
import dev.toolgate.sdk.Run;
import dev.toolgate.sdk.ToolCallException;
import dev.toolgate.sdk.ToolgateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The calls that a model asked for in one turn. LangChain4j runs them one by one, or each in a thread: whoever comes
 * first sends them all.
 */
final class Turn {
    private static final int MOST = 64; // calls in a batch: the contract's own bound
    private static final Duration SHORTEST = Duration.ofMillis(50); // a wait of zero is no busy loop

    private static final Duration LONGEST = Duration.ofDays(365); // and can be counted in nanoseconds

    private final Run run;
    private final Duration patience;
    private final List<ToolExecutionRequest> requests;
    private final List<Call> calls;
    private final ToolExecutionResult[] results;
    private boolean sent; // guarded by this, as are the results
    private RuntimeException broken;

    Turn(Run run, Duration patience, List<ToolExecutionRequest> requests) {
        this.run = run;
        this.patience = patience.compareTo(LONGEST) < 0 ? patience : LONGEST;
        this.requests = requests;
        // An id of its own, the same in every repetition: models' ids come twice.
        this.calls = requests.stream()
                .map(request -> {
                    String arguments = request.arguments() == null ? "" : request.arguments();
                    return new Call(request.name(), arguments, UUID.randomUUID().toString(), false, false);
                })
                .toList();
        this.results = new ToolExecutionResult[requests.size()];
    }

    /** Whether the very request is one of this turn. */
    boolean has(ToolExecutionRequest request) {
        return index(request) >= 0;
    }

    private int index(ToolExecutionRequest request) {
        for (int i = 0; i < requests.size(); i++) {
            if (requests.get(i) == request) {
                return i;
            }
        }
        return -1;
    }

    /**
     * What the model reads of a request of this turn.
     *
     * @throws ToolgateException if its rpc failed, or the thread was interrupted
     */
    synchronized ToolExecutionResult result(ToolExecutionRequest request) {
        if (!sent) {
            sent = true;
            try {
                send();
            } catch (RuntimeException e) {
                broken = e;
            }
        }
        ToolExecutionResult result = results[index(request)];
        if (result == null) {
            throw broken;
        }
        return result;
    }

    /** Sends all calls, and those again that time cures, as long as there is patience. */
    private void send() {
        long ends = System.nanoTime() + patience.toNanos();
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            open.add(i);
        }
        while (!open.isEmpty()) {
            List<Integer> again = new ArrayList<>();
            Duration wait = Duration.ZERO;
            for (int from = 0; from < open.size(); from += MOST) {
                List<Integer> batch = open.subList(from, Math.min(open.size(), from + MOST));
                try (Outcomes outcomes =
                        run.callMany(batch.stream().map(calls::get).toList())) {
                    for (Outcome outcome : outcomes) {
                        int index = batch.get(outcome.index());
                        Optional<Duration> delay = take(index, outcome, ends);
                        if (delay.isPresent()) {
                            again.add(index);
                            wait = wait.compareTo(delay.get()) < 0 ? delay.get() : wait;
                        }
                    }
                }
            }
            if (!again.isEmpty()) {
                sleep(wait);
            }
            open = again.stream().sorted().toList();
        }
    }

    private void sleep(Duration wait) {
        try {
            TimeUnit.NANOSECONDS.sleep(wait.toNanos());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // the next call then ends as CANCELLED
        }
    }

    /** Keeps what the model is told of an outcome, unless the call is to be sent again: then it returns the wait. */
    private Optional<Duration> take(int index, Outcome outcome, long ends) {
        try {
            results[index] = Answers.of(outcome.get());
        } catch (ToolCallException failed) {
            Optional<Duration> wait = wait(failed, ends);
            if (wait.isPresent()) {
                return wait;
            }
            results[index] = Answers.of(failed);
        } catch (ToolgateException rpc) {
            broken = rpc;
        }
        return Optional.empty();
    }

    /** How long to wait before the identical call; empty: the model is told. */
    private static Optional<Duration> wait(ToolCallException failed, long ends) {
        if (failed.errorClass() != ErrorClass.TRANSIENT || failed.exhausted()) {
            return Optional.empty();
        }
        Duration hint = failed.retryAfter().orElse(SHORTEST);
        Duration wait = hint.compareTo(SHORTEST) < 0 ? SHORTEST : hint;
        return wait.compareTo(Duration.ofNanos(ends - System.nanoTime())) < 0 ? Optional.of(wait) : Optional.empty();
    }
}
