use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    Error,
    error::{Code, GatewayError, ToolCallError},
    finite,
    proto::{CallToolResponse, ToolCall, ToolResult, call_tool_response, content_block},
};

/// The arguments of a call, as text.
///
/// Text is JSON already and is sent as it stands, malformed or not, which is right for what a model
/// wrote; a [`serde_json::Value`] and what [`Arguments::json`] takes are written as JSON; `()` is no
/// arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(String);

impl Arguments {
    /// Writes any value as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Json`] where JSON can't say it: a number that is not finite, for example, or a map whose
    /// keys are no strings.
    pub fn json(value: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        Ok(Self(finite::to_string(value)?))
    }
}

impl From<()> for Arguments {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&String> for Arguments {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<serde_json::Value> for Arguments {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string())
    }
}

impl From<&serde_json::Value> for Arguments {
    fn from(value: &serde_json::Value) -> Self {
        Self(value.to_string())
    }
}

impl From<&RawValue> for Arguments {
    fn from(value: &RawValue) -> Self {
        Self(value.get().to_owned())
    }
}

/// One call of one tool, with all that it can carry.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a call is nothing until it is sent"]
pub struct Call {
    pub(crate) message: ToolCall,
}

impl Call {
    /// A call of the tool that `list_tools` names so.
    pub fn new(tool: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self {
            message: ToolCall {
                tool: tool.into(),
                arguments_json: arguments.into().0,
                ..ToolCall::default()
            },
        }
    }

    /// Names the call within its run, at most 128 bytes: a resend under the same id joins the
    /// running call or gets its outcome. Empty: a call of its own.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.message.call_id = id.into();
        self
    }

    /// Also runs the lookups of alternatives that are made on request only.
    pub fn want_alternatives(mut self) -> Self {
        self.message.want_alternatives = true;
        self
    }

    /// Lifts the gateway's memory of this call, after a person acted.
    pub fn fresh(mut self) -> Self {
        self.message.fresh = true;
        self
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.message.tool
    }
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The whole message, as far as this version knows its fields.
    pub proto: ToolResult,
}

impl Answer {
    /// What a transcript shows: the answer's JSON, digits as received, else its text.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.proto.structured_json.is_empty() {
            return self.proto.structured_json.clone();
        }
        let texts = self.proto.content.iter().filter_map(|content| match &content.block {
            Some(content_block::Block::Text(block)) => Some(block.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Reads a structured answer. Into a [`RawValue`] no digit is lost.
    ///
    /// # Errors
    ///
    /// [`Error::Json`] where the answer is not JSON, or not such a value.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(serde_json::from_str(&self.proto.structured_json)?)
    }
}

/// The answer, or the failure.
pub(crate) fn outcome(response: CallToolResponse) -> Result<Answer, Error> {
    match response.outcome {
        Some(call_tool_response::Outcome::Result(proto)) => Ok(Answer { proto }),
        Some(call_tool_response::Outcome::Error(proto)) => Err(ToolCallError::from(proto).into()),
        None => Err(GatewayError::new(
            Code::Unknown,
            "the gateway sent an outcome that this client does not know",
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{ContentBlock, TextBlock};
    use serde_json::json;

    #[test]
    fn what_a_model_wrote_is_sent_as_it_stands() {
        let text = |arguments: Arguments| Call::new("t", arguments).message.arguments_json;
        assert_eq!(text(r#"{"a": 1,}"#.into()), r#"{"a": 1,}"#);
        assert_eq!(text(().into()), "");
        assert_eq!(text(json!({"a": "é<>"}).into()), r#"{"a":"é<>"}"#);
        let digits = r#"{"total": 12345678901234567890.10}"#;
        let raw: Box<RawValue> = serde_json::from_str(digits).unwrap();
        assert_eq!(text((&*raw).into()), digits);
        assert_eq!(text(Arguments::json(&u128::MAX).unwrap()), u128::MAX.to_string());
        let error = Arguments::json(&[1.5, f64::NAN]).unwrap_err();
        assert!(matches!(error, Error::Json(_)), "{error}");
        assert!(matches!(
            Arguments::json(&[((1, 2), 3)].into_iter().collect::<std::collections::HashMap<_, _>>()),
            Err(Error::Json(_))
        ));
    }

    #[test]
    fn an_answer_is_its_json_or_its_text() {
        let block = |text: &str| ContentBlock {
            block: Some(content_block::Block::Text(TextBlock { text: text.into() })),
        };
        let mut proto = ToolResult {
            content: vec![block("a"), ContentBlock::default(), block("b")],
            ..ToolResult::default()
        };
        let answer = Answer { proto: proto.clone() };
        assert_eq!(answer.text(), "a\nb");
        assert!(answer.json::<serde_json::Value>().is_err());
        proto.structured_json = r#"{"total":12345678901234567890.10}"#.into();
        let answer = Answer { proto };
        assert_eq!(answer.text(), answer.proto.structured_json);
        assert_eq!(answer.json::<Box<RawValue>>().unwrap().get(), answer.text());
    }

    #[test]
    fn an_outcome_of_the_future_is_no_answer() {
        let error = outcome(CallToolResponse::default()).unwrap_err();
        assert!(matches!(error, Error::Gateway(e) if e.code == Code::Unknown));
    }
}
