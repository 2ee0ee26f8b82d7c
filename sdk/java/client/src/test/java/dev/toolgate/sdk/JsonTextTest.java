package dev.toolgate.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.JapaneseDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Arguments are written with nothing lost, or refused. */
class JsonTextTest {
    private enum Colour {
        RED {
            @Override
            public String toString() {
                return "as red as can be";
            }
        }
    }

    private record Line(String sku, BigDecimal price, Line next) {}

    private record Broken(int n) {
        @Override
        public int n() {
            throw new IllegalStateException("broken");
        }
    }

    /** Half of one. */
    private static final Number FRACTION = new Number() {
        private static final long serialVersionUID = 1;

        @Override
        public int intValue() {
            return 0;
        }

        @Override
        public long longValue() {
            return 0;
        }

        @Override
        public float floatValue() {
            return 0.5f;
        }

        @Override
        public double doubleValue() {
            return 0.5;
        }

        @Override
        public String toString() {
            return "1/2";
        }
    };

    private static Map<Object, Object> anonymous() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            {
                put("k", null);
                put(Colour.RED, 1);
                put(7, true);
                put('c', new StringBuilder("t"));
            }
        };
    }

    static Stream<Arguments> written() {
        String digits = "12345678901234567890.123456789012345678900";
        return Stream.of(
                Arguments.of(null, "null"),
                Arguments.of(true, "true"),
                Arguments.of("é<>&'\"\n", "\"é<>&'\\\"\\n\""),
                Arguments.of('c', "\"c\""),
                Arguments.of(Colour.RED, "\"RED\""),
                Arguments.of(new BigDecimal(digits), digits),
                Arguments.of(new BigDecimal("1E+3"), "1E+3"),
                Arguments.of(BigInteger.TEN.pow(30), "1" + "0".repeat(30)),
                Arguments.of(Long.MAX_VALUE, "9223372036854775807"),
                Arguments.of(0.1f, "0.1"),
                Arguments.of(-2.5, "-2.5"),
                Arguments.of(new AtomicLong(5), "5"),
                Arguments.of(LocalDate.of(2026, 3, 14), "\"2026-03-14\""),
                Arguments.of(LocalDateTime.of(2026, 3, 14, 10, 0), "\"2026-03-14T10:00:00\""),
                Arguments.of(LocalTime.of(10, 0), "\"10:00:00\""),
                Arguments.of(OffsetDateTime.of(2026, 3, 14, 10, 0, 0, 0, ZoneOffset.UTC), "\"2026-03-14T10:00:00Z\""),
                Arguments.of(
                        ZonedDateTime.of(2026, 3, 14, 10, 0, 0, 0, ZoneId.of("Europe/Paris")),
                        "\"2026-03-14T10:00:00+01:00\""),
                Arguments.of(Instant.EPOCH, "\"1970-01-01T00:00:00Z\""),
                Arguments.of(new UUID(0, 1), "\"00000000-0000-0000-0000-000000000001\""),
                Arguments.of(URI.create("https://example.com/a?b=c"), "\"https://example.com/a?b=c\""),
                Arguments.of(anonymous(), "{\"k\":null,\"RED\":1,\"7\":true,\"c\":\"t\"}"),
                Arguments.of(Map.of(), "{}"),
                Arguments.of(Arrays.asList(1, null, List.of()), "[1,null,[]]"),
                Arguments.of(new LinkedHashSet<>(List.of("a", "b")), "[\"a\",\"b\"]"),
                Arguments.of(new ArrayDeque<>(List.of(1)), "[1]"),
                Arguments.of(Map.of("a", 1).values(), "[1]"),
                Arguments.of(new int[] {1, 2}, "[1,2]"),
                Arguments.of(new byte[] {-1}, "[-1]"),
                Arguments.of(new char[] {'a'}, "[\"a\"]"),
                Arguments.of(new double[][] {{0.5}, {}}, "[[0.5],[]]"),
                Arguments.of(new Object[] {anonymous().keySet(), null}, "[[\"k\",\"RED\",7,\"c\"],null]"),
                Arguments.of(
                        new Line("a", new BigDecimal("1.50"), new Line("b", null, null)),
                        "{\"sku\":\"a\",\"price\":1.50,\"next\":{\"sku\":\"b\",\"price\":null,\"next\":null}}"));
    }

    @ParameterizedTest
    @MethodSource("written")
    void nothingIsLost(Object value, String text) {
        assertEquals(
                "{\"v\":" + text + "}",
                Call.of("t", Collections.singletonMap("v", value)).argumentsJson());
    }

    static Stream<Arguments> refused() {
        Map<Object, Object> twice = new HashMap<>(Map.of(1, "a", "1", "b"));
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        endless.add(endless);
        return Stream.of(
                Arguments.of(List.of(0, 1, Map.of("when", new Date(0))), "v[2].when is a java.util.Date; accepted"),
                Arguments.of(JapaneseDate.of(2026, 3, 14), "v is a java.time.chrono.JapaneseDate; accepted"),
                Arguments.of(new Object(), "v is a java.lang.Object; accepted"),
                Arguments.of(new Object() {}, "v is a " + JsonTextTest.class.getName() + "$"),
                Arguments.of(new Object[][] {{Optional.empty()}}, "v[0][0] is a java.util.Optional; accepted"),
                Arguments.of(Path.of("a/b"), "v is a "),
                Arguments.of(new JsonArray(), "v is a com.google.gson.JsonArray; accepted"),
                Arguments.of(Double.NaN, "v is the number NaN; accepted"),
                Arguments.of(new float[] {1, Float.NEGATIVE_INFINITY}, "v[1] is the number -Infinity; accepted"),
                Arguments.of(FRACTION, "v is the number 1/2; accepted"),
                Arguments.of(Map.of(new Date(0), 1), "v has a java.util.Date as a key; accepted"),
                Arguments.of(Collections.singletonMap(null, 1), "v has null as a key; accepted"),
                Arguments.of(twice, "v has two members 1"),
                Arguments.of(
                        new Broken(1),
                        "v has a component n that can't be read: java.lang.IllegalStateException: broken"),
                Arguments.of(endless, "v" + "[0]".repeat(11) + "… is nested more than 200 deep, or holds itself"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatCannotBeWrittenIsToldWithItsPlace(Object value, String why) {
        var error = assertThrows(IllegalArgumentException.class, () -> Call.of("pay", Map.of("v", value)));
        String begins = "arguments of pay can't be written as JSON: " + why;
        assertTrue(error.getMessage().startsWith(begins), error.getMessage());
    }

    @Test
    void valuesAreNestedAsDeepAsIsSaid() {
        Object deep = 1;
        for (int i = 1; i < JsonText.DEPTH; i++) {
            deep = List.of(deep);
        }
        Object within = deep;
        assertEquals("{\"v\":" + "[".repeat(199) + 1 + "]".repeat(199) + "}", JsonText.of(Map.of("v", within)));
        assertThrows(IllegalArgumentException.class, () -> JsonText.of(Map.of("v", List.of(within))));
    }

    @Test
    void aKeyOfTheWholeHasNoPlace() {
        var error = assertThrows(
                IllegalArgumentException.class,
                () -> Call.of("pay", Collections.<String, Object>singletonMap(null, 1)));
        assertTrue(error.getMessage().contains("JSON: the whole has null as a key"), error.getMessage());
    }
}
