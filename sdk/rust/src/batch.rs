use std::{
    collections::BTreeSet,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_core::{Stream, future::BoxFuture};
use tokio::time::Sleep;
use tonic::Streaming;

use crate::{
    Answer, Error,
    call::outcome,
    client::too_late,
    connection::{Connection, LONGEST_TIMEOUT},
    error::{Code, GatewayError},
    proto::{CallProgress, CallToolsRequest, CallToolsResponse, ToolCall, call_tools_response::Event},
};

/// How one of many calls ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The call's place in the list, from 0.
    pub index: usize,
    /// As `call` returns it.
    pub result: Result<Answer, Error>,
}

/// What the gateway does while the caller waits: for people and logs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The call's place in the list, from 0.
    pub index: usize,
    /// What it does.
    pub proto: CallProgress,
}

/// The outcomes of many calls, as they finish: a [`Stream`], or to be asked by [`Outcomes::next`].
/// Nothing is sent before the first is asked for.
#[must_use = "nothing is sent until an outcome is asked for"]
pub struct Outcomes {
    state: State,
    open: BTreeSet<usize>, // what has no outcome yet
    deadline: Option<Pin<Box<Sleep>>>,
    broken: Option<GatewayError>,
    told: Option<Box<dyn FnMut(Progress) + Send>>,
}

enum State {
    Unsent(Option<(Arc<Connection>, CallToolsRequest)>),
    Opening(BoxFuture<'static, Result<Streaming<CallToolsResponse>, GatewayError>>),
    Open(Box<Streaming<CallToolsResponse>>),
    Over,
}

impl Outcomes {
    pub(crate) fn new(connection: Arc<Connection>, run_id: String, calls: Vec<ToolCall>) -> Self {
        Self {
            open: (0..calls.len()).collect(),
            state: State::Unsent(Some((connection, CallToolsRequest { run_id, calls }))),
            deadline: None,
            broken: None,
            told: None,
        }
    }

    /// Hears what the gateway does meanwhile, between the outcomes.
    pub fn on_progress(mut self, told: impl FnMut(Progress) + Send + 'static) -> Self {
        self.told = Some(Box::new(told));
        self
    }

    /// The next outcome; none after the last. Dropping its future loses nothing.
    #[expect(clippy::should_implement_trait, reason = "the asynchronous one")]
    pub fn next(&mut self) -> impl Future<Output = Option<Outcome>> + Send {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx))
    }

    /// Reads one event. Events and places that are not known are ignored.
    fn take(&mut self, event: CallToolsResponse) -> Option<Outcome> {
        let index = usize::try_from(event.index).ok()?;
        if !self.open.contains(&index) {
            return None;
        }
        match event.event? {
            Event::Progress(proto) => {
                if let Some(told) = &mut self.told {
                    told(Progress { index, proto });
                }
                None
            }
            Event::Done(response) => {
                self.open.remove(&index);
                Some(Outcome { index, result: outcome(response) })
            }
        }
    }

    /// The next event; none where the stream is over, for the reason in `broken`.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<CallToolsResponse>> {
        loop {
            match &mut self.state {
                State::Unsent(call) => {
                    let call = call.take();
                    self.send(call);
                }
                State::Opening(rpc) => match ready!(rpc.as_mut().poll(cx)) {
                    Ok(stream) => self.state = State::Open(Box::new(stream)),
                    Err(error) => self.end(Some(error)),
                },
                State::Open(stream) => match ready!(Pin::new(stream).poll_next(cx)) {
                    Some(Ok(event)) => return Poll::Ready(Some(event)),
                    Some(Err(status)) => self.end(Some(status.into())),
                    None => self.end(None),
                },
                State::Over => return Poll::Ready(None),
            }
        }
    }

    fn send(&mut self, call: Option<(Arc<Connection>, CallToolsRequest)>) {
        let Some((connection, message)) = call.filter(|(_, message)| !message.calls.is_empty()) else {
            return self.end(None);
        };
        let time = connection.deadline.unwrap_or(LONGEST_TIMEOUT);
        self.deadline = Some(Box::pin(tokio::time::sleep(time)));
        self.state = State::Opening(Box::pin(async move {
            let request = connection.request(message, connection.deadline)?;
            Ok(connection.stub().call_tools(request).await?.into_inner())
        }));
    }

    fn end(&mut self, error: Option<GatewayError>) {
        self.state = State::Over;
        self.broken = error;
    }
}

impl Stream for Outcomes {
    type Item = Outcome;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outcome>> {
        let this = &mut *self;
        loop {
            match this.poll_event(cx) {
                Poll::Ready(Some(event)) => {
                    if let Some(outcome) = this.take(event) {
                        return Poll::Ready(Some(outcome));
                    }
                }
                Poll::Ready(None) => break,
                Poll::Pending => {
                    let late = this.deadline.as_mut().map(|sleep| sleep.as_mut().poll(cx));
                    if !matches!(late, Some(Poll::Ready(()))) {
                        return Poll::Pending;
                    }
                    this.end(Some(too_late()));
                }
            }
        }
        // What broke the stream is the outcome of every call that has none.
        Poll::Ready(this.open.pop_first().map(|index| Outcome {
            index,
            result: Err(this.broken.clone().unwrap_or_else(ended_early).into()),
        }))
    }
}

fn ended_early() -> GatewayError {
    GatewayError::new(Code::Unknown, "the stream ended before every call had its outcome")
}

impl fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcomes").field("open", &self.open).finish_non_exhaustive()
    }
}
