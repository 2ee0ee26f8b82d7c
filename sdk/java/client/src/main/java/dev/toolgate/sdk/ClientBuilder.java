package dev.toolgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How the gateway is reached. Without {@link #tls} and its kin the connection is not encrypted. */
public final class ClientBuilder {
    private static final int PING_SECONDS = 30; // a connection that is gone without a word is noticed

    private final String target;
    private final TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
    private ChannelCredentials credentials = InsecureChannelCredentials.create();
    private boolean encrypted;
    private CallCredentials token;
    private Duration deadline;

    ClientBuilder(String target) {
        this.target = target;
    }

    /** Encrypts, and trusts the system's authorities. */
    public ClientBuilder tls() {
        encrypted = true;
        return this;
    }

    /** Encrypts, and trusts these certificates alone. */
    public ClientBuilder trust(String certificatesPem) {
        return tls(() -> tls.trustManager(bytes(certificatesPem)));
    }

    /** Encrypts, and shows a certificate of the client's own; its key is PKCS #8, not encrypted. */
    public ClientBuilder identity(String certificatePem, String keyPem) {
        return tls(() -> tls.keyManager(bytes(certificatePem), bytes(keyPem)));
    }

    /** Takes gRPC's own credentials in place of those above. */
    public ClientBuilder credentials(ChannelCredentials own) {
        encrypted = false;
        credentials = own;
        return this;
    }

    /** Shows a bearer token with every rpc: an API key, or a token of an issuer that the gateway knows. */
    public ClientBuilder token(String fixed) {
        return token(() -> fixed);
    }

    /** Asks for the bearer token of every rpc, where it changes. What is thrown fails the rpc as UNAUTHENTICATED. */
    public ClientBuilder token(Supplier<String> changing) {
        token = new Bearer(changing);
        return this;
    }

    /** How long a call may take; the gateway's default where not given. */
    public ClientBuilder deadline(Duration each) {
        deadline = each;
        return this;
    }

    /**
     * Makes the client. It connects with the first call.
     *
     * @throws IllegalArgumentException if the target is a URL, or a certificate or key can't be read
     */
    public Client build() {
        if (target.startsWith("http://") || target.startsWith("https://")) {
            throw new IllegalArgumentException(target + " is not host:port; tls() encrypts");
        }
        // One layer retries, and that is the gateway: no retries of gRPC's own, and no
        // service config out of DNS that would switch them on.
        var channel = channel()
                .disableRetry()
                .disableServiceConfigLookUp()
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .build();
        return new Client(new Gateway(channel, token, deadline));
    }

    private ManagedChannelBuilder<?> channel() {
        try {
            return Grpc.newChannelBuilder(target, encrypted ? tls.build() : credentials);
        } catch (ManagedChannelRegistry.ProviderNotFoundException refused) { // so gRPC says what it could not read
            throw new IllegalArgumentException(refused.getMessage(), refused);
        }
    }

    private ClientBuilder tls(Setting setting) {
        try {
            setting.make();
        } catch (IOException impossible) { // memory is read
            throw new UncheckedIOException(impossible);
        }
        return tls();
    }

    private static InputStream bytes(String pem) {
        return new ByteArrayInputStream(pem.getBytes(UTF_8));
    }

    private interface Setting {
        void make() throws IOException;
    }
}
