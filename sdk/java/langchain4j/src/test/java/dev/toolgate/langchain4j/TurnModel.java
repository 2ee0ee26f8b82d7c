package dev.toolgate.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.ArrayList;
import java.util.List;

/** A model that makes these calls, turn by turn, and keeps what it read. */
final class TurnModel implements ChatModel {
    private final List<List<ToolExecutionRequest>> turns = new ArrayList<>();
    private int turn;

    /** The answers to each turn's calls. */
    final List<List<ToolExecutionResultMessage>> read = new ArrayList<>();

    /** The tools that it was offered. */
    List<ToolSpecification> offered = List.of();

    @SafeVarargs
    TurnModel(List<ToolExecutionRequest>... turns) {
        for (List<ToolExecutionRequest> calls : turns) {
            this.turns.add(calls);
        }
    }

    /** Calls with ids that come in every turn, as some models make them. */
    static List<ToolExecutionRequest> calls(String... toolsAndArguments) {
        List<ToolExecutionRequest> calls = new ArrayList<>();
        for (int i = 0; i < toolsAndArguments.length; i += 2) {
            calls.add(ToolExecutionRequest.builder()
                    .id("call_" + i / 2)
                    .name(toolsAndArguments[i])
                    .arguments(toolsAndArguments[i + 1])
                    .build());
        }
        return calls;
    }

    /** What it read of one call. */
    ToolExecutionResultMessage read(int ofTurn, int call) {
        return read.get(ofTurn).get(call);
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        offered = request.toolSpecifications();
        List<ChatMessage> messages = request.messages();
        List<ToolExecutionResultMessage> answers = new ArrayList<>();
        for (int i = messages.size() - 1; i >= 0 && messages.get(i) instanceof ToolExecutionResultMessage answer; i--) {
            answers.add(0, answer);
        }
        if (turn > 0) {
            read.add(answers);
        }
        AiMessage next = turn < turns.size() ? AiMessage.from(turns.get(turn)) : AiMessage.from("Done.");
        turn++;
        return ChatResponse.builder().aiMessage(next).build();
    }

    /** The same model, which tells each call once it is complete. */
    StreamingChatModel streaming() {
        return new StreamingChatModel() {
            @Override
            public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
                ChatResponse response = TurnModel.this.doChat(request);
                List<ToolExecutionRequest> calls = response.aiMessage().toolExecutionRequests();
                for (int i = 0; i < calls.size(); i++) {
                    handler.onCompleteToolCall(new CompleteToolCall(i, calls.get(i)));
                }
                handler.onCompleteResponse(response);
            }
        };
    }
}
