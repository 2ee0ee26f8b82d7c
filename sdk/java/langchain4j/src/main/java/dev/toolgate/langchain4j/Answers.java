package dev.toolgate.langchain4j;

import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.toolgate.sdk.Result;
import dev.toolgate.sdk.ToolCallException;
import dev.toolgate.v1.BlobBlock;
import dev.toolgate.v1.ContentBlock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What the model reads. */
final class Answers {
    private static final String NOTHING = "Success"; // LangChain4j's own word for a tool that returns nothing

    // What the models' APIs take; of other blobs the model is told that they came.
    private static final Set<String> IMAGES = Set.of("image/gif", "image/jpeg", "image/png", "image/webp");

    private Answers() {}

    /** A result: its text, and its pictures. */
    static ToolExecutionResult of(Result result) {
        List<Content> contents = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        lines.add(result.text());
        for (ContentBlock block : result.proto().getContentList()) {
            if (block.hasImage() && IMAGES.contains(block.getImage().getMimeType())) {
                String data = Base64.getEncoder()
                        .encodeToString(block.getImage().getData().toByteArray());
                contents.add(ImageContent.from(data, block.getImage().getMimeType()));
            } else {
                lines.add(line(block));
            }
        }
        String text = lines.stream().filter(line -> !line.isBlank()).collect(Collectors.joining("\n"));
        if (!text.isBlank() || contents.isEmpty()) {
            contents.add(0, TextContent.from(text.isBlank() ? NOTHING : text));
        }
        return ToolExecutionResult.builder()
                .result(result)
                .resultContents(contents)
                .build();
    }

    private static String line(ContentBlock block) {
        return switch (block.getBlockCase()) {
            case IMAGE -> line(block.getImage());
            case AUDIO -> line(block.getAudio());
            case RESOURCE ->
                block.getResource().getText().isEmpty()
                        ? "[" + block.getResource().getUri() + "]"
                        : block.getResource().getText();
            default -> "";
        };
    }

    private static String line(BlobBlock blob) {
        return "[" + blob.getMimeType() + ", " + blob.getData().size() + " bytes]";
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
