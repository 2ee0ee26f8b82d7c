package dev.toolgate.sdk;

/**
 * A call to make in place of the failed one.
 *
 * @param tool the tool to call
 * @param argumentsJson complete arguments, ready to call; empty: only the tool is proposed
 * @param label what it is, for people and models
 */
public record Alternative(String tool, String argumentsJson, String label) {

    static Alternative of(dev.toolgate.v1.Alternative wire) {
        return new Alternative(wire.getTool(), wire.getArgumentsJson(), wire.getLabel());
    }
}
