package dev.toolgate.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.model.chat.ChatModel;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippet of the README compiles and runs as it stands, against the gateway of the test. */
@Timeout(60)
class ReadmeTest {
    private static final String CATALOG = """
            upstreams: {u: {url: "%s"}}
            tools:
              - name: look
                description: Looks.
                upstream: u
                http: {method: POST, url: /look}
                input_schema: {type: object}
            """;

    @TempDir
    Path folder;

    @Test
    void theSnippetCompilesAndRuns() throws Exception {
        Matcher snippet =
                Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("README.md")));
        assertTrue(snippet.find());
        try (Backend backend = new Backend();
                Gateway gateway = new Gateway(folder, CATALOG.formatted(backend.url()))) {
            backend.answer(200, "{\"seen\":true}");
            compile(snippet.group(1).replace("127.0.0.1:7440", gateway.target));
            TurnModel model = new TurnModel(TurnModel.calls("look", "{}"));
            try (URLClassLoader classes =
                    new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
                Object answer = classes.loadClass("Ask")
                        .getMethod("ask", ChatModel.class, String.class)
                        .invoke(null, model, "Look.");
                assertEquals("Done.", answer);
            }
            assertEquals("{\"seen\":true}", model.read(0, 0).text());
        }
    }

    private void compile(String source) throws Exception {
        Path file = Files.writeString(folder.resolve("Ask.java"), source);
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        folder.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString());
        assertEquals(0, failed);
    }
}
