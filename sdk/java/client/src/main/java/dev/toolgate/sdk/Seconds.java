package dev.toolgate.sdk;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Spans of time, of any length. */
final class Seconds {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration COUNTABLE = Duration.ofNanos(Long.MAX_VALUE / 4);

    private Seconds() {}

    /** Rounds up to a nanosecond; what no duration can hold is the longest. */
    static Duration duration(double seconds) {
        if (!(seconds > 0)) { // NaN too
            return Duration.ZERO;
        }
        if (seconds >= LONGEST.getSeconds()) {
            return LONGEST;
        }
        BigDecimal exact = BigDecimal.valueOf(seconds).setScale(9, RoundingMode.CEILING);
        return Duration.ofSeconds(
                exact.longValue(),
                exact.remainder(BigDecimal.ONE).movePointRight(9).longValue());
    }

    /** Nanoseconds that can be added to a clock: of more than 73 years 73 are left. */
    static long nanos(Duration duration) {
        return duration.compareTo(COUNTABLE) > 0 ? COUNTABLE.toNanos() : duration.toNanos();
    }
}
