//! For whoever writes the tools that a gateway calls.
//!
//! The best place to say what a failure means is the tool itself, in one line:
//!
//! ```ignore
//! return Err(invalid_request("bad_date", "start_date is no date").problem(Problem::of("start_date").format("YYYY-MM-DD")).into());
//! return Err(terminal("insufficient_funds", "42.10 is less than 150.00").blocked_by("balance").into());
//! return Err(transient("maintenance", "back in half a minute").retry_after(Duration::from_secs(30)).into());
//! ```
//!
//! A [`Failure`] is the answer of a handler of axum (feature `axum`), a [`tonic::Status`] by `into`,
//! and otherwise [`Failure::status`], [`Failure::headers`] and [`Failure::body`]. The gateway takes
//! the tool's word where the upstream is marked `speaks: toolgate` in the catalogue, or, over gRPC,
//! always.

#[cfg(feature = "axum")]
pub mod axum;
mod body;
mod bounds;
mod failure;
mod grpc;
mod parts;

pub use failure::{Failure, forbidden, invalid_request, rate_limited, terminal, transient};
pub use parts::{Problem, Proposal};
