package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.ConversionNotSupportedException;
import org.springframework.beans.TypeMismatchException;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.util.ClassUtils;
import org.springframework.validation.BindException;
import org.springframework.validation.Errors;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.springframework.validation.method.ParameterErrors;
import org.springframework.validation.method.ParameterValidationResult;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.MissingMatrixVariableException;
import org.springframework.web.bind.MissingRequestCookieException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.UnsatisfiedServletRequestParameterException;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.multipart.MaxUploadSizeExceededException;
import org.springframework.web.multipart.support.MissingServletRequestPartException;

/** Reads what Spring finds wrong with arguments, field by field. */
final class ArgumentFaults {
    private static final String INVALID = "invalid_arguments";

    private static final List<Class<? extends Annotation>> NAMED =
            List.of(RequestParam.class, PathVariable.class, RequestHeader.class, CookieValue.class, RequestPart.class);

    private final boolean validation =
            ClassUtils.isPresent("jakarta.validation.Validation", getClass().getClassLoader());
    private final PropertyNames names;

    ArgumentFaults(PropertyNames names) {
        this.names = names;
    }

    /** What was found: a code, an HTTP status, and at least one problem. */
    record Found(String code, int status, List<Problem> problems) {
        Found(Problem problem) {
            this(INVALID, 400, List.of(problem));
        }
    }

    /** What is wrong with the arguments; empty where the exception is about something else. */
    Optional<Found> of(Throwable thrown) {
        if (thrown instanceof HttpMessageNotReadableException unreadable) {
            return Optional.of(JsonFaults.of(unreadable));
        }
        if (thrown instanceof MaxUploadSizeExceededException) {
            Problem problem = Problem.at("").because("is larger than what is accepted");
            return Optional.of(new Found("request_too_large", 413, List.of(problem)));
        }
        List<Problem> problems = problems(thrown);
        return problems.isEmpty() ? Optional.empty() : Optional.of(new Found(INVALID, 400, problems));
    }

    private List<Problem> problems(Throwable thrown) {
        if (thrown instanceof MethodArgumentNotValidException invalid) {
            return errors(invalid.getBindingResult(), body(invalid.getParameter()), "");
        }
        if (thrown instanceof BindException invalid) {
            return errors(invalid.getBindingResult(), null, "");
        }
        if (thrown instanceof HandlerMethodValidationException invalid && !invalid.isForReturnValue()) {
            return parameters(invalid);
        }
        if (validation) {
            List<Problem> violated = Constraints.ofController(thrown);
            if (!violated.isEmpty()) {
                return violated;
            }
        }
        return single(thrown).map(List::of).orElse(List.of());
    }

    private static Optional<Problem> single(Throwable thrown) {
        if (thrown instanceof MethodArgumentTypeMismatchException mismatch) {
            MethodParameter parameter = mismatch.getParameter();
            return Optional.of(Expected.of(
                    mismatch.getName(),
                    ResolvableType.forMethodParameter(parameter),
                    parameter.getParameter(),
                    Object::toString));
        }
        if (thrown instanceof TypeMismatchException mismatch
                && !(thrown instanceof ConversionNotSupportedException)
                && mismatch.getRequiredType() != null) {
            ResolvableType type = ResolvableType.forClass(mismatch.getRequiredType());
            return Optional.of(Expected.of(mismatch.getPropertyName(), type, null, Object::toString));
        }
        if (thrown instanceof UnsatisfiedServletRequestParameterException unsatisfied) {
            Problem problem = Problem.at("").because("does not meet the conditions on its parameters");
            return Optional.of(problem.accepted(Arrays.asList(unsatisfied.getParamConditions())));
        }
        return missing(thrown).map(name -> Problem.at(name).because("is required"));
    }

