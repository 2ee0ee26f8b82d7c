//! What extractors of axum refuse.

use axum::{
    Extension, Form, Json, Router,
    body::Body,
    extract::{FromRequestParts, Path, Query},
    http::{Request, StatusCode, request::Parts},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::json;
use toolgate_sdk::tool::axum::Checked;
use tower::ServiceExt;

use crate::handlers::{asked, request, unexpected};

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

/// An extractor of another crate, which refuses with the status of its path.
struct Stranger;

#[derive(Debug)]
struct Refused(StatusCode);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "No stranger is let in.")
    }
}

impl std::error::Error for Refused {}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Stranger {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        Err(Refused(parts.uri.path().rsplit('/').next().unwrap().parse().unwrap()))
    }
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
    async fn extension(Checked(_): Checked<Extension<u8>>) {}
    async fn form(Checked(Form(item)): Checked<Form<Item>>) -> String {
        item.id.to_string()
    }
    async fn stranger(_: Checked<Stranger>) {}
    async fn text(Checked(text): Checked<String>) -> String {
        text
    }
    Router::new()
        .route("/json", post(json))
        .route("/query", get(query))
        .route("/path/{n}/{status}", get(path))
        .route("/order/{id}", get(order))
        .route("/missing", get(missing))
        .route("/extension", get(extension))
        .route("/form", get(form))
        .route("/stranger/{status}", get(stranger))
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
        (request("/form?id=x"), "bad_request", "id", &none),
        (request("/stranger/404"), "bad_request", "", &none),
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
    for path in ["/missing", "/extension", "/stranger/500"] {
        let (status, _, body) = asked(&shop(), request(path)).await;
        assert_eq!((status, body), (StatusCode::INTERNAL_SERVER_ERROR, unexpected()), "{path}");
    }
    for (path, class) in [("/stranger/403", "terminal"), ("/stranger/429", "transient")] {
        assert_eq!(asked(&shop(), request(path)).await.2["class"], class, "{path}");
    }
    let taken = shop().oneshot(posted("/json", r#"{"items":[{"id":1,"status":"paid"}]}"#)).await.unwrap();
    assert_eq!(taken.status(), StatusCode::OK);
}
