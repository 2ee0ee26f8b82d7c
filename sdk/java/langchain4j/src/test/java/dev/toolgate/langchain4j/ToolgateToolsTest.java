package dev.toolgate.langchain4j;

import static dev.toolgate.langchain4j.TurnModel.calls;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.Result;
import dev.langchain4j.service.TokenStream;
import dev.langchain4j.service.tool.ToolErrorHandlerResult;
import dev.toolgate.sdk.Client;
import dev.toolgate.sdk.GatewayException;
import dev.toolgate.sdk.ToolCallException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The framework itself, a scripted model, and a real gateway. */
@Timeout(60)
class ToolgateToolsTest {
    // The gateway waits for nothing, so that the adapter has something to wait out.
    private static final String CATALOG = """
            upstreams: {u: {url: "%s"}}
            tools:
              - name: look
                description: Looks.
                upstream: u
                effect: read
                http: {method: POST, url: /look}
                input_schema:
                  type: object
                  properties:
                    n: {type: integer, description: Which one., minimum: 1}
                    day: {type: string, format: date}
                  required: [n]
                  additionalProperties: false
                policy: {max_wait: 0s}
              - name: book
                description: Books.
                upstream: u
                http: {method: POST, url: /book}
                input_schema: {type: object}
            """;

    private static final Map<String, String> IN_A_SECOND = Map.of("Retry-After", "1");
    private static final String ONE = "{\"n\":1}";

    interface Assistant {
        Result<String> chat(String message);
    }

    interface Streaming {
        TokenStream chat(String message);
    }

    /** A tool of the service's own. */
    static final class Own {
        @Tool("Breaks.")
        String own() {
            throw new IllegalStateException("own words");
        }
    }

    @TempDir
    Path folder;

    private Backend backend;
    private Gateway gateway;
    private Client client;

    @BeforeEach
    void open() throws IOException {
        backend = new Backend();
        gateway = new Gateway(folder, CATALOG.formatted(backend.url()));
        client = Client.connect(gateway.target);
    }

    @AfterEach
    void close() {
        client.close();
        gateway.close();
        backend.close();
    }

    private Result<String> chat(TurnModel model) {
        return chat(model, ToolgateTools.of(client));
    }

    private Result<String> chat(TurnModel model, ToolgateTools tools) {
        return tools.addTo(AiServices.builder(Assistant.class).chatModel(model).tools(new Own()))
                .build()
                .chat("Look.");
    }

    @Test
    void aResultIsAResult() {
        backend.answer(200, "{\"amount\":1250.00}");
        TurnModel model = new TurnModel(calls("look", ONE));
        Result<String> result = chat(model);
        assertEquals("{\"amount\":1250.00}", model.read(0, 0).text());
        assertFalse(model.read(0, 0).isError());
        assertInstanceOf(
                dev.toolgate.sdk.Result.class, result.toolExecutions().get(0).resultObject());
    }

    @Test
    void aResultOfNothingIsSaidToBeOne() {
        backend.answer(204, "");
        TurnModel model = new TurnModel(calls("book", "{}"));
        chat(model);
        assertFalse(model.read(0, 0).text().isBlank());
    }

    @Test
    void terminalReadsAsTerminalAndWasSentOnce() {
        backend.answer(409, "{\"error\":{\"code\":\"taken\",\"message\":\"It is taken.\"}}");
        backend.answer(403, "{\"error\":{\"code\":\"not_yours\",\"message\":\"Not yours.\"}}");
        TurnModel model =
                new TurnModel(calls("book", "{\"a\":1}"), calls("book", "{\"a\":2}"), calls("book", "{\"a\":2}"));
        Result<String> result = chat(model);
        assertTrue(model.read(1, 0).isError());
        assertTrue(model.read(1, 0)
                .text()
                .startsWith("{\"error\":\"not_yours\",\"class\":\"terminal\",\"retryable\":false"));
        assertTrue(model.read(2, 0).text().contains("\"class\":\"terminal\""), "the identical call is refused");
        assertEquals(2, backend.requests.size(), "and not sent");
        assertInstanceOf(ToolCallException.class, result.toolExecutions().get(0).resultObject());
    }

