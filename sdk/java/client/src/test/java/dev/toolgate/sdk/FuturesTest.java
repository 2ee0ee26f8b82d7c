package dev.toolgate.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls that return futures, against a real gateway. */
@Timeout(60)
class FuturesTest {
    private static final Call LIST = Call.of("list_invoices");

    private Stage stage;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        stage = new Stage();
        client = Client.connect(stage.target);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        stage.close();
    }

    @Test
    void aFutureFailsWithWhatTheCallThrows() {
        var direct = new CompletableFuture<Throwable>();
        client.callAsync(Call.of("nowhere"), "a").whenComplete((result, error) -> direct.complete(error));
        assertEquals(
                "unknown_tool",
                assertInstanceOf(ToolCallException.class, direct.join()).code());
        var failed = assertThrows(
                ExecutionException.class, () -> client.callAsync(LIST, "").get());
        var rpc = assertInstanceOf(GatewayException.class, failed.getCause());
        assertEquals(Status.Code.INVALID_ARGUMENT, rpc.code());
    }

    @Test
    void waitTransientSleepsAndRepeats() throws Exception {
        stage.backend.answer("/invoices", 429, "{}", "Retry-After: 1");
        stage.backend.answer("/invoices", "{\"n\":1}");
        var result =
                client.waitTransientAsync(LIST, "b", Duration.ofSeconds(20)).get();
        assertEquals("{\"n\":1}", result.text());
        assertEquals(2, stage.backend.requests.size());
    }

    @Test
    void cancellingAWaitSendsNothingMore() throws Exception {
        stage.backend.answer("/invoices", 429, "{}", "Retry-After: 1");
        var waiting = client.waitTransientAsync(LIST, "b", Duration.ofSeconds(20));
        while (stage.backend.requests.isEmpty()) {
            Thread.onSpinWait();
        }
        waiting.cancel(true);
        // The one that would be sent next passes the same timer before this one does.
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(1500, TimeUnit.MILLISECONDS))
                .get();
        assertEquals(1, stage.backend.requests.size());
    }

    @Test
    void cancellingACallReachesTheTool() throws Exception {
        var call = client.callAsync(LIST, "a");
        stage.backend.hung.await();
        call.cancel(true);
        assertThrows(CancellationException.class, call::get);
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void cancellingAWaitReachesTheTool() throws Exception {
        var call = client.waitTransientAsync(LIST, "a", Duration.ofSeconds(60));
        stage.backend.hung.await();
        call.cancel(true);
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void aFutureThatTimesOutReachesTheTool() throws Exception {
        var call = client.callAsync(LIST, "a");
        stage.backend.hung.await();
        var late = assertThrows(
                ExecutionException.class,
                () -> call.orTimeout(1, TimeUnit.MILLISECONDS).get());
        assertInstanceOf(TimeoutException.class, late.getCause());
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
    }

    @Test
    void outcomesAreToldAsTheyArriveAndAllInTheEnd() throws Exception {
        stage.backend.answer("/balances/a", "{}");
        var calls = List.of(Call.of("get_balance", Map.of("account_id", "a")), Call.of("nowhere"));
        var told = new CopyOnWriteArrayList<Outcome>();
        var all = client.callManyAsync(calls, "run", told::add).get();
        assertEquals(told, all);
        assertEquals(List.of(0, 1), all.stream().map(Outcome::index).sorted().toList());
        assertEquals(
                List.of(), client.callManyAsync(List.of(), "run", told::add).get());
    }

    @Test
    void cancellingABatchReachesTheToolAndTellsNothingMore() throws Exception {
        stage.backend.answer("/balances/a", "{}");
        var calls = List.of(Call.of("list_invoices"), Call.of("get_balance", Map.of("account_id", "a")));
        var told = new CopyOnWriteArrayList<Outcome>();
        var first = new CountDownLatch(1);
        var all = client.callManyAsync(calls, "run", outcome -> {
            told.add(outcome);
            first.countDown();
        });
        first.await();
        stage.backend.hung.await();
        all.cancel(true);
        assertTrue(stage.backend.left.await(10, TimeUnit.SECONDS));
        assertEquals(List.of(1), told.stream().map(Outcome::index).toList());
    }

    @Test
    void whatAConsumerThrowsEndsTheBatch() throws Exception {
        stage.backend.answer("/balances/a", "{}");
        var calls = List.of(Call.of("list_invoices"), Call.of("get_balance", Map.of("account_id", "a")));
        var thrown = new IllegalStateException("the disk is full");
        var all = client.callManyAsync(calls, "run", outcome -> {
            throw thrown;
        });
        assertSame(thrown, assertThrows(ExecutionException.class, all::get).getCause());
    }

    @Test
    void aGatewayThatGoesAwayFailsEachCallOfABatch() throws Exception {
        var calls = List.of(LIST, Call.of("list_invoices", Map.of("status", "open")));
        var all = client.callManyAsync(calls, "run", outcome -> {});
        stage.backend.hung.await();
        stage.kill();
        for (Outcome outcome : all.get()) {
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    assertThrows(GatewayException.class, outcome::get).code());
        }
        assertEquals(2, all.get().size());
    }
}
