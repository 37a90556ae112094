//! HTTP Raw Request at work: bytes are written, and what comes back is read until the server ends it.

use std::io;
use std::rc::Rc;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use super::dial::{Undialled, dial, exception};
use super::http_raw_parsed::parse;
use super::waits::{said, texts, until};
use crate::element_user::ElementUser;
use crate::http::{Files, unopened};
use crate::sampled::{SampleTimes, Sampled};
use crate::samplers::http_raw::{HttpRawSampler, KeptRaw, RawChannel};
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::driver::Stream;
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::user::Cut;

/// What Java throws of a channel whose other end was never found.
const NEVER_CONNECTED: RawChannel = RawChannel::Shut {
    writing: "java.nio.channels.NotYetConnectedException",
    reading: "java.nio.channels.NotYetConnectedException",
};

/// An exception, as Java shows it, and what it is to the engine.
struct RawProblem {
    text: String,
    kind: ErrorKind,
}

/// What a sample is to do.
struct AskedRaw {
    host: String,
    port: String,
    timeout_ms: u32,
    data: String,
    file: String,
    keep_alive: bool,
    parse: bool,
}

/// What a response was.
#[derive(Default)]
struct RawResponse {
    kept: Vec<u8>,
    bytes: u64,
    first_byte_ns: Nanos,
}

fn problem(text: impl Into<String>, kind: ErrorKind) -> RawProblem {
    RawProblem {
        text: text.into(),
        kind,
    }
}

impl HttpRawSampler {
    async fn asked(&self, user: &mut ElementUser<'_>) -> AskedRaw {
        let [host, port, timeout] = texts(user, [&self.host, &self.port, &self.timeout]).await;
        let [data, file] = texts(user, [&self.data, &self.file]).await;
        let [keep_alive, parse] = texts(user, [&self.keep_alive, &self.parse]).await;
        let timeout_ms: i32 = timeout.parse().unwrap_or(0);
        AskedRaw {
            host,
            port,
            timeout_ms: u32::try_from(timeout_ms).unwrap_or(0),
            data,
            file,
            keep_alive: keep_alive.eq_ignore_ascii_case("true"),
            parse: parse.eq_ignore_ascii_case("true"),
        }
    }

    /// Makes the sample. None: an exception ended it.
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
            success: true,
            code: "200".to_owned(),
            data_type: DataType::Text,
            sampler_data: Some(asked.data.clone()),
            ..SampleResult::new(label)
        };
        let mut times = SampleTimes {
            start_ns: user.thread.clock.now_ns(),
            ..SampleTimes::default()
        };
        let mut response = RawResponse::default();
        let exchanged = self
            .exchange(user, &asked, &mut response, &mut times)
            .await?;
        times.end_ns = user.thread.clock.now_ns();
        times.first_byte_ns = response.first_byte_ns;
        result.body = std::mem::take(&mut response.kept);
        if let Err(RawProblem { text, kind }) = exchanged {
            (result.success, times.error) = (false, Some(kind));
            "500".clone_into(&mut result.code);
            // In the plugin the stack follows.
            result.body = format!("{text}\r\n").into_bytes();
            result.message = text;
        }
        if asked.parse
            && let Err(thrown) = parse(&mut result)
        {
            user.jm().thrown = Some(thrown.to_owned());
            return Ok(None);
        }
        result.body_bytes = result.body.len() as u64;
        result.received_bytes = match result.body_bytes {
            0 => response.bytes,
            bytes => bytes,
        };
        Ok(Some(Sampled::new(result, times)))
    }

    /// Writes and reads; the connection is kept where the sampler keeps it.
    async fn exchange(
        &self,
        user: &mut ElementUser<'_>,
        asked: &AskedRaw,
        response: &mut RawResponse,
        times: &mut SampleTimes,
    ) -> Result<Result<(), RawProblem>, Cut> {
        let kept = &mut user.jm().samplers.raw;
        let at = kept.iter().position(|kept| kept.site == self.site);
        let known = at.map(|at| kept.swap_remove(at).channel);
        let channel = match known.filter(|_| asked.keep_alive) {
            Some(channel) => Ok(channel),
            None => {
                let connected = connect(user, asked).await?;
                times.connect_ns = (user.thread.clock.now_ns() - times.start_ns).max(1);
                connected
            }
        };
        let (channel, result) = match channel {
            Ok(RawChannel::Open { stream, timeout_ms }) => {
                let mut talk = RawTalk {
                    user: user.borrowed(),
                    stream,
                    timeout_ns: u64::from(timeout_ms) * 1_000_000,
                    sampler: self,
                    shut: false,
                };
                let result = talk.run(asked, response).await?;
                match talk.shut {
                    true => (RawChannel::closed(timeout_ms > 0), result),
                    false => {
                        let stream = talk.stream;
                        (RawChannel::Open { stream, timeout_ms }, result)
                    }
                }
            }
            Ok(RawChannel::Shut { writing, reading }) => {
                let writes = !asked.data.is_empty() || !asked.file.is_empty();
                let thrown = if writes { writing } else { reading };
                let result = Err(problem(thrown, ErrorKind::ConnectionClosed));
                (RawChannel::Shut { writing, reading }, result)
            }
            Err((channel, why)) => match channel {
                Some(channel) => (channel, Err(why)),
                None => return Ok(Err(why)),
            },
        };
        if asked.keep_alive {
            let site = self.site;
            user.jm().samplers.raw.push(KeptRaw { site, channel });
        }
        Ok(result)
    }
}

