use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tonic::{
    metadata::AsciiMetadataValue,
    transport::{Channel, Endpoint, Uri},
};

#[cfg(feature = "tls")]
use crate::Tls;
use crate::{
    Client, Error,
    error::{Code, GatewayError},
    proto::tool_gateway_service_client::ToolGatewayServiceClient,
};

const CONNECT_WITHIN: Duration = Duration::from_secs(20); // gRPC's own
// A connection that is gone without a word is noticed by the next ping, and calls on it fail.
const PING_EVERY: Duration = Duration::from_secs(30);
const PONG_WITHIN: Duration = Duration::from_secs(20);

/// What gRPC can say of a time: eight digits.
pub(crate) const LONGEST_TIMEOUT: Duration = Duration::from_secs(99_999_999);

type Token = dyn Fn() -> String + Send + Sync;

/// How the gateway is reached. [`Client::builder`] begins it.
#[must_use = "a builder connects nothing"]
pub struct Builder {
    target: String,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    token: Option<Arc<Token>>,
    deadline: Option<Duration>,
}

impl Builder {
    pub(crate) fn new(target: String) -> Self {
        Self {
            target,
            #[cfg(feature = "tls")]
            tls: None,
            token: None,
            deadline: None,
        }
    }

    /// Encrypts the connection; without this it is not.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The bearer token that is shown with every rpc: an API key, or a token of an issuer that the
    /// gateway knows. Empty: none. It is sent in the clear where the connection is not encrypted.
    pub fn token(self, token: impl Into<String>) -> Self {
        let token = token.into();
        self.token_from(move || token.clone())
    }

    /// As `token`, of one that changes: it is asked for with every rpc, and should not block.
    pub fn token_from(mut self, token: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.token = Some(Arc::new(token));
        self
    }

    /// How long a call may take; without this the gateway's default holds.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Makes the client. It connects with the first call, and anew whenever that is needed.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] where the target is not `host:port`, or a certificate can't be read.
    pub fn build(self) -> Result<Client, Error> {
        #[cfg(feature = "tls")]
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        #[cfg(not(feature = "tls"))]
        let scheme = "http";
        let endpoint = Endpoint::from(uri(scheme, &self.target)?)
            .user_agent(concat!("toolgate-sdk-rust/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| Error::Setup(error.into()))?
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_WITHIN)
            .http2_keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PONG_WITHIN)
            .keep_alive_while_idle(true);
        #[cfg(feature = "tls")]
        let endpoint = match self.tls {
            Some(tls) => tls.on(endpoint)?,
            None => endpoint,
        };
        Ok(Client::new_with(Connection {
            endpoint,
            channel: OnceLock::new(),
            token: self.token,
            deadline: self.deadline,
        }))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("target", &self.target).finish_non_exhaustive()
    }
}

fn uri(scheme: &str, target: &str) -> Result<Uri, Error> {
    let found = format!("{scheme}://{target}").parse::<Uri>().ok();
    let complete = found.filter(|uri| {
        let port = uri.port().is_some_and(|port| target.ends_with(port.as_str()));
        port && uri.host().is_some_and(|host| !host.is_empty()) && !target.contains(['@', '/', '?'])
    });
    complete.ok_or_else(|| Error::Setup(format!("{target:?} is not host:port").into()))
}

/// One HTTP/2 connection. Nothing here sends a call twice.
pub(crate) struct Connection {
    endpoint: Endpoint,
    channel: OnceLock<Channel>,
    token: Option<Arc<Token>>,
    pub(crate) deadline: Option<Duration>,
}

impl Connection {
    /// The channel is made by the first rpc: it needs a runtime, which a constructor may not have.
    pub(crate) fn stub(&self) -> ToolGatewayServiceClient<Channel> {
        let channel = self.channel.get_or_init(|| self.endpoint.connect_lazy());
        ToolGatewayServiceClient::new(channel.clone())
    }

    /// A request with its token and its deadline.
    pub(crate) fn request<T>(
        &self,
        message: T,
        timeout: Option<Duration>,
    ) -> Result<tonic::Request<T>, GatewayError> {
        let mut request = tonic::Request::new(message);
        let token = self.token.as_ref().map(|token| token());
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            let mut bearer = AsciiMetadataValue::try_from(format!("Bearer {token}"))
                .map_err(|_| GatewayError::new(Code::Unauthenticated, "no header holds the token"))?;
            bearer.set_sensitive(true);
            request.metadata_mut().insert("authorization", bearer);
        }
        if let Some(timeout) = timeout {
            request.set_timeout(timeout.clamp(Duration::from_millis(1), LONGEST_TIMEOUT));
        }
        Ok(request)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("uri", self.endpoint.uri()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_host_and_port() {
        for target in ["127.0.0.1:1", "[::1]:1", "gateway:7440", "my_gateway.local:7440"] {
            assert!(Client::new(target).is_ok(), "{target}");
        }
        for target in
            ["", "gateway", "gateway:", "http://gateway:1", "gateway:1/path", "a b:1", "u@h:1", ":1"]
        {
            assert!(matches!(Client::new(target), Err(Error::Setup(_))), "{target}");
        }
    }

    #[test]
    fn a_token_is_no_part_of_what_is_printed() {
        let client = Client::builder("gateway:1").token("secret").build().unwrap();
        assert!(!format!("{client:?}").contains("secret"));
    }
}
