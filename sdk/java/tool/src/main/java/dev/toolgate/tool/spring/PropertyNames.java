package dev.toolgate.tool.spring;

import java.lang.reflect.Type;
import java.util.Optional;
import org.springframework.context.ApplicationContext;

/** The names that callers know: those in the JSON of a body, where Spring tells those in Java. */
interface PropertyNames {
    /** The path {@code a.b[0].c} of Java's names within a type, in the names of its JSON. */
    String inJson(Type type, String path);

    /** By the mapper that reads the bodies; Java's own names where there is none. */
    static PropertyNames of(ApplicationContext context) {
        Optional<? extends PropertyNames> names = Optional.empty();
        if (Jackson.HAS_3) { // where there are both, it reads the bodies
            names = Jackson3Names.of(context);
        }
        if (names.isEmpty() && Jackson.HAS_2) {
            names = Jackson2Names.of(context);
        }
        return names.isPresent() ? names.get() : (type, path) -> path;
    }
}
