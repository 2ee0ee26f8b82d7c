package dev.toolgate.sdk;

import java.time.Duration;
import java.util.Optional;

/** Decides how long waitTransient waits: only where the class says so, and it fits. */
final class Patience {
    private static final Duration SHORTEST = Duration.ofMillis(50); // keeps a wait of zero from becoming a busy loop

    private final long ends;

    Patience(Duration within) {
        this.ends = System.nanoTime() + Seconds.nanos(within);
    }

    /** How long one attempt may take; the deadline may be null. */
    Duration timeout(Duration deadline) {
        Duration left = Duration.ofNanos(Math.max(ends - System.nanoTime(), 1_000_000));
        return deadline == null || deadline.compareTo(left) > 0 ? left : deadline;
    }

    /** How long to sleep before the identical call; empty: that is not to be. */
    Optional<Duration> wait(ToolCallException error) {
        if (error.errorClass() != ErrorClass.TRANSIENT || error.exhausted()) {
            return Optional.empty();
        }
        Duration wait =
                error.retryAfter().filter(hint -> hint.compareTo(SHORTEST) > 0).orElse(SHORTEST);
        boolean fits = System.nanoTime() + Seconds.nanos(wait) - ends < 0;
        return fits ? Optional.of(wait) : Optional.empty();
    }
}
