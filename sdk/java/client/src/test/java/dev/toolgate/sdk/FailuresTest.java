package dev.toolgate.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.toolgate.v1.CallToolResponse;
import dev.toolgate.v1.ListToolsResponse;
import dev.toolgate.v1.Tool;
import dev.toolgate.v1.ToolError;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs no gateway: classes and numbers that no gateway sends today, and what a client makes of them. */
class FailuresTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    @ParameterizedTest
    @ValueSource(bytes = {0, 3, 7})
    void aClassThatIsNotKnownReadsAsTerminal(byte number) throws Exception {
        var error = new ToolCallException(ToolError.parseFrom(new byte[] {8, number}));
        assertEquals(ErrorClass.TERMINAL, error.errorClass());
    }

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "-1, PT0S",
        "NaN, PT0S",
        "0.0000000001, PT0.000000001S",
        "1.1, PT1.1S",
        "2.0001, PT2.0001S",
        "42, PT42S",
        "1e300, PT2562047788015215H30M7.999999999S",
        "Infinity, PT2562047788015215H30M7.999999999S"
    })
    void everyNumberOfSecondsIsAWait(double seconds, Duration wait) {
        assertEquals(wait, Seconds.duration(seconds));
    }

    @Test
    void patienceEndsWithItsTimeAndWithEveryOtherClass() {
        var error = ToolError.newBuilder().setErrorClass(dev.toolgate.v1.ErrorClass.ERROR_CLASS_TRANSIENT);
        assertEquals(Optional.of(Duration.ofMillis(50)), wait(error, LONG));
        error.setRetryAfter(0.01);
        assertEquals(Optional.of(Duration.ofMillis(50)), wait(error, LONG));
        error.setRetryAfter(2.5);
        assertEquals(Optional.of(Duration.ofMillis(2500)), wait(error, LONG));
        assertEquals(Optional.empty(), wait(error, Duration.ofMillis(2400)));
        assertEquals(Optional.empty(), wait(error, Duration.ZERO));
        error.setRetryAfter(1e300);
        assertEquals(Optional.empty(), wait(error, LONG));
        error.setRetryAfter(1).setExhausted(true);
        assertEquals(Optional.empty(), wait(error, LONG));
        error.setExhausted(false).setErrorClass(dev.toolgate.v1.ErrorClass.ERROR_CLASS_TERMINAL);
        assertEquals(Optional.empty(), wait(error, LONG));
    }

    private static Optional<Duration> wait(ToolError.Builder error, Duration within) {
        return new Patience(within).wait(new ToolCallException(error.build()));
    }

    @Test
    void anAttemptEndsWithTheDeadlineOrThePatience() {
        var deadline = Duration.ofSeconds(3);
        assertEquals(deadline, new Patience(LONG).timeout(deadline));
        assertEquals(Duration.ofMillis(1), new Patience(Duration.ZERO).timeout(deadline));
        assertEquals(Duration.ofMillis(1), new Patience(Duration.ZERO).timeout(null));
    }

    @Test
    void whatAModelWroteIsSentAsItStands() {
        assertEquals("{\"a\": 1,}", sent("{\"a\": 1,}"));
        assertEquals("", Call.of("t").message().getArgumentsJson());
        assertEquals("{\"half\":\"\\ud83d\",\"whole\":\"😀\"}", sent("{\"half\":\"\ud83d\",\"whole\":\"😀\"}"));
        assertEquals("\\ude00\\ud83d", sent("\ude00\ud83d"));
    }

    private static String sent(String text) {
        return Call.of("t", text).message().getArgumentsJson();
    }

    @Test
    void everySchemaSaysObject() {
        var object = Map.of("type", "object");
        for (var sent : Map.of(
                        "", object,
                        "true", object,
                        "{}", object,
                        "{\"title\":\"T\"}", Map.of("type", "object", "title", "T"),
                        "{\"type\":[\"object\"]}", Map.of("type", List.of("object")))
                .entrySet()) {
            var tool = Tool.newBuilder().setInputSchemaJson(sent.getKey());
            var listed =
                    new ToolList(ListToolsResponse.newBuilder().addTools(tool).build());
            assertEquals(sent.getValue(), listed.anthropic().get(0).get("input_schema"));
            assertEquals(sent.getValue(), listed.mcp().get(0).get("inputSchema"));
        }
    }

    @Test
    void anOutcomeOfTheFutureIsNoAnswer() {
        var error = assertThrows(GatewayException.class, () -> Result.of(CallToolResponse.getDefaultInstance()));
        assertEquals(Status.Code.UNKNOWN, error.code());
    }

    @Test
    void aStatusIsReadWithItsDetails() {
        var delay = com.google.protobuf.Duration.newBuilder().setSeconds(2).setNanos(500_000_000);
        var status = com.google.rpc.Status.newBuilder()
                .addDetails(Any.newBuilder().setTypeUrl("type.googleapis.com/of.the.Future"))
                .addDetails(Any.pack(
                        ErrorInfo.newBuilder().setReason("GATEWAY_FULL").build()))
                .addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()));
        var error = failed(status.build().toByteArray());
        assertEquals("GATEWAY_FULL", error.reason());
        assertEquals(Optional.of(Duration.ofMillis(2500)), error.retryAfter());
        assertEquals("RESOURCE_EXHAUSTED: GATEWAY_FULL: full", error.getMessage());
    }

    @Test
    void detailsThatCantBeReadAreLeftOut() {
        var error = failed(new byte[] {26, 5, 1});
        assertEquals("", error.reason());
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.code());
        assertEquals("RESOURCE_EXHAUSTED: full", error.getMessage());
    }

    private static GatewayException failed(byte[] details) {
        var trailers = new Metadata();
        trailers.put(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), details);
        return GatewayException.of(
                Status.RESOURCE_EXHAUSTED.withDescription("full").asRuntimeException(trailers));
    }

    @Test
    void aFailureCanBeStored() throws Exception {
        var error = ToolError.newBuilder().setCode("gone").build();
        var stored = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(stored)) {
            out.writeObject(new ToolCallException(error));
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(stored.toByteArray()))) {
            assertEquals(error, ((ToolCallException) in.readObject()).proto());
        }
    }
}
