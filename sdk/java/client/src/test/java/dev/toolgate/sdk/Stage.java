package dev.toolgate.sdk;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A gateway as it is built, and a back end that answers as it is told. */
final class Stage implements AutoCloseable {
    private static final String CATALOG = """
            upstreams:
              shop: {url: "{backend}"}
            tools:
              - name: list_invoices
                description: Lists invoices.
                upstream: shop
                http: {method: GET, url: /invoices}
                input_schema:
                  type: object
                  properties:
                    start_date: {type: string, format: date}
                    status: {type: string, enum: [open, paid]}
                  additionalProperties: false
                policy: {max_wait: 0s}
              - name: get_balance
                description: Shows a balance.
                upstream: shop
                http: {method: GET, url: "/balances/{account_id}"}
                input_schema:
                  type: object
                  properties: {account_id: {type: string}}
                  required: [account_id]
              - name: put_note
                description: Keeps a note of any shape.
                upstream: shop
                http: {method: PUT, url: /notes}
                input_schema: {type: object}
            """;

    final Backend backend = new Backend();
    final String target;
    private final Path catalog;
    private final Process gateway;

    Stage(String... more) throws IOException {
        catalog = Files.createTempFile("toolgate-", ".yaml");
        Files.writeString(catalog, CATALOG.replace("{backend}", backend.url()));
        List<String> command = new ArrayList<>(List.of(program(), "serve", "--catalog", catalog.toString()));
        command.addAll(List.of("--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", ""));
        command.addAll(List.of(more));
        gateway = new ProcessBuilder(command).start();
        BufferedReader log = gateway.errorReader();
        target = serving(log);
        var drain = new Thread(() -> drain(log));
        drain.setDaemon(true);
        drain.start();
    }

    private static void drain(BufferedReader log) {
        try {
            log.transferTo(Writer.nullWriter());
        } catch (IOException ended) {
            // with the gateway
        }
    }

    private static String program() {
        String built = System.getenv("TOOLGATE");
        return built != null
                ? built
                : Path.of("../../../.bin/toolgate").toAbsolutePath().toString();
    }

    private static String serving(BufferedReader log) throws IOException {
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            if (Json.read(line) instanceof Map<?, ?> told && "serving".equals(told.get("msg"))) {
                return (String) told.get("grpc");
            }
        }
        throw new IOException("the gateway ended");
    }

    /** The gateway is gone at once. */
    void kill() {
        gateway.destroyForcibly().onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        backend.close();
        Files.delete(catalog);
    }
}
