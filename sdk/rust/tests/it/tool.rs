//! What tools say: in axum, over gRPC, and to a real gateway.

use std::time::Duration;

use anyhow::Context;
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Path, Query},
    http::{Request, StatusCode},
    response::Response,
    routing::{get, post},
};
use prost::Message;
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_sdk::{
    Client, Code, Error, ErrorClass, proto,
    tool::{
        Failure, Problem, Proposal,
        axum::{Checked, Failed, ToolErrors},
        forbidden, invalid_request, rate_limited, terminal, transient,
    },
};
use tower::{ServiceBuilder, ServiceExt, timeout::TimeoutLayer};

use crate::stage::{Stage, serve};

fn long() -> String {
    "żółw 🐢 ".repeat(400)
}

/// Each with its status, its Retry-After, and what its body says beside code and message.
fn cases() -> Vec<(Failure, u16, Option<&'static str>, Value)> {
    vec![
        (
            transient("maintenance", "Back soon.").retry_after(Duration::from_millis(1500)),
            503,
            Some("2"),
            json!({"class": "transient", "retryable": true, "retry_after": 1.5}),
        ),
        (
            rate_limited("slow_down", "Too fast.").retry_after(Duration::from_millis(90_100)),
            429,
            Some("91"),
            json!({"class": "transient", "retryable": true, "retry_after": 91}),
        ),
        (
            transient("busy", "Later."),
            503,
            None,
            json!({"class": "transient", "retryable": true, "retry_after": 0}),
        ),
        (
            transient("reset", "Gone.").retry_after(Duration::from_secs(1)).maybe_executed(),
            500,
            None,
            json!({"class": "terminal", "retryable": false, "maybe_executed": true}),
        ),
        (
            invalid_request("bad", "Wrong.").problem(Problem::of("a.b[0]").accepted(["x"])),
            400,
            None,
            json!({"class": "invalid_request", "retryable": false, "violations": [
                {"field": "a.b[0]", "problem": "Wrong.", "accepted": ["x"]},
            ]}),
        ),
        (
            invalid_request("bad", "a < b").retry_after(Duration::from_secs(1)),
            400,
            None,
            json!({"class": "invalid_request", "retryable": false, "violations": [
                {"field": "", "problem": "a < b"},
            ]}),
        ),
        (
            terminal("insufficient_funds", "No money.")
                .blocked_by("balance")
                .unblock_with("deposit")
                .facts(&json!({"balance": 42.1}))
                .problem(Problem::of("a terminal failure has none"))
                .alternative(Proposal::new("pay_later").arguments(&json!({"days": 30})).label("in a month")),
            422,
            None,
            json!({"class": "terminal", "retryable": false, "facts": {"balance": 42.1},
                "alternatives": [{"tool": "pay_later", "arguments": {"days": 30}, "label": "in a month"}],
                "blocked_by": "balance", "unblock_with": "deposit"}),
        ),
        (
            forbidden("not_yours", "Not yours."),
            403,
            None,
            json!({"class": "terminal", "retryable": false, "blocked_by": "permission"}),
        ),
    ]
}

fn unexpected() -> Value {
    json!({"error": "internal_error", "class": "terminal", "retryable": false,
        "message": "The tool failed for a reason of its own.", "maybe_executed": true})
}

async fn read(response: Response) -> (StatusCode, Option<String>, Value) {
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, usize::MAX).await.unwrap();
    let wait = parts.headers.get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(parts.headers["content-type"], "application/json");
    assert_eq!(parts.headers["x-content-type-options"], "nosniff");
    (parts.status, wait, serde_json::from_slice(&text).unwrap())
}

async fn asked(app: &Router, request: Request<Body>) -> (StatusCode, Option<String>, Value) {
    read(app.clone().oneshot(request).await.unwrap()).await
}

