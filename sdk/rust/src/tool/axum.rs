//! A tool's server on axum.
//!
//! A handler returns `Result<_, Failed>`, and `?` does the rest: a [`Failure`] is answered as it says,
//! a rejection of axum's extractors as an invalid request that names the field, any other error by a
//! body that says nothing of it. [`ToolErrors`] does the same for a panic, and for the error of a
//! layer.

use std::{
    any::Any,
    convert::Infallible,
    panic::AssertUnwindSafe,
    task::{Context, Poll},
};

use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderName, HeaderValue, StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use tower_layer::Layer;
use tower_service::Service;

use super::Failure;
use rejection::Refusal;

mod rejection;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.body().into_response();
        *response.status_mut() = StatusCode::from_u16(self.status()).unwrap_or_default();
        for (name, value) in self.headers() {
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
        }
        response
    }
}

/// How a handler fails: by any error.
///
/// What nobody meant, which is everything but a [`Failure`] and axum's own rejections, is an event of
/// `tracing`, level ERROR; of its answer see [`Failure::from_error`].
#[derive(Debug)]
pub struct Failed(BoxError);

impl<E: Into<BoxError>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let error = &*self.0;
        if let Some(failure) = rejection::known(error) {
            return failure.into_response();
        }
        let failure = Failure::from_error(error);
        if failure.status() == 500 {
            tracing::error!(error, "the tool failed");
        }
        failure.into_response()
    }
}

/// An extractor whose rejection is an invalid request that names the field, where that is known:
/// `Checked(Json(invoice)): Checked<Json<Invoice>>`, and so with `Query` and `Path`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked<E>(pub E);

impl<S, E> FromRequest<S> for Checked<E>
where
    S: Send + Sync,
    E: FromRequest<S>,
    E::Rejection: std::error::Error + Send + Sync + 'static,
{
    type Rejection = Failed;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failed> {
        E::from_request(request, state).await.map(Self).map_err(refused)
    }
}

impl<S, E> FromRequestParts<S> for Checked<E>
where
    S: Send + Sync,
    E: FromRequestParts<S>,
    E::Rejection: std::error::Error + Send + Sync + 'static,
{
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        E::from_request_parts(parts, state).await.map(Self).map_err(refused)
    }
}

/// A rejection of another crate tells by its status whose fault it is.
fn refused(rejection: impl IntoResponse + std::error::Error + Send + Sync + 'static) -> Failed {
    if rejection::known(&rejection).is_some() {
        return rejection.into();
    }
    let (refusal, text) = (Refusal::of(&rejection), rejection.to_string());
    let status = rejection.into_response().status();
    refusal.failure(status, "bad_request").map_or_else(|| text.into(), Failed::from)
}

/// The layer of a whole server, `router.layer(ToolErrors)`: it answers a panic, and an error of a
/// layer within, as [`Failed`] would. Where a panic comes once the answer has begun, the connection is
/// cut, which is hyper's doing: half an answer is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolErrors;

impl<S> Layer<S> for ToolErrors {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner }
    }
}

/// The service that [`ToolErrors`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Guarded<S> {
    inner: S,
}

impl<S, B> Service<axum::http::Request<B>> for Guarded<S>
where
    S: Service<axum::http::Request<B>> + Clone + Send + 'static,
    S::Response: IntoResponse,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(())) // each request waits for a copy of its own
    }

    fn call(&mut self, request: axum::http::Request<B>) -> Self::Future {
        let mut inner = self.inner.clone();
        let answered = async move {
            std::future::poll_fn(|cx| inner.poll_ready(cx)).await.map_err(Into::into)?;
            inner.call(request).await.map_err(Into::into)
        };
        let caught = AssertUnwindSafe(answered).catch_unwind();
        Box::pin(caught.map(|outcome| {
            Ok(match outcome {
                Ok(Ok(response)) => response.into_response(),
                Ok(Err(error)) => Failed(error).into_response(),
                Err(panic) => {
                    tracing::error!(panic = said(&*panic), "the tool panicked");
                    Failure::internal().into_response()
                }
            })
        }))
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("of no text")
}
