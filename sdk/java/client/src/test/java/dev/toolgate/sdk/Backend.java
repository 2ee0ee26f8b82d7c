package dev.toolgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Answers by path; a path without answers hangs until the caller leaves. The last answer of a path is kept. */
final class Backend implements AutoCloseable {
    final List<String> requests = new CopyOnWriteArrayList<>();
    final List<String> bodies = new CopyOnWriteArrayList<>();
    final CountDownLatch hung = new CountDownLatch(1);
    final CountDownLatch left = new CountDownLatch(1);
    private final Map<String, Deque<String>> answers = new ConcurrentHashMap<>();
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    Backend() throws IOException {
        daemon(() -> {
            while (true) {
                Socket connection = listener.accept();
                daemon(() -> serve(connection));
            }
        });
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    void answer(String path, String body) {
        answer(path, 200, body);
    }

    void answer(String path, int status, String body, String... headers) {
        var answer =
                "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s"
                        .formatted(
                                status,
                                String.join("\r\n", headers) + (headers.length > 0 ? "\r\n" : ""),
                                body.getBytes(UTF_8).length,
                                body);
        answers.computeIfAbsent(path, unused -> new ArrayDeque<>()).add(answer);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void serve(Socket connection) throws IOException {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            String request = line(in);
            if (request.isEmpty()) { // a connection that was not used
                return;
            }
            String target = request.split(" ")[1];
            int length = 0;
            for (String header = line(in); !header.isEmpty(); header = line(in)) {
                if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(header.substring(15).trim());
                }
            }
            bodies.add(new String(in.readNBytes(length), UTF_8));
            requests.add(target);
            Deque<String> said = answers.get(target.split("\\?")[0]);
            if (said == null) {
                hang(in);
                return;
            }
            OutputStream out = connection.getOutputStream();
            out.write((said.size() > 1 ? said.remove() : said.peek()).getBytes(UTF_8));
            out.flush();
        }
    }

    private void hang(InputStream in) {
        hung.countDown();
        try {
            in.read(); // until the gateway closes it
        } catch (IOException reset) {
            // so too
        }
        left.countDown();
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void daemon(Work work) {
        var thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                // the test is over
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
