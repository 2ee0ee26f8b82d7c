//! What failures say in every language: the list of the contract.

use std::time::Duration;

use prost::Message;
use serde::Deserialize;
use serde_json::Value;
use toolgate_sdk::{
    proto::ToolError,
    tool::{Failure, Problem, Proposal, forbidden, invalid_request, rate_limited, terminal, transient},
};

/// A failure as a tool's author says it, and what must come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    pub name: String,
    kind: String,
    code: String,
    message: String,
    retry_after_ms: Option<f64>,
    #[serde(default)]
    problems: Vec<Said>,
    #[serde(default)]
    alternatives: Vec<Proposed>,
    blocked_by: Option<String>,
    unblock_with: Option<String>,
    requested: Option<Value>,
    facts: Option<Value>,
    #[serde(default)]
    maybe_executed: bool,
    #[serde(default)]
    partial: bool,
    pub want: Want,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Said {
    field: String,
    problem: String,
    accepted: Vec<String>,
    format: String,
    range: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    tool: String,
    arguments: Option<Value>,
    #[serde(default)]
    label: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Want {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: String,
    grpc_code: i32,
    detail: Option<Left>,
}

/// How much of a failure is left that is larger than trailers may be.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Left {
    violations: usize,
    accepted: usize, // of the first violation
    alternatives: usize,
}

impl Vector {
    pub fn failure(&self) -> Failure {
        let kind = match self.kind.as_str() {
            "transient" => transient,
            "rate_limited" => rate_limited,
            "invalid_request" => invalid_request,
            "terminal" => terminal,
            "forbidden" => forbidden,
            other => panic!("{}: {other} is no kind", self.name),
        };
        let mut failure = kind(self.code.as_str(), self.message.as_str());
        if let Some(wait) = self.retry_after_ms {
            failure = failure.retry_after(Duration::from_secs_f64(wait.max(0.0) / 1000.0)); // none is negative
        }
        for said in &self.problems {
            failure = failure.problem(
                Problem::of(&said.field)
                    .because(&said.problem)
                    .accepted(&said.accepted)
                    .format(&said.format)
                    .range(&said.range),
            );
        }
        for said in &self.alternatives {
            let proposal = Proposal::new(&said.tool).arguments(&said.arguments).label(&said.label);
            failure = failure.alternative(proposal);
        }
        self.added(failure)
    }

    /// Larger than trailers may be.
    pub fn is_large(&self) -> bool {
        self.want.detail.is_some()
    }

    fn added(&self, mut failure: Failure) -> Failure {
        if let Some(condition) = &self.blocked_by {
            failure = failure.blocked_by(condition);
        }
        if let Some(tool) = &self.unblock_with {
            failure = failure.unblock_with(tool);
        }
        if let Some(part) = &self.requested {
            failure = failure.requested(part);
        }
        if let Some(facts) = &self.facts {
            failure = failure.facts(facts);
        }
        if self.maybe_executed {
            failure = failure.maybe_executed();
        }
        if self.partial {
            failure = failure.partial();
        }
        failure
    }
}

pub fn vectors() -> Vec<Vector> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/tool-failures.json");
    let all: Vec<Vector> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(all.len() >= 40, "{} vectors", all.len());
    all
}

/// The detail of a status, as a client finds it.
pub fn detail(status: &tonic::Status) -> ToolError {
    let rich = tonic_types::pb::Status::decode(status.details()).unwrap();
    assert_eq!((rich.code, rich.message.as_str()), (status.code().into(), status.message()));
    let [detail] = &rich.details[..] else { panic!("{} details", rich.details.len()) };
    assert_eq!(detail.type_url, "type.googleapis.com/toolgate.v1.ToolError");
    ToolError::decode(&detail.value[..]).unwrap()
}

#[test]
fn every_language_says_a_failure_alike() {
    for vector in vectors() {
        let (name, want, failure) = (&vector.name, &vector.want, vector.failure());
        assert_eq!(failure.body(), want.body, "{name}");
        assert_eq!(failure.status(), want.status, "{name}");
        let header = failure.headers().into_iter().find(|(header, _)| *header == "retry-after");
        assert_eq!(header.map(|(_, value)| value), want.retry_after, "{name}");

        let whole = failure.proto();
        let status = tonic::Status::from(failure);
        assert_eq!(i32::from(status.code()), want.grpc_code, "{name}");
        let found = detail(&status);
        let Some(left) = &want.detail else {
            assert_eq!(found, whole, "{name}");
            continue;
        };
        let is = Left {
            violations: found.violations.len(),
            accepted: found.violations[0].accepted.len(),
            alternatives: found.alternatives.len(),
        };
        assert_eq!(&is, left, "{name}");
        assert!(found.violations_truncated, "{name}");
        assert!(found.encoded_len() <= 4096, "{name}");
        assert_eq!(found.facts_json + &found.requested_json, "", "{name}");
    }
}
