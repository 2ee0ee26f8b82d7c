package dev.toolgate.tool.spring;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** Reads Retry-After (RFC 9110, 10.2.3). */
final class Waits {
    private Waits() {}

    /** Zero where it says nothing that can be read. */
    static Duration of(String retryAfter) {
        if (retryAfter == null) {
            return Duration.ZERO;
        }
        String text = retryAfter.strip();
        try {
            return Duration.ofSeconds(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return until(text);
        }
    }

    private static Duration until(String date) {
        try {
            Instant then = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Duration.between(Instant.now(), then);
        } catch (DateTimeParseException e) {
            return Duration.ZERO;
        }
    }
}
