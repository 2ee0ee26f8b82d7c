package dev.toolgate.tool;

import static dev.toolgate.tool.ToolFailure.forbidden;
import static dev.toolgate.tool.ToolFailure.invalidRequest;
import static dev.toolgate.tool.ToolFailure.rateLimited;
import static dev.toolgate.tool.ToolFailure.terminal;
import static dev.toolgate.tool.ToolFailure.transientFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import dev.toolgate.v1.ErrorClass;
import dev.toolgate.v1.ToolError;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ToolFailureTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        transientFailure("maintenance", "Back soon.", Duration.ofMillis(1500)),
                        503,
                        "2",
                        Status.Code.UNAVAILABLE,
                        """
                        {"error":"maintenance","class":"transient","retryable":true,"message":"Back soon.","retry_after":1.5}"""),
                Arguments.of(
                        transientFailure("busy", "Later.", Duration.ofSeconds(-1)),
                        503,
                        null,
                        Status.Code.UNAVAILABLE,
                        """
                        {"error":"busy","class":"transient","retryable":true,"message":"Later.","retry_after":0}"""),
                Arguments.of(
                        rateLimited(
                                "slow_down", "Too fast.", Duration.ofSeconds(90).plusNanos(1)),
                        429,
                        "91",
                        Status.Code.RESOURCE_EXHAUSTED,
                        """
                        {"error":"slow_down","class":"transient","retryable":true,"message":"Too fast.","retry_after":91}"""),
                Arguments.of(
                        invalidRequest("bad", "Wrong.", Problem.at("a.b[0]").accepted("x", "y")),
                        400,
                        null,
                        Status.Code.INVALID_ARGUMENT,
                        """
                        {"error":"bad","class":"invalid_request","retryable":false,"message":"Wrong.",\
                        "violations":[{"field":"a.b[0]","problem":"Wrong.","accepted":["x","y"]}]}"""),
                Arguments.of(invalidRequest("bad", "a < b & \"c\""), 400, null, Status.Code.INVALID_ARGUMENT, """
                        {"error":"bad","class":"invalid_request","retryable":false,"message":"a < b & \\"c\\"",\
                        "violations":[{"field":"","problem":"a < b & \\"c\\""}]}"""),
                Arguments.of(
                        terminal("insufficient_funds", "No money.")
                                .blockedBy("balance", "request_deposit")
                                .facts(Map.of("balance", new BigDecimal("42.10")))
                                .alternatives(new Proposal("pay_later", Map.of("days", 30), "in a month")),
                        422,
                        null,
                        Status.Code.FAILED_PRECONDITION,
                        """
                        {"error":"insufficient_funds","class":"terminal","retryable":false,"message":"No money.",\
                        "facts":{"balance":42.10},\
                        "alternatives":[{"tool":"pay_later","arguments":{"days":30},"label":"in a month"}],\
                        "blocked_by":"balance","unblock_with":"request_deposit"}"""),
                Arguments.of(forbidden("not_yours", "Not yours."), 403, null, Status.Code.PERMISSION_DENIED, """
                        {"error":"not_yours","class":"terminal","retryable":false,"message":"Not yours.",\
                        "blocked_by":"permission"}"""),
                Arguments.of(
                        transientFailure("cut", "Cut.", Duration.ofSeconds(1)).maybeExecuted(),
                        500,
                        null,
                        Status.Code.INTERNAL,
                        """
                        {"error":"cut","class":"terminal","retryable":false,"message":"Cut.","maybe_executed":true}"""),
                Arguments.of(
                        ToolFailure.from(new IllegalStateException("dsn=postgres://app:secret@10.0.0.5")),
                        500,
                        null,
                        Status.Code.INTERNAL,
                        """
                        {"error":"internal_error","class":"terminal","retryable":false,\
                        "message":"The tool failed for a reason of its own.","maybe_executed":true}"""));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void eachHasItsBodyItsStatusItsDelayAndItsCode(
            ToolFailure failure, int status, String wait, Status.Code code, String body) {
        assertEquals(status, failure.status());
        assertEquals(wait, failure.headers().get("Retry-After"));
        assertEquals(body, failure.body());
        assertEquals(code, failure.asStatus().getStatus().getCode());
    }

    @Test
    void aFailureIsFoundWithinItsWrappers() {
        ToolFailure failure = terminal("over", "Over.");
        assertSame(failure, ToolFailure.from(new RuntimeException(new IllegalStateException(failure))));
        assertEquals("terminal: over: Over.", failure.toString());
    }

    @Test
    void whatIsNoJsonIsLeftOutAndTheFailureIsToldAllTheSame() {
        Map<String, Object> circle = new HashMap<>();
        circle.put("circle", circle);
        for (Map<String, Object> bad :
                List.of(circle, Map.<String, Object>of("n", Double.NaN), Map.<String, Object>of("t", new Thread()))) {
            ToolFailure failure = terminal("over", "Over.").facts(bad).alternatives(new Proposal("other", bad));
            assertEquals(terminal("over", "Over.").body(), failure.body());
        }
        assertEquals(
                "{\"day\":\"2026-03-14\"}",
                terminal("over", "Over.")
                        .facts(Map.of("day", LocalDate.parse("2026-03-14")))
                        .proto()
                        .getFactsJson());
    }

    @Test
    void whatSaysNothingIsNoFailureOfItsOwn() {
        ToolFailure failure = invalidRequest(null, null, new Problem(null, null, null, null, null))
                .blockedBy(null, "unblock")
                .facts(null)
                .alternatives(new Proposal(null, null, null));
        assertWithin(failure);
        assertEquals("", failure.proto().getUnblockWith());
    }

    @Test
    void aStatusThatIsNoFailureIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> terminal("over", "Over.").status(200));
    }

    @Test
    void whateverAToolSaysTheFailureKeepsTheBounds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            String text = text(random);
            Problem[] problems = Stream.generate(() -> new Problem(
                            text(random),
                            text(random),
                            List.of(text(random), text(random)),
                            text(random),
                            text(random)))
                    .limit(random.nextInt(20))
                    .toArray(Problem[]::new);
            for (ToolFailure failure : List.of(
                    transientFailure(text, text, Duration.ofNanos(random.nextLong())),
                    rateLimited(text, text, Duration.ofSeconds(random.nextLong())),
                    invalidRequest(text, text, problems),
                    terminal(text, text),
                    forbidden(text, text))) {
                failure.blockedBy(text, text(random))
                        .facts(Map.of("m", text))
                        .alternatives(Collections.nCopies(
                                        random.nextInt(6), new Proposal(text, Map.of("m", text(random)), text))
                                .toArray(Proposal[]::new));
                if (random.nextInt(4) == 0) {
                    failure.maybeExecuted();
                }
                assertWithin(failure, "seed " + seed);
            }
        }
    }

    /** Often empty, often too long, with characters of all lengths and halves of some. */
    private static String text(Random random) {
        String alphabet = "ab<&\"\\\u0001żół🐢\ud83d";
        return random.ints(random.nextInt(3) * random.nextInt(700), 0, alphabet.length())
                .mapToObj(i -> alphabet.substring(i, i + 1))
                .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append)
                .toString();
    }

    private static void assertWithin(ToolFailure failure) {
        assertWithin(failure, "");
    }

    private static void assertWithin(ToolFailure failure, String hint) {
        ToolError error = failure.proto();
        boolean isTransient = error.getErrorClass() == ErrorClass.ERROR_CLASS_TRANSIENT;
        assertEquals(isTransient, error.hasRetryAfter(), hint);
        assertTrue(error.getRetryAfter() >= 0 && Double.isFinite(error.getRetryAfter()), hint);
        assertFalse(isTransient && error.getMaybeExecuted(), hint);
        if (error.getErrorClass() == ErrorClass.ERROR_CLASS_INVALID_REQUEST) {
            assertTrue(error.getViolationsCount() > 0, hint);
        }
        assertTrue(error.getUnblockWith().isEmpty() || !error.getBlockedBy().isEmpty(), hint);
        assertTrue(error.getViolationsCount() <= 8 && error.getAlternativesCount() <= 3, hint);
        assertTrue(bytes(error.getCode()) <= 64 && bytes(error.getMessage()) <= 512, hint);
        assertTrue(bytes(error.getFactsJson()) <= 512, hint);
        error.getViolationsList().forEach(violation -> {
            assertTrue(bytes(violation.getField()) <= 64 && bytes(violation.getProblem()) <= 160, hint);
            assertTrue(
                    violation.getAcceptedList().stream()
                                    .mapToInt(ToolFailureTest::bytes)
                                    .sum()
                            <= 256,
                    hint);
        });
        error.getAlternativesList().forEach(call -> assertTrue(bytes(call.getArgumentsJson()) <= 512, hint));
        assertEquals(
                error.getCode(),
                JsonParser.parseString(failure.body())
                        .getAsJsonObject()
                        .get("error")
                        .getAsString(),
                hint);
        assertDetail(failure, hint);
    }

    private static void assertDetail(ToolFailure failure, String hint) {
        try {
            com.google.rpc.Status status = StatusProto.fromThrowable(failure.asStatus());
            assertTrue(status.getDetails(0).getSerializedSize() < 4096 + 64, hint);
            assertEquals(
                    failure.proto().getErrorClass(),
                    status.getDetails(0).unpack(ToolError.class).getErrorClass(),
                    hint);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(hint, e);
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
