//! The TCP Sampler at work: a text is sent and the response read on a connection of the user's own.

use std::rc::Rc;
use std::time::Duration;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use super::dial::{Undialled, dial, exception};
use super::tcp_exchange::{TcpProblem, TcpSession};
use super::waits::{said, texts, until};
use crate::element_user::ElementUser;
use crate::sampled::{SampleTimes, Sampled};
use crate::samplers::tcp::{KeptSocket, TcpSampler};
use crate::thread::ElementThread;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::driver::Stream;
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::user::Cut;

/// What a sample is to do.
struct AskedExchange {
    server: String,
    port: i32,
    timeout_ms: i32,
    connect_timeout_ms: i32,
    nodelay: bool,
    request: String,
    reuse: bool,
    close: bool,
    linger: String,
    eol: String,
    key: String,
}

/// Why there is no connection.
enum Unconnected {
    /// The sampler says so itself; the result is no text.
    Told(String, ErrorKind),
    /// An exception like those of the exchange.
    Thrown(TcpProblem),
}

impl TcpSampler {
    async fn asked(&self, user: &mut ElementUser<'_>) -> AskedExchange {
        let fields = [&self.server, &self.port, &self.username, &self.password];
        let [server, port, username, password] = texts(user, fields).await;
        let fields = [&self.timeout, &self.connect_timeout, &self.nodelay];
        let [timeout, connect_timeout, nodelay] = texts(user, fields).await;
        let fields = [&self.reuse, &self.close, &self.linger, &self.eol];
        let [reuse, close, linger, eol] = texts(user, fields).await;
        let [request] = texts(user, [&self.request]).await;
        let port = whole(&port);
        AskedExchange {
            key: format!("{server}#{port}#{username}#{password}"),
            server,
            port,
            timeout_ms: whole(&timeout),
            connect_timeout_ms: whole(&connect_timeout),
            nodelay: truth(&nodelay),
            request,
            reuse: truth(&reuse) || !self.reuse.is_there(),
            close: truth(&close),
            linger,
            eol,
        }
    }

    /// Makes the sample. None: what it is to do cannot be said.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Option<Sampled>, Cut> {
        let asked = self.asked(user).await;
        if user.jm().thrown.is_some() {
            return Ok(None);
        }
        let mut result = SampleResult {
            sampler_data: Some(asked.shown()),
            ..SampleResult::new(label)
        };
        let mut times = SampleTimes {
            start_ns: user.thread.clock.now_ns(),
            ..SampleTimes::default()
        };
        let connection = connection(user, &asked).await?;
        times.connect_ns = (user.thread.clock.now_ns() - times.start_ns).max(1);
        let problem = match connection {
            Ok(kept) => {
                self.talk(user, &asked, kept, &mut result, &mut times)
                    .await?
            }
            Err(Unconnected::Thrown(problem)) => {
                self.put(user, &mut result, &problem.partial);
                Some(problem)
            }
            Err(Unconnected::Told(message, kind)) => {
                "500".clone_into(&mut result.code);
                result.message = message;
                times.error = Some(kind);
                None
            }
        };
        if let Some(problem) = problem {
            "500".clone_into(&mut result.code);
            result.message = problem.message;
            times.error = Some(problem.kind);
            result.success = false;
        }
        times.end_ns = user.thread.clock.now_ns();
        result.body_bytes = result.body.len() as u64;
        result.received_bytes = result.body_bytes;
        if !result.success {
            times.error.get_or_insert(ErrorKind::Other);
        }
        Ok(Some(Sampled::new(result, times)))
    }

    /// Sends and reads on a connection, and keeps or closes it.
    async fn talk(
        &self,
        user: &mut ElementUser<'_>,
        asked: &AskedExchange,
        kept: KeptSocket,
        result: &mut SampleResult,
        times: &mut SampleTimes,
    ) -> Result<Option<TcpProblem>, Cut> {
        result.sampler_data = Some(asked.request.clone());
        let mut session = TcpSession {
            user: user.borrowed(),
            stream: kept.stream,
            timeout_ns: u64::from(asked.timeout_ms.unsigned_abs()) * 1_000_000,
            first_byte_ns: 0,
        };
        let response = self
            .client
            .exchange(&mut session, &asked.request, &asked.eol)
            .await?;
        times.first_byte_ns = session.first_byte_ns;
        let stream = session.stream;
        let problem = match response {
            Ok(text) => {
                result.ok();
                self.put(user, result, &text);
                self.put_status(user, result, &text).err()
            }
            Err(problem) => {
                self.put(user, result, &problem.partial);
                Some(problem)
            }
        };
        let kept = KeptSocket { stream, ..kept };
        if problem.is_some() || !asked.reuse || asked.close {
            kept.close();
        } else {
            user.jm().samplers.sockets.push(kept);
        }
        Ok(problem)
    }

    /// Puts a text into a result.
    fn put(&self, user: &ElementUser<'_>, result: &mut SampleResult, text: &str) {
        let default = || user.thread.jmeter.default_encoding();
        let encoding = self.client.encoding().map_or_else(default, str::to_owned);
        result.data_type = DataType::Text;
        result.body = match crate::http::charset::Charset::of(&encoding) {
            Some(charset) => charset.encode(text).into_owned(),
            None => text.as_bytes().to_vec(),
        };
        result.encoding = Some(encoding);
    }

    /// Code and message that the response itself holds, if properties say where.
    fn put_status(
        &self,
        user: &ElementUser<'_>,
        result: &mut SampleResult,
        text: &str,
    ) -> Result<(), TcpProblem> {
        let status = self.status.as_ref().filter(|_| !text.is_empty());
        let access = &user.thread.jmeter.access;
        let told = status.map(|status| status.put(result, text, access));
        told.unwrap_or(Ok(())).map_err(|message| {
            result.body.clear();
            TcpProblem::thrown(message, ErrorKind::Other)
        })
    }
}