    private static Optional<String> missing(Throwable thrown) {
        if (thrown instanceof MissingServletRequestParameterException missing) {
            return Optional.of(missing.getParameterName());
        }
        if (thrown instanceof MissingRequestHeaderException missing) {
            return Optional.of(missing.getHeaderName());
        }
        if (thrown instanceof MissingRequestCookieException missing) {
            return Optional.of(missing.getCookieName());
        }
        if (thrown instanceof MissingServletRequestPartException missing) {
            return Optional.of(missing.getRequestPartName());
        }
        if (thrown instanceof MissingMatrixVariableException missing) {
            return Optional.of(missing.getVariableName());
        }
        return Optional.empty();
    }

    private List<Problem> parameters(HandlerMethodValidationException invalid) {
        List<Problem> problems = new ArrayList<>();
        for (ParameterValidationResult result : invalid.getParameterValidationResults()) {
            String index = result.getContainerIndex() == null ? "" : "[" + result.getContainerIndex() + "]";
            if (result instanceof ParameterErrors errors) {
                problems.addAll(errors(errors, body(result.getMethodParameter()), index));
                continue;
            }
            boolean isBody = result.getMethodParameter().hasParameterAnnotation(RequestBody.class);
            String field = (isBody ? "" : name(result.getMethodParameter())) + index;
            for (MessageSourceResolvable error : result.getResolvableErrors()) {
                Problem problem = Problem.at(field).because(error.getDefaultMessage());
                problems.add(
                        validation ? Constraints.accepted(problem, () -> Constraints.unwrap(result, error)) : problem);
            }
        }
        for (MessageSourceResolvable error : invalid.getCrossParameterValidationResults()) {
            problems.add(Problem.at("").because(error.getDefaultMessage()));
        }
        return problems;
    }

    /**
     * The errors of one object.
     *
     * @param body the type of the JSON that it was read from; null: it was read from the query
     */
    private List<Problem> errors(Errors errors, Type body, String index) {
        List<Problem> problems = new ArrayList<>();
        for (ObjectError error : errors.getAllErrors()) {
            problems.add(error instanceof FieldError field ? fault(field, errors, body, index) : whole(error, index));
        }
        return problems;
    }

    private Problem whole(ObjectError error, String index) {
        Problem problem = Problem.at(index).because(error.getDefaultMessage());
        return validation ? Constraints.accepted(problem, () -> Constraints.unwrap(error)) : problem;
    }

    private Problem fault(FieldError error, Errors errors, Type body, String index) {
        String path = body == null ? error.getField() : names.inJson(body, error.getField());
        String field = index.isEmpty() ? path : index + "." + path;
        if (error.isBindingFailure()) { // its message names classes
            Class<?> type = errors.getFieldType(error.getField());
            ResolvableType declared = ResolvableType.forClass(type == null ? Object.class : type);
            return Expected.of(field, declared, null, Object::toString);
        }
        Problem problem = Problem.at(field).because(error.getDefaultMessage());
        return validation ? Constraints.accepted(problem, () -> Constraints.unwrap(error)) : problem;
    }

    /** The type of a body, or of its elements; null: the parameter is none. */
    private static Type body(MethodParameter parameter) {
        if (!parameter.hasParameterAnnotation(RequestBody.class)
                && !parameter.hasParameterAnnotation(RequestPart.class)) {
            return null;
        }
        ResolvableType type = ResolvableType.forMethodParameter(parameter);
        ResolvableType elements = type.asCollection();
        return elements == ResolvableType.NONE
                ? type.getType()
                : elements.getGeneric(0).resolve(Object.class);
    }

    /** The name by which callers know a parameter. */
    static String name(MethodParameter parameter) {
        for (Class<? extends Annotation> kind : NAMED) {
            Annotation annotation = parameter.getParameterAnnotation(kind);
            Object said = annotation == null ? "" : AnnotationUtils.getValue(annotation);
            if (said instanceof String name && !name.isEmpty()) {
                return name;
            }
        }
        String name = parameter.getParameterName();
        return name == null ? "" : name;
    }
}
