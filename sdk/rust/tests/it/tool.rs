//! What failures say beyond the list of the contract, and over gRPC.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_sdk::{
    Code, ErrorClass, proto,
    tool::{Failure, Problem, Proposal, forbidden, invalid_request, rate_limited, terminal, transient},
};

use crate::tool_failures::{Vector, detail, vectors};

/// Numbers that look like chance, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn text(&mut self) -> String {
        let longest = [0, 3, 70, 700][usize::try_from(self.below(4)).unwrap()];
        let count = self.below(longest + 1);
        (0..count).map(|_| ['a', '"', '\n', 'ż', '🐢'][usize::try_from(self.below(5)).unwrap()]).collect()
    }

    fn failure(&mut self) -> Failure {
        let kinds = [transient, rate_limited, invalid_request, terminal, forbidden];
        let kind = kinds[usize::try_from(self.below(5)).unwrap()];
        let mut failure = kind(self.text(), self.text());
        for _ in 0..self.below(12) {
            let text = self.text();
            failure = match self.below(9) {
                0 => failure.problem(
                    Problem::of(&text).accepted(vec![self.text(); 3]).format(&text).range(self.text()),
                ),
                1 => failure
                    .alternative(Proposal::new(&text).arguments(&json!({"a": self.text()})).label(text)),
                2 => failure.retry_after(Duration::from_micros(self.below(20_000_000))),
                3 => failure.facts(&json!({"f": text})),
                4 => failure.blocked_by(text),
                5 => failure.unblock_with(text),
                6 => failure.requested(&json!({"r": text})),
                7 if self.below(4) == 0 => failure.partial(),
                8 if self.below(4) == 0 => failure.maybe_executed(),
                _ => failure,
            };
        }
        failure
    }
}

fn within_bounds(e: &proto::ToolError) {
    assert!(e.alternatives.len() <= 3 && e.violations.len() <= 8);
    assert!(e.code.len() <= 64 && e.message.len() <= 512);
    assert!(e.blocked_by.len() <= 64 && e.unblock_with.len() <= 64);
    assert!(e.facts_json.len() <= 512 && e.requested_json.len() <= 512);
    for violation in &e.violations {
        assert!(violation.field.len() <= 64 && violation.problem.len() <= 160);
        assert!(violation.format.len() <= 96 && violation.range.len() <= 96);
        assert!(violation.accepted.iter().map(String::len).sum::<usize>() <= 256);
    }
    for call in &e.alternatives {
        assert!(call.tool.len() <= 128 && call.label.len() <= 80 && call.arguments_json.len() <= 512);
    }
}

#[test]
fn the_invariants_hold_for_every_failure() {
    let mut chance = Chance(1);
    for _ in 0..2000 {
        let failure = chance.failure();
        let e = failure.proto();
        let transient = failure.class() == ErrorClass::Transient;
        assert_eq!(e.retry_after.is_some(), transient);
        assert_eq!(!e.violations.is_empty(), failure.class() == ErrorClass::InvalidRequest);
        assert!(!(transient && (e.maybe_executed || e.partial)));
        assert!(e.unblock_with.is_empty() || !e.blocked_by.is_empty());
        within_bounds(&e);
        let body: Value = serde_json::from_str(&failure.body()).unwrap();
        assert_eq!(body["error"], e.code);
        assert_eq!(
            (&body["retryable"], body["class"].as_str()),
            (&json!(transient), Some(failure.class().as_str()))
        );
        assert_eq!(body["retry_after"].as_f64(), e.retry_after);
        assert_eq!(body["alternatives"].as_array().map_or(0, Vec::len), e.alternatives.len());
        let wait = failure.headers().into_iter().find(|(name, _)| *name == "retry-after");
        let wait = wait.map(|(_, wait)| wait.parse::<f64>().unwrap());
        assert_eq!(wait, e.retry_after.map(f64::ceil).filter(|wait| *wait > 0.0));
        assert!(tonic::Status::from(failure).details().len() <= 4096 + 256);
    }
}

