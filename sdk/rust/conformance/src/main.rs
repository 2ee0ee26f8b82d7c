//! The executor of the Rust SDK: it makes the moves that toolgate-conformance asks for.
//! See proto/toolgate/conformance/v1.

use std::{
    io::{self, Read, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::StreamExt;
use prost::Message;
use toolgate_proto::toolgate::{
    conformance::v1 as pb,
    v1::{CallProgress, ToolCall},
};
use toolgate_sdk::{Answer, Call, Client, Code, Error, Tls, ToolCallError, ToolList};

type Broken = Box<dyn std::error::Error>;

fn main() -> Result<(), Broken> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read(&mut input)? {
        let mut response = pb::ExecuteResponse::default();
        if let Err(error) = runtime.block_on(make_move(request, &mut response)) {
            response.broken = error.to_string(); // the runner is told, whatever it is
        }
        output.write_all(&response.encode_length_delimited_to_vec())?;
        output.flush()?;
    }
    Ok(())
}

/// The next request; none where the input ends.
fn read(input: &mut impl Read) -> Result<Option<pb::ExecuteRequest>, Broken> {
    let mut prefix = Vec::new();
    let mut byte = [0];
    loop {
        if input.read(&mut byte)? == 0 {
            return Ok(None);
        }
        prefix.push(byte[0]);
        if byte[0] < 0x80 {
            break;
        }
    }
    let mut message = vec![0; prost::decode_length_delimiter(&prefix[..])?];
    input.read_exact(&mut message)?;
    Ok(Some(pb::ExecuteRequest::decode(&message[..])?))
}

async fn make_move(request: pb::ExecuteRequest, response: &mut pb::ExecuteResponse) -> Result<(), Broken> {
    let connection = request.connection.ok_or("a move without a connection")?;
    let action = request.action.ok_or("a move without an action")?;
    let client = client_of(&connection, action.deadline)?;
    let kind = action.kind.ok_or("an action that this executor does not know")?;
    let calls = if let pb::action::Kind::CallMany(many) = &kind { many.calls.len() } else { 1 };
    let patience = match action.cancel_after {
        0.0 => Duration::MAX,
        seconds => Duration::try_from_secs_f64(seconds)?,
    };
    let acted = tokio::time::timeout(patience, act(&client, &request.run_id, kind, response)).await;
    if let Ok(broken) = acted {
        return broken;
    }
    // The future was dropped, which is how Rust cancels: what has no outcome was cancelled.
    for index in 0..u32::try_from(calls)? {
        if !response.outcomes.iter().any(|outcome| outcome.index == index) {
            let cancelled = pb::RpcFailure { code: "CANCELLED".into(), reason: String::new() };
            let outcome = Some(pb::outcome::Outcome::Rpc(cancelled));
            response.outcomes.push(pb::Outcome { index, outcome, progress: vec![] });
        }
    }
    Ok(())
}

fn client_of(connection: &pb::Connection, deadline: f64) -> Result<Client, Broken> {
    let mut builder = Client::builder(&connection.target).token(&connection.token);
    if !connection.ca_pem.is_empty() {
        builder = builder.tls(Tls::authority(connection.ca_pem.as_str()));
    }
    if deadline > 0.0 {
        builder = builder.deadline(Duration::try_from_secs_f64(deadline)?);
    }
    Ok(builder.build()?)
}

async fn act(
    client: &Client,
    run: &str,
    kind: pb::action::Kind,
    response: &mut pb::ExecuteResponse,
) -> Result<(), Broken> {
    use pb::action::Kind;
    match kind {
        Kind::Call(call) => {
            let result = client.send(run, native(call)).await;
            response.outcomes.push(told(0, result)?);
        }
        Kind::WaitTransient(wait) => {
            let call = native(wait.call.ok_or("a move without a call")?);
            let limit = Duration::try_from_secs_f64(wait.within)?;
            let result = client.wait_transient(run, call, limit).await;
            response.outcomes.push(told(0, result)?);
        }
        Kind::CallMany(many) => call_many(client, run, many.calls, response).await?,
        Kind::ListTools(_) => match client.list_tools().await {
            Ok(tools) => response.shapes = shapes(&tools)?,
            Err(error) => response.outcomes.push(told(0, Err(error))?),
        },
        Kind::EndRun(_) => match client.end_run(run).await {
            Ok(summary) => response.calls = summary.unwrap_or_default().calls,
            Err(error) => response.outcomes.push(told(0, Err(error))?),
        },
    }
    Ok(())
}

async fn call_many(
    client: &Client,
    run: &str,
    calls: Vec<ToolCall>,
    response: &mut pb::ExecuteResponse,
) -> Result<(), Broken> {
    let heard: Arc<Mutex<Vec<(usize, CallProgress)>>> = Arc::default();
    let told_to = heard.clone();
    let mut outcomes = client.call_many(run, calls.into_iter().map(native)).on_progress(move |progress| {
        told_to.lock().unwrap_or_else(PoisonError::into_inner).push((progress.index, progress.proto));
    });
    while let Some(outcome) = StreamExt::next(&mut outcomes).await {
        let mut message = told(outcome.index, outcome.result)?;
        let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let own = heard.iter().filter(|(index, _)| *index == outcome.index);
        message.progress = own.map(|(_, progress)| progress.clone()).collect();
        response.outcomes.push(message);
    }
    Ok(())
}

fn native(message: ToolCall) -> Call {
    let mut call = Call::new(message.tool, message.arguments_json).id(message.call_id);
    if message.want_alternatives {
        call = call.want_alternatives();
    }
    if message.fresh {
        call = call.fresh();
    }
    call
}

fn told(index: usize, result: Result<Answer, Error>) -> Result<pb::Outcome, Broken> {
    let outcome = match result {
        Ok(answer) => {
            let text = answer.text();
            pb::outcome::Outcome::Result(pb::Answered { message: Some(answer.proto), text })
        }
        Err(Error::Tool(error)) => pb::outcome::Outcome::Failed(failed(*error)),
        Err(Error::Gateway(error)) => {
            pb::outcome::Outcome::Rpc(pb::RpcFailure { code: name_of(error.code), reason: error.reason })
        }
        Err(error) => return Err(error.into()),
    };
    Ok(pb::Outcome { index: index.try_into()?, outcome: Some(outcome), progress: vec![] })
}

/// `DeadlineExceeded` is `DEADLINE_EXCEEDED`.
fn name_of(code: Code) -> String {
    let mut name = String::new();
    for c in format!("{code:?}").chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    name
}

fn failed(error: ToolCallError) -> pb::Failed {
    pb::Failed {
        error_class: error.class.to_string(),
        code: error.code,
        message: error.message,
        retry_after: error.retry_after.map(|wait| wait.as_secs_f64()),
        exhausted: error.exhausted,
        violations: error.violations,
        alternatives: error.alternatives,
        blocked_by: error.blocked_by,
        unblock_with: error.unblock_with,
        observation: error.observation,
        error: Some(error.proto),
    }
}

fn shapes(tools: &ToolList) -> Result<Vec<pb::Shape>, Broken> {
    let shapes = [
        ("openai", tools.openai()),
        ("openai_chat", tools.openai_chat()),
        ("anthropic", tools.anthropic()),
        ("gemini", tools.gemini()),
        ("mcp", tools.mcp()),
    ];
    let written = shapes
        .into_iter()
        .map(|(name, shape)| Ok(pb::Shape { name: name.to_owned(), json: serde_json::to_string(&shape)? }));
    written.collect()
}
