//! The snippets of the README run as they stand, against the gateway of the tests.

#[path = "../../tests/it/stage.rs"]
#[expect(dead_code, reason = "the snippets need less of it")]
mod stage;

use std::{process::Stdio, time::Duration};

use tokio::{io::AsyncReadExt, net::TcpStream, process::Command};

use stage::Stage;

const README: &str = include_str!("../../README.md");

/// What each snippet says, in the order of the README.
const SAID: [&str; 4] =
    [r#"{"invoices":[]}"#, r#"{"invoices":[]}"#, r#"get_balance: {"balance":42.1}"#, r#"{"invoices":[]}"#];

fn snippets() -> Vec<&'static str> {
    README.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

fn snippet(number: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_readme"));
    command.arg(number.to_string()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
    command
}

#[tokio::test]
async fn each_snippet_of_a_caller_runs() {
    let stage = Stage::start().await;
    stage.answer("/invoices", r#"{"invoices":[]}"#);
    stage.answer("/balances/acc_1042", r#"{"balance":42.1}"#);
    for (number, said) in SAID.into_iter().enumerate() {
        let output = snippet(number).env("GATEWAY", &stage.target).output().await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(said), "{number}: {text}");
    }
    assert_eq!(stage.requests().len(), 5);
}

#[tokio::test]
async fn the_snippet_of_a_tool_serves() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = format!("127.0.0.1:{port}");
    let _server = snippet(SAID.len()).env("LISTEN", &listen).spawn().unwrap();
    let connected = async {
        loop {
            match TcpStream::connect(&listen).await {
                Ok(connection) => break connection,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    let connected = tokio::time::timeout(Duration::from_secs(30), connected);
    let mut connection = connected.await.expect("it does not listen");
    let request = b"GET /invoices?start_date=x HTTP/1.1\r\nhost: tool\r\nconnection: close\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut connection, request).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains(r#""format":"YYYY-MM-DD""#), "{answer}");
}

#[test]
fn a_stranger_calls_in_less_than_fifteen_lines() {
    assert_eq!(snippets().len(), SAID.len() + 1);
    assert!(snippets()[0].trim().lines().count() < 15);
}