    @Test
    void malformedArgumentsAreTheGatewaysToAnswer() {
        TurnModel model = new TurnModel(calls("look", "{\"n\": 1"), calls("look", "{\"n\":\"many\"}"));
        chat(model);
        assertTrue(
                model.read(0, 0).text().contains("\"error\":\"malformed_json\""),
                model.read(0, 0).text());
        assertTrue(
                model.read(1, 0).text().contains("\"field\":\"n\""),
                model.read(1, 0).text());
        assertEquals(List.of(), backend.requests);
    }

    @Test
    void aTransientFailureIsWaitedOutOfTheModelsSight() {
        backend.answer(503, "{}", IN_A_SECOND);
        backend.answer(200, "{\"fine\":true}");
        TurnModel model = new TurnModel(calls("look", ONE));
        chat(model);
        assertEquals("{\"fine\":true}", model.read(0, 0).text());
        assertEquals(List.of(ONE, ONE), backend.requests);
    }

    @Test
    void withoutPatienceTheModelIsToldAtOnce() {
        backend.answer(503, "{}", IN_A_SECOND);
        TurnModel model = new TurnModel(calls("look", ONE));
        chat(model, ToolgateTools.of(client).withPatience(Duration.ofMillis(500)));
        assertTrue(model.read(0, 0).text().contains("\"class\":\"transient\",\"retryable\":true"));
        assertTrue(model.read(0, 0).isError());
        assertEquals(1, backend.requests.size());
    }

    @Test
    void whoeverInterruptsTheWaitEndsTheInvocation() {
        backend.answer(503, "{}", Map.of("Retry-After", "20"));
        TurnModel model = new TurnModel(calls("look", ONE));
        Thread.currentThread().interrupt(); // found by the first wait
        assertThrows(GatewayException.class, () -> chat(model));
        assertTrue(Thread.interrupted());
        assertEquals(List.of(), model.read);
    }

    @Test
    void aTurnMayHaveMoreCallsThanABatch() {
        backend.answer(200, "{}");
        String[] many = IntStream.rangeClosed(1, 65)
                .boxed()
                .flatMap(n -> Stream.of("look", "{\"n\":" + n + "}"))
                .toArray(String[]::new);
        TurnModel model = new TurnModel(calls(many));
        chat(model);
        assertEquals(
                65,
                model.read.get(0).stream().filter(answer -> !answer.isError()).count());
        assertEquals(65, backend.requests.size());
    }

    @Test
    void theCallsOfOneTurnCountOnce() {
        backend.answer(400, "{\"error\":{\"code\":\"bad\",\"message\":\"Bad.\",\"field\":\"n\"}}");
        TurnModel model = new TurnModel(
                calls("look", "{\"n\":1}", "look", "{\"n\":2}", "look", "{\"n\":3}", "look", "{\"n\":4}"),
                calls("look", "{\"n\":5}"),
                calls("look", "{\"n\":6}"),
                calls("look", "{\"n\":7}"));
        chat(model);
        assertEquals(4, model.read.get(0).size());
        assertTrue(
                model.read(0, 3).text().contains("invalid_request"),
                model.read(0, 3).text());
        assertTrue(model.read(1, 0).text().contains("invalid_request"), "the second of three");
        assertTrue(
                model.read(3, 0).text().contains("\"error\":\"rejection_cap\""),
                model.read(3, 0).text());
        assertEquals(6, backend.requests.size());
    }

    @Test
    void aToolThatDoesNotExistIsAnsweredByTheGateway() {
        backend.answer(200, "{}");
        TurnModel model = new TurnModel(calls("loook", ONE, "look", ONE));
        chat(model);
        assertTrue(
                model.read(0, 0).text().contains("\"error\":\"unknown_tool\""),
                model.read(0, 0).text());
        assertTrue(model.read(0, 0).text().contains("look"), model.read(0, 0).text());
        assertEquals("{}", model.read(0, 1).text());
    }

