//! The SDK against a real gateway, and what its tools say.

mod client;
mod stage;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "axum")]
mod tool;
