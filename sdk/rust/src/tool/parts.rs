use serde::Serialize;
use serde_json::value::RawValue;

use super::bounds::{self, cut};
use crate::proto::{Alternative, Violation};

/// One fault in the arguments. Say what is accepted in one of its three ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a failure has to be told of it"]
pub struct Problem {
    field: String,
    reason: String,
    accepted: Vec<String>,
    format: String,
    range: String,
}

impl Problem {
    /// A fault of this field, `a.b[0].c` for example; empty: of the arguments as a whole.
    pub fn of(field: impl Into<String>) -> Self {
        Self { field: field.into(), ..Self::default() }
    }

    /// What is wrong; without it, what the failure's message says.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// The accepted values, nearest first.
    pub fn accepted(mut self, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.accepted = values.into_iter().map(Into::into).collect();
        self
    }

    /// The accepted format, `YYYY-MM-DD` for example.
    pub fn format(mut self, format: impl Into<String>) -> Self {
        self.format = format.into();
        self
    }

    /// The accepted range, `0.01 to 500.00` for example.
    pub fn range(mut self, range: impl Into<String>) -> Self {
        self.range = range.into();
        self
    }

    pub(super) fn proto(&self, message: &str) -> Violation {
        let problem = if self.reason.is_empty() { message } else { &self.reason };
        let accepted = bounds::some(&self.accepted);
        Violation {
            field: cut(&self.field, bounds::CODE),
            problem: cut(problem, bounds::TEXT),
            accepted_truncated: accepted.len() < self.accepted.len(),
            accepted,
            format: cut(&self.format, bounds::TEXT),
            range: cut(&self.range, bounds::TEXT),
            ..Violation::default()
        }
    }
}

/// A call to make in place of the failed one.
#[derive(Clone, Debug)]
#[must_use = "a failure has to be told of it"]
pub struct Proposal {
    tool: String,
    arguments: Option<Box<RawValue>>,
    label: String,
    pub(super) fits: bool,
}

impl Proposal {
    /// A call of this tool.
    pub fn new(tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), arguments: None, label: String::new(), fits: true }
    }

    /// Complete arguments, ready to call: an object. A proposal whose arguments are none, or take
    /// more than 512 bytes as JSON, is left out.
    pub fn arguments(mut self, arguments: &(impl Serialize + ?Sized)) -> Self {
        self.arguments = bounds::object(arguments);
        self.fits = self.arguments.is_some();
        self
    }

    /// What it is, for people and models.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(super) fn proto(&self) -> Alternative {
        Alternative {
            tool: cut(&self.tool, bounds::CODE),
            arguments_json: self.arguments.as_ref().map_or_else(String::new, |raw| raw.get().to_owned()),
            label: cut(&self.label, bounds::LABEL),
        }
    }
}
