package dev.toolgate.tool;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Ends the rpcs of a gRPC server with the failures of its tools, whether they are thrown or given to
 * {@code onError}. Any other exception is logged and ends the rpc as INTERNAL, without a word of it:
 * terminal, {@code internal_error}, and the call may have taken effect. A status that a handler
 * chose itself passes on. It is safe for concurrent use.
 */
public final class ToolFailureInterceptor implements ServerInterceptor {
    private static final Logger LOG = System.getLogger(ToolFailureInterceptor.class.getName());

    /** Makes one; a server needs no second. */
    public ToolFailureInterceptor() {}

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Ending<Q, A> ending = new Ending<>(call);
        try {
            return new Guarded<>(next.startCall(ending, headers), ending);
        } catch (RuntimeException e) {
            ending.fail(e);
            return new ServerCall.Listener<>() {};
        }
    }

    /** A call that ends once, and whose ending says what failed. */
    private static final class Ending<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private boolean closed; // by callbacks, which gRPC runs one at a time, or by the handler's own thread

        Ending(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public synchronized void close(Status status, Metadata trailers) {
            if (closed) {
                return; // onError, and then thrown: gRPC would refuse the second
            }
            closed = true;
            Throwable cause = status.getCause();
            if (cause != null && (ToolFailure.within(cause).isPresent() || unsaid(status))) {
                end(cause);
            } else {
                super.close(status, trailers);
            }
        }

        /** What gRPC makes of an exception that is no status. */
        private static boolean unsaid(Status status) {
            return status.getCode() == Status.Code.UNKNOWN && status.getDescription() == null;
        }

        synchronized void fail(RuntimeException thrown) {
            if (closed) {
                return;
            }
            Status status = Status.fromThrowable(thrown);
            if (ToolFailure.within(thrown).isEmpty() && !unsaid(status)) {
                Metadata trailers = Status.trailersFromThrowable(thrown);
                close(status, trailers == null ? new Metadata() : trailers);
                return;
            }
            closed = true;
            end(thrown);
        }

        private void end(Throwable thrown) {
            if (ToolFailure.within(thrown).isEmpty()) {
                LOG.log(Level.ERROR, "the tool failed", thrown);
            }
            StatusRuntimeException told = ToolFailure.from(thrown).asStatus();
            super.close(told.getStatus(), told.getTrailers());
        }
    }

    /** Handlers of one request run as it is complete, those of streams as messages arrive. */
    private static final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Ending<Q, ?> ending;

        Guarded(ServerCall.Listener<Q> listener, Ending<Q, ?> ending) {
            super(listener);
            this.ending = ending;
        }

        @Override
        public void onMessage(Q message) {
            guard(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            guard(super::onHalfClose);
        }

        @Override
        public void onReady() {
            guard(super::onReady);
        }

        private void guard(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException e) {
                ending.fail(e);
            }
        }
    }
}
