//! What handlers of axum answer, and what the gateway makes of it.

use std::{
    fmt::Write,
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::Context;
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::Path,
    http::{Request, StatusCode},
    response::Response,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_sdk::{
    Client, Error, ErrorClass,
    tool::{
        Failure, Proposal,
        axum::{Checked, Failed, ToolErrors},
        terminal,
    },
};
use tower::{ServiceBuilder, ServiceExt, timeout::TimeoutLayer};

use crate::{
    stage::{Stage, serve},
    tool_failures::{Vector, vectors},
};

pub fn unexpected() -> Value {
    json!({"error": "internal_error", "class": "terminal", "retryable": false,
        "message": "The tool failed for a reason of its own.", "maybe_executed": true})
}

async fn read(response: Response) -> (StatusCode, Option<String>, String) {
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, usize::MAX).await.unwrap();
    let wait = parts.headers.get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(parts.headers["content-type"], "application/json");
    assert_eq!(parts.headers["x-content-type-options"], "nosniff");
    (parts.status, wait, String::from_utf8(text.into()).unwrap())
}

pub async fn asked(app: &Router, request: Request<Body>) -> (StatusCode, Option<String>, Value) {
    let (status, wait, body) = read(app.clone().oneshot(request).await.unwrap()).await;
    (status, wait, serde_json::from_str(&body).unwrap())
}

pub fn request(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

/// By each of the ways in which a handler can fail.
#[tokio::test]
async fn a_handler_answers_with_its_failure() {
    fn case(number: usize) -> Failure {
        vectors().swap_remove(number).failure()
    }
    let in_context = |failure: Failure| Err::<(), _>(failure).context("while paying");
    let app = Router::new()
        .route("/plain/{n}", get(async |Path(n): Path<usize>| Err::<(), Failure>(case(n))))
        .route("/failed/{n}", get(async |Path(n): Path<usize>| Err::<(), Failed>(case(n).into())))
        .route(
            "/anyhow/{n}",
            get(async |Path(n): Path<usize>| Err::<(), Failed>(anyhow::Error::from(case(n)).into())),
        )
        .route("/context/{n}", get(async move |Path(n): Path<usize>| Ok::<(), Failed>(in_context(case(n))?)));
    for (number, vector) in vectors().into_iter().enumerate() {
        for way in ["plain", "failed", "anyhow", "context"] {
            let answer = app.clone().oneshot(request(&format!("/{way}/{number}"))).await.unwrap();
            let (status, wait, body) = read(answer).await;
            let Vector { name, want: due, .. } = &vector;
            assert_eq!((status.as_u16(), &wait), (due.status, &due.retry_after), "{way} {name}");
            assert_eq!(body, due.body, "{way} {name}");
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

/// Hears the fields of each event on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("toolgate_sdk")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut heard = self.0.lock().unwrap();
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            writeln!(*heard, "{field}: {value:?}").unwrap();
        });
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn what_nobody_meant_is_logged_and_a_failure_is_not() {
    let log = Log::default();
    let _hears = tracing::subscriber::set_default(log.clone());
    let app = Router::new()
        .route("/error", get(broken))
        .route("/panic", get(panics))
        .route("/failure", get(async || Err::<(), Failed>(terminal("c", "m").into())))
        .layer(ToolErrors);
    for (path, heard) in [("/error", "app:secret"), ("/panic", "index out of bounds"), ("/failure", "")] {
        asked(&app, request(path)).await;
        let said = std::mem::take(&mut *log.0.lock().unwrap());
        assert!(said.contains(heard) && said.is_empty() == heard.is_empty(), "{path}: {said}");
    }
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
