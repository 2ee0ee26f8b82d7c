package dev.toolgate.tool;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonIOException;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The bounds of the contract. The gateway cuts what is larger; a tool does not send it. */
final class Bounds {
    // In bytes and items.
    static final int CODE = 64;
    static final int MESSAGE = 512;
    static final int TEXT = 160;
    static final int LABEL = 80;
    static final int PROBLEMS = 8;
    static final int PROPOSALS = 3;
    private static final int OBJECT = 512;
    private static final int ACCEPTED = 20;
    private static final int ACCEPTED_BYTES = 256;

    private static final Duration FINE = Duration.ofSeconds(10); // longer waits are whole seconds
    private static final int MILLI = 1_000_000;

    private static final Gson GSON = new GsonBuilder()
            .disableHtmlEscaping()
            .registerTypeHierarchyAdapter(TemporalAccessor.class, asText())
            .create();

    private Bounds() {}

    private static JsonSerializer<TemporalAccessor> asText() {
        return (value, type, context) -> new JsonPrimitive(value.toString());
    }

    /** Ends a text at a character, within a number of bytes. */
    static String cut(String text, int limit) {
        byte[] bytes = Objects.requireNonNullElse(text, "").getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, limit);
        while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** The accepted values that fit, the nearest. */
    static List<String> some(List<String> accepted) {
        List<String> fits = new ArrayList<>();
        int left = ACCEPTED_BYTES;
        for (String value : accepted) {
            left -= value.getBytes(StandardCharsets.UTF_8).length;
            if (left < 0 || fits.size() == ACCEPTED) {
                break;
            }
            fits.add(value);
        }
        return fits;
    }

    /** An object as JSON; empty where it is none, or too large: cut, it would be another. */
    static Optional<String> object(Map<String, ?> members) {
        try {
            String text = GSON.toJson(members, Map.class);
            return Optional.of(text).filter(t -> t.getBytes(StandardCharsets.UTF_8).length <= OBJECT);
        } catch (JsonIOException | IllegalArgumentException | StackOverflowError e) {
            return Optional.empty(); // what is no JSON: the failure is told all the same
        }
    }

    /** Seconds, rounded up: to milliseconds below ten, to whole ones above. Never negative. */
    static double seconds(Duration wait) {
        if (wait == null || wait.isNegative()) {
            return 0;
        }
        if (wait.compareTo(FINE) < 0) {
            return (wait.toNanos() + MILLI - 1) / MILLI / 1000.0;
        }
        return wait.getSeconds() + (wait.getNano() > 0 ? 1.0 : 0.0);
    }
}
