package dev.toolgate.langchain4j.example;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * A model that acts on the fields of what it reads. Told in prose that a call failed, it does what models do and makes
 * the call again.
 */
final class ScriptedModel implements ChatModel {
    private static final DateTimeFormatter AMERICAN = DateTimeFormatter.ofPattern("MM/dd/yyyy");

    private final String tool;
    private JsonObject arguments;

    private int turns;
    private int bytesRead;
    private boolean done;
    private boolean alternative;

    ScriptedModel(String tool, String arguments) {
        this.tool = tool;
        this.arguments = JsonParser.parseString(arguments).getAsJsonObject();
    }

    int turns() {
        return turns;
    }

    int bytesRead() {
        return bytesRead;
    }

    /** Whether it has what it wanted, or what took its place. */
    boolean done() {
        return done;
    }

    /** Whether it took an alternative. */
    boolean alternative() {
        return alternative;
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        turns++;
        List<ChatMessage> messages = request.messages();
        if (messages.get(messages.size() - 1) instanceof ToolExecutionResultMessage answer) {
            read(answer.text());
        }
        AiMessage message = done ? AiMessage.from("Done.") : AiMessage.from(call());
        return ChatResponse.builder().aiMessage(message).build();
    }

    private ToolExecutionRequest call() {
        return ToolExecutionRequest.builder()
                .id("call_" + turns)
                .name(tool)
                .arguments(arguments.toString())
                .build();
    }

    private void read(String text) {
        bytesRead += text.getBytes(StandardCharsets.UTF_8).length;
        try {
            act(JsonParser.parseString(text).getAsJsonObject());
        } catch (JsonSyntaxException | IllegalStateException prose) {
            return; // and so the same call again
        }
    }

    private void act(JsonObject seen) {
        switch (seen.has("class") ? seen.get("class").getAsString() : "") {
            case "terminal" -> {
                if (seen.has("alternatives")) {
                    arguments = seen.getAsJsonArray("alternatives").get(0).getAsJsonObject();
                    alternative = true;
                }
            }
            case "invalid_request" -> {
                if (seen.has("expected") && seen.get("expected").getAsString().equals("YYYY-MM-DD")) {
                    String field = seen.get("field").getAsString();
                    String day = arguments.get(field).getAsString();
                    arguments.addProperty(field, LocalDate.parse(day, AMERICAN).toString());
                }
            }
            default -> done = true;
        }
    }
}
