package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.validation.ObjectError;
import org.springframework.validation.method.ParameterValidationResult;

/** Reads what the constraints of Bean Validation accept. Used only where it is on the class path. */
final class Constraints {
    private Constraints() {}

    /** The violation behind an error; an error of another validator has none. */
    static ConstraintViolation<?> unwrap(ObjectError error) {
        return error.contains(ConstraintViolation.class) ? error.unwrap(ConstraintViolation.class) : null;
    }

    /** As {@link #unwrap(ObjectError)}. */
    static ConstraintViolation<?> unwrap(ParameterValidationResult result, MessageSourceResolvable error) {
        try {
            return result.unwrap(error, ConstraintViolation.class);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Violated constraints on parameters of a controller's method; those of other beans are the tool's own fault. */
    static List<Problem> ofController(Throwable thrown) {
        List<Problem> problems = new ArrayList<>();
        if (thrown instanceof ConstraintViolationException violated && violated.getConstraintViolations() != null) {
            for (ConstraintViolation<?> violation : violated.getConstraintViolations()) {
                if (!isOfController(violation)) {
                    return List.of();
                }
                Problem problem = Problem.at(field(violation)).because(violation.getMessage());
                problems.add(accepted(problem, () -> violation));
            }
        }
        return problems;
    }

    private static boolean isOfController(ConstraintViolation<?> violation) {
        boolean controller = violation.getRootBeanClass() != null
                && AnnotatedElementUtils.hasAnnotation(violation.getRootBeanClass(), Controller.class);
        boolean parameter = false;
        for (Path.Node node : violation.getPropertyPath()) {
            parameter = parameter || node.getKind() == ElementKind.PARAMETER;
        }
        return controller && parameter;
    }

    /** A path without the method that it begins with, and with the name that callers know a parameter by. */
    private static String field(ConstraintViolation<?> violation) {
        StringBuilder field = new StringBuilder();
        Method method = null;
        for (Path.Node node : violation.getPropertyPath()) {
            if (node.getKind() == ElementKind.METHOD) {
                Class<?>[] types =
                        node.as(Path.MethodNode.class).getParameterTypes().toArray(Class<?>[]::new);
                Class<?> written = ClassUtils.getUserClass(violation.getRootBeanClass());
                method = ReflectionUtils.findMethod(written, node.getName(), types);
                continue;
            }
            if (node.getIndex() != null) {
                field.append('[').append(node.getIndex()).append(']');
            }
            String name = method != null && node.getKind() == ElementKind.PARAMETER
                    ? parameter(method, node.as(Path.ParameterNode.class))
                    : node.getName();
            if (name != null && !name.startsWith("<")) {
                field.append(field.isEmpty() ? "" : ".").append(name);
            }
        }
        return field.toString();
    }

    private static String parameter(Method method, Path.ParameterNode node) {
        String name = ArgumentFaults.name(new MethodParameter(method, node.getParameterIndex()));
        return name.isEmpty() ? node.getName() : name;
    }

    /** With what the violated constraint accepts, where that can be said. */
    static Problem accepted(Problem problem, Supplier<ConstraintViolation<?>> violation) {
        ConstraintViolation<?> violated = violation.get();
        if (violated == null) {
            return problem;
        }
        Map<String, Object> said = violated.getConstraintDescriptor().getAttributes();
        Class<?> constraint = violated.getConstraintDescriptor().getAnnotation().annotationType();
        return switch (constraint.getSimpleName()) {
            case "Min" -> problem.range("at least " + said.get("value"));
            case "Max" -> problem.range("at most " + said.get("value"));
            case "DecimalMin" -> problem.range(bound(said, "at least ", "more than "));
            case "DecimalMax" -> problem.range(bound(said, "at most ", "less than "));
            case "Positive" -> problem.range("more than 0");
            case "PositiveOrZero" -> problem.range("at least 0");
            case "Negative" -> problem.range("less than 0");
            case "NegativeOrZero" -> problem.range("at most 0");
            case "Range" -> problem.range(said.get("min") + " to " + said.get("max"));
            case "Size", "Length" -> problem.range(size(said, violated.getInvalidValue()));
            case "Digits" ->
                problem.format("at most " + said.get("integer") + " digits before the point, " + said.get("fraction")
                        + " after");
            case "Pattern" -> problem.format(String.valueOf(said.get("regexp")));
            case "Email" -> problem.format("e-mail address");
            case "URL" -> problem.format("URL");
            case "UUID" -> problem.format("UUID");
            case "Past" -> problem.range("in the past");
            case "PastOrPresent" -> problem.range("now or in the past");
            case "Future" -> problem.range("in the future");
            case "FutureOrPresent" -> problem.range("now or in the future");
            case "AssertTrue" -> problem.accepted("true");
            case "AssertFalse" -> problem.accepted("false");
            default -> problem;
        };
    }

    private static String bound(Map<String, Object> said, String inclusive, String exclusive) {
        return (Boolean.FALSE.equals(said.get("inclusive")) ? exclusive : inclusive) + said.get("value");
    }

    private static String size(Map<String, Object> said, Object value) {
        String things = value instanceof CharSequence ? " characters" : " items";
        boolean open = Integer.valueOf(Integer.MAX_VALUE).equals(said.get("max"));
        return (open ? "at least " + said.get("min") : said.get("min") + " to " + said.get("max")) + things;
    }
}
