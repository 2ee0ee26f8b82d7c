use std::{fmt, sync::Arc, time::Duration};

pub use tonic::Code;
use tonic_types::StatusExt;

use crate::proto::{self, Alternative, ToolError, Violation};

/// How a call or an rpc failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The tool's failure: its class says what to do next.
    Tool(Box<ToolCallError>),
    /// An rpc that failed: never the tool's fault.
    Gateway(GatewayError),
    /// A value that can't be written as JSON, or an answer that can't be read as the value.
    Json(serde_json::Error),
    /// The gateway can't be reached like this: a target that is not `host:port`, certificates that
    /// are none.
    Setup(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(error) => error.fmt(f),
            Self::Gateway(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
            Self::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Tool(_) => None,
            Self::Gateway(error) => error.source(),
            Self::Json(error) => error.source(),
            Self::Setup(error) => error.source(),
        }
    }
}

impl From<ToolCallError> for Error {
    fn from(error: ToolCallError) -> Self {
        Self::Tool(Box::new(error))
    }
}

impl From<GatewayError> for Error {
    fn from(error: GatewayError) -> Self {
        Self::Gateway(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// What to do next. It is the one thing to branch on, and there are no others: a class that this
/// client does not know reads as `Terminal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Wait `retry_after`, send the identical call.
    Transient,
    /// The arguments are wrong: the model changes them.
    InvalidRequest,
    /// This call is over: take an alternative, unblock it, or report.
    Terminal,
}

impl ErrorClass {
    /// The name in the contract's JSON: `transient`, `invalid_request` or `terminal`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::InvalidRequest => "invalid_request",
            Self::Terminal => "terminal",
        }
    }

    fn of(wire: i32) -> Self {
        match proto::ErrorClass::try_from(wire) {
            Ok(proto::ErrorClass::Transient) => Self::Transient,
            Ok(proto::ErrorClass::InvalidRequest) => Self::InvalidRequest,
            _ => Self::Terminal,
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed call of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolCallError {
    /// What to do next.
    pub class: ErrorClass,
    /// Stable: the provider's own code, else the gateway's.
    pub code: String,
    /// One sentence, for people.
    pub message: String,
    /// How long to wait before the identical call; on every transient, on nothing else.
    pub retry_after: Option<Duration>,
    /// On a transient: every attempt was spent. The one case in which an outage may be reported.
    pub exhausted: bool,
    /// What is wrong with the arguments.
    pub violations: Vec<Violation>,
    /// Calls to make in place of this one, nearest first, at most 3.
    pub alternatives: Vec<Alternative>,
    /// The condition that blocks the call; empty where none is known.
    pub blocked_by: String,
    /// The tool that changes that condition; empty where none is known.
    pub unblock_with: String,
    /// The call may have taken effect: check before repeating it.
    pub maybe_executed: bool,
    /// The text for the transcript, the same in every language.
    pub observation: String,
    /// The whole message, as far as this version knows its fields.
    pub proto: ToolError,
}

impl From<ToolError> for ToolCallError {
    fn from(proto: ToolError) -> Self {
        Self {
            class: ErrorClass::of(proto.error_class),
            code: proto.code.clone(),
            message: proto.message.clone(),
            retry_after: proto.retry_after.map(duration),
            exhausted: proto.exhausted,
            violations: proto.violations.clone(),
            alternatives: proto.alternatives.clone(),
            blocked_by: proto.blocked_by.clone(),
            unblock_with: proto.unblock_with.clone(),
            maybe_executed: proto.maybe_executed,
            observation: proto.observation.clone(),
            proto,
        }
    }
}

impl fmt::Display for ToolCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(f, &[self.class.as_str(), &self.code, &self.message])
    }
}

impl std::error::Error for ToolCallError {}

/// An rpc that failed: never the tool's fault. The gateway, the network or this program is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GatewayError {
    /// The gRPC status.
    pub code: Code,
    /// For people.
    pub message: String,
    /// The gateway's own word, `GATEWAY_FULL` for example; empty where the gateway did not speak.
    pub reason: String,
    /// What the gateway asked to wait, if anything.
    pub retry_after: Option<Duration>,
    cause: Option<Arc<tonic::Status>>,
}

impl GatewayError {
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self { code, message: message.to_owned(), reason: String::new(), retry_after: None, cause: None }
    }
}

impl From<tonic::Status> for GatewayError {
    fn from(status: tonic::Status) -> Self {
        Self {
            code: code_of(&status),
            message: status.message().to_owned(),
            reason: status.get_details_error_info().map_or_else(String::new, |info| info.reason),
            retry_after: status.get_details_retry_info().and_then(|info| info.retry_delay),
            cause: Some(Arc::new(status)),
        }
    }
}

/// Where no status arrived, tonic tells how the connection broke. To gRPC all of that is
/// UNAVAILABLE, but for a deadline.
fn code_of(status: &tonic::Status) -> Code {
    let mut cause = std::error::Error::source(status);
    if cause.is_none() {
        return status.code();
    }
    while let Some(error) = cause {
        if error.is::<tonic::TimeoutExpired>() {
            return Code::DeadlineExceeded;
        }
        cause = error.source();
    }
    Code::Unavailable
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(f, &[&format!("{:?}", self.code), &self.reason, &self.message])
    }
}

impl std::error::Error for GatewayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().and_then(std::error::Error::source)
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[&str]) -> fmt::Result {
    let said: Vec<_> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    f.write_str(&said.join(": "))
}

/// Rounds up to a nanosecond; what no duration can hold is the longest.
fn duration(seconds: f64) -> Duration {
    if seconds.is_nan() || seconds <= 0.0 {
        return Duration::ZERO;
    }
    let floor = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    if floor.as_secs_f64() < seconds {
        return floor.saturating_add(Duration::from_nanos(1));
    }
    floor
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    #[test]
    fn a_class_that_is_not_known_reads_as_terminal() {
        for number in [0, 3, 7] {
            let proto = ToolError::decode(&[8, number][..]).unwrap();
            assert_eq!(ToolCallError::from(proto).class, ErrorClass::Terminal);
        }
    }

    #[test]
    fn every_number_of_seconds_is_a_wait() {
        for (seconds, wait) in [
            (0.0, Duration::ZERO),
            (-1.0, Duration::ZERO),
            (f64::NAN, Duration::ZERO),
            (0.000_000_000_4, Duration::from_nanos(1)),
            (1.1, Duration::from_millis(1100)),
            (42.0, Duration::from_secs(42)),
            (1e300, Duration::MAX),
            (f64::INFINITY, Duration::MAX),
        ] {
            assert_eq!(duration(seconds), wait, "{seconds}");
        }
    }

    #[test]
    fn a_status_that_nobody_sent_is_unavailable() {
        let broken = tonic::Status::from_error("connection reset".into());
        assert_eq!(GatewayError::from(broken).code, Code::Unavailable);
        let sent = tonic::Status::not_found("no such run");
        assert_eq!(GatewayError::from(sent).code, Code::NotFound);
    }

    #[test]
    fn an_error_names_what_is_known() {
        let known = ToolError { code: "busy".into(), message: "Later.".into(), ..ToolError::default() };
        let text = Error::from(ToolCallError::from(known)).to_string();
        assert_eq!(text, "terminal: busy: Later.");
        let odd = Error::from(GatewayError::new(Code::Unknown, "")).to_string();
        assert_eq!(odd, "Unknown");
    }
}
