package dev.toolgate.tool.spring;

import dev.toolgate.tool.Problem;
import java.lang.reflect.AnnotatedElement;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.util.ClassUtils;

/** What is accepted for a Java type, in words that need no Java. */
final class Expected {
    private static final String INSTANT = "YYYY-MM-DDThh:mm:ssZ";

    private static final Map<Class<?>, String> FORMATS = Map.ofEntries(
            Map.entry(LocalDate.class, "YYYY-MM-DD"),
            Map.entry(LocalDateTime.class, "YYYY-MM-DDThh:mm:ss"),
            Map.entry(LocalTime.class, "hh:mm:ss"),
            Map.entry(Instant.class, INSTANT),
            Map.entry(OffsetDateTime.class, INSTANT),
            Map.entry(ZonedDateTime.class, INSTANT),
            Map.entry(OffsetTime.class, "hh:mm:ssZ"),
            Map.entry(Date.class, INSTANT),
            Map.entry(Calendar.class, INSTANT),
            Map.entry(YearMonth.class, "YYYY-MM"),
            Map.entry(Year.class, "YYYY"),
            Map.entry(Duration.class, "PT1H30M (ISO 8601)"),
            Map.entry(Period.class, "P1Y2M3D (ISO 8601)"),
            Map.entry(UUID.class, "UUID"),
            Map.entry(URI.class, "URI"),
            Map.entry(URL.class, "URL"));

    private static final Map<Class<?>, String> RANGES = Map.of(
            Byte.class, Byte.MIN_VALUE + " to " + Byte.MAX_VALUE,
            Short.class, Short.MIN_VALUE + " to " + Short.MAX_VALUE,
            Integer.class, Integer.MIN_VALUE + " to " + Integer.MAX_VALUE,
            Long.class, Long.MIN_VALUE + " to " + Long.MAX_VALUE);

    private static final List<Class<?>> FRACTIONS = List.of(Float.class, Double.class, BigDecimal.class, Number.class);

    private Expected() {}

    /**
     * A fault of a value that is none of the type.
     *
     * @param annotated where a format may be declared; null: nowhere
     * @param constants how an enum's constants are written
     */
    static Problem of(
            String field, ResolvableType declared, AnnotatedElement annotated, Function<Object, String> constants) {
        ResolvableType type = single(declared);
        Class<?> raw = ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
        Problem problem = Problem.at(field);
        String pattern = annotated == null ? "" : pattern(annotated);
        if (!pattern.isEmpty()) {
            return problem.because("must be written as " + pattern).format(pattern);
        }
        if (FORMATS.containsKey(raw)) {
            return problem.because("must be written as " + FORMATS.get(raw)).format(FORMATS.get(raw));
        }
        if (raw.isEnum()) {
            List<String> values =
                    Arrays.stream(raw.getEnumConstants()).map(constants).toList();
            return problem.because("must be one of the accepted values").accepted(values);
        }
        if (raw == Boolean.class) {
            return problem.because("must be true or false").accepted("true", "false");
        }
        if (RANGES.containsKey(raw)) {
            return problem.because("must be a whole number").range(RANGES.get(raw));
        }
        return problem.because(inWords(raw)).format(FRACTIONS.contains(raw) ? "number" : "");
    }

    /** A list as the query writes it, an Optional and the like: what one value must be. */
    private static ResolvableType single(ResolvableType type) {
        if (type.isArray()) {
            return single(type.getComponentType());
        }
        Class<?> raw = type.resolve(Object.class);
        boolean holder = Collection.class.isAssignableFrom(raw) || raw == Optional.class;
        return holder && type.hasGenerics() ? single(type.as(raw).getGeneric(0)) : type;
    }

    private static String inWords(Class<?> raw) {
        if (FRACTIONS.contains(raw)) {
            return "must be a number";
        }
        if (raw == BigInteger.class) {
            return "must be a whole number";
        }
        if (CharSequence.class.isAssignableFrom(raw) || raw == Character.class) {
            return "must be text";
        }
        return raw == Object.class ? "is not accepted" : "must be an object";
    }

    /** The format that the code declares, with letters as people use them. */
    private static String pattern(AnnotatedElement annotated) {
        DateTimeFormat format = AnnotatedElementUtils.findMergedAnnotation(annotated, DateTimeFormat.class);
        if (format == null) {
            return "";
        }
        if (!format.pattern().isEmpty()) {
            return people(format.pattern());
        }
        return switch (format.iso()) {
            case DATE -> "YYYY-MM-DD";
            case TIME -> "hh:mm:ss";
            case DATE_TIME -> INSTANT;
            case NONE -> "";
        };
    }

    /** Java writes days in small letters, and hours of the whole day in capitals. */
    static String people(String pattern) {
        return pattern.replace('y', 'Y')
                .replace('u', 'Y')
                .replace('d', 'D')
                .replace('H', 'h')
                .replace("'", "");
    }
}
