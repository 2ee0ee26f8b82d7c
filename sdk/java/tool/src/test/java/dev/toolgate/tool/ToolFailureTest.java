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
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ToolFailureTest {
    @Test
    void ofABugNothingIsSaid() {
        ToolFailure failure = ToolFailure.from(new IllegalStateException("dsn=postgres://app:secret@10.0.0.5"));
        assertEquals(500, failure.status());
        assertEquals(Status.Code.INTERNAL, failure.asStatus().getStatus().getCode());
        assertEquals("""
                {"error":"internal_error","class":"terminal","retryable":false,\
                "message":"The tool failed for a reason of its own.","maybe_executed":true}""", failure.body());
    }

    @Test
    void aFailureIsFoundWithinItsWrappers() {
        ToolFailure failure = terminal("over", "Over.");
        assertSame(failure, ToolFailure.from(new RuntimeException(new IllegalStateException(failure))));
        assertEquals("terminal: over: Over.", failure.toString());
    }

    private enum Colour {
        RED
    }

    private record Line(String sku, BigDecimal price) {}

    static Stream<Arguments> objects() {
        Map<String, Object> circle = new HashMap<>();
        circle.put("circle", circle);
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        Map<Object, Object> twice = Map.of(1, "a", "1", "b");
        Map<String, Object> anonymous = new HashMap<>() {
            private static final long serialVersionUID = 1;

            {
                put("k", null);
            }
        };
        return Stream.of(
                Arguments.of(LocalDate.EPOCH, "\"1970-01-01\""),
                Arguments.of(new UUID(0, 1), "\"00000000-0000-0000-0000-000000000001\""),
                Arguments.of(new BigDecimal("42.10"), "42.10"),
                Arguments.of(anonymous, "{\"k\":null}"),
                Arguments.of(Map.of(Colour.RED, Colour.RED), "{\"RED\":\"RED\"}"),
                Arguments.of(new Line("a", null), "{\"sku\":\"a\",\"price\":null}"),
                Arguments.of(new int[][] {{1}, {}}, "[[1],[]]"),
                Arguments.of(circle, null),
                Arguments.of(endless, null),
                Arguments.of(twice, null),
                Arguments.of(Double.NaN, null),
                Arguments.of(new Object(), null),
                Arguments.of(new Thread(), null),
                Arguments.of(List.of(1).iterator(), null));
    }

    @ParameterizedTest
    @MethodSource("objects")
    void anObjectIsToldWholeOrNotAtAllAndTheFailureAllTheSame(Object value, String text) {
        Map<String, Object> object = Map.of("v", value);
        ToolFailure failure =
                terminal("over", "Over.").facts(object).requested(object).alternatives(new Proposal("other", object));
        String told = text == null ? "" : "{\"v\":" + text + "}";
        assertEquals(told, failure.proto().getFactsJson());
        assertEquals(told, failure.proto().getRequestedJson());
        if (text == null) {
            assertEquals(terminal("over", "Over.").body(), failure.body());
        } else {
            assertEquals(told, failure.proto().getAlternatives(0).getArgumentsJson());
        }
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
                        .requested(Map.of("m", text(random)))
                        .facts(Map.of("m", text))
                        .alternatives(Collections.nCopies(
                                        random.nextInt(6), new Proposal(text, Map.of("m", text(random)), text))
                                .toArray(Proposal[]::new));
                if (random.nextInt(4) == 0) {
                    failure.maybeExecuted();
                }
                if (random.nextInt(4) == 0) {
                    failure.partial();
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
        assertFalse(isTransient && (error.getMaybeExecuted() || error.getPartial()), hint);
        if (error.getErrorClass() == ErrorClass.ERROR_CLASS_INVALID_REQUEST) {
            assertTrue(error.getViolationsCount() > 0, hint);
        }
        assertTrue(error.getUnblockWith().isEmpty() || !error.getBlockedBy().isEmpty(), hint);
        assertTrue(error.getViolationsCount() <= 8 && error.getAlternativesCount() <= 3, hint);
        assertTrue(bytes(error.getCode()) <= 64 && bytes(error.getMessage()) <= 512, hint);
        assertTrue(bytes(error.getFactsJson()) <= 512 && bytes(error.getRequestedJson()) <= 512, hint);
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
