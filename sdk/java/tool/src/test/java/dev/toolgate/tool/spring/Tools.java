package dev.toolgate.tool.spring;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.toolgate.tool.ToolFailure;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.http.HttpStatus;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** An application with a tool for each way to fail. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Tools {
    static final String SECRET = "dsn=postgres://app:secret@10.0.0.5";

    /** What `/thrown` throws. */
    static final AtomicReference<Exception> THROWN = new AtomicReference<>();

    /** Until then `/slow` takes its time. */
    static final CountDownLatch CLOSING = new CountDownLatch(1);

    /** A filter that refuses or breaks by path. */
    @Bean
    Filter breaking() {
        return (request, response, chain) -> {
            HttpServletResponse answer = (HttpServletResponse) response;
            switch (request.getParameter("filter") == null ? "" : request.getParameter("filter")) {
                case "breaks" -> throw new IllegalStateException(SECRET);
                case "fails" -> throw ToolFailure.terminal("over", "Over.");
                case "refuses" -> answer.sendError(401);
                case "slows" -> {
                    answer.setHeader("Retry-After", "7");
                    answer.sendError(429, "Too fast.");
                }
                default -> chain.doFilter(request, response);
            }
        };
    }

    enum State {
        OPEN,
        @JsonProperty("paid_in_full")
        PAID
    }

    record Person(@NotBlank String firstName) {}

    record Order(
            @JsonProperty("start_date") @NotNull LocalDate startDate,
            @Min(1) int amount,
            State state,
            @Size(min = 1, max = 2) List<@Valid Person> people) {}

    static class Query {
        @DecimalMin(value = "0", inclusive = false)
        public BigDecimal price = BigDecimal.ONE;

        private LocalDate day = LocalDate.EPOCH;

        public BigDecimal getPrice() {
            return price;
        }

        public void setPrice(BigDecimal price) {
            this.price = price;
        }

        public LocalDate getDay() {
            return day;
        }

        public void setDay(LocalDate day) {
            this.day = day;
        }
    }

    @ResponseStatus(code = HttpStatus.CONFLICT, reason = "It is taken.")
    static class Taken extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @RestController
    static class Told {
        @GetMapping("/thrown")
        String thrown() throws Exception {
            throw THROWN.get();
        }

        @GetMapping("/deferred")
        CompletableFuture<String> deferred() {
            return CompletableFuture.failedFuture(THROWN.get());
        }

        @GetMapping("/slow")
        Callable<String> slow() {
            return () -> {
                CLOSING.await();
                return "";
            };
        }

        @GetMapping("/half")
        void half(HttpServletResponse response) throws IOException {
            response.getOutputStream().write("half".getBytes());
            response.flushBuffer();
            throw new IllegalStateException(SECRET);
        }

        @GetMapping("/stack")
        String stack() {
            return stack() + stack();
        }

        @PostMapping("/orders")
        String order(@Valid @RequestBody Order order) {
            return "{}";
        }

        @PostMapping("/many")
        String many(@Valid @RequestBody List<Order> orders) {
            return "{}";
        }

        @GetMapping("/query")
        String query(@Valid @ModelAttribute Query query) {
            return "{}";
        }

        @GetMapping("/at/{id}")
        String at(
                @PathVariable("id") UUID id,
                @RequestParam("n") @Max(9) int n,
                @RequestParam(name = "states", required = false) Set<State> states,
                @RequestParam(name = "day", required = false) @DateTimeFormat(pattern = "dd/MM/yyyy") LocalDate day,
                @RequestParam(name = "since", required = false) Instant since,
                @RequestParam(name = "dry", required = false) Boolean dry,
                @RequestParam(name = "price", required = false) BigDecimal price,
                @RequestParam(name = "wait", required = false) Duration wait,
                @RequestHeader("X-Account") @Size(min = 3) String account) {
            return "{}";
        }
    }

    /** As it was written before Spring checked the parameters by itself. */
    @RestController
    @Validated
    static class Guarded {
        @GetMapping("/guarded")
        Map<String, String> guarded(@RequestParam("n") @Min(3) int n) {
            return Map.of();
        }
    }

    static Exception entityNotValid() {
        return new ConstraintViolationException("INSERT INTO secrets", Set.of());
    }

    static Exception refused(HttpStatus status, String reason) {
        return new ResponseStatusException(status, reason);
    }
}
