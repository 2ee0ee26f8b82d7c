package dev.toolgate.sdk;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Values as JSON. Whatever would be lost on the way, or would become something else, is refused with its place. An
 * Iterable that is no Collection is such a value: a file's Path and the JSON nodes of other libraries are more than
 * what they iterate over.
 */
final class JsonText {
    /** How deep values may be nested: what holds itself has no end. */
    static final int DEPTH = 200;

    private static final int STEPS = 12; // of a place that are told
    private static final String ACCEPTED =
            "; accepted are maps, collections, arrays, records, text, enums, UUIDs, URIs, dates and times of java.time,"
                    + " finite numbers, booleans and null";

    /** Dates and times as ISO 8601 and RFC 3339 have them: with seconds, and without the name of a zone. */
    private static final Map<Class<?>, DateTimeFormatter> FORMS = Map.of(
            Instant.class, DateTimeFormatter.ISO_INSTANT,
            LocalDate.class, DateTimeFormatter.ISO_LOCAL_DATE,
            LocalDateTime.class, DateTimeFormatter.ISO_LOCAL_DATE_TIME,
            LocalTime.class, DateTimeFormatter.ISO_LOCAL_TIME,
            OffsetDateTime.class, DateTimeFormatter.ISO_OFFSET_DATE_TIME,
            OffsetTime.class, DateTimeFormatter.ISO_OFFSET_TIME,
            ZonedDateTime.class, DateTimeFormatter.ISO_OFFSET_DATE_TIME);

    private final StringWriter text = new StringWriter();
    private final JsonWriter json = new JsonWriter(text);
    private final Deque<Object> place = new ArrayDeque<>(); // names of members, positions of elements

    private JsonText() {}

    /**
     * Writes a value.
     *
     * @throws IllegalArgumentException where a part of it can't be written
     */
    static String of(Object value) {
        JsonText written = new JsonText();
        try {
            written.value(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter has none
        }
        return written.text.toString();
    }

    private void value(Object value) throws IOException {
        if (place.size() > DEPTH) {
            throw refused("is nested more than " + DEPTH + " deep, or holds itself", null);
        }
        if (value == null) {
            json.nullValue();
        } else if (value instanceof Boolean truth) {
            json.value(truth);
        } else if (value instanceof Number number) {
            number(number);
        } else if (isText(value)) {
            json.value(text(value));
        } else if (value instanceof Map<?, ?> map) {
            members(map);
        } else if (value instanceof Record components) {
            components(components);
        } else if (value instanceof Collection<?> elements) {
            elements(elements);
        } else if (value.getClass().isArray()) {
            array(value);
        } else {
            throw refused("is a " + value.getClass().getTypeName() + ACCEPTED, null);
        }
    }

    private void number(Number number) throws IOException {
        try {
            json.value(number);
        } catch (IllegalArgumentException e) {
            throw refused("is the number " + number + ACCEPTED, e);
        }
    }

    private static boolean isText(Object value) {
        return value instanceof CharSequence
                || value instanceof Character
                || value instanceof Enum
                || (value != null && FORMS.containsKey(value.getClass()))
                || value instanceof UUID
                || value instanceof URI;
    }

    private static String text(Object value) {
        DateTimeFormatter form = FORMS.get(value.getClass());
        if (form != null) {
            return form.format((TemporalAccessor) value);
        }
        return value instanceof Enum<?> constant ? constant.name() : value.toString();
    }

    private void members(Map<?, ?> map) throws IOException {
        json.beginObject();
        Set<String> names = new HashSet<>();
        for (Map.Entry<?, ?> member : map.entrySet()) {
            String name = name(member.getKey());
            if (!names.add(name)) { // 1 and "1"
                throw refused("has two members " + name, null);
            }
            json.name(name);
            part(name, member.getValue());
        }
        json.endObject();
    }

    private String name(Object key) {
        if (isText(key) || key instanceof Number || key instanceof Boolean) {
            return text(key);
        }
        String found = key == null ? "null" : "a " + key.getClass().getTypeName();
        throw refused(
                "has " + found + " as a key; accepted are text and what is written as text, numbers and booleans",
                null);
    }

    private void components(Record components) throws IOException {
        json.beginObject();
        for (RecordComponent component : components.getClass().getRecordComponents()) {
            json.name(component.getName());
            part(component.getName(), read(components, component));
        }
        json.endObject();
    }

    private Object read(Record components, RecordComponent component) {
        Method accessor = component.getAccessor();
        accessor.trySetAccessible(); // the record may be private
        try {
            return accessor.invoke(components);
        } catch (IllegalAccessException | InvocationTargetException e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            throw refused("has a component " + component.getName() + " that can't be read: " + cause, e);
        }
    }

    private void elements(Collection<?> elements) throws IOException {
        json.beginArray();
        int at = 0;
        for (Object element : elements) {
            part(at++, element);
        }
        json.endArray();
    }

    private void array(Object array) throws IOException {
        json.beginArray();
        for (int at = 0; at < Array.getLength(array); at++) {
            part(at, Array.get(array, at));
        }
        json.endArray();
    }

    private void part(Object step, Object value) throws IOException {
        place.addLast(step);
        value(value);
        place.removeLast();
    }

    private IllegalArgumentException refused(String why, Throwable cause) {
        return new IllegalArgumentException(place() + " " + why, cause);
    }

    /** {@code a.b[0].c}, or the beginning of it. */
    private String place() {
        StringBuilder path = new StringBuilder();
        place.stream().limit(STEPS).forEach(step -> {
            if (step instanceof Integer at) {
                path.append('[').append(at).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step);
            }
        });
        if (place.size() > STEPS) {
            path.append('…');
        }
        return path.isEmpty() ? "the whole" : path.toString();
    }
}
