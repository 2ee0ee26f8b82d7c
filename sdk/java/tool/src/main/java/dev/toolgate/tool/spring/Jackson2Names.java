package dev.toolgate.tool.spring;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Type;
import java.util.Optional;
import org.springframework.context.ApplicationContext;

/** The names that Jackson 2 gives to properties. */
final class Jackson2Names extends JsonNames<JavaType> {
    private final ObjectMapper mapper;

    private Jackson2Names(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    static Optional<Jackson2Names> of(ApplicationContext context) {
        return Optional.ofNullable(context.getBeanProvider(ObjectMapper.class).getIfUnique())
                .map(Jackson2Names::new);
    }

    @Override
    JavaType root(Type type) {
        return mapper.getTypeFactory().constructType(type);
    }

    @Override
    Optional<Property<JavaType>> property(JavaType type, String name) {
        DeserializationConfig config = mapper.getDeserializationConfig();
        BeanDescription described = config.introspect(type);
        return described.findProperties().stream()
                .filter(property -> property.getInternalName().equals(name))
                .map(property -> new Property<>(property.getName(), property.getPrimaryType()))
                .findFirst();
    }

    @Override
    JavaType elements(JavaType type) {
        return type.getContentType();
    }
}
