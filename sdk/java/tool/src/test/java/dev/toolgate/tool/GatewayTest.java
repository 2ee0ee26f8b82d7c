package dev.toolgate.tool;

import static dev.toolgate.tool.ToolFailure.terminal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.toolgate.v1.ClassifiedBy;
import dev.toolgate.v1.ErrorClass;
import dev.toolgate.v1.ToolError;
import io.grpc.Server;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The gateway takes the tool's word. */
class GatewayTest {
    private static final String OVER_HTTP = """
            upstreams:
              bank: {url: "http://127.0.0.1:%s", speaks: toolgate}
            tools:
              - name: transfer
                description: Transfers.
                upstream: bank
                http: {method: POST, url: /transfers}
                input_schema: {type: object}
              - name: deposit
                description: Deposits.
                upstream: bank
                http: {method: POST, url: /deposits}
                input_schema: {type: object}
              - name: crash
                description: Crashes.
                upstream: bank
                http: {method: POST, url: /crash}
                input_schema: {type: object}
            """;

    private static final String OVER_GRPC = """
            upstreams:
              bank: {url: "grpc://127.0.0.1:%d"}
            tools:
              - name: transfer
                description: Transfers.
                upstream: bank
                grpc: {method: grpc.health.v1.Health/Check}
            """;

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Bank {
        record Deposit(int amount) {}

        @RestController
        static class Counter {
            @PostMapping("/transfers")
            void transfer() {
                throw terminal("insufficient_funds", "42.10 is less than 150.00")
                        .blockedBy("balance", "deposit")
                        .facts(Map.of("balance", new BigDecimal("42.10")));
            }

            @PostMapping("/deposits")
            void deposit(@RequestBody Deposit deposit) {}

            @PostMapping("/crash")
            void crash(@RequestParam(name = "x", required = false) String x) {
                throw new IllegalStateException("dsn=postgres://app:secret@10.0.0.5");
            }
        }
    }

    @Test
    void overHttp() throws Exception {
        try (ConfigurableApplicationContext bank = new SpringApplicationBuilder(Bank.class)
                        .properties("server.address=127.0.0.1", "server.port=0", "spring.main.banner-mode=off")
                        .run();
                Gateway gateway = new Gateway(
                        folder, OVER_HTTP.formatted(bank.getEnvironment().getProperty("local.server.port")))) {
            assertTaken(gateway.call("transfer", "{}"), "deposit");
            ToolError refused = gateway.call("deposit", "{\"amount\":\"many\"}");
            assertEquals(ErrorClass.ERROR_CLASS_INVALID_REQUEST, refused.getErrorClass());
            assertEquals("amount", refused.getViolations(0).getField());
            assertTrue(refused.getObservation().contains("must be a whole number"), refused.getObservation());
            ToolError crashed = gateway.call("crash", "{}");
            assertEquals(ErrorClass.ERROR_CLASS_TERMINAL, crashed.getErrorClass());
            assertTrue(crashed.getMaybeExecuted());
        }
    }

    @Test
    void overGrpc() throws Exception {
        Server bank = GrpcTool.start(observer -> {
            throw terminal("insufficient_funds", "42.10 is less than 150.00")
                    .blockedBy("balance")
                    .facts(Map.of("balance", new BigDecimal("42.10")));
        });
        try (Gateway gateway = new Gateway(folder, OVER_GRPC.formatted(bank.getPort()))) {
            assertTaken(gateway.call("transfer", "{}"), "");
        } finally {
            bank.shutdownNow();
        }
    }

    private static void assertTaken(ToolError failed, String unblockWith) {
        assertEquals(ClassifiedBy.CLASSIFIED_BY_UPSTREAM, failed.getClassifiedBy());
        assertEquals(ErrorClass.ERROR_CLASS_TERMINAL, failed.getErrorClass());
        assertEquals("insufficient_funds", failed.getCode());
        assertEquals("{\"balance\":42.10}", failed.getFactsJson());
        assertEquals(unblockWith, failed.getUnblockWith());
    }
}
