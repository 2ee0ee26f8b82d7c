package dev.toolgate.tool.spring;

import java.lang.reflect.Type;
import java.util.Optional;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

/** The names that Jackson 3 gives to properties. */
final class Jackson3Names extends JsonNames<JavaType> {
    private final JsonMapper mapper;

    private Jackson3Names(JsonMapper mapper) {
        this.mapper = mapper;
    }

    static Optional<Jackson3Names> of(ApplicationContext context) {
        return Optional.ofNullable(context.getBeanProvider(JsonMapper.class).getIfUnique())
                .map(Jackson3Names::new);
    }

    @Override
    JavaType root(Type type) {
        return mapper.constructType(type);
    }

    @Override
    Optional<Property<JavaType>> property(JavaType type, String name) {
        ClassIntrospector introspector = mapper.deserializationConfig().classIntrospectorInstance();
        return introspector
                .introspectForDeserialization(type, introspector.introspectClassAnnotations(type))
                .findProperties()
                .stream()
                .filter(property -> property.getInternalName().equals(name))
                .map(property -> new Property<>(property.getName(), property.getPrimaryType()))
                .findFirst();
    }

    @Override
    JavaType elements(JavaType type) {
        return type.getContentType();
    }
}
