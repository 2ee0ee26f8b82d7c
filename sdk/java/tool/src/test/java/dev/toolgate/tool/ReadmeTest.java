package dev.toolgate.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The snippets of the README compile, and the application runs as it stands. */
class ReadmeTest {
    private static final String AROUND = """
            import static dev.toolgate.tool.ToolFailure.invalidRequest;
            import dev.toolgate.tool.*;
            import io.grpc.Server;
            import io.grpc.health.v1.HealthGrpc;
            import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
            import java.util.Map;
            class Around%d {
                static class Bank extends HealthGrpc.HealthImplBase {}
                void run() {
                    %s
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void theSnippetsCompileAndRun() throws Exception {
        List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("README.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertEquals(3, snippets.size());
        compile("Invoices", snippets.get(0));
        compile("Around1", AROUND.formatted(1, snippets.get(1)));
        compile("Around2", AROUND.formatted(2, snippets.get(2)));
        try (URLClassLoader classes = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, Thread.currentThread().getContextClassLoader())) {
            Class<?> invoices = classes.loadClass("readme.Invoices");
            try (ConfigurableApplicationContext application = SpringApplication.run(
                    invoices, "--server.address=127.0.0.1", "--server.port=0", "--spring.main.banner-mode=off")) {
                assertAnswers(application);
            }
        }
    }

    private static void assertAnswers(ConfigurableApplicationContext application) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        String tool = "http://127.0.0.1:" + port + "/invoices?start_date=";
        assertEquals("{\"invoices\":[]}", get(tool + "2026-03-14").body());
        assertTrue(get(tool + "2026")
                .body()
                .contains("\"field\":\"start_date\",\"problem\":\"must be written as YYYY-MM-DD\""));
        HttpResponse<String> archived = get(tool + "2019-12-31");
        assertEquals(422, archived.statusCode());
        assertTrue(archived.body().contains("\"unblock_with\":\"request_archive\""), archived.body());
    }

    private static HttpResponse<String> get(String address) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
    }

    /** In a package of its own, as an application is. */
    private void compile(String name, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(name + ".java"), "package readme;\n" + source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int failed = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                file.toString());
        assertEquals(0, failed, name);
    }
}
