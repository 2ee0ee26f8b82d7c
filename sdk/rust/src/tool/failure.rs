use std::{fmt, time::Duration};

use serde::Serialize;

use super::{
    Problem, Proposal, body,
    bounds::{self, cut},
};
use crate::{
    ErrorClass,
    proto::{self, ToolError, Violation},
};

/// A failed call of a tool. The functions of this module make it; the methods add to it.
#[derive(Clone, Debug)]
#[must_use = "a failure has to be returned"]
pub struct Failure(Box<Said>);

#[derive(Clone, Debug)]
struct Said {
    class: ErrorClass,
    status: u16,
    code: String,
    message: String,
    retry_after: Duration,
    problems: Vec<Problem>,
    proposals: Vec<Proposal>,
    blocked_by: String,
    unblock_with: String,
    requested: String,
    facts: String,
    maybe_executed: bool,
    partial: bool,
}

/// Time cures it: after `retry_after` the gateway sends the identical call again. It must be certain
/// that the call took no effect.
pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::Transient, 503, code, message)
}

/// [`transient`] to a caller that asked too often.
pub fn rate_limited(code: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::Transient, 429, code, message)
}

/// Other arguments may do; without a problem, the arguments as a whole are wrong.
pub fn invalid_request(code: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::InvalidRequest, 400, code, message)
}

/// This call is over: nobody can send it again to any avail.
pub fn terminal(code: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::Terminal, 422, code, message)
}

/// [`terminal`] to a caller that may not do this.
pub fn forbidden(code: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure::new(ErrorClass::Terminal, 403, code, message).blocked_by("permission")
}

impl Failure {
    fn new(class: ErrorClass, status: u16, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Said {
            class,
            status,
            code: code.into(),
            message: message.into(),
            retry_after: Duration::ZERO,
            problems: Vec::new(),
            proposals: Vec::new(),
            blocked_by: String::new(),
            unblock_with: String::new(),
            requested: String::new(),
            facts: String::new(),
            maybe_executed: false,
            partial: false,
        }))
    }

    /// The failure within an error, or within what caused it; any other error is one that nobody
    /// meant: terminal, `internal_error`, it may have taken effect, and nothing is said of it.
    pub fn from_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(said) = error.downcast_ref::<Said>() {
                return Self(Box::new(said.clone()));
            }
            cause = error.source();
        }
        Self::internal()
    }

    pub(super) fn internal() -> Self {
        let message = "The tool failed for a reason of its own.";
        Self::new(ErrorClass::Terminal, 500, "internal_error", message).maybe_executed()
    }

    /// Of a transient: how long to wait; zero leaves that to the gateway.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = wait;
        self
    }

    /// Of an invalid request: one more fault; eight are kept.
    pub fn problem(mut self, problem: Problem) -> Self {
        self.0.problems.push(problem);
        self
    }

    /// One more call to make in place of this one, nearest first; three are kept.
    pub fn alternative(mut self, proposal: Proposal) -> Self {
        self.0.proposals.push(proposal);
        self
    }

    /// The condition that blocks the call.
    pub fn blocked_by(mut self, condition: impl Into<String>) -> Self {
        self.0.blocked_by = condition.into();
        self
    }

    /// The tool that changes the condition of `blocked_by`. A name of more than 64 bytes is left out.
    pub fn unblock_with(mut self, tool: impl Into<String>) -> Self {
        self.0.unblock_with = tool.into();
        self
    }

    /// The part of the request that matters: an object, left out as one of [`Failure::facts`] is.
    pub fn requested(mut self, part: &(impl Serialize + ?Sized)) -> Self {
        self.0.requested = bounds::object(part).unwrap_or_default();
        self
    }

    /// The numbers of the boundary that was hit: an object. What is none, is empty, has a number that
    /// is not finite, or takes more than 512 bytes as JSON, is left out.
    pub fn facts(mut self, facts: &(impl Serialize + ?Sized)) -> Self {
        self.0.facts = bounds::object(facts).unwrap_or_default();
        self
    }

    /// The call may have taken effect: the gateway does not repeat it unless that is safe. A
    /// transient failure must be certain of the contrary, so it becomes terminal.
    pub fn maybe_executed(mut self) -> Self {
        self.0.maybe_executed = true;
        self.had_effect()
    }

    /// A part of the call took effect: an invalid request names the items that failed, to be sent
    /// alone. A transient failure becomes terminal, since the identical call would do that part again.
    pub fn partial(mut self) -> Self {
        self.0.partial = true;
        self.had_effect()
    }

    fn had_effect(mut self) -> Self {
        if self.0.class == ErrorClass::Transient {
            (self.0.class, self.0.status) = (ErrorClass::Terminal, 500);
        }
        self
    }

    /// What the caller should do next.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// The status of an HTTP answer, for consumers that look only there.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// The headers of an HTTP answer, names in lower case.
    #[must_use]
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
        ];
        let wait = bounds::whole_seconds(self.0.retry_after);
        if self.0.class == ErrorClass::Transient && wait > 0 {
            headers.push(("retry-after", wait.to_string()));
        }
        headers
    }

    /// The canonical body of an HTTP answer.
    #[must_use]
    pub fn body(&self) -> String {
        body::text(self.0.class, &self.proto())
    }

    /// The contract's message, within its bounds.
    #[must_use]
    pub fn proto(&self) -> ToolError {
        let said = &*self.0;
        let fits = || said.proposals.iter().filter(|proposal| proposal.fits());
        let unblocks = !said.blocked_by.is_empty() && said.unblock_with.len() <= bounds::CODE;
        ToolError {
            error_class: wire(said.class).into(),
            code: cut(&said.code, bounds::CODE),
            message: cut(&said.message, bounds::MESSAGE),
            retry_after: self.wait().map(bounds::seconds),
            violations: self.violations(),
            violations_truncated: said.class == ErrorClass::InvalidRequest
                && said.problems.len() > bounds::PROBLEMS,
            alternatives: fits().take(bounds::PROPOSALS).map(Proposal::proto).collect(),
            alternatives_truncated: fits().count() > bounds::PROPOSALS,
            blocked_by: cut(&said.blocked_by, bounds::CODE),
            unblock_with: if unblocks { said.unblock_with.clone() } else { String::new() },
            requested_json: said.requested.clone(),
            facts_json: said.facts.clone(),
            maybe_executed: said.maybe_executed,
            partial: said.partial,
            ..ToolError::default()
        }
    }

    fn violations(&self) -> Vec<Violation> {
        let said = &*self.0;
        if said.class != ErrorClass::InvalidRequest {
            return Vec::new();
        }
        if said.problems.is_empty() {
            return vec![Problem::default().proto(&said.message)];
        }
        said.problems.iter().take(bounds::PROBLEMS).map(|problem| problem.proto(&said.message)).collect()
    }

    fn wait(&self) -> Option<Duration> {
        (self.0.class == ErrorClass::Transient).then(|| bounds::rounded(self.0.retry_after))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.0.class, self.0.code, self.0.message)
    }
}

/// Its source is what it says, so that it is found where only sources can be asked: within the error of
/// another crate.
impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Said {}

fn wire(class: ErrorClass) -> proto::ErrorClass {
    match class {
        ErrorClass::Transient => proto::ErrorClass::Transient,
        ErrorClass::InvalidRequest => proto::ErrorClass::InvalidRequest,
        ErrorClass::Terminal => proto::ErrorClass::Terminal,
    }
}
