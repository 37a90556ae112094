//! A small HTTP/1.1 client for endpoints that are looked at every second: one kept
//! connection, a limit on time and bytes, and errors a person can act on.

mod options;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, SERVER, USER_AGENT};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use plimsoll_text::Message;
use url::Url;

use crate::collector::Trouble;

pub(crate) use options::{ENDPOINT_OPTIONS, EndpointAccess, decoded, secret, tls_options};
pub(crate) use stream::{Stream, connect, connect_unix};
pub(crate) use tls::{Tls, TlsOptions};

/// Longest response that is read.
pub(crate) const MAX_BYTES: usize = 8 << 20;
/// A response takes no longer, connecting included: shorter than a look's limit, so that the
/// message can say which address is slow.
const LIMIT: Duration = Duration::from_secs(4);

type Sender = http1::SendRequest<Full<Bytes>>;
type Driver = http1::Connection<TokioIo<Stream>, Full<Bytes>>;

/// What an endpoint responded.
#[derive(Debug)]
pub(crate) struct EndpointResponse {
    /// The status code.
    pub(crate) status: u16,
    /// The body.
    pub(crate) body: Bytes,
    /// What the server calls itself.
    pub(crate) server: Option<String>,
}

impl EndpointResponse {
    /// The body as text; what is no UTF-8 is replaced.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Asks one origin, over one connection that is kept. A request that is dropped drops the
/// connection with it.
pub(crate) struct OriginClient {
    base: Url,
    authorization: Option<HeaderValue>,
    tls: Option<Tls>,
    limit: Duration,
    max_bytes: usize,
    kept: Option<(Sender, Driver)>,
}

/// One request.
struct OriginAsk<'a> {
    method: Method,
    url: &'a Url,
    accept: &'a str,
    body: Bytes,
}

impl OriginClient {
    /// A client for addresses below `base`; opens no connection.
    pub(crate) fn new(access: EndpointAccess) -> Self {
        Self {
            base: access.base,
            authorization: access.authorization,
            tls: access.tls,
            limit: LIMIT,
            max_bytes: MAX_BYTES,
            kept: None,
        }
    }

    /// The address as it may be shown.
    pub(crate) fn shown(&self) -> &str {
        self.base.as_str()
    }

    /// Whom to trust, for `https`.
    pub(crate) const fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// `host:port`.
    pub(crate) fn authority(&self) -> String {
        let port = self.base.port_or_known_default().unwrap_or(80);
        format!("{}:{port}", self.base.host_str().unwrap_or_default())
    }

    /// Responses take no longer and are no longer than that.
    #[cfg(test)]
    pub(crate) fn limited(mut self, limit: Duration, max_bytes: usize) -> Self {
        self.limit = limit;
        self.max_bytes = max_bytes;
        self
    }

    /// Gets the address `below` the base; empty is the base itself.
    ///
    /// # Errors
    /// No connection, no response in time, a response that is too long or not OK.
    pub(crate) async fn get(
        &mut self,
        below: &str,
        accept: &str,
    ) -> Result<EndpointResponse, Trouble> {
        let response = self.try_get(below, accept).await?;
        self.check(below, response)
    }

    /// Like [`get`](Self::get); any status is a response.
    pub(crate) async fn try_get(
        &mut self,
        below: &str,
        accept: &str,
    ) -> Result<EndpointResponse, Trouble> {
        self.ask(Method::GET, below, accept, Bytes::new()).await
    }

