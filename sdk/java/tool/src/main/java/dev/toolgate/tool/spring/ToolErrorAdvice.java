package dev.toolgate.tool.spring;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Answers what nobody else did: Spring's own refusals, and what nobody meant. */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class ToolErrorAdvice {
    private final Refusals refusals;

    ToolErrorAdvice(Refusals refusals) {
        this.refusals = refusals;
    }

    @ExceptionHandler
    void answer(Exception thrown, HttpServletResponse response) throws Exception {
        if (response.isCommitted() || Refusals.isAnswer(thrown)) {
            throw thrown; // half an answer is none
        }
        Answer.write(refusals.failure(thrown), response);
    }
}
