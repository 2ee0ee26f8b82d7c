//! A gateway as it is built, and a back end that answers as it is told.

use std::{
    collections::{HashMap, VecDeque},
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderName, StatusCode},
    response::{IntoResponse, Response},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpListener,
    process::{Child, Command},
    sync::Notify,
};

const CATALOG: &str = r#"
upstreams:
  shop: {url: "{backend}"}
  clinic: {url: "{backend}", speaks: toolgate}
tools:
  - name: list_invoices
    description: Lists invoices.
    upstream: shop
    http: {method: GET, url: /invoices}
    input_schema:
      type: object
      properties:
        start_date: {type: string, format: date}
        status: {type: string, enum: [open, paid]}
      additionalProperties: false
    policy: {max_wait: 0s}
  - name: get_balance
    description: Shows a balance.
    upstream: shop
    http: {method: GET, url: "/balances/{account_id}"}
    input_schema:
      type: object
      properties: {account_id: {type: string}}
      required: [account_id]
  - name: put_note
    description: Keeps a note of any shape.
    upstream: shop
    http: {method: PUT, url: /notes}
    input_schema: {type: object}
  - name: book_slot
    description: Books a slot.
    upstream: clinic
    http: {method: POST, url: /slots}
    input_schema: {type: object}
"#;

/// What is longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

#[derive(Default)]
struct Backend {
    answers: Mutex<HashMap<String, VecDeque<Answer>>>,
    requests: Mutex<Vec<(String, String)>>,
    hung: Notify,
    left: Notify,
}

/// The gateway ends when it is dropped.
pub struct Stage {
    pub target: String,
    pub backend_url: String,
    pub folder: PathBuf,
    backend: Arc<Backend>,
    gateway: Child,
}

impl Stage {
    pub async fn start() -> Self {
        Self::start_with(None, &[]).await
    }

    /// As `start`, with tools at another place and more flags. `{folder}` is a folder of the stage's own.
    pub async fn start_with(tools_at: Option<&str>, flags: &[&str]) -> Self {
        let folder = new_folder();
        Self::start_in(folder, tools_at, flags).await
    }

    pub async fn start_in(folder: PathBuf, tools_at: Option<&str>, flags: &[&str]) -> Self {
        let backend = Arc::new(Backend::default());
        let backend_url = serve(Router::new().fallback(answer).with_state(backend.clone())).await;
        let catalog = folder.join("catalog.yaml");
        std::fs::write(&catalog, CATALOG.replace("{backend}", tools_at.unwrap_or(&backend_url))).unwrap();
        let (target, gateway) = start_gateway(&catalog, flags).await;
        Self { target, backend_url, folder, backend, gateway }
    }

    /// One more answer for a path; the last is given again and again. A path without one hangs until the
    /// caller leaves.
    pub fn answer(&self, path: &str, body: impl Into<String>) {
        self.answer_with(path, 200, &[], body);
    }

    pub fn answer_with(
        &self,
        path: &str,
        status: u16,
        headers: &[(&'static str, String)],
        body: impl Into<String>,
    ) {
        let answer = Answer { status, headers: headers.to_vec(), body: body.into() };
        self.backend.answers.lock().unwrap().entry(path.to_owned()).or_default().push_back(answer);
    }

    pub fn requests(&self) -> Vec<String> {
        self.backend.requests.lock().unwrap().iter().map(|(target, _)| target.clone()).collect()
    }

    pub fn bodies(&self) -> Vec<String> {
        self.backend.requests.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// Until a request hangs.
    pub async fn hung(&self) {
        tokio::time::timeout(PATIENCE, self.backend.hung.notified()).await.expect("no request hangs");
    }

    /// Until the caller of a hanging request has left.
    pub async fn left(&self) {
        tokio::time::timeout(PATIENCE, self.backend.left.notified()).await.expect("nobody left");
    }

    pub async fn kill_gateway(&mut self) {
        self.gateway.kill().await.unwrap();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A folder of this test's own.
pub fn new_folder() -> PathBuf {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("toolgate-rust-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Serves at a free port; returns the URL.
pub async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn start_gateway(catalog: &std::path::Path, flags: &[&str]) -> (String, Child) {
    let program = std::env::var("TOOLGATE").unwrap_or_else(|_| "toolgate".to_owned());
    let mut gateway = Command::new(program)
        .args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "", "--catalog"])
        .arg(catalog)
        .args(flags)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the gateway is built by `make build`");
    let mut lines = BufReader::new(gateway.stderr.take().unwrap()).lines();
    let mut said = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        let told: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        if told["msg"] == "serving" {
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return (told["grpc"].as_str().unwrap().to_owned(), gateway);
        }
        said += &line;
    }
    panic!("the gateway ended: {said}");
}

/// Tells that its request was left.
struct Hanging(Arc<Backend>);

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.left.notify_one();
    }
}

async fn answer(State(backend): State<Arc<Backend>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    backend.requests.lock().unwrap().push((target, String::from_utf8_lossy(&body).into_owned()));
    let Some(answer) = next(&backend, parts.uri.path()) else {
        let _hanging = Hanging(backend.clone());
        backend.hung.notify_one();
        return std::future::pending().await;
    };
    let mut response = (StatusCode::from_u16(answer.status).unwrap(), answer.body).into_response();
    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
    for (name, value) in answer.headers {
        response.headers_mut().insert(HeaderName::from_static(name), value.parse().unwrap());
    }
    response
}

fn next(backend: &Backend, path: &str) -> Option<Answer> {
    let mut answers = backend.answers.lock().unwrap();
    let queue = answers.get_mut(path)?;
    if queue.len() > 1 { queue.pop_front() } else { queue.front().cloned() }
}
