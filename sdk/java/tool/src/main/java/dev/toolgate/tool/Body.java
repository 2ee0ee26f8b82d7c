package dev.toolgate.tool;

import com.google.gson.stream.JsonWriter;
import dev.toolgate.v1.Alternative;
import dev.toolgate.v1.ErrorClass;
import dev.toolgate.v1.ToolError;
import dev.toolgate.v1.Violation;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;

/** A failure as JSON, in the order in which it is read. */
final class Body {
    private final StringWriter text = new StringWriter();
    private final JsonWriter json = new JsonWriter(text);

    private Body() {
        json.setHtmlSafe(false); // `<` is no entity
    }

    static String of(ToolError error) {
        Body body = new Body();
        try {
            body.write(error);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter has none
        }
        return body.text.toString();
    }

    /** The class as the body names it. */
    static String name(ErrorClass errorClass) {
        return switch (errorClass) {
            case ERROR_CLASS_TRANSIENT -> "transient";
            case ERROR_CLASS_INVALID_REQUEST -> "invalid_request";
            default -> "terminal";
        };
    }

    private void write(ToolError error) throws IOException {
        json.beginObject();
        json.name("error").value(error.getCode());
        json.name("class").value(name(error.getErrorClass()));
        json.name("retryable").value(error.getErrorClass() == ErrorClass.ERROR_CLASS_TRANSIENT);
        json.name("message").value(error.getMessage());
        if (error.hasRetryAfter()) {
            json.name("retry_after").value(plain(error.getRetryAfter()));
        }
        violations(error);
        flag("violations_truncated", error.getViolationsTruncated());
        raw("requested", error.getRequestedJson());
        raw("facts", error.getFactsJson());
        alternatives(error);
        flag("alternatives_truncated", error.getAlternativesTruncated());
        text("blocked_by", error.getBlockedBy());
        text("unblock_with", error.getUnblockWith());
        flag("maybe_executed", error.getMaybeExecuted());
        flag("partial", error.getPartial());
        json.endObject();
    }

    /** Without the fraction of a whole number. */
    private static BigDecimal plain(double seconds) {
        BigDecimal number = BigDecimal.valueOf(seconds).stripTrailingZeros();
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    private void violations(ToolError error) throws IOException {
        if (error.getViolationsCount() == 0) {
            return;
        }
        json.name("violations").beginArray();
        for (Violation violation : error.getViolationsList()) {
            json.beginObject().name("field").value(violation.getField());
            text("problem", violation.getProblem());
            if (violation.getAcceptedCount() > 0) {
                json.name("accepted").beginArray();
                for (String value : violation.getAcceptedList()) {
                    json.value(value);
                }
                json.endArray();
            }
            text("format", violation.getFormat());
            text("range", violation.getRange());
            flag("accepted_truncated", violation.getAcceptedTruncated());
            json.endObject();
        }
        json.endArray();
    }

    private void alternatives(ToolError error) throws IOException {
        if (error.getAlternativesCount() == 0) {
            return;
        }
        json.name("alternatives").beginArray();
        for (Alternative alternative : error.getAlternativesList()) {
            json.beginObject().name("tool").value(alternative.getTool());
            raw("arguments", alternative.getArgumentsJson());
            text("label", alternative.getLabel());
            json.endObject();
        }
        json.endArray();
    }

    private void text(String name, String value) throws IOException {
        if (!value.isEmpty()) {
            json.name(name).value(value);
        }
    }

    private void raw(String name, String value) throws IOException {
        if (!value.isEmpty()) {
            json.name(name).jsonValue(value);
        }
    }

    private void flag(String name, boolean value) throws IOException {
        if (value) {
            json.name(name).value(true);
        }
    }
}
