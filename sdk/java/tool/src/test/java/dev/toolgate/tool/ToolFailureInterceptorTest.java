package dev.toolgate.tool;

import static dev.toolgate.tool.ToolFailure.terminal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.toolgate.v1.ToolError;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class ToolFailureInterceptorTest {
    private static final ToolFailure OVER =
            terminal("insufficient_funds", "42.10 is less than 150.00").blockedBy("balance");

    @Test
    void aFailureThatIsThrownIsTheStatusDetail() throws Exception {
        assertEquals(
                OVER.proto(),
                detail(
                        failing(observer -> {
                            throw new IllegalStateException(OVER);
                        }),
                        Status.Code.FAILED_PRECONDITION));
    }

    @Test
    void soIsOneThatIsGivenToTheObserver() throws Exception {
        assertEquals(
                OVER.proto(), detail(failing(observer -> observer.onError(OVER)), Status.Code.FAILED_PRECONDITION));
        assertEquals(
                OVER.proto(),
                detail(failing(observer -> observer.onError(OVER.asStatus())), Status.Code.FAILED_PRECONDITION));
    }

    @Test
    void ofAnUnexpectedExceptionNothingIsSaidButInTheLog() throws Exception {
        Logger logger = Logger.getLogger(ToolFailureInterceptor.class.getName());
        List<Throwable> logged = new CopyOnWriteArrayList<>();
        logger.setFilter(log -> {
            logged.add(log.getThrown());
            return false;
        });
        RuntimeException secret = new IllegalStateException("dsn=postgres://app:secret@10.0.0.5");
        for (Consumer<StreamObserver<HealthCheckResponse>> handler :
                List.<Consumer<StreamObserver<HealthCheckResponse>>>of(
                        observer -> {
                            throw secret;
                        },
                        observer -> observer.onError(secret))) {
            StatusRuntimeException failed = failing(handler);
            assertEquals(
                    "The tool failed for a reason of its own.",
                    failed.getStatus().getDescription());
            assertEquals("internal_error", detail(failed, Status.Code.INTERNAL).getCode());
        }
        logger.setFilter(null);
        assertEquals(List.of(secret, secret), logged);
    }

    @Test
    void aStatusThatAHandlerChosePassesOn() {
        Status chosen = Status.NOT_FOUND.withDescription("no such account");
        assertEquals(
                "no such account",
                failing(observer -> observer.onError(chosen.asRuntimeException()))
                        .getStatus()
                        .getDescription());
        StatusRuntimeException thrown = failing(observer -> {
            throw chosen.asRuntimeException();
        });
        assertEquals(Status.Code.NOT_FOUND, thrown.getStatus().getCode());
    }

    private static ToolError detail(StatusRuntimeException failed, Status.Code code) throws Exception {
        assertEquals(code, failed.getStatus().getCode());
        return StatusProto.fromThrowable(failed).getDetails(0).unpack(ToolError.class);
    }

    private static StatusRuntimeException failing(Consumer<StreamObserver<HealthCheckResponse>> handler) {
        try (Loopback server = new Loopback(handler)) {
            return assertThrows(
                    StatusRuntimeException.class,
                    () -> HealthGrpc.newBlockingStub(server.channel)
                            .withDeadlineAfter(10, TimeUnit.SECONDS)
                            .check(HealthCheckRequest.getDefaultInstance()));
        }
    }

    /** A server of one tool, on a free port of the loopback, and a client of it. */
    private static final class Loopback implements AutoCloseable {
        private final Server server;
        final ManagedChannel channel;

        Loopback(Consumer<StreamObserver<HealthCheckResponse>> handler) {
            server = GrpcTool.start(handler);
            channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                    .usePlaintext()
                    .build();
        }

        @Override
        public void close() {
            channel.shutdownNow();
            server.shutdownNow();
        }
    }
}
