package dev.toolgate.sdk;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The header of every rpc, in the clear where the connection is not encrypted. */
final class Bearer extends CallCredentials {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Supplier<String> token;

    Bearer(Supplier<String> token) {
        this.token = token;
    }

    @Override
    public void applyRequestMetadata(RequestInfo rpc, Executor executor, MetadataApplier applier) {
        executor.execute(
                () -> { // the supplier may take its time
                    String shown;
                    try {
                        shown = token.get();
                    } catch (RuntimeException thrown) {
                        applier.fail(Status.UNAUTHENTICATED
                                .withDescription("there is no token")
                                .withCause(thrown));
                        return;
                    }
                    if (shown == null || !isPrintable(shown)) { // gRPC would log it, and send none
                        applier.fail(Status.UNAUTHENTICATED.withDescription(
                                "no header holds the token: is there an end of line in it?"));
                        return;
                    }
                    var headers = new Metadata();
                    headers.put(AUTHORIZATION, "Bearer " + shown);
                    applier.apply(headers);
                });
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
