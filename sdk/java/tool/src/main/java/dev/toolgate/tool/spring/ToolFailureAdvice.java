package dev.toolgate.tool.spring;

import dev.toolgate.tool.ToolFailure;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Answers with the failures that tools throw, before a handler of everything sees them. */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class ToolFailureAdvice {
    @ExceptionHandler
    void answer(ToolFailure failure, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) {
            throw failure; // half an answer is none
        }
        Answer.write(failure, response);
    }
}
