//! The client against a real gateway.

use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use toolgate_sdk::{Arguments, Call, Client, Code, Error, ErrorClass, GatewayError, Outcome, ToolCallError};

use crate::stage::Stage;

fn tool_error<T: std::fmt::Debug>(result: Result<T, Error>) -> ToolCallError {
    match result {
        Err(Error::Tool(error)) => *error,
        other => panic!("no failure of the tool: {other:?}"),
    }
}

fn gateway_error<T: std::fmt::Debug>(result: Result<T, Error>) -> GatewayError {
    match result {
        Err(Error::Gateway(error)) => error,
        other => panic!("no failure of the gateway: {other:?}"),
    }
}

#[tokio::test]
async fn an_answer_keeps_its_digits_and_parses() {
    let stage = Stage::start().await;
    stage.answer("/invoices", r#"{"total":12345678901234567890.10,"open":2}"#);
    let run = Client::new(&stage.target).unwrap().run();
    let answer = run.call("list_invoices", json!({"start_date": "03/14/2026"})).await.unwrap();
    assert_eq!(answer.text(), r#"{"total":12345678901234567890.10,"open":2}"#);
    assert_eq!(answer.json::<Value>().unwrap()["open"], 2);
    assert_eq!(answer.proto.coercions[0].to_json, r#""2026-03-14""#);
    assert_eq!(stage.requests(), ["/invoices?start_date=2026-03-14"]);
}

#[tokio::test]
async fn no_digit_of_the_arguments_is_lost() {
    let stage = Stage::start().await;
    stage.answer("/notes", "{}");
    let run = Client::new(&stage.target).unwrap().run();
    let wide = Arguments::json(&std::collections::BTreeMap::from([("n", u128::from(u64::MAX) + 1)])).unwrap();
    run.call("put_note", wide).await.unwrap();
    run.call("put_note", r#"{"total":12345678901234567890.10,"s":"é<>"}"#).await.unwrap();
    let want = [r#"{"n":18446744073709551616}"#, r#"{"total":12345678901234567890.10,"s":"é<>"}"#];
    assert_eq!(stage.bodies(), want);
}

#[tokio::test]
async fn a_wrong_argument_is_told_with_what_is_accepted() {
    let stage = Stage::start().await;
    let run = Client::new(&stage.target).unwrap().run();
    let error = tool_error(run.call("list_invoices", json!({"status": "opn"})).await);
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::InvalidRequest, "invalid_arguments"));
    assert_eq!(error.retry_after, None);
    assert_eq!(error.violations[0].field, "status");
    assert_eq!(error.violations[0].accepted, ["open", "paid"]);
    assert!(error.observation.contains(r#""expected":["open","paid"]"#));
    assert_eq!(error.proto.code, error.code);
}

#[tokio::test]
async fn a_run_is_summed_up() {
    let stage = Stage::start().await;
    stage.answer("/invoices", "{}");
    let client = Client::new(&stage.target).unwrap();
    let run = client.run_with_id("r1");
    run.call("list_invoices", ()).await.unwrap();
    let summary = run.end().await.unwrap();
    assert_eq!((summary.run_id.as_str(), summary.calls), ("r1", 1));
    assert_eq!(client.end_run("r1").await.unwrap().unwrap_or_default().calls, 0);
    assert_ne!(client.run().id(), client.run().id());
}

#[tokio::test]
async fn a_run_that_is_dropped_ends_itself() {
    let stage = Stage::start().await;
    stage.answer("/invoices", "{}");
    let client = Client::new(&stage.target).unwrap();
    drop(client.run_with_id("r1").call("list_invoices", ()).await);
    let forgotten = async {
        let mut stub = proto_client(&stage.target).await;
        loop {
            let request = toolgate_sdk::proto::GetRunRequest { run_id: "r1".into() };
            match stub.get_run(request).await {
                Ok(run) if run.get_ref().run.as_ref().is_some_and(|run| run.calls > 0) => {}
                _ => break, // a run that is not known, or is new
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), forgotten).await.expect("the run did not end");
}

async fn proto_client(
    target: &str,
) -> toolgate_sdk::proto::tool_gateway_service_client::ToolGatewayServiceClient<tonic::transport::Channel> {
    toolgate_sdk::proto::tool_gateway_service_client::ToolGatewayServiceClient::connect(format!(
        "http://{target}"
    ))
    .await
    .unwrap()
}

#[test]
fn a_run_may_be_dropped_where_no_runtime_is() {
    drop(Client::new("127.0.0.1:1").unwrap().run());
}

#[tokio::test]
async fn a_transient_failure_is_repeated_by_wait_transient_alone() {
    let stage = Stage::start().await;
    stage.answer_with("/invoices", 429, &[("retry-after", "1".into())], "{}");
    stage.answer("/invoices", r#"{"n":1}"#);
    let client = Client::new(&stage.target).unwrap();
    let error = tool_error(client.call("a", "list_invoices", ()).await);
    assert_eq!((error.class, error.retry_after), (ErrorClass::Transient, Some(Duration::from_secs(1))));
    assert_eq!(stage.requests().len(), 1);
    let call = Call::new("list_invoices", ());
    let answer = client.wait_transient("b", call, Duration::from_secs(20)).await.unwrap();
    assert_eq!(answer.text(), r#"{"n":1}"#);
    assert_eq!(stage.requests().len(), 2);
}

#[tokio::test]
async fn what_does_not_fit_is_not_waited() {
    let stage = Stage::start().await;
    stage.answer_with("/invoices", 429, &[("retry-after", "30".into())], "{}");
    let run = Client::new(&stage.target).unwrap().run();
    let begun = Instant::now();
    let waited = run.wait_transient(Call::new("list_invoices", ()), Duration::from_secs(20)).await;
    assert_eq!(tool_error(waited).retry_after, Some(Duration::from_secs(30)));
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(stage.requests().len(), 1);
}

#[tokio::test]
async fn outcomes_of_a_batch_stand_alone() {
    let stage = Stage::start().await;
    stage.answer("/balances/a", r#"{"balance":42.1}"#);
    let run = Client::new(&stage.target).unwrap().run();
    let calls = [
        Call::new("get_balance", json!({"account_id": "a"})),
        Call::new("get_balance", "{not json"),
        Call::new("nowhere", ()),
    ];
    let mut outcomes: Vec<Outcome> = run.call_many(calls).collect().await;
    outcomes.sort_by_key(|outcome| outcome.index);
    assert_eq!(outcomes.iter().map(|outcome| outcome.index).collect::<Vec<_>>(), [0, 1, 2]);
    let codes = outcomes.into_iter().map(|outcome| match outcome.result {
        Ok(answer) => answer.text(),
        other => tool_error(other).code,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [r#"{"balance":42.1}"#, "malformed_json", "unknown_tool"]);
    assert!(run.call_many([]).next().await.is_none());
}

#[tokio::test]
async fn progress_is_heard_before_the_outcome() {
    let stage = Stage::start().await;
    stage.answer("/balances/a", "{}");
    let run = Client::new(&stage.target).unwrap().run();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let call = Call::new("get_balance", json!({"account_id": "a"}));
    let mut outcomes = run.call_many([call]).on_progress(move |progress| tell.send(progress).unwrap());
    assert!(outcomes.next().await.unwrap().result.is_ok());
    assert_eq!(told.try_recv().unwrap().index, 0);
}

#[tokio::test]
async fn leaving_a_batch_cancels_the_rest_at_the_tool() {
    let stage = Stage::start().await;
    stage.answer("/balances/a", "{}");
    let client = Client::new(&stage.target).unwrap();
    let calls = ["hangs", "a"].map(|id| Call::new("get_balance", json!({"account_id": id})));
    let mut outcomes = client.call_many("r", calls);
    assert_eq!(outcomes.next().await.unwrap().index, 1);
    stage.hung().await;
    drop(outcomes);
    stage.left().await;
}

#[tokio::test]
async fn dropping_a_call_cancels_it_at_the_tool() {
    let stage = Stage::start().await;
    let client = Client::new(&stage.target).unwrap();
    let mut call = Box::pin(client.call("r", "list_invoices", ())).fuse();
    tokio::select! {
        _ = &mut call => panic!("it was answered"),
        () = stage.hung() => {}
    }
    drop(call);
    stage.left().await;
    assert!(client.list_tools().await.is_ok(), "the connection lives on");
}

#[tokio::test]
async fn a_status_tells_the_gateways_reason() {
    let stage = Stage::start().await;
    let client = Client::new(&stage.target).unwrap();
    let error = gateway_error(client.call("", "list_invoices", ()).await);
    assert_eq!(error.code, Code::InvalidArgument);
    assert_ne!(error.reason, "");
}

#[tokio::test]
async fn a_gateway_that_goes_away_is_unavailable_for_each_call() {
    let mut stage = Stage::start().await;
    let client = Client::new(&stage.target).unwrap();
    let single = client.clone();
    let single = tokio::spawn(async move { single.call("s", "list_invoices", ()).await });
    stage.hung().await;
    let calls = [Call::new("list_invoices", ()), Call::new("list_invoices", json!({"status": "open"}))];
    let outcomes = tokio::spawn(client.call_many("r", calls).collect::<Vec<_>>());
    stage.hung().await;
    stage.kill_gateway().await;
    assert_eq!(gateway_error(single.await.unwrap()).code, Code::Unavailable);
    let codes: Vec<_> =
        outcomes.await.unwrap().into_iter().map(|outcome| gateway_error(outcome.result).code).collect();
    assert_eq!(codes, [Code::Unavailable, Code::Unavailable]);
}

#[tokio::test]
async fn nobody_there_is_no_fault_of_the_tool() {
    let client = Client::builder("127.0.0.1:1").deadline(Duration::from_secs(5)).build().unwrap();
    assert_eq!(gateway_error(client.call("r", "list_invoices", ()).await).code, Code::Unavailable);
    let outcomes: Vec<_> = client.call_many("r", [Call::new("t", ()), Call::new("u", ())]).collect().await;
    assert_eq!(outcomes.len(), 2);
    assert_eq!(client.run().end().await, None);
}

#[tokio::test]
async fn a_client_finds_the_gateway_that_comes_later() {
    let mut stage = Stage::start().await;
    stage.answer("/invoices", "{}");
    let client = Client::new(&stage.target).unwrap();
    client.call("r", "list_invoices", ()).await.unwrap();
    stage.kill_gateway().await;
    assert_eq!(gateway_error(client.call("r", "list_invoices", ()).await).code, Code::Unavailable);
    let target = stage.target.clone();
    let stage = Stage::start_with(Some(&stage.backend_url), &["--listen", &target]).await;
    assert_eq!(stage.target, target);
    client.call("r", "list_invoices", ()).await.unwrap();
}

#[tokio::test]
async fn a_gateway_that_says_nothing_is_left_at_the_deadline() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = listener.local_addr().unwrap().to_string();
    let client = Client::builder(target).deadline(Duration::from_millis(200)).build().unwrap();
    assert_eq!(gateway_error(client.call("r", "t", ()).await).code, Code::DeadlineExceeded);
    let outcomes: Vec<_> = client.call_many("r", [Call::new("t", ()), Call::new("u", ())]).collect().await;
    for outcome in outcomes {
        assert_eq!(gateway_error(outcome.result).code, Code::DeadlineExceeded);
    }
}

#[tokio::test]
async fn the_shapes_carry_the_schema_as_it_is() {
    let stage = Stage::start().await;
    let client = Client::new(&stage.target).unwrap();
    let tools = client.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["book_slot", "get_balance", "list_invoices", "put_note"]);
    assert_eq!((tools.len(), tools.is_empty()), (4, false));
    assert_ne!(tools.contract(), "");
    let second =
        |shape: Vec<Box<serde_json::value::RawValue>>| serde_json::to_value(shape).unwrap()[1].clone();
    let schema = json!({"type": "object", "properties": {"account_id": {"type": "string"}}, "required": ["account_id"]});
    assert_eq!(second(tools.openai())["parameters"], schema);
    assert_eq!(second(tools.openai())["type"], "function");
    assert_eq!(second(tools.openai_chat())["function"]["parameters"], schema);
    assert_eq!(second(tools.anthropic())["input_schema"], schema);
    assert_eq!(second(tools.gemini())["parametersJsonSchema"], schema);
    assert_eq!(second(tools.mcp())["inputSchema"], schema);
    assert_eq!(second(tools.mcp())["annotations"]["readOnlyHint"], true);
}

#[tokio::test]
async fn a_token_that_changes_is_asked_for_with_every_rpc() {
    let stage = Stage::start().await;
    let (tell, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let token = move || {
        tell.send(()).unwrap();
        "t".to_owned()
    };
    let client = Client::builder(&stage.target).token_from(token).build().unwrap();
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!((asked.try_recv(), asked.try_recv()), (Ok(()), Ok(())));
    let client = Client::builder(&stage.target).token("new\nline").build().unwrap();
    assert_eq!(gateway_error(client.list_tools().await).code, Code::Unauthenticated);
}

#[test]
fn what_a_client_gives_can_go_to_another_thread() {
    fn sent<T: Send + 'static>(_: T) {}
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Client>();
    shared::<toolgate_sdk::Run>();
    shared::<Error>();
    let client = Client::new("127.0.0.1:1").unwrap();
    sent(client.call_many("r", [Call::new("t", ())]));
    sent(async move { client.wait_transient("r", Call::new("t", ()), Duration::ZERO).await });
}
