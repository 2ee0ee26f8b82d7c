package dev.toolgate.tool;

import dev.toolgate.v1.Alternative;
import dev.toolgate.v1.Violation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
    static final int PROBLEMS = 8;
    static final int PROPOSALS = 3;
    private static final int PROBLEM = 160;
    private static final int FORMAT = 96;
    private static final int TOOL = 128;
    private static final int LABEL = 80;
    private static final int OBJECT = 512;
    private static final int ACCEPTED = 20;
    private static final int ACCEPTED_BYTES = 256;

    private static final Duration FINE = Duration.ofSeconds(10); // longer waits are whole seconds
    private static final int MILLI = 1_000_000;

    private Bounds() {}

    /** Ends a text at a character, within a number of bytes. */
    static String cut(String text, int limit) {
        byte[] bytes = Objects.requireNonNullElse(text, "").getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, limit);
        while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** The name of a tool, or "" where it is too long: cut, it would be another's. */
    static String name(String tool, int limit) {
        return tool == null || bytes(tool) > limit ? "" : cut(tool, limit);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The accepted values that fit, the nearest. */
    private static List<String> some(List<String> accepted) {
        List<String> fits = new ArrayList<>();
        int left = ACCEPTED_BYTES;
        for (String value : accepted) {
            left -= bytes(value);
            if (left < 0 || fits.size() == ACCEPTED) {
                break;
            }
            fits.add(value);
        }
        return fits;
    }

    /** A fault, whose problem is the failure's message where it has none of its own. */
    static Violation violation(Problem problem, String message) {
        List<String> accepted = some(problem.accepted());
        String what = problem.problem().isEmpty() ? message : problem.problem();
        return Violation.newBuilder()
                .setField(cut(problem.field(), CODE))
                .setProblem(cut(what, PROBLEM))
                .addAllAccepted(accepted)
                .setAcceptedTruncated(accepted.size() < problem.accepted().size())
                .setFormat(cut(problem.format(), FORMAT))
                .setRange(cut(problem.range(), FORMAT))
                .build();
    }

    /** A call; empty where its tool or its arguments can't be told whole. */
    static Optional<Alternative> alternative(Proposal call) {
        Optional<String> arguments =
                call.arguments() == null ? Optional.of("") : JsonObjects.within(OBJECT, call.arguments());
        if (arguments.isEmpty() || bytes(call.tool()) > TOOL) {
            return Optional.empty();
        }
        return Optional.of(Alternative.newBuilder()
                .setTool(cut(call.tool(), TOOL))
                .setArgumentsJson(arguments.get())
                .setLabel(cut(call.label(), LABEL))
                .build());
    }

    /** An object that says something, or "". */
    static String object(Map<String, ?> members) {
        return members == null || members.isEmpty()
                ? ""
                : JsonObjects.within(OBJECT, members).orElse("");
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
