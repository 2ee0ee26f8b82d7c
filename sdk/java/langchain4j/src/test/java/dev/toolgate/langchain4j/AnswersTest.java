package dev.toolgate.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.langchain4j.data.message.ImageContent;
import dev.toolgate.sdk.Result;
import dev.toolgate.v1.BlobBlock;
import dev.toolgate.v1.ContentBlock;
import dev.toolgate.v1.ResourceBlock;
import dev.toolgate.v1.TextBlock;
import dev.toolgate.v1.ToolResult;
import org.junit.jupiter.api.Test;

class AnswersTest {
    @Test
    void aModelReadsOfEveryBlock() {
        var result = ToolResult.newBuilder()
                .addContent(
                        ContentBlock.newBuilder().setText(TextBlock.newBuilder().setText("Here.")))
                .addContent(ContentBlock.newBuilder().setImage(blob("image/png")))
                .addContent(ContentBlock.newBuilder().setImage(blob("image/tiff")))
                .addContent(ContentBlock.newBuilder().setAudio(blob("audio/wav")))
                .addContent(resource("a file"))
                .addContent(resource(""));
        var answer = Answers.of(new Result(result.build()));
        assertEquals("Here.\n[image/tiff, 3 bytes]\n[audio/wav, 3 bytes]\na file\n[file:///a]", Answers.text(answer));
        assertEquals(2, answer.resultContents().size());
        assertEquals(
                "image/png",
                ((ImageContent) answer.resultContents().get(1)).image().mimeType());
        assertEquals("Success", Answers.text(Answers.of(new Result(ToolResult.getDefaultInstance()))));
    }

    private static BlobBlock blob(String type) {
        return BlobBlock.newBuilder()
                .setMimeType(type)
                .setData(ByteString.copyFromUtf8("abc"))
                .build();
    }

    private static ContentBlock resource(String text) {
        return ContentBlock.newBuilder()
                .setResource(ResourceBlock.newBuilder().setUri("file:///a").setText(text))
                .build();
    }
}
