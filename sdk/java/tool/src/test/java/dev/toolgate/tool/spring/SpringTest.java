package dev.toolgate.tool.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.toolgate.tool.Problem;
import dev.toolgate.tool.ToolFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.security.authorization.AuthorizationDeniedException;

/** What a real server answers. */
@ExtendWith(OutputCaptureExtension.class)
class SpringTest {
    private static final String INTERNAL = """
            {"error":"internal_error","class":"terminal","retryable":false,\
            "message":"The tool failed for a reason of its own.","maybe_executed":true}""";
    private static final String ID = "/at/123e4567-e89b-12d3-a456-426614174000";

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = start(Tools.class);
    }

    static ConfigurableApplicationContext start(Class<?> source, String... properties) {
        return new SpringApplicationBuilder(source)
                .properties(
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.mvc.async.request-timeout=50ms",
                        "server.error.include-stacktrace=always",
                        "server.error.include-message=always")
                .properties(properties)
                .run();
    }

    @AfterAll
    static void stop() {
        Tools.CLOSING.countDown();
        application.close();
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(
                        "a field of the body that is missing, by its name in JSON",
                        "{\"amount\":1}",
                        "invalid_arguments",
                        "\"message\":\"start_date must not be null.\",\"violations\":[{\"field\":\"start_date\",\"problem\":\"must not be null\"}]"),
                Arguments.of(
                        "one that breaks its constraint",
                        "{\"start_date\":\"2026-03-14\",\"amount\":0}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"amount\",\"problem\":\"must be greater than or equal to 1\",\"range\":\"at least 1\"}]"),
                Arguments.of(
                        "one deep within",
                        "{\"start_date\":\"2026-03-14\",\"amount\":1,\"people\":[{\"firstName\":\"\"}]}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"people[0].firstName\",\"problem\":\"must not be blank\"}]"),
                Arguments.of(
                        "a list of another length",
                        "{\"start_date\":\"2026-03-14\",\"amount\":1,\"people\":[]}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"people\",\"problem\":\"size must be between 1 and 2\",\"range\":\"1 to 2 items\"}]"),
                Arguments.of(
                        "a date that is none",
                        "{\"start_date\":\"03/14/2026\",\"amount\":1}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"start_date\",\"problem\":\"must be written as YYYY-MM-DD\",\"format\":\"YYYY-MM-DD\"}]"),
                Arguments.of(
                        "a number that is none",
                        "{\"start_date\":\"2026-03-14\",\"amount\":\"many\"}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"amount\",\"problem\":\"must be a whole number\",\"range\":\"-2147483648 to 2147483647\"}]"),
                Arguments.of(
                        "a word that is not in the list, which is told as JSON writes it",
                        "{\"start_date\":\"2026-03-14\",\"amount\":1,\"state\":\"PAID\"}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"state\",\"problem\":\"must be one of the accepted values\",\"accepted\":[\"OPEN\",\"paid_in_full\"]}]"),
                Arguments.of(
                        "an object that is none, in a list",
                        "{\"start_date\":\"2026-03-14\",\"amount\":1,\"people\":[{\"firstName\":\"a\"},7]}",
                        "invalid_arguments",
                        "\"violations\":[{\"field\":\"people[1]\",\"problem\":\"must be an object\"}]"),
                Arguments.of(
                        "a body that is no JSON",
                        "{\"start_date\": oops}",
                        "malformed_json",
                        "\"message\":\"The request is no JSON at line 1, column "),
                Arguments.of(
                        "a body cut short",
                        "{\"start_date\":",
                        "malformed_json",
                        "\"problem\":\"is no JSON at line 1, column"),
                Arguments.of("no body", "", "invalid_arguments", "\"field\":\"\",\"problem\":\"needs a body\""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void aBodyThatSpringRefusesIsToldByField(String name, String body, String code, String part) throws Exception {
        HttpResponse<String> answer = post("/orders", body);
        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(
                answer.body().startsWith("{\"error\":\"" + code + "\",\"class\":\"invalid_request\""), answer.body());
        assertTrue(answer.body().contains(part), answer.body());
        assertEquals(
                "application/json", answer.headers().firstValue("content-type").orElse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/at/17?n=1                | {'field':'id','problem':'must be written as UUID','format':'UUID'}",
                ID + "                     | {'field':'n','problem':'is required'}",
                ID
                        + "?n=x                 | {'field':'n','problem':'must be a whole number','range':'-2147483648 to 2147483647'}",
                ID
                        + "?n=10                | {'field':'n','problem':'must be less than or equal to 9','range':'at most 9'}",
                ID + "?n=1&account=-       | {'field':'X-Account','problem':'is required'}",
                ID
                        + "?n=1&account=a       | {'field':'X-Account','problem':'size must be between 3 and 2147483647','range':'at least 3 characters'}",
                ID
                        + "?n=1&states=OPEN,x   | {'field':'states','problem':'must be one of the accepted values','accepted':['OPEN','PAID']}",
                ID
                        + "?n=1&day=14.3.2026   | {'field':'day','problem':'must be written as DD/MM/YYYY','format':'DD/MM/YYYY'}",
                ID
                        + "?n=1&since=today     | {'field':'since','problem':'must be written as YYYY-MM-DDThh:mm:ssZ','format':'YYYY-MM-DDThh:mm:ssZ'}",
                ID
                        + "?n=1&dry=perhaps     | {'field':'dry','problem':'must be true or false','accepted':['true','false']}",
                ID + "?n=1&price=x         | {'field':'price','problem':'must be a number','format':'number'}",
                ID
                        + "?n=1&wait=long       | {'field':'wait','problem':'must be written as PT1H30M (ISO 8601)','format':'PT1H30M (ISO 8601)'}",
                "/query?price=0            | {'field':'price','problem':'must be greater than 0','range':'more than 0'}",
                "/query?day=03/14/2026/x   | {'field':'day','problem':'must be written as YYYY-MM-DD','format':'YYYY-MM-DD'}",
                "/guarded?n=2              | {'field':'n','problem':'must be greater than or equal to 3','range':'at least 3'}",
            })
    void aParameterThatSpringRefusesIsTold(String path, String violation) throws Exception {
        HttpResponse<String> answer = get(path);
        assertEquals(400, answer.statusCode(), answer.body());
        String want = "\"violations\":[" + violation.replace('\'', '"') + "]}";
        assertTrue(answer.body().endsWith(want), answer.body());
    }

    @Test
    void anElementOfAListIsTold() throws Exception {
        HttpResponse<String> answer = post("/many", "[{\"start_date\":\"2026-03-14\",\"amount\":1},{\"amount\":1}]");
        assertTrue(answer.body().contains("\"field\":\"[1].start_date\""), answer.body());
    }

    @Test
    void namesAreThoseOfTheMappersStrategy() throws Exception {
        String snake = "spring.jackson.property-naming-strategy=SNAKE_CASE";
        try (ConfigurableApplicationContext named = start(Tools.class, snake)) {
            String body = "{\"start_date\":\"2026-03-14\",\"amount\":1,\"people\":[{\"first_name\":\"\"}]}";
            HttpRequest.Builder request = request(named, "/orders").header("Content-Type", "application/json");
            String answer = HTTP.send(
                            request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString())
                    .body();
            assertTrue(answer.contains("\"field\":\"people[0].first_name\""), answer);
        }
    }

    @Test
    void aFailureIsAnsweredAsItSays() throws Exception {
        Tools.THROWN.set(
                new IllegalStateException(ToolFailure.transientFailure("busy", "Later.", Duration.ofMillis(1500))));
        for (String path : List.of("/thrown", "/deferred")) {
            HttpResponse<String> answer = get(path);
            assertEquals(503, answer.statusCode());
            assertEquals("2", answer.headers().firstValue("retry-after").orElse(""));
            assertEquals(
                    "{\"error\":\"busy\",\"class\":\"transient\",\"retryable\":true,\"message\":\"Later.\",\"retry_after\":1.5}",
                    answer.body());
        }
    }

    @Test
    void ofAnUnexpectedExceptionNothingIsSaidButInTheLog(CapturedOutput output) throws Exception {
        Tools.THROWN.set(new IllegalStateException(Tools.SECRET));
        for (String path : List.of("/thrown", "/deferred", "/query?filter=breaks", "/stack", "/slow")) {
            HttpResponse<String> answer = get(path);
            assertEquals(500, answer.statusCode(), path);
            assertEquals(INTERNAL, answer.body(), path);
        }
        assertTrue(output.getAll().contains(Tools.SECRET), "the exception is logged");
    }

    @Test
    void aFaultOfTheToolsOwnIsNoRefusalOfTheArguments() throws Exception {
        for (Exception own : List.of(
                Tools.entityNotValid(),
                Tools.refused(HttpStatus.INTERNAL_SERVER_ERROR, Tools.SECRET),
                Tools.refused(HttpStatus.BAD_GATEWAY, Tools.SECRET))) {
            Tools.THROWN.set(own);
            assertEquals(INTERNAL, get("/thrown").body());
        }
    }

    static Stream<Arguments> statuses() {
        return Stream.of(
                Arguments.of(
                        Tools.refused(HttpStatus.NOT_FOUND, "There is no such account."),
                        404,
                        "not_found",
                        "invalid_request"),
                Arguments.of(new Tools.Taken(), 409, "conflict", "invalid_request"),
                Arguments.of(new AuthorizationDeniedException("secret"), 403, "forbidden", "terminal"),
                Arguments.of(Tools.refused(HttpStatus.FORBIDDEN, null), 403, "forbidden", "terminal"),
                Arguments.of(
                        Tools.refused(HttpStatus.SERVICE_UNAVAILABLE, null), 503, "service_unavailable", "transient"),
                Arguments.of(
                        Tools.refused(HttpStatus.TOO_MANY_REQUESTS, "Slower."), 429, "too_many_requests", "transient"));
    }

    @ParameterizedTest
    @MethodSource("statuses")
    void anExceptionWithAStatusIsToldByItsClass(Exception thrown, int status, String code, String errorClass)
            throws Exception {
        Tools.THROWN.set(thrown);
        assertBegins(get("/thrown"), status, code, errorClass);
    }

    @Test
    void anAnswerThatIsNoFailurePassesOn() throws Exception {
        Tools.THROWN.set(Tools.refused(HttpStatus.NOT_MODIFIED, null));
        assertEquals(304, get("/thrown").statusCode());
    }

    @Test
    void whatNeverReachesAControllerIsToldToo() throws Exception {
        assertBegins(get("/nowhere"), 404, "not_found", "invalid_request");
        assertBegins(get("/orders"), 405, "method_not_allowed", "terminal");
        assertBegins(get("/query?filter=fails"), 422, "over", "terminal");
        assertBegins(get("/query?filter=refuses"), 401, "unauthorized", "terminal");
        HttpResponse<String> slowed = get("/query?filter=slows");
        assertBegins(slowed, 429, "too_many_requests", "transient");
        assertTrue(slowed.body().contains("\"message\":\"Too fast.\",\"retry_after\":7"), slowed.body());
    }

    @Test
    void halfAnAnswerIsNone() {
        assertThrows(IOException.class, () -> get("/half"));
    }

    @Test
    void whatSucceedsIsLeftAsItIs() throws Exception {
        assertEquals(
                "{}",
                post("/orders", "{\"start_date\":\"2026-03-14\",\"amount\":1}").body());
    }

    @Test
    void theHandlersOfTheApplicationComeFirstButForFailures() throws Exception {
        try (ConfigurableApplicationContext own = start(OwnHandlers.class)) {
            Tools.THROWN.set(new IllegalStateException(Tools.SECRET));
            assertEquals("own", get(own, "/thrown").body());
            Tools.THROWN.set(ToolFailure.invalidRequest("bad", "Wrong.", Problem.at("a")));
            assertBegins(get(own, "/thrown"), 400, "bad", "invalid_request");
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        try (ConfigurableApplicationContext off = start(Tools.class, "toolgate.tool.enabled=false")) {
            Tools.THROWN.set(ToolFailure.terminal("over", "Over."));
            assertFalse(get(off, "/thrown").body().contains("\"class\""));
        }
    }

    private static void assertBegins(HttpResponse<String> answer, int status, String code, String errorClass) {
        assertEquals(status, answer.statusCode(), answer.body());
        String begin = "{\"error\":\"" + code + "\",\"class\":\"" + errorClass + "\"";
        assertTrue(answer.body().startsWith(begin), answer.body());
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return get(application, path);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext of, String path) throws Exception {
        HttpRequest.Builder request = request(of, path);
        if (!path.contains("account=-")) {
            request.header("X-Account", path.contains("account=a") ? "a" : "acc_1042");
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(String path, String body) throws Exception {
        HttpRequest.Builder request = request(application, path).header("Content-Type", "application/json");
        return HTTP.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext of, String path) {
        String port = of.getEnvironment().getProperty("local.server.port");
        URI address = URI.create("http://127.0.0.1:" + port + path);
        return HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20));
    }
}
