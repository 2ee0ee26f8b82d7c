package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import dev.toolgate.tool.ToolFailure;
import jakarta.servlet.ServletException;
import java.util.Locale;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/** What exceptions of a Spring application mean for the caller of a tool. */
class Refusals {
    private static final Log LOG = LogFactory.getLog(Refusals.class);

    private static final String SECURITY = "org.springframework.security.";

    private final ArgumentFaults faults;

    Refusals(PropertyNames names) {
        this.faults = new ArgumentFaults(names);
    }

    /** The failure to answer with; what nobody meant is logged. */
    ToolFailure failure(Throwable thrown) {
        Throwable root = thrown;
        while (root instanceof ServletException && root.getCause() != null) {
            root = root.getCause(); // as containers wrap what handlers throw
        }
        Throwable meant = root;
        return refusal(meant).orElseGet(() -> {
            ToolFailure failure = ToolFailure.from(meant);
            if (failure.status() == 500) {
                LOG.error("the tool failed", meant);
            }
            return failure;
        });
    }

    /** Whether it is thrown to answer with a status that is no failure: not modified, see there. */
    static boolean isAnswer(Throwable thrown) {
        return thrown instanceof ErrorResponse response
                && !response.getStatusCode().isError();
    }

    private Optional<ToolFailure> refusal(Throwable thrown) {
        if (thrown instanceof AsyncRequestTimeoutException) {
            return Optional.empty(); // Spring says 503, but the call was begun
        }
        if (isSecurity(thrown)) {
            return Optional.of(ToolFailure.forbidden("forbidden", "The caller may not do this."));
        }
        return faults.of(thrown).map(Refusals::invalid).or(() -> said(thrown));
    }

    /** What the exception itself says, as those of Spring do, by its status. */
    private static Optional<ToolFailure> said(Throwable thrown) {
        if (thrown instanceof ErrorResponse response) {
            int status = response.getStatusCode().value();
            String detail = response.getBody().getDetail();
            return Optional.of(byStatus(status, detail, response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)))
                    .filter(failure -> failure.status() != 500);
        }
        ResponseStatus annotated = AnnotatedElementUtils.findMergedAnnotation(thrown.getClass(), ResponseStatus.class);
        return Optional.ofNullable(annotated)
                .map(status -> byStatus(status.code().value(), status.reason(), null))
                .filter(failure -> failure.status() != 500);
    }

    /** A refusal of which only the status is known, with a message that is meant for the caller. */
    static ToolFailure byStatus(int status, String message, String retryAfter) {
        HttpStatus known = HttpStatus.resolve(status);
        String code = known == null ? "http_" + status : known.name().toLowerCase(Locale.ROOT);
        String reason = known == null ? "Status " + status + "." : known.getReasonPhrase() + ".";
        String text = message == null || message.isBlank() ? reason : message;
        return switch (status) {
            case 408, 425, 503 ->
                ToolFailure.transientFailure(code, text, Waits.of(retryAfter)).status(status);
            case 429 -> ToolFailure.rateLimited(code, text, Waits.of(retryAfter));
            case 401, 403, 407 -> ToolFailure.forbidden(code, text).status(status);
            // Neither is changed by other arguments: no such method, no such form, no such account.
            case 402, 405, 406, 415, 423, 424, 426, 451 ->
                ToolFailure.terminal(code, text).status(status);
            default -> status < 500 ? ToolFailure.invalidRequest(code, text).status(status) : ToolFailure.from(null);
        };
    }

    private static ToolFailure invalid(ArgumentFaults.Found found) {
        return ToolFailure.invalidRequest(found.code(), sentence(found), found.problems())
                .status(found.status());
    }

    /** What is wrong, each fault after its field. */
    private static String sentence(ArgumentFaults.Found found) {
        StringBuilder text = new StringBuilder();
        for (Problem problem : found.problems()) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append(problem.field().isEmpty() ? "The request" : problem.field())
                    .append(' ')
                    .append(problem.problem());
        }
        return text.append('.').toString();
    }

    /** Whether Spring Security refused, which need not be on the class path. */
    private static boolean isSecurity(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            String name = type.getName();
            if (name.equals(SECURITY + "access.AccessDeniedException")
                    || name.equals(SECURITY + "core.AuthenticationException")) {
                return true;
            }
        }
        return false;
    }
}