impl AskedExchange {
    /// What the result shows of a sampler that had no connection.
    fn shown(&self) -> String {
        format!(
            "Host: {} Port: {}\nReuse: {} Close: {}\n[SOLINGER: {} EOL: {} noDelay: {}]",
            self.server,
            self.port,
            self.reuse,
            self.close,
            whole(&self.linger),
            whole(&self.eol),
            self.nodelay
        )
    }
}

/// A whole number as JMeter's properties have it; what is none is 0.
fn whole(text: &str) -> i32 {
    text.parse().unwrap_or(0)
}

fn truth(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// The connection that was kept, or a new one.
async fn connection(
    user: &mut ElementUser<'_>,
    asked: &AskedExchange,
) -> Result<Result<KeptSocket, Unconnected>, Cut> {
    let sockets = &mut user.jm().samplers.sockets;
    let at = sockets.iter().position(|kept| kept.key == asked.key);
    let known = at.map(|at| sockets.swap_remove(at));
    let kept = match known {
        Some(kept) if asked.reuse => kept,
        other => {
            if let Some(kept) = other {
                kept.close();
            }
            match connect(user, asked).await? {
                Ok(kept) => kept,
                Err(unconnected) => return Ok(Err(unconnected)),
            }
        }
    };
    if asked.timeout_ms < 0 {
        kept.close();
        return Ok(Err(illegal("timeout can't be negative")));
    }
    // Where the system refuses it JMeter goes on too.
    let _ = kept.stream.set_nodelay(asked.nodelay);
    Ok(Ok(kept))
}

/// The port and how long a close waits, as Java takes them.
fn checked(asked: &AskedExchange) -> Result<(u16, Option<Duration>), Unconnected> {
    let Ok(port) = u16::try_from(asked.port) else {
        return Err(illegal(&format!("port out of range:{}", asked.port)));
    };
    let linger_s = whole(&asked.linger);
    if linger_s < 0 {
        return Err(illegal("invalid value for SO_LINGER"));
    }
    if asked.connect_timeout_ms < 0 {
        return Err(illegal("connect: timeout can't be negative"));
    }
    let linger = Duration::from_secs(u64::from(linger_s.unsigned_abs()));
    Ok((port, (!asked.linger.is_empty()).then_some(linger)))
}

async fn connect(
    user: &mut ElementUser<'_>,
    asked: &AskedExchange,
) -> Result<Result<KeptSocket, Unconnected>, Cut> {
    let (port, linger) = match checked(asked) {
        Ok(checked) => checked,
        Err(unconnected) => return Ok(Err(unconnected)),
    };
    // Java's address of no name.
    let server = match asked.server.trim() {
        "" => "127.0.0.1",
        named => named,
    };
    let until_ns = match asked.connect_timeout_ms {
        0 => Nanos::MAX,
        ms => {
            let now = user.thread.clock.now_ns();
            now.saturating_add(u64::from(ms.unsigned_abs()) * 1_000_000)
        }
    };
    let thread = Rc::clone(&user.thread);
    let opening = open(&thread, server, port, linger);
    let opened = until(user, until_ns, opening).await?.unwrap_or_else(|| {
        let text = "java.net.SocketTimeoutException: Connect timed out".to_owned();
        Err(Unconnected::Told(text, ErrorKind::ConnectTimeout))
    });
    Ok(opened.map(|stream| KeptSocket {
        key: asked.key.clone(),
        stream,
        lingers: linger.is_some_and(|linger| !linger.is_zero()),
    }))
}

/// Opens a connection to a server that may be reached.
async fn open(
    thread: &ElementThread,
    server: &str,
    port: u16,
    linger: Option<Duration>,
) -> Result<Stream, Unconnected> {
    dial(thread, server, port, linger)
        .await
        .map_err(|undialled| match undialled {
            Undialled::NotAllowed(place) => {
                let text = format!("Host not allowed: {place}");
                Unconnected::Told(text, ErrorKind::HostNotAllowed)
            }
            Undialled::Unknown => {
                let text = format!("java.net.UnknownHostException: {server}");
                Unconnected::Told(text, ErrorKind::UnknownHost)
            }
            Undialled::Failed(error) => {
                let text = format!("{}: {}", exception(&error), said(&error));
                Unconnected::Told(text, Failure::connecting(&error).kind)
            }
        })
}

fn illegal(text: &str) -> Unconnected {
    let message = format!("java.lang.IllegalArgumentException: {text}");
    Unconnected::Thrown(TcpProblem::thrown(message, ErrorKind::Other))
}
