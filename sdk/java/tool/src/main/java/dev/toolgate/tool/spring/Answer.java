package dev.toolgate.tool.spring;

import dev.toolgate.tool.ToolFailure;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes failures. */
final class Answer {
    private Answer() {}

    static void write(ToolFailure failure, HttpServletResponse response) throws IOException {
        byte[] body = failure.body().getBytes(StandardCharsets.UTF_8);
        response.resetBuffer();
        response.setStatus(failure.status());
        failure.headers().forEach(response::setHeader);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }
}
