package dev.toolgate.sdk;

import dev.toolgate.v1.ToolError;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A failed tool call. {@link #errorClass()} says what to do next; {@link #observation()} is the text for the
 * transcript, the same in every language; {@link #proto()} is the whole message as the gateway sent it.
 */
public final class ToolCallException extends ToolgateException {
    private static final long serialVersionUID = 1;

    private final ToolError proto;

    /**
     * Makes one of the gateway's message.
     *
     * @param proto the message
     */
    public ToolCallException(ToolError proto) {
        super(summary(proto), null);
        this.proto = proto;
    }

    private static String summary(ToolError proto) {
        String name = ErrorClass.of(proto.getErrorClass()).name().toLowerCase(Locale.ROOT);
        return Stream.of(name, proto.getCode(), proto.getMessage())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(": "));
    }

    /** What to do next. */
    public ErrorClass errorClass() {
        return ErrorClass.of(proto.getErrorClass());
    }

    /** Stable: the provider's own code, else the gateway's. */
    public String code() {
        return proto.getCode();
    }

    /** The gateway's one sentence; {@link #getMessage()} has class and code before it. */
    public String message() {
        return proto.getMessage();
    }

    /** How long to wait before the identical call; on every transient, on nothing else. */
    public Optional<Duration> retryAfter() {
        return proto.hasRetryAfter() ? Optional.of(Seconds.duration(proto.getRetryAfter())) : Optional.empty();
    }

    /** On a transient: every attempt was spent. The one case in which an outage may be reported. */
    public boolean exhausted() {
        return proto.getExhausted();
    }

    /** What is wrong with the arguments, on an invalid request. */
    public List<Violation> violations() {
        return proto.getViolationsList().stream().map(Violation::of).toList();
    }

    /** Calls to make in place of this one, nearest first. */
    public List<Alternative> alternatives() {
        return proto.getAlternativesList().stream().map(Alternative::of).toList();
    }

    /** The condition that blocks the call; empty where none is known. */
    public String blockedBy() {
        return proto.getBlockedBy();
    }

    /** The tool that changes that condition; empty where none is known. */
    public String unblockWith() {
        return proto.getUnblockWith();
    }

    /** Whether the call may have taken effect: check before repeating it. */
    public boolean maybeExecuted() {
        return proto.getMaybeExecuted();
    }

    /** The text for the transcript. */
    public String observation() {
        return proto.getObservation();
    }

    /** The whole message as the gateway sent it. */
    public ToolError proto() {
        return proto;
    }

    @Override
    ToolCallException here() {
        return new ToolCallException(proto);
    }
}
