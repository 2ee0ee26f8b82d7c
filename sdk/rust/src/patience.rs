use std::time::Duration;

use tokio::time::Instant;

use crate::{Error, ErrorClass};

/// Keeps a `retry_after` of zero from becoming a busy loop.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// Decides how long `wait_transient` waits: only where the class says so, and it fits.
pub(crate) struct Patience {
    ends: Option<Instant>, // none: beyond what a clock can tell
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { ends: Instant::now().checked_add(limit) }
    }

    fn left(&self) -> Duration {
        self.ends.map_or(Duration::MAX, |ends| ends.saturating_duration_since(Instant::now()))
    }

    /// How long one attempt may take.
    pub(crate) fn timeout(&self, deadline: Option<Duration>) -> Duration {
        let left = self.left().max(Duration::from_millis(1));
        deadline.map_or(left, |deadline| deadline.min(left))
    }

    /// How long to sleep before the identical call; the error back, where that is not to be.
    pub(crate) fn wait(&self, error: Error) -> Result<Duration, Error> {
        let Error::Tool(failure) = &error else {
            return Err(error);
        };
        let wait = failure.retry_after.unwrap_or_default().max(SHORTEST_WAIT);
        if failure.class != ErrorClass::Transient || failure.exhausted || wait >= self.left() {
            return Err(error);
        }
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ToolCallError,
        error::{Code, GatewayError},
        proto::{self, ToolError},
    };

    fn failure(class: proto::ErrorClass, retry_after: f64, exhausted: bool) -> Error {
        ToolCallError::from(ToolError {
            error_class: class.into(),
            retry_after: Some(retry_after),
            exhausted,
            ..ToolError::default()
        })
        .into()
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends_with_its_time_and_with_every_other_class() {
        use proto::ErrorClass::{InvalidRequest, Terminal, Transient};
        let patience = Patience::new(Duration::from_secs(10));
        let wait = |error| patience.wait(error).map_err(|_| ());
        assert_eq!(wait(failure(Transient, 0.0, false)), Ok(SHORTEST_WAIT));
        assert_eq!(wait(failure(Transient, 2.5, false)), Ok(Duration::from_millis(2500)));
        for over in [
            failure(Transient, 10.0, false),
            failure(Transient, f64::INFINITY, false),
            failure(Transient, 1.0, true),
            failure(InvalidRequest, 1.0, false),
            failure(Terminal, 1.0, false),
            GatewayError::new(Code::Unavailable, "").into(),
        ] {
            assert_eq!(wait(over), Err(()));
        }
        tokio::time::advance(Duration::from_secs(8)).await;
        assert_eq!(wait(failure(Transient, 2.5, false)), Err(()));
        let endless = Patience::new(Duration::MAX);
        assert_eq!(endless.wait(failure(Transient, 2.5, false)).ok(), Some(Duration::from_millis(2500)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_ends_with_the_patience_or_its_deadline() {
        let patience = Patience::new(Duration::from_secs(10));
        let minute = Duration::from_secs(60);
        assert_eq!(patience.timeout(None), Duration::from_secs(10));
        assert_eq!(patience.timeout(Some(minute)), Duration::from_secs(10));
        assert_eq!(patience.timeout(Some(Duration::from_secs(1))), Duration::from_secs(1));
        tokio::time::advance(minute).await;
        assert_eq!(patience.timeout(None), Duration::from_millis(1));
    }
}
