package dev.toolgate.sdk;

import dev.toolgate.v1.ToolCall;
import java.util.Map;
import java.util.Objects;

/**
 * One call of one tool.
 *
 * @param tool the tool
 * @param argumentsJson the arguments as JSON text, sent as it stands, malformed or not, which is right for what a model
 *     wrote; empty: no arguments
 * @param callId names the call within its run, at most 128 bytes: a resend under the same id joins the running call or
 *     gets its outcome; empty: none
 * @param wantAlternatives also runs the lookups of alternatives that are made on request only
 * @param fresh lifts the gateway's memory of this call, after a person acted
 */
public record Call(String tool, String argumentsJson, String callId, boolean wantAlternatives, boolean fresh) {

    /** Checks that nothing is null. */
    public Call {
        Objects.requireNonNull(tool, "tool");
        Objects.requireNonNull(argumentsJson, "argumentsJson");
        Objects.requireNonNull(callId, "callId");
    }

    /** A call without arguments. */
    public static Call of(String tool) {
        return of(tool, "");
    }

    /** A call with the text that a model wrote. */
    public static Call of(String tool, String argumentsJson) {
        return new Call(tool, argumentsJson, "", false, false);
    }

    /**
     * A call with values, written as JSON now: maps, collections, arrays, records by their components, text, enums by
     * their names, UUIDs, URIs, the dates and times of java.time as ISO 8601, booleans, null, and numbers, of which a
     * BigDecimal or BigInteger keeps every digit. Keys are what is written as text, numbers or booleans.
     *
     * @throws IllegalArgumentException with the place, for example {@code lines[2].when}, of anything else, of a number
     *     that is not finite, of two keys that are written alike, or where values are nested more than 200 deep, as one
     *     is that holds itself
     */
    public static Call of(String tool, Map<String, ?> arguments) {
        Objects.requireNonNull(arguments, "arguments");
        try {
            return of(tool, JsonText.of(arguments));
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(
                    "arguments of " + tool + " can't be written as JSON: " + refused.getMessage(), refused);
        }
    }

    /** The same call under an id. */
    public Call withCallId(String id) {
        return new Call(tool, argumentsJson, id, wantAlternatives, fresh);
    }

    /** The same call, which also wants the alternatives that are looked up on request only. */
    public Call withAlternatives() {
        return new Call(tool, argumentsJson, callId, true, fresh);
    }

    /** The same call, after a person acted. */
    public Call afterPersonActed() {
        return new Call(tool, argumentsJson, callId, wantAlternatives, true);
    }

    ToolCall message() {
        return ToolCall.newBuilder()
                .setTool(tool)
                .setArgumentsJson(Json.wellFormed(argumentsJson))
                .setCallId(callId)
                .setWantAlternatives(wantAlternatives)
                .setFresh(fresh)
                .build();
    }
}