fn request(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

fn case(number: usize) -> Failure {
    cases().swap_remove(number).0
}

#[tokio::test]
async fn a_handler_answers_with_its_failure() {
    let in_context = |failure: Failure| Err::<(), _>(failure).context("while paying");
    let app = Router::new()
        .route("/plain/{n}", get(async |Path(n): Path<usize>| Err::<(), Failure>(case(n))))
        .route("/failed/{n}", get(async |Path(n): Path<usize>| Err::<(), Failed>(case(n).into())))
        .route(
            "/anyhow/{n}",
            get(async |Path(n): Path<usize>| Err::<(), Failed>(anyhow::Error::from(case(n)).into())),
        )
        .route("/context/{n}", get(async move |Path(n): Path<usize>| Ok::<(), Failed>(in_context(case(n))?)));
    for (number, (_, status, wait, said)) in cases().into_iter().enumerate() {
        for way in ["plain", "failed", "anyhow", "context"] {
            let (found_status, found_wait, mut body) =
                asked(&app, request(&format!("/{way}/{number}"))).await;
            assert_eq!((found_status.as_u16(), found_wait.as_deref()), (status, wait), "{way} {number}");
            let members = body.as_object_mut().unwrap();
            assert!(members.remove("error").is_some() && members.remove("message").is_some());
            assert_eq!(body, said, "{way} {number}");
        }
    }
}

async fn broken() -> Result<(), Failed> {
    Err(std::io::Error::other("dsn=postgres://app:secret@10.0.0.5"))?;
    Ok(())
}

async fn panics() {
    let list: Vec<u8> = Vec::new();
    let _ = list[usize::from(std::hint::black_box(true))];
}

#[tokio::test]
async fn of_what_nobody_meant_nothing_is_said() {
    let app = Router::new()
        .route("/error", get(broken))
        .route("/panic", get(panics))
        .route("/slow", get(std::future::pending::<()>))
        .layer(ServiceBuilder::new().layer(ToolErrors).layer(TimeoutLayer::new(Duration::from_millis(10))));
    for path in ["/error", "/panic", "/slow"] {
        let (status, _, body) = asked(&app, request(path)).await;
        assert_eq!((status, body), (StatusCode::INTERNAL_SERVER_ERROR, unexpected()), "{path}");
    }
    let answered = Router::new().route("/", get(async || "fine")).layer(ToolErrors);
    assert_eq!(answered.oneshot(request("/")).await.unwrap().status(), StatusCode::OK);
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    Paid,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    id: u32,
    status: Option<Status>,
}

#[derive(Debug, Deserialize)]
struct Invoice {
    items: Vec<Item>,
}

fn shop() -> Router {
    async fn json(Checked(Json(invoice)): Checked<Json<Invoice>>) -> String {
        format!("{:?}", invoice.items.iter().map(|item| (item.id, &item.status)).collect::<Vec<_>>())
    }
    async fn query(Checked(Query(item)): Checked<Query<Item>>) -> String {
        format!("{item:?}")
    }
    async fn path(Checked(Path((n, status))): Checked<Path<(u8, Status)>>) -> String {
        format!("{n} {status:?}")
    }
    async fn order(Checked(Path(item)): Checked<Path<Item>>) -> String {
        item.id.to_string()
    }
    async fn missing(Checked(Path(n)): Checked<Path<u8>>) -> String {
        n.to_string()
    }
    async fn text(Checked(text): Checked<String>) -> String {
        text
    }
    Router::new()
        .route("/json", post(json))
        .route("/query", get(query))
        .route("/path/{n}/{status}", get(path))
        .route("/order/{id}", get(order))
        .route("/missing", get(missing))
        .route("/text", post(text))
}

fn posted(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path).header("content-type", "application/json").body(body.into()).unwrap()
}

