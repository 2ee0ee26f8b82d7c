package dev.toolgate.tool;

import dev.toolgate.v1.Alternative;
import dev.toolgate.v1.ErrorClass;
import dev.toolgate.v1.ToolError;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A failed call of a tool: throw what the static methods make. The methods that add to a failure
 * return it; it must not be changed once it was thrown. Whatever is said, the failure keeps the
 * bounds of the contract: what is longer is cut, what can't be cut is left out.
 */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private static final String UNEXPECTED = "The tool failed for a reason of its own.";

    private int status;
    private ToolError error;

    private ToolFailure(int status, ErrorClass errorClass, String code, String message) {
        super(message == null ? "" : message);
        this.status = status;
        this.error = ToolError.newBuilder()
                .setErrorClass(errorClass)
                .setCode(Bounds.cut(code, Bounds.CODE))
                .setMessage(Bounds.cut(message, Bounds.MESSAGE))
                .build();
    }

    /**
     * Time cures it: after the wait the gateway sends the identical call again. It must be certain
     * that the call took no effect.
     *
     * @param retryAfter how long to wait; null, zero or less leaves it to the gateway
     */
    public static ToolFailure transientFailure(String code, String message, Duration retryAfter) {
        ToolFailure failure = new ToolFailure(503, ErrorClass.ERROR_CLASS_TRANSIENT, code, message);
        failure.error = failure.error.toBuilder()
                .setRetryAfter(Bounds.seconds(retryAfter))
                .build();
        return failure;
    }

    /** As {@link #transientFailure(String, String, Duration)}, with the wait left to the gateway. */
    public static ToolFailure transientFailure(String code, String message) {
        return transientFailure(code, message, Duration.ZERO);
    }

    /** As {@link #transientFailure(String, String, Duration)}, to a caller that asked too often. */
    public static ToolFailure rateLimited(String code, String message, Duration retryAfter) {
        return transientFailure(code, message, retryAfter).status(429);
    }

    /** As {@link #rateLimited(String, String, Duration)}, with the wait left to the gateway. */
    public static ToolFailure rateLimited(String code, String message) {
        return rateLimited(code, message, Duration.ZERO);
    }

    /** Other arguments may do; without a problem, the arguments as a whole are wrong. */
    public static ToolFailure invalidRequest(String code, String message, Problem... problems) {
        return invalidRequest(code, message, Arrays.asList(problems));
    }

    /** As {@link #invalidRequest(String, String, Problem...)}. */
    public static ToolFailure invalidRequest(String code, String message, List<Problem> problems) {
        ToolFailure failure = new ToolFailure(400, ErrorClass.ERROR_CLASS_INVALID_REQUEST, code, message);
        List<Problem> said = problems.isEmpty() ? List.of(Problem.at("")) : problems;
        ToolError.Builder error = failure.error.toBuilder().setViolationsTruncated(said.size() > Bounds.PROBLEMS);
        said.stream()
                .limit(Bounds.PROBLEMS)
                .map(problem -> Bounds.violation(problem, failure.getMessage()))
                .forEach(error::addViolations);
        failure.error = error.build();
        return failure;
    }

    /** This call is over: nobody can send it again to any avail. */
    public static ToolFailure terminal(String code, String message) {
        return new ToolFailure(422, ErrorClass.ERROR_CLASS_TERMINAL, code, message);
    }

    /** As {@link #terminal(String, String)}, to a caller that may not do this. */
    public static ToolFailure forbidden(String code, String message) {
        return terminal(code, message).blockedBy("permission").status(403);
    }

    /**
     * The failure within an exception or its causes; any other exception is a failure of which
     * nothing is said: terminal, {@code internal_error}, status 500, and the call may have taken
     * effect.
     */
    public static ToolFailure from(Throwable thrown) {
        return within(thrown).orElseGet(ToolFailure::unexpected);
    }

    static Optional<ToolFailure> within(Throwable thrown) {
        int depth = 0; // causes may run in a circle
        for (Throwable one = thrown; one != null && depth < 50; one = one.getCause(), depth++) {
            if (one instanceof ToolFailure failure) {
                return Optional.of(failure);
            }
        }
        return Optional.empty();
    }

    private static ToolFailure unexpected() {
        return terminal("internal_error", UNEXPECTED).maybeExecuted().status(500);
    }

    /** Names the condition that blocks the call. */
    public ToolFailure blockedBy(String condition) {
        return blockedBy(condition, "");
    }

    /**
     * Names the condition that blocks the call, and the tool that changes it; "" where there is none. A tool's name of
     * more than 64 bytes is left out.
     */
    public ToolFailure blockedBy(String condition, String unblockWith) {
        String blocked = Bounds.cut(condition, Bounds.CODE);
        error = error.toBuilder()
                .setBlockedBy(blocked)
                .setUnblockWith(blocked.isEmpty() ? "" : Bounds.name(unblockWith, Bounds.CODE))
                .build();
        return this;
    }

    /**
     * Adds calls to make in place of this one, nearest first; three are kept. One whose tool takes more than 128 bytes,
     * or whose arguments would be left out as {@link #requested(Map)} is, is left out.
     */
    public ToolFailure alternatives(Proposal... calls) {
        ToolError.Builder changed = error.toBuilder();
        for (Proposal call : calls) {
            Optional<Alternative> told = Bounds.alternative(call);
            if (told.isEmpty()) {
                continue;
            }
            if (changed.getAlternativesCount() == Bounds.PROPOSALS) {
                changed.setAlternativesTruncated(true);
                break;
            }
            changed.addAlternatives(told.get());
        }
        error = changed.build();
        return this;
    }

    /**
     * The part of the request that matters, at most 512 bytes as JSON: maps, collections, arrays, records, text, enums,
     * numbers, booleans, null, and dates, times and UUIDs as text. It is left out where it is larger or holds anything
     * else.
     */
    public ToolFailure requested(Map<String, ?> part) {
        error = error.toBuilder().setRequestedJson(Bounds.object(part)).build();
        return this;
    }

    /** The numbers of the boundary that was hit, written or left out as {@link #requested(Map)} is. */
    public ToolFailure facts(Map<String, ?> facts) {
        error = error.toBuilder().setFactsJson(Bounds.object(facts)).build();
        return this;
    }

    /**
     * The call may have taken effect: the gateway does not repeat it unless that is safe. A transient
     * failure must be certain of the contrary, so it becomes terminal.
     */
    public ToolFailure maybeExecuted() {
        return hadEffect(error.toBuilder().setMaybeExecuted(true));
    }

    /**
     * A part of the call took effect: an invalid request names the items that failed, to be sent alone. A transient
     * failure becomes terminal, since the identical call would do that part again.
     */
    public ToolFailure partial() {
        return hadEffect(error.toBuilder().setPartial(true));
    }

    private ToolFailure hadEffect(ToolError.Builder changed) {
        if (error.getErrorClass() == ErrorClass.ERROR_CLASS_TRANSIENT) {
            changed.setErrorClass(ErrorClass.ERROR_CLASS_TERMINAL).clearRetryAfter();
            status = 500;
        }
        error = changed.build();
        return this;
    }

    /** With another HTTP status, from 400 to 599, for consumers that look only there. */
    public ToolFailure status(int other) {
        if (other < 400 || other > 599) {
            throw new IllegalArgumentException("a failure has a status from 400 to 599, not " + other);
        }
        status = other;
        return this;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The headers of an HTTP answer. */
    public Map<String, String> headers() {
        long wait = (long) Math.ceil(error.getRetryAfter());
        return wait > 0
                ? Map.of(
                        "Content-Type", "application/json",
                        "X-Content-Type-Options", "nosniff",
                        "Retry-After", Long.toString(wait))
                : Map.of("Content-Type", "application/json", "X-Content-Type-Options", "nosniff");
    }

    /** The canonical body of an HTTP answer, one JSON object. */
    public String body() {
        return Body.of(error);
    }

    /** The contract's message, within its bounds. */
    public ToolError proto() {
        return error;
    }

    /** The failure as the status of an rpc: {@code observer.onError(failure.asStatus())}. */
    public StatusRuntimeException asStatus() {
        return StatusDetail.of(this);
    }

    Status.Code grpcCode() {
        return switch (error.getErrorClass()) {
            case ERROR_CLASS_TRANSIENT -> status == 429 ? Status.Code.RESOURCE_EXHAUSTED : Status.Code.UNAVAILABLE;
            case ERROR_CLASS_INVALID_REQUEST -> Status.Code.INVALID_ARGUMENT;
            default ->
                switch (status) {
                    case 401, 403 -> Status.Code.PERMISSION_DENIED;
                    case 500 -> Status.Code.INTERNAL;
                    default -> Status.Code.FAILED_PRECONDITION;
                };
        };
    }

    /** Names class, code and message. */
    @Override
    public String toString() {
        return Body.name(error.getErrorClass()) + ": " + error.getCode() + ": " + getMessage();
    }
}
