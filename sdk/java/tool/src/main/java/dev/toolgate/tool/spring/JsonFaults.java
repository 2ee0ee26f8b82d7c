package dev.toolgate.tool.spring;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.toolgate.tool.Problem;
import dev.toolgate.tool.spring.ArgumentFaults.Found;
import java.util.Collection;
import java.util.List;
import org.springframework.core.ResolvableType;
import org.springframework.http.converter.HttpMessageNotReadableException;

/** Reads what Jackson finds wrong with a body. Used only where it is on the class path. */
final class JsonFaults {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private JsonFaults() {}

    static Found of(HttpMessageNotReadableException unreadable) {
        Throwable cause = unreadable.getCause();
        if (cause instanceof JsonMappingException mapping) {
            return mapping.getCause() instanceof StreamReadException broken
                    ? malformed(broken)
                    : new Found(fault(mapping));
        }
        if (cause instanceof JsonProcessingException broken) {
            return malformed(broken);
        }
        boolean missing = cause == null; // as Spring says it
        return new Found(Problem.at("").because(missing ? "needs a body" : "has a body that can't be read"));
    }

    private static Found malformed(JsonProcessingException broken) {
        JsonLocation at = broken.getLocation();
        String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        return new Found("malformed_json", 400, List.of(Problem.at("").because("is no JSON" + place)));
    }

    private static Problem fault(JsonMappingException mapping) {
        String field = path(mapping.getPath());
        if (mapping instanceof UnrecognizedPropertyException unknown) {
            return Problem.at(field).because("is not known").accepted(text(unknown.getKnownPropertyIds()));
        }
        if (mapping instanceof InvalidTypeIdException) {
            return Problem.at(field).because("names no known type");
        }
        if (mapping instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            if (mismatch.getOriginalMessage().startsWith("Missing required creator property")) {
                return Problem.at(field).because("is required");
            }
            return Expected.of(field, ResolvableType.forClass(mismatch.getTargetType()), null, JsonFaults::written);
        }
        return Problem.at(field).because("is not accepted");
    }

    /** An enum's constant as JSON has it. */
    private static String written(Object constant) {
        try {
            return MAPPER.convertValue(constant, String.class);
        } catch (IllegalArgumentException e) {
            return constant.toString();
        }
    }

    private static List<String> text(Collection<Object> names) {
        return names == null ? List.of() : names.stream().map(String::valueOf).toList();
    }

    private static String path(List<Reference> references) {
        StringBuilder path = new StringBuilder();
        for (Reference reference : references) {
            if (reference.getFieldName() == null) {
                path.append('[').append(reference.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(reference.getFieldName());
            }
        }
        return path.toString();
    }
}
