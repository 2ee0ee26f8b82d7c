package dev.toolgate.sdk;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An rpc that failed: never the tool's fault. The gateway, the network or this program is. */
public final class GatewayException extends ToolgateException {
    private static final long serialVersionUID = 1;
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private static final int LONGEST_CAUSE = 200; // some hold all that was received

    private final Status.Code code;
    private final String reason;
    private final Duration retryAfter;

    GatewayException(Status.Code code, String message, Throwable cause) {
        this(code, message, new Details(), cause);
    }

    private GatewayException(Status.Code code, String message, Details details, Throwable cause) {
        super(
                Stream.of(code.name(), details.reason, message)
                        .filter(part -> !part.isEmpty())
                        .collect(Collectors.joining(": ")),
                cause);
        this.code = code;
        this.reason = details.reason;
        this.retryAfter = details.retryAfter;
    }

    private GatewayException(GatewayException same) {
        super(same.getMessage(), same.getCause());
        this.code = same.code;
        this.reason = same.reason;
        this.retryAfter = same.retryAfter;
    }

    /** What gRPC said. */
    static GatewayException of(Throwable failure) {
        Status status = Status.fromThrowable(failure);
        return new GatewayException(status.getCode(), message(status), Details.of(failure), failure);
    }

    /** The words of the status. Of a connection that failed they say nothing ("io exception"); the cause does. */
    private static String message(Status status) {
        String said = Optional.ofNullable(status.getDescription()).orElse("");
        Throwable cause = status.getCause();
        if (status.getCode() != Status.Code.UNAVAILABLE || cause == null || cause.getMessage() == null) {
            return said;
        }
        String first = said.lines().findFirst().orElse("");
        String why = cause.getMessage();
        return first + ": " + (why.length() > LONGEST_CAUSE ? why.substring(0, LONGEST_CAUSE) + "…" : why);
    }

    /** A gateway that is newer than this client. */
    static GatewayException unknownOutcome() {
        return new GatewayException(
                Status.Code.UNKNOWN, "the gateway sent an outcome that this client does not know", null);
    }

    /** This client was closed, before or during the call. */
    static GatewayException closed(Throwable cause) {
        return new GatewayException(Status.Code.CANCELLED, "the client is closed", cause);
    }

    /** The gRPC status. */
    public Status.Code code() {
        return code;
    }

    /**
     * The gateway's own word for it, for example GATEWAY_FULL or CREDENTIAL_MISSING; empty where the gateway did not
     * speak.
     */
    public String reason() {
        return reason;
    }

    /** What the gateway asked to wait, if anything. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    @Override
    GatewayException here() {
        return new GatewayException(this);
    }

    /** What the status carries; what can't be read of it is left out. */
    private static final class Details {
        private String reason = "";
        private Duration retryAfter;

        static Details of(Throwable failure) {
            var details = new Details();
            Metadata trailers = Status.trailersFromThrowable(failure);
            byte[] encoded = trailers == null ? null : trailers.get(DETAILS);
            if (encoded != null) {
                try {
                    for (Any detail : com.google.rpc.Status.parseFrom(encoded).getDetailsList()) {
                        details.read(detail);
                    }
                } catch (InvalidProtocolBufferException unreadable) {
                    return details;
                }
            }
            return details;
        }

        private void read(Any detail) throws InvalidProtocolBufferException {
            if (detail.is(ErrorInfo.class)) {
                reason = detail.unpack(ErrorInfo.class).getReason();
            } else if (detail.is(RetryInfo.class)) {
                var delay = detail.unpack(RetryInfo.class).getRetryDelay();
                retryAfter = Duration.ofSeconds(delay.getSeconds()).plusNanos(delay.getNanos());
            }
        }
    }
}
