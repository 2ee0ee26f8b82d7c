package dev.toolgate.sdk.conformance;

import dev.toolgate.conformance.v1.ExecuteRequest;
import dev.toolgate.sdk.Call;
import dev.toolgate.sdk.Client;
import dev.toolgate.v1.ToolCall;
import java.util.List;

/** One way to use the SDK. */
interface Moves {
    /** Makes the move and tells what came of it. */
    void make(Client client, ExecuteRequest request, Told told) throws Exception;

    /** A call in the SDK's form. */
    static Call call(ToolCall message) {
        return new Call(
                message.getTool(),
                message.getArgumentsJson(),
                message.getCallId(),
                message.getWantAlternatives(),
                message.getFresh());
    }

    /** The calls of a batch in the SDK's form. */
    static List<Call> calls(ExecuteRequest request) {
        return request.getAction().getCallMany().getCallsList().stream()
                .map(Moves::call)
                .toList();
    }
}
