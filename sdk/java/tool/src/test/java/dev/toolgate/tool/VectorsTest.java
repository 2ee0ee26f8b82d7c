package dev.toolgate.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import com.google.gson.annotations.SerializedName;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.toolgate.v1.ToolError;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every language says a failure alike. */
class VectorsTest {
    private static final Path FILE = Path.of("../../../conformance/tool-failures.json");
    private static final Gson GSON = new GsonBuilder()
            .setObjectToNumberStrategy(ToNumberPolicy.BIG_DECIMAL)
            .create();

    private record Vector(
            String name,
            String kind,
            String code,
            String message,
            @SerializedName("retry_after_ms") double retryAfterMillis,
            List<Problem> problems,
            List<Proposal> alternatives,
            @SerializedName("blocked_by") String blockedBy,
            @SerializedName("unblock_with") String unblockWith,
            Map<String, Object> requested,
            Map<String, Object> facts,
            @SerializedName("maybe_executed") boolean maybeExecuted,
            boolean partial,
            Want want) {
        ToolFailure failure() {
            Duration wait = Duration.ofNanos(Math.round(retryAfterMillis * 1e6));
            ToolFailure made = switch (kind) {
                case "transient" -> ToolFailure.transientFailure(code, message, wait);
                case "rate_limited" -> ToolFailure.rateLimited(code, message, wait);
                case "invalid_request" -> ToolFailure.invalidRequest(code, message, listed(problems));
                case "terminal" -> ToolFailure.terminal(code, message);
                case "forbidden" -> ToolFailure.forbidden(code, message);
                default -> throw new IllegalArgumentException(kind);
            };
            made.requested(requested).facts(facts);
            made.alternatives(listed(alternatives).toArray(Proposal[]::new));
            if (blockedBy != null || unblockWith != null) {
                made.blockedBy(blockedBy, unblockWith);
            }
            if (maybeExecuted) {
                made.maybeExecuted();
            }
            return partial ? made.partial() : made;
        }

        private static <T> List<T> listed(List<T> some) {
            return Objects.requireNonNullElse(some, List.of());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private record Want(
            int status,
            @SerializedName("retry_after") String retryAfter,
            String body,
            @SerializedName("grpc_code") int grpcCode,
            Detail detail) {}

    /** What trailers hold of a failure that is larger; accepted values are those of the first violation. */
    private record Detail(int violations, int accepted, int alternatives) {}

    static Stream<Vector> vectors() throws IOException {
        Vector[] all = GSON.fromJson(Files.readString(FILE), Vector[].class);
        assertTrue(all.length >= 40, all.length + " vectors");
        return Stream.of(all);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void aFailureIsWhatItIsInEveryLanguage(Vector vector) throws InvalidProtocolBufferException {
        ToolFailure failure = vector.failure();
        Want want = vector.want();
        assertEquals(want.body(), failure.body());
        assertEquals(want.status(), failure.status());
        assertEquals(want.retryAfter(), failure.headers().get("Retry-After"));
        StatusRuntimeException told = failure.asStatus();
        assertEquals(want.grpcCode(), told.getStatus().getCode().value());
        ToolError left = StatusProto.fromThrowable(told).getDetails(0).unpack(ToolError.class);
        if (want.detail() == null) {
            assertEquals(failure.proto(), left);
        } else {
            assertShortened(want.detail(), left);
        }
    }

    private static void assertShortened(Detail want, ToolError left) {
        int accepted = left.getViolations(0).getAcceptedCount();
        assertEquals(want, new Detail(left.getViolationsCount(), accepted, left.getAlternativesCount()));
        assertTrue(left.getViolationsTruncated());
        assertEquals("", left.getFactsJson() + left.getRequestedJson());
        assertTrue(left.getSerializedSize() <= 4096, left.getSerializedSize() + " bytes");
    }
}
