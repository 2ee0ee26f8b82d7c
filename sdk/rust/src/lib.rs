//! The client of a toolgate gateway.
//!
//! A call ends in one of two ways: an [`Answer`], or an [`Error`]. [`Error::Tool`] is the tool's
//! failure, and its class says what to do next:
//!
//! - [`ErrorClass::Transient`]: the moment is wrong. Wait `retry_after`, send the identical call
//!   ([`Run::wait_transient`] does both). Show the model nothing until you give up.
//! - [`ErrorClass::InvalidRequest`]: the arguments are wrong. Give `observation` to the model.
//! - [`ErrorClass::Terminal`]: this call is over. Give `observation` to the model.
//!
//! [`Error::Gateway`] is never the tool's fault: the gateway, the network or this program is.
//!
//! The gateway retries what time cures, so nothing here does, and nothing below does.
//!
//! Features: `tls` (on), `tool` for whoever writes tools, `axum` for tools that are served by it.

mod batch;
mod call;
mod client;
mod connection;
mod error;
mod finite;
mod patience;
mod run;
#[cfg(feature = "tls")]
mod tls;
mod tools;

#[cfg(feature = "tool")]
pub mod tool;

pub use batch::{Outcome, Outcomes, Progress};
pub use call::{Answer, Arguments, Call};
pub use client::Client;
pub use connection::Builder;
pub use error::{Code, Error, ErrorClass, GatewayError, ToolCallError};
pub use run::Run;
#[cfg(feature = "tls")]
pub use tls::Tls;
/// The messages of the contract, as they are generated.
pub use toolgate_proto::toolgate::v1 as proto;
pub use tools::ToolList;
