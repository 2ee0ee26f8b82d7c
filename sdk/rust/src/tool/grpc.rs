use prost::Message;
use tonic::Code;
use tonic_types::pb;

use super::{
    Failure,
    bounds::{self, cut},
};
use crate::proto::ToolError;

const TYPE_URL: &str = "type.googleapis.com/toolgate.v1.ToolError";

/// The failure as the status of an rpc: `return Err(failure.into())`. Its detail is a
/// `toolgate.v1.ToolError`, shortened where it is larger than trailers may be.
impl From<Failure> for tonic::Status {
    fn from(failure: Failure) -> Self {
        let error = shortened(failure.proto());
        let code = code_of(failure.status());
        let message = cut(&error.message, bounds::STATUS_MESSAGE);
        let detail = prost_types::Any { type_url: TYPE_URL.to_owned(), value: error.encode_to_vec() };
        let status = pb::Status { code: code.into(), message: message.clone(), details: vec![detail] };
        Self::with_details(code, message, status.encode_to_vec().into())
    }
}

fn code_of(status: u16) -> Code {
    match status {
        400 => Code::InvalidArgument,
        403 => Code::PermissionDenied,
        429 => Code::ResourceExhausted,
        500 => Code::Internal,
        503 => Code::Unavailable,
        _ => Code::FailedPrecondition,
    }
}

/// Leaves out: what is longest goes first, what the caller acts on last.
fn shortened(mut error: ToolError) -> ToolError {
    while error.encoded_len() > bounds::DETAIL {
        if !error.facts_json.is_empty() {
            error.facts_json.clear();
        } else if !error.requested_json.is_empty() {
            error.requested_json.clear();
        } else if error.violations.len() > 1 {
            error.violations.pop();
            error.violations_truncated = true;
        } else if let Some(only) = error.violations.first_mut().filter(|only| !only.accepted.is_empty()) {
            only.accepted.clear();
            only.accepted_truncated = true;
        } else if error.alternatives.is_empty() {
            break;
        } else {
            error.alternatives.clear();
            error.alternatives_truncated = true;
        }
    }
    error
}
