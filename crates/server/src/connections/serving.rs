//! Takes connections and serves them, each by itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use plimsoll_text::Message;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::newcomers::{Newcomer, Newcomers};
use super::places::{ConnectionPlaces, NoPlace};
use crate::problem::ApiError;
use crate::shared::PeerAddress;

/// A handshake takes so long at most.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// A request's head takes so long at most, from the end of what was before it.
const HEAD_WITHIN: Duration = Duration::from_secs(60);
/// After a failure to accept (no descriptor is left) it is tried again.
const AGAIN: Duration = Duration::from_millis(100);
/// Who is refused is listened to for so long, so many at once, so that what he is told arrives.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);
const REFUSALS: usize = 64;

/// Serves whoever comes.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    places: Arc<ConnectionPlaces>,
) {
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    let newcomers = Arc::new(Newcomers::default());
    let acceptor = tls.map(TlsAcceptor::from);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let place = match places.take(peer.ip()) {
            Ok(place) => place,
            Err(why) => {
                // Before a handshake nothing can be said.
                if acceptor.is_none() {
                    refuse(stream, why, &refusals);
                }
                continue;
            }
        };
        let (acceptor, router) = (acceptor.clone(), router.clone());
        let newcomer = Arc::new(newcomers.join());
        tokio::spawn(async move {
            tokio::select! {
                () = served(stream, peer, acceptor, router, &newcomer) => {}
                () = newcomer.sent_away() => {}
            }
            drop(place);
        });
    }
}

/// Serves a connection to its end, with TLS or without.
async fn served(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    newcomer: &Arc<Newcomer>,
) {
    let Some(acceptor) = acceptor else {
        return connection(stream, peer, router, newcomer).await;
    };
    let handshake = tokio::time::timeout(HANDSHAKE_WITHIN, acceptor.accept(stream));
    // Who speaks no TLS, or too slowly, is left alone.
    if let Ok(Ok(stream)) = handshake.await {
        connection(stream, peer, router, newcomer).await;
    }
}

/// Serves a connection to its end.
async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    peer: SocketAddr,
    router: Router,
    newcomer: &Arc<Newcomer>,
) {
    let newcomer = Arc::clone(newcomer);
    let service = TowerToHyperService::new(router);
    let respond = service_fn(move |request: hyper::Request<Incoming>| {
        newcomer.settles();
        let mut request = request.map(Body::new);
        request
            .extensions_mut()
            .insert(ConnectInfo(PeerAddress(peer)));
        service.call(request)
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN);
    // Whoever goes away, or is too slow, has nobody who hears of it.
    let _ = builder
        .serve_connection(TokioIo::new(stream), respond)
        .await;
}

/// Says why there is no place.
fn refuse(stream: TcpStream, why: NoPlace, refusals: &Arc<Semaphore>) {
    let text = refusal(why);
    match Arc::clone(refusals).try_acquire_owned() {
        Ok(permit) => {
            tokio::spawn(async move {
                let _ = tokio::time::timeout(REFUSED_WITHIN, told(stream, text)).await;
                drop(permit);
            });
        }
        // Nobody is waited for: what came from there meanwhile may make the system throw it away.
        Err(_) => {
            let _ = stream
                .into_std()
                .and_then(|mut stream| std::io::Write::write_all(&mut stream, text.as_bytes()));
        }
    }
}

async fn told(mut stream: TcpStream, text: String) -> std::io::Result<()> {
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await?;
    // What came unread would make the system throw away what was said.
    let mut rest = [0; 4_096];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The response to one who has no place.
fn refusal(why: NoPlace) -> String {
    let id = match why {
        NoPlace::OfOne => "server-no-place-of-one",
        NoPlace::InAll => "server-no-place",
    };
    let message = Message::new(id).with("most", why.most());
    let status = hyper::StatusCode::SERVICE_UNAVAILABLE;
    let body = ApiError::new(status, "too-many", message).json();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n\
         Content-Length: {}\r\nRetry-After: 5\r\nConnection: close\r\n\
         X-Content-Type-Options: nosniff\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::middleware;
    use axum::routing::post;
    use tokio::io::DuplexStream;
    use tokio::time::Instant;

    use super::*;
    use crate::connections::paced;
    use crate::problem::in_words;

    /// A connection to something that says how long a body is.
    fn connected() -> DuplexStream {
        let router = Router::new()
            .route(
                "/",
                post(|body: String| async move { body.len().to_string() }),
            )
            .layer(middleware::from_fn(paced))
            .layer(middleware::from_fn(in_words));
        let (client, server) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let newcomer = Arc::new(Arc::new(Newcomers::default()).join());
            connection(server, ([127, 0, 0, 1], 9).into(), router, &newcomer).await;
        });
        client
    }

    /// Sends a piece now and then until there is no more or nobody hears; what was heard, and the seconds that it took.
    async fn sent(pieces: &[&[u8]], pause_s: u64) -> (String, u64) {
        let began = Instant::now();
        let (mut from, mut to) = tokio::io::split(connected());
        let mut heard = Vec::new();
        let send = async {
            for piece in pieces {
                if to.write_all(piece).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_secs(pause_s)).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            read = from.read_to_end(&mut heard) => drop(read),
            () = send => {}
        }
        (String::from_utf8(heard).unwrap(), began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_comes_byte_by_byte_is_not_waited_for() {
        let bytes: Vec<&[u8]> = b"POST / HTTP/1.1\r\nHost: x\r\n".chunks(1).collect();
        let (heard, seconds) = sent(&bytes, 7).await;
        assert_eq!(heard, "");
        assert_eq!(seconds, 60);
        // Nor is one that never begins.
        assert_eq!(sent(&[], 1).await, (String::new(), 60));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_byte_by_byte_is_refused() {
        let head: &[u8] = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
        let bytes = [b"x".as_slice(); 1_000];
        let (heard, seconds) = sent(&[&[head], bytes.as_slice()].concat(), 5).await;
        assert!(heard.starts_with("HTTP/1.1 408 "), "{heard}");
        assert!(heard.contains("/problems/too-slow"), "{heard}");
        assert_eq!(seconds, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_as_quick_as_may_be_asked_is_served() {
        let piece = [b'x'; 4 << 10];
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            piece.len() * 100
        );
        // 1 KiB a second, for minutes.
        let pieces = [[head.as_bytes()].as_slice(), &[piece.as_slice(); 100]].concat();
        let (heard, seconds) = sent(&pieces, 4).await;
        assert!(heard.starts_with("HTTP/1.1 200 "), "{heard}");
        assert!(heard.ends_with(&(piece.len() * 100).to_string()), "{heard}");
        assert!(seconds >= 396, "{seconds}");
        // Half of that is too slow.
        let (heard, _) = sent(&pieces, 8).await;
        assert!(heard.starts_with("HTTP/1.1 408 "), "{heard}");
    }
}
