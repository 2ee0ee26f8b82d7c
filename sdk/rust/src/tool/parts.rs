use serde::Serialize;

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
            problem: cut(problem, bounds::PROBLEM),
            accepted_truncated: accepted.len() < self.accepted.len(),
            accepted,
            format: cut(&self.format, bounds::FORMAT),
            range: cut(&self.range, bounds::FORMAT),
            ..Violation::default()
        }
    }
}

/// A call to make in place of the failed one.
#[derive(Clone, Debug)]
#[must_use = "a failure has to be told of it"]
pub struct Proposal {
    tool: String,
    arguments: Option<String>, // none: what can't be sent
    label: String,
}

impl Proposal {
    /// A call of this tool. A proposal whose tool has a name of more than 128 bytes is left out: cut,
    /// it would be another.
    pub fn new(tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), arguments: Some(String::new()), label: String::new() }
    }

    /// Complete arguments, ready to call: an object; null says none. A proposal whose arguments are
    /// something else, have a number that is not finite, or take more than 512 bytes as JSON, is left
    /// out.
    pub fn arguments(mut self, arguments: &(impl Serialize + ?Sized)) -> Self {
        self.arguments = bounds::arguments(arguments);
        self
    }

    /// What it is, for people and models.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(super) fn fits(&self) -> bool {
        self.arguments.is_some() && self.tool.len() <= bounds::TOOL
    }

    /// Of one that fits.
    pub(super) fn proto(&self) -> Alternative {
        Alternative {
            tool: self.tool.clone(),
            arguments_json: self.arguments.clone().unwrap_or_default(),
            label: cut(&self.label, bounds::LABEL),
        }
    }
}
