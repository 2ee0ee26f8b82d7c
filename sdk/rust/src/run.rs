use std::time::Duration;

use crate::{Answer, Arguments, Call, Client, Error, Outcomes, proto::RunSummary};

/// One run of an agent: what the gateway remembers, counts and refuses belongs to it.
///
/// Dropped it ends itself, in the background of the tokio runtime in which it is dropped, and
/// unheard; [`Run::end`] is for whoever wants the summary, or leaves the runtime next. A gateway that
/// can't be reached for that is no error: it forgets the run by itself, after an hour without a call.
#[derive(Debug)]
pub struct Run {
    client: Client,
    id: String,
    ended: bool,
}

impl Run {
    pub(crate) fn new(client: Client, id: String) -> Self {
        Self { client, id, ended: false }
    }

    pub(crate) fn new_id() -> String {
        let mut bytes = [0; 16];
        // Only where the system has no randomness at all; then it need not be secret, but another one.
        if getrandom::fill(&mut bytes).is_err() {
            use std::hash::{BuildHasher, RandomState};
            bytes[..8].copy_from_slice(&RandomState::new().hash_one(0).to_le_bytes());
        }
        format!("{:032x}", u128::from_le_bytes(bytes))
    }

    /// The run's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Ends the run and sums it up; none where the gateway can't be reached, or knows no such run.
    pub async fn end(mut self) -> Option<RunSummary> {
        let summary = self.client.end_run(&self.id).await.ok().flatten();
        self.ended = true;
        summary
    }

    /// As [`Client::call`].
    ///
    /// # Errors
    ///
    /// [`Error::Tool`] where the tool failed, [`Error::Gateway`] where the rpc did.
    pub async fn call(
        &self,
        tool: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<Answer, Error> {
        self.client.call(&self.id, tool, arguments).await
    }

    /// As [`Client::send`].
    ///
    /// # Errors
    ///
    /// As `call`.
    pub async fn send(&self, call: Call) -> Result<Answer, Error> {
        self.client.send(&self.id, call).await
    }

    /// As [`Client::wait_transient`].
    ///
    /// # Errors
    ///
    /// As `call`.
    pub async fn wait_transient(&self, call: Call, limit: Duration) -> Result<Answer, Error> {
        self.client.wait_transient(&self.id, call, limit).await
    }

    /// As [`Client::call_many`].
    pub fn call_many(&self, calls: impl IntoIterator<Item = Call>) -> Outcomes {
        self.client.call_many(&self.id, calls)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let (client, id) = (self.client.clone(), std::mem::take(&mut self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { client.end_run(&id).await });
        }
    }
}
