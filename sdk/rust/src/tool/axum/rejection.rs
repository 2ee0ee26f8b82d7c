//! What axum's extractors refuse, as a failure.

use std::error::Error;

use axum::{
    extract::{
        path::ErrorKind,
        rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection, StringRejection},
    },
    http::StatusCode,
};
use serde::de::value::Error as UrlencodedError;
use serde_path_to_error::Error as At;

use crate::tool::{Failure, Problem, forbidden, invalid_request, rate_limited};

/// The failure of a rejection of axum's own.
pub(super) fn known(error: &(dyn Error + 'static)) -> Option<Failure> {
    let (status, code) = if let Some(refused) = error.downcast_ref::<JsonRejection>() {
        (refused.status(), code_of_json(refused))
    } else if let Some(refused) = error.downcast_ref::<QueryRejection>() {
        (refused.status(), "invalid_query")
    } else if let Some(refused) = error.downcast_ref::<PathRejection>() {
        (refused.status(), "invalid_path")
    } else if let Some(refused) = error.downcast_ref::<BytesRejection>() {
        (refused.status(), "unreadable_body")
    } else {
        (error.downcast_ref::<StringRejection>()?.status(), "unreadable_body")
    };
    Refusal::of(error).failure(status, code)
}

/// What a rejection tells.
pub(super) struct Refusal {
    field: String, // empty: not known
    problem: String,
}

impl Refusal {
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        let (field, problem) = place_of(error);
        Self { field, problem }
    }

    /// The failure, by its status. A refusal that is the server's own fault is none.
    pub(super) fn failure(self, status: StatusCode, code: &str) -> Option<Failure> {
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(forbidden(code, self.problem)),
            StatusCode::TOO_MANY_REQUESTS => Some(rate_limited(code, self.problem)),
            StatusCode::PAYLOAD_TOO_LARGE => {
                Some(invalid_request("body_too_large", "The body is too large."))
            }
            _ if status.is_client_error() => {
                let fault = fault(self.field, &self.problem);
                Some(invalid_request(code, self.problem).problem(fault))
            }
            _ => None,
        }
    }
}

fn code_of_json(refused: &JsonRejection) -> &'static str {
    match refused {
        JsonRejection::JsonDataError(_) => "invalid_arguments",
        JsonRejection::JsonSyntaxError(_) => "malformed_json",
        JsonRejection::MissingJsonContentType(_) => "not_json",
        _ => "unreadable_body",
    }
}

/// The field, where it is known, and what is wrong.
fn place_of(error: &(dyn Error + 'static)) -> (String, String) {
    if let Some(at) = cause::<At<serde_json::Error>>(error) {
        let inner = at.inner();
        // Of malformed JSON the place is its position: where it ends is in no field.
        return if inner.is_data() {
            (at.path().to_string(), sentence(inner))
        } else {
            (String::new(), inner.to_string())
        };
    }
    if let Some(at) = cause::<At<UrlencodedError>>(error) {
        return (at.path().to_string(), at.inner().to_string());
    }
    if let Some(PathRejection::FailedToDeserializePathParams(refused)) = error.downcast_ref() {
        return match refused.kind() {
            ErrorKind::ParseErrorAtKey { key, .. }
            | ErrorKind::InvalidUtf8InPathParam { key }
            | ErrorKind::DeserializeError { key, .. } => (key.clone(), refused.body_text()),
            _ => (String::new(), refused.body_text()),
        };
    }
    (String::new(), error.to_string())
}

fn cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// What is wrong, without the position in the body, of which a model knows nothing.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

/// serde's own sentences name a missing or unknown field, and what a variant may be.
fn fault(path: String, problem: &str) -> Problem {
    let mut quoted = problem.split('`').skip(1).step_by(2);
    let path = if path == "." { String::new() } else { path };
    if problem.starts_with("missing field `") {
        let name = quoted.next().unwrap_or_default();
        let field = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        return Problem::of(field).because(problem);
    }
    let unknown = problem.starts_with("unknown variant `") || problem.starts_with("unknown field `");
    let accepted = quoted.skip(1).filter(|_| unknown);
    Problem::of(path).because(problem).accepted(accepted)
}
