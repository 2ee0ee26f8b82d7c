package dev.toolgate.sdk;

import dev.toolgate.v1.Effect;
import dev.toolgate.v1.ListToolsResponse;
import dev.toolgate.v1.Tool;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The tools that this caller may use, by name. Each shape is a list of plain values (Map, List, String, BigDecimal,
 * Boolean), to put into a request as it is; the schemas stay as the gateway sent them, but that each says
 * {@code type: object}, without which some APIs refuse the whole list.
 *
 * @param proto the whole message
 */
public record ToolList(ListToolsResponse proto) implements Iterable<Tool> {

    /** The sentence for a system prompt: what each class means. */
    public String contract() {
        return proto.getContract();
    }

    /** How many there are. */
    public int size() {
        return proto.getToolsCount();
    }

    @Override
    public Iterator<Tool> iterator() {
        return proto.getToolsList().iterator();
    }

    /** {@code tools} of OpenAI's Responses API. Strict would rewrite what is optional. */
    public List<Map<String, Object>> openai() {
        return shaped((shape, tool) -> {
            shape.put("type", "function");
            describe(shape, tool, "parameters");
            shape.put("strict", false);
        });
    }

    /** {@code tools} of OpenAI's Chat Completions API, and of the many that take the same. */
    public List<Map<String, Object>> openaiChat() {
        return shaped((shape, tool) -> {
            var function = new LinkedHashMap<String, Object>();
            describe(function, tool, "parameters");
            shape.put("type", "function");
            shape.put("function", function);
        });
    }

    /** {@code tools} of Anthropic's Messages API. */
    public List<Map<String, Object>> anthropic() {
        return shaped((shape, tool) -> describe(shape, tool, "input_schema"));
    }

    /** {@code functionDeclarations} of one tool of the Gemini API. */
    public List<Map<String, Object>> gemini() {
        return shaped((shape, tool) -> describe(shape, tool, "parametersJsonSchema"));
    }

    /** {@code tools} of a tools/list result of the Model Context Protocol. */
    public List<Map<String, Object>> mcp() {
        return shaped((shape, tool) -> {
            describe(shape, tool, "inputSchema");
            shape.put("annotations", annotations(tool.getEffect()));
        });
    }

    private List<Map<String, Object>> shaped(BiConsumer<Map<String, Object>, Tool> shaping) {
        return proto.getToolsList().stream()
                .map(tool -> {
                    Map<String, Object> shape = new LinkedHashMap<>();
                    shaping.accept(shape, tool);
                    return shape;
                })
                .toList();
    }

    private static void describe(Map<String, Object> shape, Tool tool, String schemaKey) {
        String schema = tool.getInputSchemaJson();
        shape.put("name", tool.getName());
        shape.put("description", tool.getDescription());
        shape.put(schemaKey, object(schema.isEmpty() ? null : Json.read(schema)));
    }

    private static Map<String, Object> object(Object schema) {
        var object = new LinkedHashMap<String, Object>();
        object.put("type", "object");
        if (schema instanceof Map<?, ?> members) {
            members.forEach((key, value) -> object.put((String) key, value));
        }
        return object;
    }

    /** Whether a write destroys anything nobody stated. */
    private static Map<String, Object> annotations(Effect effect) {
        if (effect == Effect.EFFECT_READ) {
            return Map.of("readOnlyHint", true, "idempotentHint", true, "destructiveHint", false);
        }
        return Map.of("readOnlyHint", false, "idempotentHint", effect == Effect.EFFECT_IDEMPOTENT);
    }
}