    @Test
    void theToolsOfTheServicesOwnFailAsTheyDid() {
        backend.answer(200, "{}");
        TurnModel model = new TurnModel(calls("own", "{}", "look", ONE));
        chat(model);
        assertEquals("own words", model.read(0, 0).text());
        assertEquals("{}", model.read(0, 1).text());

        TurnModel handled = new TurnModel(calls("own", "{}"));
        ToolgateTools.of(client)
                .addTo(
                        AiServices.builder(Assistant.class).chatModel(handled).tools(new Own()),
                        (error, context) -> ToolErrorHandlerResult.text("broken"))
                .build()
                .chat("Look.");
        assertEquals("broken", handled.read(0, 0).text());
    }

    @Test
    void aGatewayThatIsGoneEndsTheInvocationAndIsNoPrompt() {
        TurnModel model = new TurnModel(calls("own", "{}"), calls("look", ONE));
        Assistant assistant = ToolgateTools.of(client)
                .addTo(AiServices.builder(Assistant.class)
                        .chatModel(model)
                        .tools(new Own())
                        .beforeToolExecution(before -> {
                            if (before.request().name().equals("look")) {
                                gateway.close();
                            }
                        }))
                .build();
        assertThrows(GatewayException.class, () -> assistant.chat("Look."));
        assertEquals(1, model.read.size());
    }

    @Test
    void eachInvocationIsARunOfItsOwn() {
        backend.answer(403, "{\"error\":{\"code\":\"not_yours\",\"message\":\"Not yours.\"}}");
        for (int i = 0; i < 2; i++) {
            chat(new TurnModel(calls("book", "{}"), calls("book", "{}")));
        }
        assertEquals(2, backend.requests.size(), "once in each run");
    }

    @Test
    void toolsRunInThreadsGoOutTogetherToo() {
        backend.answer(400, "{\"error\":{\"code\":\"bad\",\"message\":\"Bad.\",\"field\":\"n\"}}");
        TurnModel model = new TurnModel(
                calls("look", "{\"n\":1}", "look", "{\"n\":2}", "look", "{\"n\":3}"), calls("look", "{\"n\":4}"));
        ToolgateTools.of(client)
                .addTo(AiServices.builder(Assistant.class).chatModel(model).executeToolsConcurrently())
                .build()
                .chat("Look.");
        assertEquals(3, model.read.get(0).size());
        assertTrue(model.read(1, 0).text().contains("invalid_request"), "two have counted, not four");
    }

    @Test
    void itServesStreamsAsWell() throws Exception {
        backend.answer(200, "{\"fine\":true}");
        TurnModel model = new TurnModel(calls("look", ONE, "loook", ONE));
        CompletableFuture<Object> ended = new CompletableFuture<>();
        ToolgateTools.of(client)
                .addTo(AiServices.builder(Streaming.class).streamingChatModel(model.streaming()))
                .build()
                .chat("Look.")
                .onPartialResponse(part -> {})
                .onCompleteResponse(ended::complete)
                .onError(ended::completeExceptionally)
                .start();
        assertNotNull(ended.get(20, TimeUnit.SECONDS));
        assertEquals("{\"fine\":true}", model.read(0, 0).text());
        assertTrue(model.read(0, 1).text().contains("unknown_tool"));
    }

    @Test
    void theModelIsOfferedTheToolsAndWhatTheySchemasSay() {
        TurnModel model = new TurnModel();
        chat(model);
        String look = model.offered.stream()
                .filter(tool -> tool.name().equals("look"))
                .findFirst()
                .orElseThrow()
                .toJson();
        assertTrue(look.contains("Looks."), look);
        assertTrue(look.contains("Which one. (minimum: 1)"), look);
        assertTrue(look.contains("(format: date)"), look);
    }
}
