//! The SDK against a real gateway, and what its tools say.

mod client;
#[cfg(feature = "axum")]
mod extractors;
#[cfg(feature = "axum")]
mod handlers;
mod stage;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tool")]
mod tool;
#[cfg(feature = "tool")]
mod tool_failures;
