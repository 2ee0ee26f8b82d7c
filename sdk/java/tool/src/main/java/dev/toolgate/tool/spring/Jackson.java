package dev.toolgate.tool.spring;

import org.springframework.util.ClassUtils;

/** Which Jackson there is: Spring Boot 3 brings 2, Spring Boot 4 brings 3. Classes named after one are used only with it. */
final class Jackson {
    static final boolean HAS_2 = has("com.fasterxml.jackson.databind.ObjectMapper");
    static final boolean HAS_3 = has("tools.jackson.databind.ObjectMapper");

    private Jackson() {}

    private static boolean has(String type) {
        return ClassUtils.isPresent(type, Jackson.class.getClassLoader());
    }
}
