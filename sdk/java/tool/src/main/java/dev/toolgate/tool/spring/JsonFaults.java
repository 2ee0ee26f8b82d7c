package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import dev.toolgate.tool.spring.ArgumentFaults.Found;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.core.ResolvableType;
import org.springframework.http.converter.HttpMessageNotReadableException;

/** What is wrong with a body that can't be read. */
final class JsonFaults {
    private static final String UNREADABLE = "has a body that can't be read";

    private JsonFaults() {}

    static Found of(HttpMessageNotReadableException unreadable) {
        Throwable cause = unreadable.getCause();
        if (cause == null) { // as Spring says it
            return new Found(Problem.at("").because("needs a body"));
        }
        Optional<Found> found = Jackson.HAS_2 ? Jackson2Faults.of(cause) : Optional.empty();
        if (found.isEmpty() && Jackson.HAS_3) {
            found = Jackson3Faults.of(cause);
        }
        return found.orElseGet(() -> new Found(Problem.at("").because(UNREADABLE)));
    }

    /** A text that is no JSON, from a place on; 0 where that is not known. */
    static Found malformed(int line, int column) {
        String place = line <= 0 ? "" : " at line " + line + ", column " + column;
        return new Found("malformed_json", 400, List.of(Problem.at("").because("is no JSON" + place)));
    }

    /** A value of a field that is none of its type. */
    static Problem mismatch(String field, String message, Class<?> type, Function<Object, String> constants) {
        if (message.startsWith("Missing required creator property")) {
            return Problem.at(field).because("is required");
        }
        return Expected.of(field, ResolvableType.forClass(type), null, constants);
    }

    /** A field that is not known, among those that are. */
    static Problem unknown(String field, Collection<Object> known) {
        List<String> names =
                known == null ? List.of() : known.stream().map(String::valueOf).toList();
        return Problem.at(field).because("is not known").accepted(names);
    }

    /** A path with one step more. */
    static void step(StringBuilder path, String name, int index) {
        if (name == null) {
            path.append('[').append(index).append(']');
        } else {
            path.append(path.isEmpty() ? "" : ".").append(name);
        }
    }
}
