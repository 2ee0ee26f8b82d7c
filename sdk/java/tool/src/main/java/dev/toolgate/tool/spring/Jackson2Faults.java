package dev.toolgate.tool.spring;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.toolgate.tool.Problem;
import dev.toolgate.tool.spring.ArgumentFaults.Found;
import java.util.Optional;

/** Reads what Jackson 2 finds wrong with a body. */
final class Jackson2Faults {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Jackson2Faults() {}

    /** Empty where it is none of Jackson 2's. */
    static Optional<Found> of(Throwable cause) {
        if (cause instanceof JsonMappingException mapping) {
            boolean broken = mapping.getCause() instanceof JsonProcessingException inner
                    && !(inner instanceof JsonMappingException);
            return broken ? of(mapping.getCause()) : Optional.of(new Found(fault(mapping)));
        }
        if (cause instanceof JsonProcessingException broken) {
            JsonLocation at = broken.getLocation();
            return Optional.of(
                    at == null ? JsonFaults.malformed(0, 0) : JsonFaults.malformed(at.getLineNr(), at.getColumnNr()));
        }
        return Optional.empty();
    }

    private static Problem fault(JsonMappingException mapping) {
        StringBuilder path = new StringBuilder();
        mapping.getPath().forEach(step -> JsonFaults.step(path, step.getFieldName(), step.getIndex()));
        String field = path.toString();
        if (mapping instanceof UnrecognizedPropertyException unknown) {
            return JsonFaults.unknown(field, unknown.getKnownPropertyIds());
        }
        if (mapping instanceof InvalidTypeIdException) {
            return Problem.at(field).because("names no known type");
        }
        if (mapping instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            String message = mismatch.getOriginalMessage();
            return JsonFaults.mismatch(field, message, mismatch.getTargetType(), Jackson2Faults::written);
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
}