    /// Posts JSON and gets JSON.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub(crate) async fn post_json(
        &mut self,
        below: &str,
        body: Bytes,
    ) -> Result<EndpointResponse, Trouble> {
        let response = self
            .ask(Method::POST, below, "application/json", body)
            .await?;
        self.check(below, response)
    }

    /// A response that is OK, else why it is not.
    pub(crate) fn check(
        &self,
        below: &str,
        response: EndpointResponse,
    ) -> Result<EndpointResponse, Trouble> {
        let id = match response.status {
            200..=299 => return Ok(response),
            401 | 403 => "watch-http-denied",
            404 => "watch-http-not-found",
            _ => "watch-http-status",
        };
        let url = self.join(below);
        Err(Trouble::new(
            Message::new(id)
                .with("url", url.as_str())
                .with("status", response.status),
        ))
    }

    /// The whole address.
    pub(crate) fn join(&self, below: &str) -> Url {
        let mut url = self.base.clone();
        if !below.is_empty() {
            let (path, query) = below.split_once('?').unwrap_or((below, ""));
            let base = url.path().trim_end_matches('/').to_owned();
            url.set_path(&format!("{base}/{path}"));
            url.set_query(Some(query).filter(|query| !query.is_empty()));
        }
        url
    }

    async fn ask(
        &mut self,
        method: Method,
        below: &str,
        accept: &str,
        body: Bytes,
    ) -> Result<EndpointResponse, Trouble> {
        let url = self.join(below);
        let limit = self.limit;
        let ask = OriginAsk {
            method,
            url: &url,
            accept,
            body,
        };
        let slow = || {
            Trouble::new(
                Message::new("watch-http-slow")
                    .with("url", url.as_str())
                    .with("seconds", limit.as_secs_f64()),
            )
        };
        tokio::time::timeout(limit, self.ask_now(&ask))
            .await
            .unwrap_or_else(|_| Err(slow()))
    }

    /// A keep-alive connection may have been closed meanwhile: then a new one is tried.
    async fn ask_now(&mut self, ask: &OriginAsk<'_>) -> Result<EndpointResponse, Trouble> {
        if let Some(kept) = self.kept.take()
            && let Ok(response) = self.over(kept, ask).await
        {
            return response;
        }
        let unreachable = |reason: String| {
            Trouble::new(
                Message::new("watch-http-unreachable")
                    .with("url", ask.url.as_str())
                    .with("reason", reason),
            )
        };
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port_or_known_default().unwrap_or(80);
        let stream = connect(host, port, self.tls.as_ref())
            .await
            .map_err(|error| unreachable(error.to_string()))?;
        let made = http1::handshake(TokioIo::new(stream)).await;
        let made = made.map_err(|error| unreachable(reason(&error)))?;
        match self.over(made, ask).await {
            Ok(response) => response,
            Err(error) => Err(unreachable(reason(&error))),
        }
    }

    /// Asks over that connection, and keeps it when it can be used again. The connection's
    /// own work is done here too: nothing runs while nobody asks.
    async fn over(
        &mut self,
        (mut sender, driver): (Sender, Driver),
        ask: &OriginAsk<'_>,
    ) -> Result<Result<EndpointResponse, Trouble>, hyper::Error> {
        let request = self.request(ask);
        let max_bytes = self.max_bytes;
        let mut driver = Some(driver);
        let result = {
            let work = async {
                sender.ready().await?;
                read(sender.send_request(request).await?, max_bytes).await
            };
            tokio::pin!(work);
            loop {
                let drive = std::future::poll_fn(|context| match &mut driver {
                    Some(driver) => Pin::new(driver).poll(context).map(drop),
                    None => Poll::Pending,
                });
                tokio::select! {
                    biased;
                    result = &mut work => break result,
                    // Dropped at once: a request that it had not begun then fails, where it
                    // would else wait for ever.
                    () = drive => driver = None,
                }
            }
        };
        Ok(match result? {
            Some(response) => {
                if !sender.is_closed() {
                    self.kept = driver.map(|driver| (sender, driver));
                }
                Ok(response)
            }
            None => Err(Trouble::new(
                Message::new("watch-http-too-long")
                    .with("url", ask.url.as_str())
                    .with("mebibytes", self.max_bytes >> 20),
            )),
        })
    }

    fn request(&self, ask: &OriginAsk<'_>) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(ask.body.clone()));
        *request.method_mut() = ask.method.clone();
        let path = &ask.url[url::Position::BeforePath..url::Position::AfterQuery];
        // What a URL writes is a path to HTTP.
        *request.uri_mut() = path.parse().unwrap_or_default();
        let headers = request.headers_mut();
        let host = &ask.url[url::Position::BeforeHost..url::Position::AfterPort];
        let value = |text: &str| HeaderValue::from_str(text).ok();
        let given = [
            (HOST, value(host)),
            (ACCEPT, value(ask.accept)),
            (USER_AGENT, value("plimsoll")),
            (AUTHORIZATION, self.authorization.clone()),
            (
                CONTENT_TYPE,
                value("application/json").filter(|_| !ask.body.is_empty()),
            ),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        request
    }
}

/// The response's body; none when it is too long.
async fn read(
    response: Response<Incoming>,
    max_bytes: usize,
) -> Result<Option<EndpointResponse>, hyper::Error> {
    let status = response.status().as_u16();
    let server = response.headers().get(SERVER);
    let server = server.and_then(|name| Some(name.to_str().ok()?.to_owned()));
    let mut body = Vec::new();
    let mut incoming = response.into_body();
    while let Some(frame) = incoming.frame().await {
        if let Some(data) = frame?.data_ref() {
            if body.len() + data.len() > max_bytes {
                return Ok(None);
            }
            body.extend_from_slice(data);
        }
    }
    Ok(Some(EndpointResponse {
        status,
        body: body.into(),
        server,
    }))
}

/// An error and what is behind it.
fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
