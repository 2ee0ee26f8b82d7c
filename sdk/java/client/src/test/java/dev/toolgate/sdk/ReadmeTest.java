package dev.toolgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of the README compile and run as they stand, against the gateway of the tests. */
@Timeout(60)
class ReadmeTest {
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("class (\\w+)");

    @TempDir
    private Path folder;

    private static List<String> snippets() throws IOException {
        return SNIPPET.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void eachSnippetCompilesAndRuns() throws Exception {
        try (Stage stage = new Stage()) {
            stage.backend.answer("/invoices", "{\"invoices\":[]}");
            stage.backend.answer("/balances/acc_1042", "{\"balance\":42.10}");
            for (String snippet : snippets()) {
                String printed = run(snippet.replace("127.0.0.1:7440", stage.target));
                assertTrue(printed.contains("{\"invoices\":[]}"), () -> snippet + printed);
            }
        }
        assertEquals(4, snippets().size());
    }

    @Test
    void aStrangerCallsInLessThanFifteenLines() throws Exception {
        assertTrue(snippets().get(0).strip().lines().count() < 15);
    }

    private String run(String snippet) throws Exception {
        var found = NAME.matcher(snippet);
        assertTrue(found.find());
        Path source = folder.resolve(found.group(1) + ".java");
        Files.writeString(source, snippet);
        compile(source);
        var printed = new ByteArrayOutputStream();
        PrintStream out = System.out;
        try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            var main = loader.loadClass(found.group(1)).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            System.setOut(new PrintStream(printed, true, UTF_8));
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return printed.toString(UTF_8);
    }

    private void compile(Path source) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var told = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, UTF_8)) {
            var options = List.of("-proc:none", "-Xlint:all", "-Werror", "-d", folder.toString());
            var task = compiler.getTask(told, files, null, options, null, files.getJavaFileObjects(source));
            assertTrue(task.call(), told::toString);
        }
    }
}
