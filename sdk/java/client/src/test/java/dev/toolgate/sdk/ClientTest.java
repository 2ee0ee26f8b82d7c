package dev.toolgate.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.toolgate.v1.Tool;
import io.grpc.Status;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls that block, against a real gateway. */
@Timeout(60)
class ClientTest {
    private Stage stage;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        stage = new Stage();
        client = Client.connect(stage.target);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        stage.close();
    }

    @Test
    void anAnswerKeepsItsDigitsAndParses() {
        stage.backend.answer("/invoices", "{\"total\":12345678901234567890.10,\"open\":[2,null]}");
        try (Run run = client.run()) {
            Result result = run.call("list_invoices", Map.of("start_date", "03/14/2026"));
            assertEquals("{\"total\":12345678901234567890.10,\"open\":[2,null]}", result.text());
            var answer = (Map<?, ?>) result.json();
            assertEquals(new BigDecimal("12345678901234567890.10"), answer.get("total"));
            assertEquals("\"2026-03-14\"", result.proto().getCoercions(0).getToJson());
        }
        assertEquals(List.of("/invoices?start_date=2026-03-14"), stage.backend.requests);
    }

    @Test
    void noDigitOfTheArgumentsIsLost() {
        stage.backend.answer("/notes", "{}");
        try (Run run = client.run()) {
            run.call("put_note", Map.of("n", List.of(new BigInteger("18446744073709551616"), -1, 0.5, "é<>")));
            run.call("put_note", "{\"total\":12345678901234567890.10}");
        }
        assertEquals(
                List.of("{\"n\":[18446744073709551616,-1,0.5,\"é<>\"]}", "{\"total\":12345678901234567890.10}"),
                stage.backend.bodies);
    }

    @Test
    void aWrongArgumentIsToldWithWhatIsAccepted() {
        var error =
                assertThrows(ToolCallException.class, () -> client.call("list_invoices", Map.of("status", "opn"), "a"));
        assertEquals(ErrorClass.INVALID_REQUEST, error.errorClass());
        assertEquals("invalid_arguments", error.code());
        assertEquals(Optional.empty(), error.retryAfter());
        assertEquals("status", error.violations().get(0).field());
        assertEquals(List.of("open", "paid"), error.violations().get(0).accepted());
        assertTrue(error.observation().contains("\"expected\":[\"open\",\"paid\"]"), error.observation());
        assertTrue(error.getMessage().startsWith("invalid_request: invalid_arguments: "), error.getMessage());
        assertEquals(ClientTest.class.getName(), stackOf(error), "the stack is the caller's");
    }

    @Test
    void aRunEndsItselfAndIsSummedUp() {
        stage.backend.answer("/invoices", "{}");
        Run run = client.run("r1");
        try (run) {
            run.call("list_invoices");
        }
        assertEquals(1, run.summary().orElseThrow().getCalls());
        assertEquals("r1", run.summary().orElseThrow().getRunId());
        assertEquals(0, client.endRun("r1").getCalls());
    }

    @Test
    void aTransientFailureIsRepeatedByWaitTransientAlone() {
        stage.backend.answer("/invoices", 429, "{}", "Retry-After: 1");
        stage.backend.answer("/invoices", "{\"n\":1}");
        var call = Call.of("list_invoices");
        var error = assertThrows(ToolCallException.class, () -> client.call(call, "a"));
        assertEquals(ErrorClass.TRANSIENT, error.errorClass());
        assertEquals(Optional.of(Duration.ofSeconds(1)), error.retryAfter());
        assertEquals(1, stage.backend.requests.size());
        assertEquals(
                "{\"n\":1}",
                client.waitTransient(call, "b", Duration.ofSeconds(20)).text());
        assertEquals(2, stage.backend.requests.size());
    }

    @Test
    void waitTransientThrowsAtOnceWhatDoesNotFit() {
        stage.backend.answer("/invoices", 429, "{}", "Retry-After: 30");
        var call = Call.of("list_invoices");
        var error = assertThrows(ToolCallException.class, () -> client.waitTransient(call, "a", Duration.ofSeconds(5)));
        assertEquals(Optional.of(Duration.ofSeconds(30)), error.retryAfter());
        assertEquals(1, stage.backend.requests.size());
    }

    @Test
    void outcomesOfABatchStandAlone() {
        stage.backend.answer("/balances/a", "{\"balance\":42.10}");
        var calls = List.of(
                Call.of("get_balance", Map.of("account_id", "a")),
                Call.of("get_balance", "{not json"),
                Call.of("nowhere"));
        var told = new String[3];
        try (Run run = client.run();
                Outcomes outcomes = run.callMany(calls)) {
            for (Outcome outcome : outcomes) {
                told[outcome.index()] = outcome.error()
                        .map(error -> ((ToolCallException) error).code())
                        .orElseGet(() -> outcome.get().text());
                assertEquals(outcome.error().isPresent(), outcome.result().isEmpty());
            }
        }
        assertEquals(List.of("{\"balance\":42.10}", "malformed_json", "unknown_tool"), List.of(told));
        assertFalse(client.callMany(List.of(), "r").hasNext());
    }

    @Test
    void leavingABatchCancelsTheRestAtTheTool() throws Exception {
        stage.backend.answer("/balances/a", "{}");
        var calls = List.of(
                Call.of("get_balance", Map.of("account_id", "hangs")),
                Call.of("get_balance", Map.of("account_id", "a")));
        try (Outcomes outcomes = client.callMany(calls, "run")) {
            assertEquals(1, outcomes.next().index());
            stage.backend.hung.await();
        }
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void anInterruptCancelsACallAtTheTool() throws Exception {
        var interrupted = interrupt(() -> client.call(Call.of("list_invoices"), "a"));
        assertEquals(Status.Code.CANCELLED, interrupted.code());
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void anInterruptCancelsABatchAtTheTool() throws Exception {
        var interrupted = interrupt(() -> {
            try (Outcomes outcomes = client.callMany(List.of(Call.of("list_invoices")), "a")) {
                return outcomes.next().get();
            }
        });
        assertEquals(Status.Code.CANCELLED, interrupted.code());
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    /** Makes the call on a thread that is interrupted once the tool hangs; the thread must stay interrupted. */
    private GatewayException interrupt(java.util.concurrent.Callable<Result> call) throws Exception {
        var task = new FutureTask<>(() -> {
            var error = assertThrows(GatewayException.class, call::call);
            assertTrue(Thread.interrupted());
            return error;
        });
        var thread = new Thread(task);
        thread.start();
        stage.backend.hung.await();
        thread.interrupt();
        return task.get();
    }

    @Test
    void closingTheClientCancelsItsCallsAtTheTool() throws Exception {
        var task = new FutureTask<>(
                () -> assertThrows(GatewayException.class, () -> client.call(Call.of("list_invoices"), "a")));
        new Thread(task).start();
        stage.backend.hung.await();
        client.close();
        assertEquals(Status.Code.CANCELLED, task.get().code());
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void aClosedClientSaysSo() {
        Run run = client.run();
        client.close();
        assertEquals(
                Status.Code.CANCELLED,
                assertThrows(GatewayException.class, () -> run.call("t")).code());
        assertEquals(
                Status.Code.CANCELLED,
                assertThrows(GatewayException.class, client::listTools).code());
        var outcome = run.callMany(List.of(Call.of("t"))).next();
        assertEquals(
                Status.Code.CANCELLED,
                assertThrows(GatewayException.class, outcome::get).code());
        run.close();
        assertEquals(Optional.empty(), run.summary());
    }

    @Test
    void aStatusTellsTheGatewaysReason() {
        var error = assertThrows(GatewayException.class, () -> client.call(Call.of("list_invoices"), ""));
        assertEquals(Status.Code.INVALID_ARGUMENT, error.code());
        assertFalse(error.reason().isEmpty());
        assertEquals(ClientTest.class.getName(), stackOf(error), "the stack is the caller's");
    }

    @Test
    void aGatewayThatGoesAwayIsUnavailableForEachCallOfABatch() throws Exception {
        var calls = List.of(Call.of("list_invoices"), Call.of("list_invoices", Map.of("status", "open")));
        var codes = new ArrayList<Status.Code>();
        try (Outcomes outcomes = client.callMany(calls, "a")) {
            stage.backend.hung.await();
            stage.kill();
            for (Outcome outcome : outcomes) {
                codes.add(assertThrows(GatewayException.class, outcome::get).code());
            }
        }
        assertEquals(List.of(Status.Code.UNAVAILABLE, Status.Code.UNAVAILABLE), codes);
    }

    @Test
    void nobodyThereIsNoFaultOfTheTool() {
        try (Client lost =
                Client.builder("127.0.0.1:1").deadline(Duration.ofSeconds(5)).build()) {
            var error = assertThrows(GatewayException.class, () -> lost.call(Call.of("list_invoices"), "a"));
            assertEquals(Status.Code.UNAVAILABLE, error.code());
            Run run = lost.run();
            run.close();
            assertEquals(Optional.empty(), run.summary());
        }
    }

    @Test
    void aDeadlineEndsACallAtTheTool() throws Exception {
        try (Client hasty =
                Client.builder(stage.target).deadline(Duration.ofSeconds(1)).build()) {
            hasty.listTools(); // connects
            assertThrows(ToolgateException.class, () -> hasty.call(Call.of("list_invoices"), "a"));
        }
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void theShapesCarryTheSchemaAsItIs() {
        ToolList tools = client.listTools();
        var names = StreamSupport.stream(tools.spliterator(), false).map(Tool::getName);
        assertEquals(List.of("get_balance", "list_invoices", "put_note"), names.toList());
        assertEquals(3, tools.size());
        assertFalse(tools.contract().isEmpty());
        var schema = (Map<?, ?>) tools.anthropic().get(0).get("input_schema");
        assertEquals(List.of("account_id"), schema.get("required"));
        assertEquals(schema, tools.openai().get(0).get("parameters"));
        assertEquals(schema, ((Map<?, ?>) tools.openaiChat().get(0).get("function")).get("parameters"));
        assertEquals(schema, tools.gemini().get(0).get("parametersJsonSchema"));
        assertEquals(schema, tools.mcp().get(0).get("inputSchema"));
        assertEquals(true, ((Map<?, ?>) tools.mcp().get(0).get("annotations")).get("readOnlyHint"));
    }

    private static String stackOf(Throwable error) {
        for (StackTraceElement frame : error.getStackTrace()) {
            if (frame.getClassName().equals(ClientTest.class.getName())) {
                return frame.getClassName();
            }
        }
        return "";
    }
}
