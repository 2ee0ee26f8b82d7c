package dev.toolgate.sdk;

import dev.toolgate.v1.CallToolResponse;
import dev.toolgate.v1.ContentBlock;
import dev.toolgate.v1.ToolResult;
import java.util.stream.Collectors;

/**
 * A tool's answer.
 *
 * @param proto the whole message
 */
public record Result(ToolResult proto) {

    /** What a transcript shows: the answer's JSON, digits as received, else its text. */
    public String text() {
        if (!proto.getStructuredJson().isEmpty()) {
            return proto.getStructuredJson();
        }
        return proto.getContentList().stream()
                .filter(ContentBlock::hasText)
                .map(block -> block.getText().getText())
                .collect(Collectors.joining("\n"));
    }

    /**
     * A structured answer as plain values: Map, List, String, BigDecimal, Boolean or null.
     *
     * @throws IllegalStateException if the answer is not JSON
     */
    public Object json() {
        if (proto.getStructuredJson().isEmpty()) {
            throw new IllegalStateException("the tool's answer is not JSON");
        }
        return Json.read(proto.getStructuredJson());
    }

    /** Returns the result or throws the failure. */
    static Result of(CallToolResponse response) {
        return switch (response.getOutcomeCase()) {
            case RESULT -> new Result(response.getResult());
            case ERROR -> throw new ToolCallException(response.getError());
            case OUTCOME_NOT_SET -> throw GatewayException.unknownOutcome();
        };
    }
}
