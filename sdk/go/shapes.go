package toolgate

import (
	"encoding/json"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// The shapes in which model APIs take tools, each marshalled as it is put into a
// request. A schema stays as the gateway sent it, but that it says `type: object`:
// arguments are one, and some of the APIs refuse the whole list where one does not say so.

// OpenAITools is `tools` of OpenAI's Responses API.
func OpenAITools(tools []*toolgatev1.Tool) []map[string]any {
	return shaped(tools, func(tool *toolgatev1.Tool, schema json.RawMessage) map[string]any {
		return map[string]any{
			"type": "function", "name": tool.GetName(), "description": tool.GetDescription(), "parameters": schema,
			"strict": false, // true would rewrite what is optional
		}
	})
}

// OpenAIChatTools is `tools` of OpenAI's Chat Completions API, and of the many
// that take the same.
func OpenAIChatTools(tools []*toolgatev1.Tool) []map[string]any {
	return shaped(tools, func(tool *toolgatev1.Tool, schema json.RawMessage) map[string]any {
		return map[string]any{"type": "function", "function": map[string]any{
			"name": tool.GetName(), "description": tool.GetDescription(), "parameters": schema,
		}}
	})
}

// AnthropicTools is `tools` of Anthropic's Messages API.
func AnthropicTools(tools []*toolgatev1.Tool) []map[string]any {
	return shaped(tools, func(tool *toolgatev1.Tool, schema json.RawMessage) map[string]any {
		return map[string]any{"name": tool.GetName(), "description": tool.GetDescription(), "input_schema": schema}
	})
}

// GeminiTools is `functionDeclarations` of one tool of the Gemini API.
func GeminiTools(tools []*toolgatev1.Tool) []map[string]any {
	return shaped(tools, func(tool *toolgatev1.Tool, schema json.RawMessage) map[string]any {
		return map[string]any{"name": tool.GetName(), "description": tool.GetDescription(), "parametersJsonSchema": schema}
	})
}

// MCPTools is `tools` of a tools/list result of the Model Context Protocol.
func MCPTools(tools []*toolgatev1.Tool) []map[string]any {
	return shaped(tools, func(tool *toolgatev1.Tool, schema json.RawMessage) map[string]any {
		return map[string]any{
			"name": tool.GetName(), "description": tool.GetDescription(), "inputSchema": schema,
			"annotations": annotations(tool.GetEffect()),
		}
	})
}

// annotations say what the effect says. Whether a write destroys anything nobody
// stated.
func annotations(effect toolgatev1.Effect) map[string]any {
	switch effect {
	case toolgatev1.Effect_EFFECT_READ:
		return map[string]any{"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false}
	case toolgatev1.Effect_EFFECT_IDEMPOTENT:
		return map[string]any{"readOnlyHint": false, "idempotentHint": true}
	}
	return map[string]any{"readOnlyHint": false, "idempotentHint": false}
}

func shaped(tools []*toolgatev1.Tool, shape func(*toolgatev1.Tool, json.RawMessage) map[string]any) []map[string]any {
	all := make([]map[string]any, 0, len(tools))
	for _, tool := range tools {
		all = append(all, shape(tool, objectSchema(tool.GetInputSchemaJson())))
	}
	return all
}

func objectSchema(text string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || len(members) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	if _, typed := members["type"]; typed {
		return json.RawMessage(text)
	}
	return json.RawMessage(`{"type":"object",` + strings.TrimLeft(text, " \t\r\n{"))
}
