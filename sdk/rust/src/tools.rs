use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::value::{RawValue, to_raw_value};

use crate::proto::{Effect, ListToolsResponse, Tool};

/// The tools that this caller may use, by name.
///
/// Each shape is a list to put into a request as it is: raw JSON, whose schemas stay as the gateway
/// sent them, keys in their order and digits as they are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolList {
    /// The whole message, as far as this version knows its fields.
    pub proto: ListToolsResponse,
}

impl ToolList {
    pub(crate) fn new(proto: ListToolsResponse) -> Self {
        Self { proto }
    }

    /// The sentence for a system prompt: what each class means.
    #[must_use]
    pub fn contract(&self) -> &str {
        &self.proto.contract
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.proto.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.proto.tools.is_empty()
    }

    /// The tools, one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, Tool> {
        self.proto.tools.iter()
    }

    /// `tools` of `OpenAI`'s Responses API. Strict would rewrite what is optional.
    #[must_use]
    pub fn openai(&self) -> Vec<Box<RawValue>> {
        self.shaped(|tool| {
            let (kind, strict) = (Some("function"), Some(false));
            let parameters = Some(Schema::of(tool));
            written(&Shape { kind, parameters, strict, ..Shape::of(tool) })
        })
    }

    /// `tools` of `OpenAI`'s Chat Completions API, and of the many that take the same.
    #[must_use]
    pub fn openai_chat(&self) -> Vec<Box<RawValue>> {
        #[derive(Serialize)]
        struct Chat<'a> {
            #[serde(rename = "type")]
            kind: &'a str,
            function: Shape<'a>,
        }
        self.shaped(|tool| {
            let parameters = Some(Schema::of(tool));
            let function = Shape { parameters, ..Shape::of(tool) };
            written(&Chat { kind: "function", function })
        })
    }

    /// `tools` of Anthropic's Messages API.
    #[must_use]
    pub fn anthropic(&self) -> Vec<Box<RawValue>> {
        self.shaped(|tool| {
            let input_schema = Some(Schema::of(tool));
            written(&Shape { input_schema, ..Shape::of(tool) })
        })
    }

    /// `functionDeclarations` of one tool of the Gemini API.
    #[must_use]
    pub fn gemini(&self) -> Vec<Box<RawValue>> {
        self.shaped(|tool| {
            let parameters_json_schema = Some(Schema::of(tool));
            written(&Shape { parameters_json_schema, ..Shape::of(tool) })
        })
    }

    /// `tools` of a tools/list result of the Model Context Protocol.
    #[must_use]
    pub fn mcp(&self) -> Vec<Box<RawValue>> {
        self.shaped(|tool| {
            let mcp_schema = Some(Schema::of(tool));
            let annotations = Some(Annotations::of(tool));
            written(&Shape { mcp_schema, annotations, ..Shape::of(tool) })
        })
    }

    fn shaped(&self, shape: impl Fn(&Tool) -> Option<Box<RawValue>>) -> Vec<Box<RawValue>> {
        self.iter().filter_map(shape).collect()
    }
}

impl<'a> IntoIterator for &'a ToolList {
    type Item = &'a Tool;
    type IntoIter = std::slice::Iter<'a, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What the shapes are made of; each has one of the schemas.
#[derive(Default, Serialize)]
struct Shape<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Schema>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    mcp_schema: Option<Schema>,
    #[serde(rename = "parametersJsonSchema", skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations>,
}

impl<'a> Shape<'a> {
    fn of(tool: &'a Tool) -> Self {
        Self { name: &tool.name, description: &tool.description, ..Self::default() }
    }
}

/// Whether a write destroys anything nobody stated.
#[derive(Serialize)]
struct Annotations {
    #[serde(rename = "readOnlyHint")]
    reads: bool,
    #[serde(rename = "idempotentHint")]
    idempotent: bool,
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    destroys: Option<bool>,
}

impl Annotations {
    fn of(tool: &Tool) -> Self {
        let reads = tool.effect() == Effect::Read;
        Self {
            reads,
            idempotent: reads || tool.effect() == Effect::Idempotent,
            destroys: reads.then_some(false),
        }
    }
}

fn written(shape: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(shape).ok() // text and JSON are JSON
}

/// A schema as it was sent, but that it says `type: object`.
#[derive(Serialize)]
#[serde(untagged)]
enum Schema {
    Sent(Box<RawValue>),
    Object {
        #[serde(rename = "type")]
        kind: &'static str,
    },
}

impl Schema {
    const OBJECT: Self = Self::Object { kind: "object" };

    fn of(tool: &Tool) -> Self {
        serde_json::from_str(&tool.input_schema_json).map_or(Self::OBJECT, Self::Sent).typed()
    }

    /// Says that it is one of an object: some APIs refuse the whole list where one does not.
    fn typed(self) -> Self {
        #[derive(Deserialize)]
        struct Typed {
            #[serde(rename = "type")]
            kind: Option<IgnoredAny>,
        }
        let Self::Sent(schema) = &self else {
            return self;
        };
        let Some(members) = schema.get().strip_prefix('{').map(str::trim_start) else {
            return Self::OBJECT;
        };
        if serde_json::from_str::<Typed>(schema.get()).is_ok_and(|typed| typed.kind.is_some()) {
            return self;
        }
        let comma = if members.starts_with('}') { "" } else { "," };
        let typed = format!(r#"{{"type":"object"{comma}{members}"#);
        serde_json::from_str(&typed).map_or(Self::OBJECT, Self::Sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(schema: &str) -> ToolList {
        let tool = Tool {
            name: "t".into(),
            description: "Does.".into(),
            input_schema_json: schema.into(),
            ..Tool::default()
        };
        ToolList::new(ListToolsResponse { tools: vec![tool], ..ListToolsResponse::default() })
    }

    #[test]
    fn a_schema_stays_as_it_was_sent() {
        let schema = r#"{"type":"object","properties":{"z":{"maximum":18446744073709551616},"a":{}}}"#;
        let tools = listed(schema);
        for (shape, key) in [
            (tools.openai(), "parameters"),
            (tools.openai_chat(), "parameters"),
            (tools.anthropic(), "input_schema"),
            (tools.gemini(), "parametersJsonSchema"),
            (tools.mcp(), "inputSchema"),
        ] {
            let text = shape[0].get();
            assert!(text.contains(&format!(r#""{key}":{schema}"#)), "{text}");
        }
    }

    #[test]
    fn every_tool_says_object() {
        for (schema, want) in [
            ("", r#"{"type":"object"}"#),
            ("{ }", r#"{"type":"object"}"#),
            ("true", r#"{"type":"object"}"#),
            (r#"{"required":["a"]}"#, r#"{"type":"object","required":["a"]}"#),
            (r#"{"type":["object"]}"#, r#"{"type":["object"]}"#),
        ] {
            let want = format!(r#"{{"name":"t","description":"Does.","input_schema":{want}}}"#);
            assert_eq!(listed(schema).anthropic()[0].get(), want);
            let want = want.replace("input_schema", "inputSchema");
            assert!(listed(schema).mcp()[0].get().starts_with(want.trim_end_matches('}')));
        }
    }
}
