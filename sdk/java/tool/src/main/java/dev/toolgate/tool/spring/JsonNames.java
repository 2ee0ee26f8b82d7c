package dev.toolgate.tool.spring;

import java.lang.reflect.Type;
import java.util.Optional;

/**
 * Walks a path through the types of a mapper.
 *
 * @param <T> the mapper's own word for a type
 */
abstract class JsonNames<T> implements PropertyNames {
    /** One property: its name in the JSON, and its type. */
    record Property<T>(String name, T type) {}

    abstract T root(Type type);

    /** A property by Java's name. */
    abstract Optional<Property<T>> property(T type, String name);

    /** The type of the elements; null: it has none. */
    abstract T elements(T type);

    @Override
    public final String inJson(Type root, String path) {
        StringBuilder said = new StringBuilder();
        T type = root(root);
        for (String step : path.split("\\.")) {
            int bracket = step.indexOf('[');
            String name = bracket < 0 ? step : step.substring(0, bracket);
            String indexes = bracket < 0 ? "" : step.substring(bracket);
            T within = type;
            Optional<Property<T>> property =
                    within == null || name.isEmpty() ? Optional.empty() : property(within, name);
            said.append(said.isEmpty() || name.isEmpty() ? "" : ".")
                    .append(property.map(Property::name).orElse(name))
                    .append(indexes);
            type = name.isEmpty() ? type : property.map(Property::type).orElse(null);
            for (int i = 0; i < indexes.length() && type != null; i++) {
                type = indexes.charAt(i) == '[' ? elements(type) : type;
            }
        }
        return said.toString();
    }
}
