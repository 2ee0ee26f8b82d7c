package dev.toolgate.langchain4j;

import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.toolgate.sdk.Result;
import dev.toolgate.sdk.ToolCallException;
import dev.toolgate.v1.ContentBlock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** What the model reads. */
final class Answers {
    private static final String NOTHING = "Success"; // LangChain4j's own word for a tool that returns nothing

    private Answers() {}

    /** A result: its text, and its pictures. */
    static ToolExecutionResult of(Result result) {
        List<Content> contents = new ArrayList<>();
        for (ContentBlock block : result.proto().getContentList()) {
            if (block.hasImage()) {
                String data = Base64.getEncoder()
                        .encodeToString(block.getImage().getData().toByteArray());
                contents.add(ImageContent.from(data, block.getImage().getMimeType()));
            }
        }
        String text = result.text();
        if (!text.isBlank() || contents.isEmpty()) {
            contents.add(0, TextContent.from(text.isBlank() ? NOTHING : text));
        }
        return ToolExecutionResult.builder()
                .result(result)
                .resultContents(contents)
                .build();
    }

    /** A failure: its observation, as it stands. */
    static ToolExecutionResult of(ToolCallException failed) {
        String text = failed.observation().isEmpty() ? failed.getMessage() : failed.observation();
        return ToolExecutionResult.builder()
                .isError(true)
                .result(failed)
                .resultText(text)
                .build();
    }

    /** An answer for whoever takes text alone. */
    static String text(ToolExecutionResult answer) {
        return answer.resultContents().stream()
                .filter(TextContent.class::isInstance)
                .map(content -> ((TextContent) content).text())
                .findFirst()
                .orElse(NOTHING);
    }
}
