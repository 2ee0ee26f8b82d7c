package dev.toolgate.tool;

import java.util.List;
import java.util.Objects;

/**
 * One fault in the arguments. Say what is accepted in one of its three ways, where it is known.
 *
 * @param field {@code a.b[0].c}; empty: the arguments as a whole
 * @param problem what is wrong; empty: the failure's message
 * @param accepted the accepted values, nearest first
 * @param format the accepted format, for example {@code YYYY-MM-DD}
 * @param range the accepted range, for example {@code 0.01 to 500.00}
 */
public record Problem(String field, String problem, List<String> accepted, String format, String range) {
    /** Takes null for what is not known. */
    public Problem {
        field = Objects.requireNonNullElse(field, "");
        problem = Objects.requireNonNullElse(problem, "");
        accepted = accepted == null
                ? List.of()
                : accepted.stream().filter(Objects::nonNull).toList();
        format = Objects.requireNonNullElse(format, "");
        range = Objects.requireNonNullElse(range, "");
    }

    /** A fault of one field. */
    public static Problem at(String field) {
        return new Problem(field, "", List.of(), "", "");
    }

    /** With what is wrong. */
    public Problem because(String what) {
        return new Problem(field, what, accepted, format, range);
    }

    /** With the accepted values, nearest first. */
    public Problem accepted(String... values) {
        return accepted(List.of(values));
    }

    /** With the accepted values, nearest first. */
    public Problem accepted(List<String> values) {
        return new Problem(field, problem, values, format, range);
    }

    /** With the accepted format. */
    public Problem format(String accepts) {
        return new Problem(field, problem, accepted, accepts, range);
    }

    /** With the accepted range. */
    public Problem range(String accepts) {
        return new Problem(field, problem, accepted, format, accepts);
    }
}
