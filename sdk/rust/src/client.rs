use std::{sync::Arc, time::Duration};

use crate::{
    Answer, Arguments, Builder, Call, Error, Outcomes, Run, ToolList,
    call::outcome,
    connection::{Connection, LONGEST_TIMEOUT},
    error::{Code, GatewayError},
    patience::Patience,
    proto::{CallToolRequest, EndRunRequest, ListToolsRequest, RunSummary},
};

/// Calls tools through a gateway. A clone is cheap and shares the connection, which is closed when
/// the last one is dropped.
///
/// Whoever drops the future of a call cancels it, at the tool too.
#[derive(Clone, Debug)]
pub struct Client {
    connection: Arc<Connection>,
}

impl Client {
    /// A client of the gateway at `target`, `127.0.0.1:7440` for example: not encrypted, without a
    /// token. It connects with the first call, in the tokio runtime in which that is made.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] where the target is not `host:port`.
    pub fn new(target: impl Into<String>) -> Result<Self, Error> {
        Self::builder(target).build()
    }

    /// As `new`, with TLS, token and deadline.
    pub fn builder(target: impl Into<String>) -> Builder {
        Builder::new(target.into())
    }

    pub(crate) fn new_with(connection: Connection) -> Self {
        Self { connection: Arc::new(connection) }
    }

    /// Begins a run, which ends itself.
    #[must_use]
    pub fn run(&self) -> Run {
        self.run_with_id(Run::new_id())
    }

    /// Begins or takes up the run of this id, 1 to 128 bytes; it ends itself here.
    #[must_use]
    pub fn run_with_id(&self, id: impl Into<String>) -> Run {
        Run::new(self.clone(), id.into())
    }

    /// Runs one call to its outcome.
    ///
    /// # Errors
    ///
    /// [`Error::Tool`] where the tool failed, [`Error::Gateway`] where the rpc did.
    pub async fn call(
        &self,
        run: &str,
        tool: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<Answer, Error> {
        self.send(run, Call::new(tool, arguments)).await
    }

    /// As `call`, with all that a call can carry.
    ///
    /// # Errors
    ///
    /// As `call`.
    pub async fn send(&self, run: &str, call: Call) -> Result<Answer, Error> {
        self.attempt(run, call, self.connection.deadline).await
    }

    /// Sends, and waits out transient failures for `limit`, all in all.
    ///
    /// It sleeps what the gateway says and sends the identical call. Where a wait does not fit, and
    /// after an exhausted failure, which the gateway has waited out already, it returns the failure
    /// at once.
    ///
    /// # Errors
    ///
    /// As `call`.
    pub async fn wait_transient(&self, run: &str, call: Call, limit: Duration) -> Result<Answer, Error> {
        let patience = Patience::new(limit);
        loop {
            let timeout = patience.timeout(self.connection.deadline);
            match self.attempt(run, call.clone(), Some(timeout)).await {
                Ok(answer) => return Ok(answer),
                Err(error) => tokio::time::sleep(patience.wait(error)?).await,
            }
        }
    }

    async fn attempt(&self, run: &str, call: Call, timeout: Option<Duration>) -> Result<Answer, Error> {
        let message = CallToolRequest { run_id: run.to_owned(), call: Some(call.message) };
        let request = self.connection.request(message, timeout)?;
        outcome(within(timeout, self.connection.stub().call_tool(request)).await?)
    }

    /// Runs a model's parallel calls of one turn, 1 to 64; the outcomes come as they finish.
    ///
    /// One broken call never fails the others: each has exactly one outcome, whatever breaks.
    /// Dropping the stream cancels what is still running. Transient failures are not waited out.
    pub fn call_many(&self, run: &str, calls: impl IntoIterator<Item = Call>) -> Outcomes {
        let calls = calls.into_iter().map(|call| call.message).collect();
        Outcomes::new(self.connection.clone(), run.to_owned(), calls)
    }

    /// Lists the tools that this caller may use.
    ///
    /// # Errors
    ///
    /// [`Error::Gateway`].
    pub async fn list_tools(&self) -> Result<ToolList, Error> {
        let timeout = self.connection.deadline;
        let request = self.connection.request(ListToolsRequest {}, timeout)?;
        let listed = within(timeout, self.connection.stub().list_tools(request)).await?;
        Ok(ToolList::new(listed))
    }

    /// Forgets a run and sums it up; nothing is told of a run that the gateway does not know.
    ///
    /// # Errors
    ///
    /// [`Error::Gateway`].
    pub async fn end_run(&self, run: &str) -> Result<Option<RunSummary>, Error> {
        let timeout = self.connection.deadline;
        let message = EndRunRequest { run_id: run.to_owned() };
        let request = self.connection.request(message, timeout)?;
        Ok(within(timeout, self.connection.stub().end_run(request)).await?.run)
    }
}

/// An rpc within its time, whatever the other side does.
async fn within<T>(
    timeout: Option<Duration>,
    rpc: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, GatewayError> {
    let time = timeout.unwrap_or(LONGEST_TIMEOUT);
    match tokio::time::timeout(time, rpc).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(status.into()),
        Err(_) => Err(too_late()),
    }
}

pub(crate) fn too_late() -> GatewayError {
    GatewayError::new(Code::DeadlineExceeded, "the deadline has passed")
}
