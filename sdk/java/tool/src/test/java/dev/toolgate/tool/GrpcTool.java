package dev.toolgate.tool;

import io.grpc.Server;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A gRPC server whose tool is the health service, since everybody has its description. */
final class GrpcTool {
    private GrpcTool() {}

    static Server start(Consumer<StreamObserver<HealthCheckResponse>> handler) {
        try {
            return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                    .addService(new Health(handler))
                    .addService(ProtoReflectionServiceV1.newInstance())
                    .intercept(new ToolFailureInterceptor())
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Health extends HealthGrpc.HealthImplBase {
        private final Consumer<StreamObserver<HealthCheckResponse>> handler;

        Health(Consumer<StreamObserver<HealthCheckResponse>> handler) {
            this.handler = handler;
        }

        @Override
        public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
            handler.accept(observer);
        }
    }
}
