package dev.toolgate.langchain4j;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonAnyOfSchema;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonBooleanSchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonNullSchema;
import dev.langchain4j.model.chat.request.json.JsonNumberSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonReferenceSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import dev.toolgate.v1.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Tools as LangChain4j describes them. Its schemas, unlike a piece of JSON, suit every model API; what they have no
 * word for (a format, a range) is said in the description. The gateway holds to the whole schema either way.
 */
final class Specifications {
    private static final String MARK = "toolgate";

    private static final Set<String> SAID = Set.of(
            "type",
            "description",
            "title",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "anyOf",
            "oneOf",
            "$ref",
            "$defs",
            "definitions",
            "$schema",
            "$id",
            "examples",
            "$comment");

    private Specifications() {}

    static ToolSpecification of(Tool tool) {
        JsonElement schema = tool.getInputSchemaJson().isEmpty()
                ? new JsonObject()
                : JsonParser.parseString(tool.getInputSchemaJson());
        return ToolSpecification.builder()
                .name(tool.getName())
                .description(tool.getDescription())
                .parameters(object(schema.isJsonObject() ? schema.getAsJsonObject() : new JsonObject()))
                .addMetadata(MARK, true)
                .build();
    }

    /** Whether a specification was made here. */
    static boolean isOurs(ToolSpecification tool) {
        return tool.metadata() != null && Boolean.TRUE.equals(tool.metadata().get(MARK));
    }

    private static JsonObjectSchema object(JsonObject schema) {
        JsonObjectSchema.Builder object = JsonObjectSchema.builder()
                .description(description(schema, Set.of()))
                .addProperties(elements(schema.get("properties")))
                .required(strings(schema.get("required")));
        for (String definitions : List.of("$defs", "definitions")) {
            if (schema.has(definitions)) {
                object.definitions(elements(schema.get(definitions)));
            }
        }
        JsonElement others = schema.get("additionalProperties");
        if (others != null && others.isJsonPrimitive()) {
            object.additionalProperties(others.getAsBoolean());
        }
        return object.build();
    }

    private static Map<String, JsonSchemaElement> elements(JsonElement members) {
        Map<String, JsonSchemaElement> elements = new LinkedHashMap<>();
        if (members != null && members.isJsonObject()) {
            members.getAsJsonObject()
                    .entrySet()
                    .forEach(member -> elements.put(member.getKey(), element(member.getValue())));
        }
        return elements;
    }

    private static JsonSchemaElement element(JsonElement any) {
        JsonObject schema = any.isJsonObject() ? any.getAsJsonObject() : new JsonObject(); // true accepts everything
        if (schema.has("$ref")) {
            String path = schema.get("$ref").getAsString();
            return JsonReferenceSchema.builder()
                    .reference(path.substring(path.lastIndexOf('/') + 1))
                    .build();
        }
        for (String choice : List.of("anyOf", "oneOf")) {
            if (schema.has(choice)) {
                return JsonAnyOfSchema.builder()
                        .description(description(schema, Set.of()))
                        .anyOf(stream(schema.get(choice))
                                .map(Specifications::element)
                                .toList())
                        .build();
            }
        }
        List<String> values =
                stream(schema.get("enum")).allMatch(Specifications::isString) ? strings(schema.get("enum")) : List.of();
        if (!values.isEmpty()) {
            return JsonEnumSchema.builder()
                    .description(description(schema, Set.of()))
                    .enumValues(values)
                    .build();
        }
        return typed(schema);
    }

    private static JsonSchemaElement typed(JsonObject schema) {
        List<String> types = types(schema);
        if (types.size() == 1) {
            return typed(schema, types.get(0));
        }
        return JsonAnyOfSchema.builder()
                .description(description(schema, Set.of()))
                .anyOf(types.stream().map(type -> typed(shape(schema), type)).toList())
                .build();
    }

    /** What a schema says of objects and lists alone. */
    private static JsonObject shape(JsonObject schema) {
        JsonObject shape = new JsonObject();
        for (String keyword : List.of("properties", "required", "additionalProperties", "items")) {
            if (schema.has(keyword)) {
                shape.add(keyword, schema.get(keyword));
            }
        }
        return shape;
    }

    private static JsonSchemaElement typed(JsonObject schema, String type) {
        String description = description(schema, Set.of("enum"));
        return switch (type) {
            case "object" -> object(schema);
            case "array" ->
                JsonArraySchema.builder()
                        .description(description)
                        .items(schema.has("items") ? element(schema.get("items")) : null)
                        .build();
            case "integer" ->
                JsonIntegerSchema.builder().description(description).build();
            case "number" -> JsonNumberSchema.builder().description(description).build();
            case "boolean" ->
                JsonBooleanSchema.builder().description(description).build();
            case "null" -> new JsonNullSchema();
            default -> JsonStringSchema.builder().description(description).build();
        };
    }

    /** The types that a value may have; where none is said, those that the keywords are about, else any. */
    private static List<String> types(JsonObject schema) {
        JsonElement type = schema.get("type");
        if (type != null) {
            return type.isJsonArray() ? strings(type) : List.of(type.getAsString());
        }
        if (schema.has("properties")) {
            return List.of("object");
        }
        return schema.has("items") ? List.of("array") : List.of("string", "number", "boolean", "object", "array");
    }

    /** The description, and in brackets what LangChain4j's schemas can't say. */
    private static String description(JsonObject schema, Set<String> unsaid) {
        String text = schema.has("description") ? schema.get("description").getAsString() : "";
        String rest = schema.entrySet().stream()
                .filter(keyword -> !SAID.contains(keyword.getKey()) || unsaid.contains(keyword.getKey()))
                .map(keyword -> keyword.getKey() + ": " + plain(keyword.getValue()))
                .collect(Collectors.joining(", ", "(", ")"));
        if (rest.equals("()")) {
            return text.isEmpty() ? null : text;
        }
        return text.isEmpty() ? rest : text + " " + rest;
    }

    private static String plain(JsonElement value) {
        return isString(value) ? value.getAsString() : value.toString();
    }

    private static boolean isString(JsonElement value) {
        return value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
    }

    private static List<String> strings(JsonElement list) {
        return new ArrayList<>(stream(list)
                .filter(Specifications::isString)
                .map(JsonElement::getAsString)
                .toList());
    }

    private static Stream<JsonElement> stream(JsonElement list) {
        JsonArray array = list != null && list.isJsonArray() ? list.getAsJsonArray() : new JsonArray();
        return StreamSupport.stream(array.spliterator(), false);
    }
}
