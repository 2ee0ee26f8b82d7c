package dev.toolgate.tool.spring;

import java.lang.reflect.Type;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** The names that callers know: those in the JSON of a body, where Spring tells those in Java. */
interface PropertyNames {
    /** The path {@code a.b[0].c} of Java's names within a type, in the names of its JSON. */
    String inJson(Type type, String path);

    /** By the mapper that reads the bodies; Java's own names where there is none. */
    static PropertyNames of(ApplicationContext context) {
        if (ClassUtils.isPresent("com.fasterxml.jackson.databind.ObjectMapper", context.getClassLoader())) {
            return JacksonNames.of(context);
        }
        return (type, path) -> path;
    }
}
