package dev.toolgate.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS and tokens, against a real gateway. One certificate is everybody's, and its own authority. */
@Timeout(60)
class ConnectionTest {
    @TempDir
    private static Path folder;

    private static String certificate;
    private static String key;

    @BeforeAll
    static void certify() throws Exception {
        Path store = folder.resolve("store.p12");
        var keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-ext",
                        "bc=ca:true",
                        "-validity",
                        "2",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "secret")
                .redirectErrorStream(true)
                .start();
        assertEquals(
                0,
                keytool.waitFor(),
                () -> keytool.inputReader().lines().toList().toString());
        var keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        certificate = pem("CERTIFICATE", keys.getCertificate("a").getEncoded());
        key = pem("PRIVATE KEY", keys.getKey("a", "secret".toCharArray()).getEncoded());
        Files.writeString(folder.resolve("cert.pem"), certificate);
        Files.writeString(folder.resolve("key.pem"), key);
    }

    private static String pem(String kind, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN %s-----\n%s\n-----END %1$s-----\n".formatted(kind, body);
    }

    private static Stage encrypted(String... more) throws Exception {
        var flags = new java.util.ArrayList<String>();
        flags.addAll(java.util.List.of("--tls-cert", folder.resolve("cert.pem").toString()));
        flags.addAll(java.util.List.of("--tls-key", folder.resolve("key.pem").toString()));
        flags.addAll(java.util.List.of(more));
        return new Stage(flags.toArray(String[]::new));
    }

    @Test
    void anAuthorityOfOnesOwnIsTrustedAndNoOther() throws Exception {
        try (Stage stage = encrypted()) {
            try (Client client = Client.builder(stage.target).trust(certificate).build()) {
                assertEquals(3, client.listTools().size());
            }
            try (Client stranger = Client.builder(stage.target).tls().build()) {
                var error = assertThrows(GatewayException.class, stranger::listTools);
                assertEquals(Status.Code.UNAVAILABLE, error.code());
            }
        }
    }

    @Test
    void aCertificateOfTheClientsOwnIsShown() throws Exception {
        try (Stage stage =
                encrypted("--tls-client-ca", folder.resolve("cert.pem").toString())) {
            try (Client client = Client.builder(stage.target)
                    .trust(certificate)
                    .identity(certificate, key)
                    .build()) {
                assertEquals(3, client.listTools().size());
            }
            try (Client nobody = Client.builder(stage.target).trust(certificate).build()) {
                assertThrows(GatewayException.class, nobody::listTools);
            }
        }
    }

    @Test
    void whatIsNoCertificateIsToldWhenTheClientIsBuilt() {
        var builder =
                Client.builder("127.0.0.1:1").trust("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n");
        assertThrows(IllegalArgumentException.class, builder::build);
    }

    @Test
    void aTokenThatChangesIsAskedForWithEveryRpc() throws Exception {
        var asked = new AtomicInteger();
        try (Stage stage = new Stage();
                Client client = Client.builder(stage.target)
                        .token(() -> "t" + asked.incrementAndGet())
                        .build()) {
            client.listTools();
            client.listTools();
        }
        assertEquals(2, asked.get());
    }

    @Test
    void aTokenThatCantBeHadFailsTheCall() throws Exception {
        var thrown = new IllegalStateException("the vault is closed");
        try (Stage stage = new Stage();
                Client client = Client.builder(stage.target)
                        .token(() -> {
                            throw thrown;
                        })
                        .build()) {
            var error = assertThrows(GatewayException.class, client::listTools);
            assertEquals(Status.Code.UNAUTHENTICATED, error.code());
            assertSame(thrown, error.getCause().getCause());
            assertFalse(error.getMessage().contains("vault"));
            assertTrue(error.reason().isEmpty());
        }
    }

    @Test
    void aTokenThatNoHeaderHoldsIsNotSentAndNotTold() throws Exception {
        try (Stage stage = new Stage();
                Client client =
                        Client.builder(stage.target).token("tg_secret\n").build()) {
            var error = assertThrows(GatewayException.class, client::listTools);
            assertEquals(Status.Code.UNAUTHENTICATED, error.code());
            assertTrue(error.getMessage().contains("end of line"), error.getMessage());
            assertFalse(error.getMessage().contains("secret"), error.getMessage());
        }
    }

    @Test
    void whereNobodyListensTheMessageSaysSo() {
        try (Client client = Client.connect("127.0.0.1:1")) {
            var error = assertThrows(GatewayException.class, client::listTools);
            assertEquals(Status.Code.UNAVAILABLE, error.code());
            assertTrue(error.getMessage().contains("Connection refused"), error.getMessage());
        }
    }

    @Test
    void anAddressOfTheWebIsNoTarget() {
        for (String target : new String[] {"http://127.0.0.1:7440", "https://gateway:7440"}) {
            var error = assertThrows(IllegalArgumentException.class, () -> Client.connect(target));
            assertTrue(error.getMessage().contains("is not host:port"), error.getMessage());
        }
    }
}
