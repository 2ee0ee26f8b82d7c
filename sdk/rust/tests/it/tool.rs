//! What failures say, within the bounds of the contract, and over gRPC.

use std::time::Duration;

use prost::Message;
use serde_json::{Value, json};
use toolgate_sdk::{
    Code, ErrorClass, proto,
    tool::{Failure, Problem, Proposal, forbidden, invalid_request, rate_limited, terminal, transient},
};

fn long() -> String {
    "żółw 🐢 ".repeat(400)
}

/// Each with its status, its Retry-After, and what its body says beside code and message.
#[test]
fn whatever_a_tool_says_keeps_the_bounds() {
    let mut many = invalid_request(long(), long());
    for _ in 0..20 {
        many =
            many.problem(Problem::of(long()).accepted(["x".to_owned(), long()]).format(long()).range(long()));
    }
    let mut proposed =
        terminal(long(), long()).blocked_by(long()).unblock_with(long()).facts(&json!({"f": long()}));
    for arguments in [long(), "a".into(), "b".into(), "c".into(), "d".into()] {
        proposed =
            proposed.alternative(Proposal::new(long()).arguments(&json!({"a": arguments})).label(long()));
    }
    let unblocked = terminal("c", "m").facts(&[1]).unblock_with("without a condition");
    for failure in [many, proposed, unblocked] {
        let e = failure.proto();
        assert!(e.code.len() <= 64 && e.message.len() <= 512 && e.blocked_by.len() <= 64);
        assert!(e.violations.len() <= 8);
        for violation in &e.violations {
            assert!(
                violation.field.len() <= 64
                    && violation.problem.len() <= 160
                    && violation.format.len() <= 160
            );
            assert_eq!(
                (violation.accepted.as_slice(), violation.accepted_truncated),
                (&["x".to_owned()][..], true)
            );
        }
        assert_eq!(e.violations_truncated, !e.violations.is_empty());
        assert!(e.alternatives.len() <= 3);
        assert!(
            e.alternatives
                .iter()
                .all(|one| one.arguments_json.len() <= 512 && !one.arguments_json.is_empty())
        );
        assert_eq!(e.alternatives_truncated, !e.alternatives.is_empty());
        assert_eq!((e.facts_json.as_str(), e.unblock_with.is_empty()), ("", e.blocked_by.is_empty()));
        let body: Value = serde_json::from_str(&failure.body()).unwrap();
        assert_eq!(body["class"], failure.class().as_str());
        assert!(tonic::Status::from(failure).details().len() <= 4096 + 256);
    }
}

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
            failure = match self.below(7) {
                0 => failure.problem(Problem::of(&text).accepted(vec![self.text(); 3]).range(self.text())),
                1 => failure
                    .alternative(Proposal::new(&text).arguments(&json!({"a": self.text()})).label(text)),
                2 => failure.retry_after(Duration::from_micros(self.below(20_000_000))),
                3 => failure.facts(&json!({"f": text})),
                4 => failure.blocked_by(text),
                5 => failure.unblock_with(text),
                _ if self.below(4) == 0 => failure.maybe_executed(),
                _ => failure,
            };
        }
        failure
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
        assert!(!(transient && e.maybe_executed));
        assert!(e.unblock_with.is_empty() || !e.blocked_by.is_empty());
        assert!(e.alternatives.len() <= 3 && e.violations.len() <= 8 && e.message.len() <= 512);
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
fn no_digit_of_facts_is_lost() {
    let wide = std::collections::BTreeMap::from([("n", u128::MAX)]);
    let failure = terminal("c", "m").facts(&wide).alternative(Proposal::new("t").arguments(&wide));
    let text = format!(r#"{{"n":{}}}"#, u128::MAX);
    assert_eq!(failure.proto().facts_json, text);
    assert!(failure.body().contains(&format!(r#""facts":{text}"#)));
    assert!(failure.body().contains(&format!(r#""arguments":{text}"#)));
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
    let mut bad = invalid_request("bad", long());
    for _ in 0..9 {
        bad = bad.problem(Problem::of(long()).format(long()).range(long()).accepted(["y".repeat(250)]));
    }
    let over = terminal("over", long()).facts(&json!({"a": "x".repeat(480)})).alternative(Proposal::new("t"));
    for (said, code) in [
        (over, Code::FailedPrecondition),
        (bad, Code::InvalidArgument),
        (transient("t", "m"), Code::Unavailable),
        (rate_limited("r", "m"), Code::ResourceExhausted),
        (forbidden("f", "m"), Code::PermissionDenied),
        (terminal("m", "m").maybe_executed(), Code::FailedPrecondition),
        (transient("m", "m").maybe_executed(), Code::Internal),
    ] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = listener.local_addr().unwrap();
        let service = server::ToolGatewayServiceServer::new(Says(said.clone()));
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        tokio::spawn(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming));
        let mut client = client::ToolGatewayServiceClient::connect(format!("http://{target}")).await.unwrap();
        let status = client.call_tool(proto::CallToolRequest::default()).await.unwrap_err();
        assert_eq!(status.code(), code);
        let rich = tonic_types::pb::Status::decode(status.details()).unwrap();
        assert!(rich.details[0].type_url.ends_with("/toolgate.v1.ToolError"));
        let detail = proto::ToolError::decode(&rich.details[0].value[..]).unwrap();
        assert_eq!(detail.code, said.proto().code);
        assert!(detail.encoded_len() <= 4096);
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