#[test]
fn what_is_no_invalid_request_has_no_faults() {
    let failure = (0..9).fold(terminal("c", "m"), |failure, _| failure.problem(Problem::of("a")));
    let said = r#"{"error":"c","class":"terminal","retryable":false,"message":"m"}"#;
    assert_eq!((failure.body().as_str(), failure.proto().violations_truncated), (said, false));
}

#[test]
fn no_digit_of_facts_is_lost() {
    let wide = std::collections::BTreeMap::from([("n", u128::MAX)]);
    let failure = terminal("c", "m").facts(&wide).alternative(Proposal::new("t").arguments(&wide));
    let text = format!(r#"{{"n":{}}}"#, u128::MAX);
    assert_eq!(failure.proto().facts_json, text);
    assert!(failure.body().contains(&format!(r#""facts":{text}"#)));
    assert!(failure.body().contains(&format!(r#""arguments":{text}"#)));
}

#[test]
fn a_number_that_json_has_not_is_no_null() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let lost = std::collections::BTreeMap::from([("n", Some(number)), ("none", None)]);
        let failure = terminal("c", "m")
            .facts(&lost)
            .requested(&lost)
            .alternative(Proposal::new("lost").arguments(&lost))
            .alternative(Proposal::new("kept").arguments(&json!({"none": null})));
        let e = failure.proto();
        assert_eq!((e.facts_json.as_str(), e.requested_json.as_str()), ("", ""));
        let [kept] = &e.alternatives[..] else { panic!("{:?}", e.alternatives) };
        assert_eq!((kept.tool.as_str(), kept.arguments_json.as_str()), ("kept", r#"{"none":null}"#));
    }
}

#[test]
fn a_failure_says_what_it_is() {
    fn sent<T: std::error::Error + Send + Sync + 'static>(_: &T) {}
    let failure = terminal("c", "m");
    sent(&failure);
    assert_eq!(failure.to_string(), "terminal: c: m");
    assert_eq!(Failure::from_error(&std::fmt::Error).status(), 500);
}

#[tokio::test]
async fn an_rpc_ends_with_the_failure_as_its_detail() {
    use proto::{tool_gateway_service_client as client, tool_gateway_service_server as server};
    for vector in vectors().into_iter().filter(Vector::is_large) {
        let said = vector.failure();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = listener.local_addr().unwrap();
        let service = server::ToolGatewayServiceServer::new(Says(said.clone()));
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        tokio::spawn(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming));
        let mut client = client::ToolGatewayServiceClient::connect(format!("http://{target}")).await.unwrap();
        let status = client.call_tool(proto::CallToolRequest::default()).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(detail(&status), detail(&said.into()));
    }
}

/// A gRPC service that fails.
struct Says(Failure);

type Never<T> = Result<tonic::Response<T>, tonic::Status>;

#[tonic::async_trait]
impl proto::tool_gateway_service_server::ToolGatewayService for Says {
    type CallToolsStream = futures_util::stream::Empty<Result<proto::CallToolsResponse, tonic::Status>>;

    async fn call_tool(&self, _: tonic::Request<proto::CallToolRequest>) -> Never<proto::CallToolResponse> {
        Err(self.0.clone().into())
    }
    async fn call_tools(&self, _: tonic::Request<proto::CallToolsRequest>) -> Never<Self::CallToolsStream> {
        Err(self.0.clone().into())
    }
    async fn list_tools(
        &self,
        _: tonic::Request<proto::ListToolsRequest>,
    ) -> Never<proto::ListToolsResponse> {
        Err(self.0.clone().into())
    }
    async fn get_run(&self, _: tonic::Request<proto::GetRunRequest>) -> Never<proto::GetRunResponse> {
        Err(self.0.clone().into())
    }
    async fn end_run(&self, _: tonic::Request<proto::EndRunRequest>) -> Never<proto::EndRunResponse> {
        Err(self.0.clone().into())
    }
    async fn get_failure_report(
        &self,
        _: tonic::Request<proto::GetFailureReportRequest>,
    ) -> Never<proto::GetFailureReportResponse> {
        Err(self.0.clone().into())
    }
}
