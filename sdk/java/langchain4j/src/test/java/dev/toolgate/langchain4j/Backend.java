package dev.toolgate.langchain4j;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** Answers what it is told, the last for ever, and keeps what it was asked. */
final class Backend implements AutoCloseable {
    private final HttpServer server;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

    /** The bodies of the requests. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    private record Answer(int status, String body, Map<String, String> headers) {}

    Backend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void answer(int status, String body) {
        answer(status, body, Map.of());
    }

    void answer(int status, String body, Map<String, String> headers) {
        answers.add(new Answer(status, body, headers));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            requests.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
