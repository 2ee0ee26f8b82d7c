package dev.toolgate.langchain4j.example;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Objects;

/** The example back ends, and a gateway in front of them: the program {@code examples/stage}. */
final class Stage implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final JsonObject directory;

    Stage() throws IOException {
        String program = Objects.requireNonNullElse(System.getenv("STAGE"), "../../../.bin/stage");
        process = new ProcessBuilder(program)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        directory = JsonParser.parseString(process.inputReader().readLine()).getAsJsonObject();
    }

    /** Where a part of it listens: gateway as host:port; billing and clinic as URLs. */
    String at(String part) {
        return directory.get(part).getAsString();
    }

    /** Gives the back ends the state that they started with. */
    void reset() throws IOException, InterruptedException {
        http.send(control("/reset").POST(BodyPublishers.noBody()).build(), BodyHandlers.discarding());
    }

    /** How many requests have arrived at the back ends. */
    int requests() throws IOException, InterruptedException {
        String counts =
                http.send(control("/requests").build(), BodyHandlers.ofString()).body();
        return JsonParser.parseString(counts).getAsJsonObject().entrySet().stream()
                .mapToInt(count -> count.getValue().getAsInt())
                .sum();
    }

    private HttpRequest.Builder control(String path) {
        return HttpRequest.newBuilder(URI.create(at("control") + path));
    }

    /** Ends it, with its standard input. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }
}
