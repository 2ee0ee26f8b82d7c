package dev.toolgate.tool;

import java.util.Map;
import java.util.Objects;

/**
 * A call to make in place of the failed one.
 *
 * @param tool the tool to call
 * @param arguments complete, ready to call; null: only the tool is proposed
 * @param label what it is, for people and models
 */
public record Proposal(String tool, Map<String, ?> arguments, String label) {
    /** Takes null for what is not known. */
    public Proposal {
        tool = Objects.requireNonNullElse(tool, "");
        label = Objects.requireNonNullElse(label, "");
    }

    /** A call without a label. */
    public Proposal(String tool, Map<String, ?> arguments) {
        this(tool, arguments, "");
    }
}
