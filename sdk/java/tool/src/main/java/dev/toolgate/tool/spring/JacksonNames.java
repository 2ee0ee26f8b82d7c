package dev.toolgate.tool.spring;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.lang.reflect.Type;
import java.util.Optional;
import org.springframework.context.ApplicationContext;

/** The names that Jackson gives to properties. */
final class JacksonNames implements PropertyNames {
    private final ObjectMapper mapper;

    private JacksonNames(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    static PropertyNames of(ApplicationContext context) {
        ObjectMapper mapper = context.getBeanProvider(ObjectMapper.class).getIfAvailable();
        return mapper == null ? (type, path) -> path : new JacksonNames(mapper);
    }

    @Override
    public String inJson(Type root, String path) {
        StringBuilder said = new StringBuilder();
        JavaType type = mapper.getTypeFactory().constructType(root);
        for (String step : path.split("\\.")) {
            int bracket = step.indexOf('[');
            String name = bracket < 0 ? step : step.substring(0, bracket);
            String indexes = bracket < 0 ? "" : step.substring(bracket);
            Optional<BeanPropertyDefinition> property = property(type, name);
            String separator = said.isEmpty() || name.isEmpty() ? "" : ".";
            said.append(separator)
                    .append(property.map(BeanPropertyDefinition::getName).orElse(name))
                    .append(indexes);
            type = property.map(BeanPropertyDefinition::getPrimaryType).orElse(name.isEmpty() ? type : null);
            for (int i = 0; i < indexes.chars().filter(c -> c == '[').count() && type != null; i++) {
                type = type.getContentType();
            }
        }
        return said.toString();
    }

    private Optional<BeanPropertyDefinition> property(JavaType type, String name) {
        if (type == null || name.isEmpty()) {
            return Optional.empty();
        }
        DeserializationConfig config = mapper.getDeserializationConfig();
        BeanDescription described = config.introspect(type);
        return described.findProperties().stream()
                .filter(property -> property.getInternalName().equals(name))
                .findFirst();
    }
}