impl RawChannel {
    /// One that was closed; `timed`: it was made with a time-out.
    fn closed(timed: bool) -> Self {
        let closed = "java.nio.channels.ClosedChannelException";
        let reading = match timed {
            true => "java.nio.channels.ClosedSelectorException",
            false => closed,
        };
        Self::Shut {
            writing: closed,
            reading,
        }
    }
}

/// A connection, or what is left of one that was not made, and why.
async fn connect(
    user: &mut ElementUser<'_>,
    asked: &AskedRaw,
) -> Result<Result<RawChannel, (Option<RawChannel>, RawProblem)>, Cut> {
    let port: i32 = asked.port.parse().unwrap_or(80);
    let Ok(port) = u16::try_from(port) else {
        let text = format!("java.lang.IllegalArgumentException: port out of range:{port}");
        return Ok(Err((None, problem(text, ErrorKind::Other))));
    };
    // Java's address of no name.
    let host = match asked.host.as_str() {
        "" => "127.0.0.1",
        named => named,
    };
    let timeout_ms = asked.timeout_ms;
    let (until_ns, interrupts) = limit(user, u64::from(timeout_ms) * 1_000_000);
    let thread = Rc::clone(&user.thread);
    let dialled = until(user, until_ns, dial(&thread, host, port, None)).await?;
    let closed = Some(RawChannel::closed(timeout_ms > 0));
    Ok(match dialled {
        Some(Ok(stream)) => Ok(RawChannel::Open { stream, timeout_ms }),
        Some(Err(Undialled::NotAllowed(place))) => {
            let text = format!("Host not allowed: {place}");
            Err((None, problem(text, ErrorKind::HostNotAllowed)))
        }
        Some(Err(Undialled::Unknown)) => {
            let text = "java.nio.channels.UnresolvedAddressException";
            Err((Some(NEVER_CONNECTED), problem(text, ErrorKind::UnknownHost)))
        }
        Some(Err(Undialled::Failed(error))) => {
            let text = format!("{}: {}", exception(&error), said(&error));
            Err((closed, problem(text, Failure::connecting(&error).kind)))
        }
        None if interrupts => Err((closed, interrupted(ErrorKind::ConnectTimeout))),
        None => {
            let named = match host.parse::<std::net::IpAddr>() {
                Ok(_) => String::new(),
                Err(_) => host.to_owned(),
            };
            let address = if named.is_empty() { host } else { "" };
            let text = format!(
                "java.net.SocketTimeoutException: Failed to connect to {named}/{address}:{port}"
            );
            let why = problem(text, ErrorKind::ConnectTimeout);
            Err((Some(NEVER_CONNECTED), why))
        }
    })
}

fn interrupted(kind: ErrorKind) -> RawProblem {
    problem("java.nio.channels.AsynchronousCloseException", kind)
}

