package dev.toolgate.tool.spring;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers for what never reaches a controller: exceptions of filters, and what filters and servlets
 * refuse by sendError, which a container would show as a page.
 */
class ToolErrorFilter extends OncePerRequestFilter {
    private final Refusals refusals;

    ToolErrorFilter(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, new Refused(response));
        } catch (ServletException | IOException | RuntimeException e) {
            if (response.isCommitted()) {
                throw e; // half an answer is none
            }
            Answer.write(refusals.failure(e), response);
        }
    }

    private final class Refused extends HttpServletResponseWrapper {
        Refused(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void sendError(int status) throws IOException {
            sendError(status, "");
        }

        @Override
        public void sendError(int status, String message) throws IOException {
            if (isCommitted() || status < 400 || status > 599) {
                super.sendError(status, message);
                return;
            }
            Answer.write(Refusals.byStatus(status, message, getHeader(HttpHeaders.RETRY_AFTER)), this);
        }
    }
}
