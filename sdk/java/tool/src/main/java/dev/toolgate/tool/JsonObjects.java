package dev.toolgate.tool;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Objects as JSON, whole or not at all. */
final class JsonObjects {
    /** Dates and times as ISO 8601 and RFC 3339 have them: with seconds, and without the name of a zone. */
    private static final Map<Class<?>, DateTimeFormatter> FORMS = Map.of(
            Instant.class, DateTimeFormatter.ISO_INSTANT,
            LocalDate.class, DateTimeFormatter.ISO_LOCAL_DATE,
            LocalDateTime.class, DateTimeFormatter.ISO_LOCAL_DATE_TIME,
            LocalTime.class, DateTimeFormatter.ISO_LOCAL_TIME,
            OffsetDateTime.class, DateTimeFormatter.ISO_OFFSET_DATE_TIME,
            OffsetTime.class, DateTimeFormatter.ISO_OFFSET_TIME,
            ZonedDateTime.class, DateTimeFormatter.ISO_OFFSET_DATE_TIME);

    private final int limit;
    private final StringWriter text = new StringWriter();
    private final JsonWriter json = new JsonWriter(text);

    private JsonObjects(int limit) {
        this.limit = limit;
    }

    /** An object of at most so many bytes; empty where it takes more, or is none: cut, it would be another. */
    static Optional<String> within(int limit, Map<String, ?> members) {
        JsonObjects written = new JsonObjects(limit);
        try {
            written.value(members);
        } catch (IOException | ReflectiveOperationException | RuntimeException e) {
            return Optional.empty(); // the failure is told all the same
        }
        return Optional.of(written.text.toString()).filter(whole -> bytes(whole) <= limit);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private void value(Object value) throws IOException, ReflectiveOperationException {
        if (text.getBuffer().length() > limit) {
            throw new IllegalArgumentException("too large"); // what holds itself ends here too
        }
        if (value == null) {
            json.nullValue();
        } else if (value instanceof Boolean truth) {
            json.value(truth);
        } else if (value instanceof Number number) {
            json.value(number);
        } else if (isText(value)) {
            json.value(text(value));
        } else if (value instanceof Map<?, ?> map) {
            members(map);
        } else if (value instanceof Record components) {
            components(components);
        } else if (value instanceof Collection<?> elements) {
            array(elements.toArray());
        } else {
            array(value); // or the exception that it is none
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

    private void members(Map<?, ?> map) throws IOException, ReflectiveOperationException {
        json.beginObject();
        Set<String> names = new HashSet<>();
        for (Map.Entry<?, ?> member : map.entrySet()) {
            Object key = member.getKey();
            boolean plain = isText(key) || key instanceof Number || key instanceof Boolean;
            if (!plain || !names.add(text(key))) {
                throw new IllegalArgumentException("no name of one member: " + key);
            }
            json.name(text(key));
            value(member.getValue());
        }
        json.endObject();
    }

    private void components(Record components) throws IOException, ReflectiveOperationException {
        json.beginObject();
        for (RecordComponent component : components.getClass().getRecordComponents()) {
            Method accessor = component.getAccessor();
            accessor.trySetAccessible(); // the record may be private
            json.name(component.getName());
            value(accessor.invoke(components));
        }
        json.endObject();
    }

    private void array(Object array) throws IOException, ReflectiveOperationException {
        json.beginArray();
        for (int at = 0; at < Array.getLength(array); at++) {
            value(Array.get(array, at));
        }
        json.endArray();
    }
}