/// Until when a wait may take, and whether an interruption is then; 0: for ever.
fn limit(user: &mut ElementUser<'_>, timeout_ns: u64) -> (Nanos, bool) {
    let now = user.thread.clock.now_ns();
    let late_ns = match timeout_ns {
        0 => Nanos::MAX,
        ns => now.saturating_add(ns),
    };
    let interrupt_ns = user.interrupt_ns();
    (late_ns.min(interrupt_ns), interrupt_ns <= late_ns)
}

/// A connection at work for a user.
struct RawTalk<'u> {
    user: ElementUser<'u>,
    stream: Stream,
    timeout_ns: u64,
    sampler: &'u HttpRawSampler,
    /// It was closed. What cannot be written, or is no file, closes nothing.
    shut: bool,
}

impl RawTalk<'_> {
    async fn run(
        &mut self,
        asked: &AskedRaw,
        response: &mut RawResponse,
    ) -> Result<Result<(), RawProblem>, Cut> {
        if let Err(why) = self.write(asked.data.as_bytes()).await? {
            return Ok(Err(why));
        }
        if !asked.file.is_empty() {
            let jmeter = &self.user.thread.jmeter;
            let files = Files {
                folder: &jmeter.plan_folder,
                access: &jmeter.access,
            };
            match files.bytes(&asked.file) {
                Err(error) => {
                    let why = unopened(&asked.file, &error);
                    let text = format!("java.io.FileNotFoundException: {why}");
                    return Ok(Err(problem(text, ErrorKind::Other)));
                }
                Ok(bytes) => {
                    if let Err(why) = self.write(&bytes).await? {
                        return Ok(Err(why));
                    }
                }
            }
        }
        self.read(response).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<Result<(), RawProblem>, Cut> {
        let (until_ns, _) = limit(&mut self.user, 0);
        let wrote = until(&self.user, until_ns, self.stream.write_all(bytes)).await?;
        self.shut |= wrote.is_none();
        Ok(match wrote {
            None => Err(interrupted(ErrorKind::ReadTimeout)),
            Some(wrote) => wrote.map_err(|error| {
                let text = format!("java.io.IOException: {}", said(&error));
                problem(text, Failure::talking(&error).kind)
            }),
        })
    }

    /// Reads to the end.
    async fn read(&mut self, response: &mut RawResponse) -> Result<Result<(), RawProblem>, Cut> {
        let mut piece = vec![0; self.sampler.piece_bytes];
        loop {
            match self.piece(&mut piece, response.bytes == 0).await? {
                Err(why) => {
                    self.shut = true;
                    return Ok(Err(why));
                }
                Ok(0) => {
                    self.shut |= response.kept.is_empty();
                    return Ok(Ok(()));
                }
                Ok(bytes) => {
                    if response.bytes == 0 {
                        response.first_byte_ns = self.user.thread.clock.now_ns();
                    }
                    response.bytes += bytes as u64;
                    if response.kept.len() <= self.sampler.most_bytes {
                        response.kept.extend_from_slice(&piece[..bytes]);
                    }
                }
            }
        }
    }

    /// Reads the next piece; 0: the end. With a time-out a piece is whole once there is no room or nothing more, but
    /// for the first.
    async fn piece(
        &mut self,
        piece: &mut [u8],
        first: bool,
    ) -> Result<Result<usize, RawProblem>, Cut> {
        let mut filled = 0;
        loop {
            let (until_ns, interrupts) = limit(&mut self.user, self.timeout_ns);
            let reading = self.stream.read(&mut piece[filled..]);
            match until(&self.user, until_ns, reading).await? {
                None if interrupts => return Ok(Err(interrupted(ErrorKind::ReadTimeout))),
                None => {
                    let text = "java.net.SocketTimeoutException: Timeout exceeded while reading \
                                from socket";
                    return Ok(Err(problem(text, ErrorKind::ReadTimeout)));
                }
                Some(Err(error)) => {
                    let text = java_read(&error);
                    return Ok(Err(problem(text, Failure::talking(&error).kind)));
                }
                Some(Ok(0)) => return Ok(Ok(filled)),
                Some(Ok(bytes)) => filled += bytes,
            }
            if first || self.timeout_ns == 0 || filled == piece.len() {
                return Ok(Ok(filled));
            }
        }
    }
}

/// What Java's channels throw when reading fails.
fn java_read(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ECONNRESET) => "java.net.SocketException: Connection reset".to_owned(),
        _ => format!("java.io.IOException: {}", said(error)),
    }
}
