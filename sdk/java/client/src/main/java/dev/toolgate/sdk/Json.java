package dev.toolgate.sdk;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;

/** JSON as plain values, with every digit. */
final class Json {
    private static final Gson GSON = new GsonBuilder()
            .setStrictness(Strictness.STRICT)
            .setObjectToNumberStrategy(ToNumberPolicy.BIG_DECIMAL)
            .create();

    private Json() {}

    /** Reads maps, lists, text, BigDecimals, booleans and null. */
    static Object read(String text) {
        return GSON.fromJson(text, Object.class);
    }

    /** Half a character can't be sent, but JSON has an escape for it. */
    static String wellFormed(String text) {
        if (text.codePoints().noneMatch(Json::half)) {
            return text;
        }
        var whole = new StringBuilder(text.length() + 5);
        text.codePoints().forEach(point -> {
            if (half(point)) {
                whole.append(String.format("\\u%04x", point));
            } else {
                whole.appendCodePoint(point);
            }
        });
        return whole.toString();
    }

    private static boolean half(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }
}
