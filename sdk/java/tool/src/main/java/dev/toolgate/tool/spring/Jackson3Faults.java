package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import dev.toolgate.tool.spring.ArgumentFaults.Found;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/** Reads what Jackson 3 finds wrong with a body. */
final class Jackson3Faults {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private Jackson3Faults() {}

    /** Empty where it is none of Jackson 3's. */
    static Optional<Found> of(Throwable cause) {
        if (cause instanceof DatabindException mapping) {
            boolean broken =
                    mapping.getCause() instanceof JacksonException inner && !(inner instanceof DatabindException);
            return broken ? of(mapping.getCause()) : Optional.of(new Found(fault(mapping)));
        }
        if (cause instanceof JacksonException broken) {
            TokenStreamLocation at = broken.getLocation();
            return Optional.of(
                    at == null ? JsonFaults.malformed(0, 0) : JsonFaults.malformed(at.getLineNr(), at.getColumnNr()));
        }
        return Optional.empty();
    }

    private static Problem fault(DatabindException mapping) {
        StringBuilder path = new StringBuilder();
        mapping.getPath().forEach(step -> JsonFaults.step(path, step.getPropertyName(), step.getIndex()));
        String field = path.toString();
        if (mapping instanceof UnrecognizedPropertyException unknown) {
            return JsonFaults.unknown(field, unknown.getKnownPropertyIds());
        }
        if (mapping instanceof InvalidTypeIdException) {
            return Problem.at(field).because("names no known type");
        }
        if (mapping instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            String message = mismatch.getOriginalMessage();
            return JsonFaults.mismatch(field, message, mismatch.getTargetType(), Jackson3Faults::written);
        }
        return Problem.at(field).because("is not accepted");
    }

    /** An enum's constant as JSON has it. */
    private static String written(Object constant) {
        try {
            return MAPPER.convertValue(constant, String.class);
        } catch (JacksonException | IllegalArgumentException e) {
            return constant.toString();
        }
    }
}
