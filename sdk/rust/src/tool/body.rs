use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    ErrorClass,
    proto::{Alternative, ToolError, Violation},
};

/// The canonical body of an HTTP answer.
pub(super) fn text(class: ErrorClass, error: &ToolError) -> String {
    let body = Body {
        error: &error.code,
        class: class.as_str(),
        retryable: class == ErrorClass::Transient,
        message: &error.message,
        retry_after: error.retry_after.and_then(number),
        violations: error.violations.iter().map(Fault::of).collect(),
        violations_truncated: error.violations_truncated,
        requested: json(&error.requested_json),
        facts: json(&error.facts_json),
        alternatives: error.alternatives.iter().map(Call::of).collect(),
        alternatives_truncated: error.alternatives_truncated,
        blocked_by: &error.blocked_by,
        unblock_with: &error.unblock_with,
        maybe_executed: error.maybe_executed,
        partial: error.partial,
    };
    serde_json::to_string(&body).unwrap_or_default() // text, numbers and JSON are JSON
}

/// A failure as JSON, in the order in which it is read.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools)] // the contract's own
struct Body<'a> {
    error: &'a str,
    class: &'a str,
    retryable: bool,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<Fault<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    violations_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    alternatives_truncated: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    blocked_by: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    unblock_with: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    maybe_executed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
}

#[derive(Serialize)]
struct Fault<'a> {
    field: &'a str,
    problem: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    accepted: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    format: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    range: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accepted_truncated: bool,
}

impl<'a> Fault<'a> {
    fn of(violation: &'a Violation) -> Self {
        Self {
            field: &violation.field,
            problem: &violation.problem,
            accepted: &violation.accepted,
            format: &violation.format,
            range: &violation.range,
            accepted_truncated: violation.accepted_truncated,
        }
    }
}

#[derive(Serialize)]
struct Call<'a> {
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
}

impl<'a> Call<'a> {
    fn of(alternative: &'a Alternative) -> Self {
        Self {
            tool: &alternative.tool,
            arguments: json(&alternative.arguments_json),
            label: &alternative.label,
        }
    }
}

/// No text is no value.
fn json(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

/// Seconds, as people write them: 10, not 10.0.
fn number(seconds: f64) -> Option<Box<RawValue>> {
    RawValue::from_string(seconds.to_string()).ok()
}