#[tokio::test]
async fn what_an_extractor_refuses_names_its_field() {
    let none: [&str; 0] = [];
    let variants = ["open", "paid"];
    for (refused, code, field, accepted) in [
        (
            posted("/json", r#"{"items":[{"id":1},{"id":"x"}]}"#),
            "invalid_arguments",
            "items[1].id",
            &none[..],
        ),
        (posted("/json", r#"{"items":[{}]}"#), "invalid_arguments", "items[0].id", &none),
        (posted("/json", "{}"), "invalid_arguments", "items", &none),
        (
            posted("/json", r#"{"items":[{"id":1,"status":"opn"}]}"#),
            "invalid_arguments",
            "items[0].status",
            &variants,
        ),
        (
            posted("/json", r#"{"items":[{"id":1,"stat":"open"}]}"#),
            "invalid_arguments",
            "items[0].stat",
            &["id", "status"],
        ),
        (posted("/json", r#"{"items":"#), "malformed_json", "", &none),
        (Request::post("/json").body("{}".into()).unwrap(), "not_json", "", &none),
        (request("/query?id=x"), "invalid_query", "id", &none),
        (request("/query"), "invalid_query", "id", &none),
        (request("/query?id=1&status=opn"), "invalid_query", "status", &variants),
        (request("/path/x/open"), "invalid_path", "", &none),
        (request("/order/x"), "invalid_path", "id", &none),
        (posted("/text", vec![0xff]), "unreadable_body", "", &none),
        (posted("/text", " ".repeat(3 << 20)), "body_too_large", "", &none),
    ] {
        let what = refused.uri().to_string();
        let (status, _, body) = asked(&shop(), refused).await;
        assert_eq!((status, &body["error"]), (StatusCode::BAD_REQUEST, &json!(code)), "{what} {body}");
        assert_eq!(body["class"], "invalid_request", "{what}");
        let violation = &body["violations"][0];
        assert_eq!(violation["field"], field, "{what} {body}");
        assert_eq!(violation["accepted"].as_array().map_or(0, Vec::len), accepted.len(), "{what} {body}");
        for value in accepted {
            assert!(violation["accepted"].as_array().unwrap().contains(&json!(value)), "{what} {body}");
        }
        assert_ne!(violation["problem"], "", "{what}");
    }
    let (status, _, body) = asked(&shop(), request("/missing")).await;
    assert_eq!((status, body), (StatusCode::INTERNAL_SERVER_ERROR, unexpected()));
    let taken = shop().oneshot(posted("/json", r#"{"items":[{"id":1,"status":"paid"}]}"#)).await.unwrap();
    assert_eq!(taken.status(), StatusCode::OK);
}

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

#[derive(Deserialize)]
struct Slot {
    slot: u8,
}

#[tokio::test]
async fn the_gateway_takes_a_tools_word() {
    async fn book(Checked(Json(Slot { slot })): Checked<Json<Slot>>) -> Result<(), Failed> {
        match slot {
            1 => Err(terminal("slot_taken", "It was booked.")
                .blocked_by("slot")
                .alternative(Proposal::new("book_slot").arguments(&json!({"slot": 2}))))?,
            2 => broken().await?,
            _ => panics().await,
        }
        Ok(())
    }
    let clinic = serve(Router::new().route("/slots", post(book)).layer(ToolErrors)).await;
    let stage = Stage::start_with(Some(&clinic), &[]).await;
    let client = Client::new(&stage.target).unwrap();
    let mut runs = 0;
    let mut booked = async |arguments: &str| {
        runs += 1;
        match client.call(&format!("r{runs}"), "book_slot", arguments).await {
            Err(Error::Tool(error)) => *error,
            other => panic!("no failure of the tool: {other:?}"),
        }
    };
    let taken = booked(r#"{"slot":1}"#).await;
    assert_eq!((taken.class, taken.code.as_str()), (ErrorClass::Terminal, "slot_taken"));
    assert_eq!(taken.blocked_by, "slot");
    assert_eq!(taken.alternatives[0].arguments_json, r#"{"slot":2}"#);
    let wrong = booked(r#"{"slot":"x"}"#).await;
    assert_eq!((wrong.class, wrong.code.as_str()), (ErrorClass::InvalidRequest, "invalid_arguments"));
    assert_eq!(wrong.violations[0].field, "slot");
    for arguments in [r#"{"slot":2}"#, r#"{"slot":3}"#] {
        let unmeant = booked(arguments).await;
        assert!(unmeant.class == ErrorClass::Terminal && unmeant.maybe_executed);
        assert!(!unmeant.observation.contains("dsn") && !unmeant.observation.contains("index"));
    }
}
