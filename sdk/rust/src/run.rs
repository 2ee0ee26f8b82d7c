use std::time::Duration;

use crate::{Answer, Arguments, Call, Client, Error, Outcomes, proto::RunSummary};

/// Nobody waits longer for what only tells how a run was.
const FAREWELL: Duration = Duration::from_secs(5);

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

    /// Ends the run and sums it up; none where the gateway can't be reached within five seconds, or
    /// knows no such run.
    pub async fn end(mut self) -> Option<RunSummary> {
        let summary = farewell(&self.client, &self.id).await;
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

async fn farewell(client: &Client, id: &str) -> Option<RunSummary> {
    tokio::time::timeout(FAREWELL, client.end_run(id)).await.ok()?.ok()?
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let (client, id) = (self.client.clone(), std::mem::take(&mut self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { farewell(&client, &id).await });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_long_for_the_end_of_a_run() {
        let deaf = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let run = Client::new(deaf.local_addr().unwrap().to_string()).unwrap().run();
        let began = tokio::time::Instant::now();
        assert_eq!(run.end().await, None);
        assert_eq!(began.elapsed().as_secs(), 5);
    }
}
