package dev.toolgate.sdk;

import java.util.List;

/**
 * One fault in the arguments. What is not known is empty.
 *
 * @param field {@code a.b[0].c}; empty: the arguments as a whole
 * @param valueJson the offending value, redacted, as JSON text
 * @param problem what is wrong with it
 * @param accepted the accepted values, nearest first
 * @param format the accepted format, for example YYYY-MM-DD
 * @param range the accepted range, for example 1 to 50
 * @param acceptedTruncated whether more values are accepted than are listed
 */
public record Violation(
        String field,
        String valueJson,
        String problem,
        List<String> accepted,
        String format,
        String range,
        boolean acceptedTruncated) {

    /** Copies the list. */
    public Violation {
        accepted = List.copyOf(accepted);
    }

    static Violation of(dev.toolgate.v1.Violation wire) {
        return new Violation(
                wire.getField(),
                wire.getValueJson(),
                wire.getProblem(),
                wire.getAcceptedList(),
                wire.getFormat(),
                wire.getRange(),
                wire.getAcceptedTruncated());
    }
}
