package dev.toolgate.langchain4j;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A gateway as it is built, in front of the tools of a catalogue. */
final class Gateway implements AutoCloseable {
    private final Process process;
    final String target;

    Gateway(Path folder, String catalog) throws IOException {
        Path file = Files.writeString(folder.resolve("catalog.yaml"), catalog);
        String program = Objects.requireNonNullElse(System.getenv("TOOLGATE"), "../../../.bin/toolgate");
        process = new ProcessBuilder(
                        program,
                        "serve",
                        "--catalog",
                        file.toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--admin-listen",
                        "",
                        "--http-listen",
                        "")
                .start();
        target = address();
    }

    private String address() throws IOException {
        BufferedReader log = process.errorReader();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            JsonObject told = JsonParser.parseString(line).getAsJsonObject();
            if (told.get("msg").getAsString().equals("serving")) {
                Thread drain = new Thread(() -> drain(log));
                drain.setDaemon(true);
                drain.start();
                return told.get("grpc").getAsString();
            }
        }
        throw new IOException("the gateway ended");
    }

    private static void drain(BufferedReader log) {
        try {
            log.transferTo(Writer.nullWriter());
        } catch (IOException closed) {
            return; // with the gateway
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
