//! The WebSocket samplers of eu.luminis at work.

mod asked;
mod open;
mod talk;
mod thrown;
mod work;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use crate::element_user::ElementUser;
use crate::http::{JavaUrl, cookie_header};
use crate::java_map::in_map_order;
use crate::sampled::{SampleTimes, Sampled};
use crate::samplers::websocket::{
    FrameType, KeptWebSocket, ReadFrame, SocketState, WebSocketSampler, WebSocketWork,
};
use asked::{AskedSocket, PayloadType, SocketTimeouts};
use plimsoll_load::kit::Random;
use plimsoll_load::kit::user::Cut;
use plimsoll_load::kit::websocket::Deflate;
use talk::SocketTalk;
use thrown::SocketThrown;

/// The plugin's code for what is wrong with a sampler.
const SAMPLER_ERROR: &str = "Sampler error";

/// A sample that is being made.
struct SocketSample {
    result: SampleResult,
    times: SampleTimes,
}

impl WebSocketSampler {
    /// Makes the sample. None: an exception ended it.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Option<Sampled>, Cut> {
        let asked = self.asked(user).await;
        let Some(asked) = asked.filter(|_| user.jm().thrown.is_none()) else {
            return Ok(None);
        };
        let mut made = SocketSample {
            result: SampleResult::new(label),
            times: SampleTimes {
                start_ns: user.thread.clock.now_ns(),
                ..SampleTimes::default()
            },
        };
        if let Some(wrong) = asked.wrong(self.work) {
            made.fails(
                SAMPLER_ERROR,
                format!("{SAMPLER_ERROR}: {wrong}"),
                ErrorKind::Other,
            );
            return Ok(Some(made.done(user)));
        }
        let timeouts = match asked.timeouts() {
            Ok(timeouts) => timeouts,
            Err(why) => {
                user.jm().thrown = Some(why);
                return Ok(None);
            }
        };
        let kept = user.jm().samplers.websocket.take();
        let kept = match (kept, asked.creates) {
            (None, false) => {
                self.is_without_connection(&mut made);
                return Ok(Some(made.done(user)));
            }
            (kept, false) => kept,
            (kept, true) => {
                kept.into_iter().for_each(|kept| kept.let_go());
                None
            }
        };
        self.on_connection(user, &asked, timeouts, kept, &mut made)
            .await?;
        Ok(Some(made.done(user)))
    }

    /// What is said where there is no connection to use.
    fn is_without_connection(&self, made: &mut SocketSample) {
        let kind = ErrorKind::ConnectionClosed;
        match self.work {
            WebSocketWork::Close => {
                made.result.sampler_data = Some("No request sent.".to_owned());
                made.fails("", "No connection; nothing to close.".to_owned(), kind);
            }
            WebSocketWork::Ping => {
                let why = "Sampler must use existing connection, but there is no connection";
                made.fails(SAMPLER_ERROR, why.to_owned(), kind);
            }
            _ => {
                let why =
                    "Sampler configured for using existing connection, but there is no connection";
                made.fails(SAMPLER_ERROR, why.to_owned(), kind);
            }
        }
    }

    /// Works on the connection that is kept, or on a new one, and keeps it.
    async fn on_connection(
        &self,
        user: &mut ElementUser<'_>,
        asked: &AskedSocket,
        timeouts: SocketTimeouts,
        kept: Option<Box<KeptWebSocket>>,
        made: &mut SocketSample,
    ) -> Result<(), Cut> {
        let is_new = kept.is_none();
        let connected = self.connected(user, asked, timeouts, kept, made).await?;
        let Some((mut kept, response_headers)) = connected else {
            return Ok(());
        };
        let mut talk = SocketTalk {
            user: user.borrowed(),
            kept: &mut kept,
            result: &mut made.result,
            times: &mut made.times,
            counts_filtered: self.counts_filtered,
        };
        match talk.work(self.work, asked, timeouts.read_ms).await? {
            Err(thrown) => made.throws(self.work, thrown),
            Ok(frame) => {
                if let Some(frame) = &frame {
                    talk.count(frame);
                }
                talk.result.ok();
                if is_new {
                    "101".clone_into(&mut talk.result.code);
                    "Switching Protocols".clone_into(&mut talk.result.message);
                    talk.result.response_headers = response_headers;
                }
                self.shows(&mut talk, asked, frame.as_ref());
            }
        }
        match is_new || kept.state == SocketState::Connected {
            true => user.jm().samplers.websocket = Some(kept),
            false => kept.let_go(),
        }
        Ok(())
    }

    /// The connection that is kept, or a new one with the headers of its response; none: the sample says why.
    async fn connected(
        &self,
        user: &mut ElementUser<'_>,
        asked: &AskedSocket,
        timeouts: SocketTimeouts,
        kept: Option<Box<KeptWebSocket>>,
        made: &mut SocketSample,
    ) -> Result<Option<(Box<KeptWebSocket>, String)>, Cut> {
        let is_open = |kept: &KeptWebSocket| kept.state == SocketState::Connected;
        if let Some(kept) = kept {
            let existing = match is_open(&kept) {
                true => "(using existing connection)\n",
                false => "",
            };
            let shown = &kept.shown;
            made.result.sampler_data = Some(format!("Connect URL:\n{shown}\n{existing}"));
            if is_open(&kept) {
                return Ok(Some((kept, String::new())));
            }
            self.headers(user, asked, made);
            made.throws(self.work, SocketThrown::state("connect", kept.state.word()));
            kept.let_go();
            return Ok(None);
        }
        let headers = self.headers(user, asked, made);
        let shown = asked.shown();
        made.times.start_ns = user.thread.clock.now_ns();
        made.result.sampler_data = Some(format!("Connect URL:\n{shown}\n"));
        let opened = match open::open(user, asked, &headers, timeouts).await? {
            Ok(opened) => opened,
            Err(thrown) => {
                made.throws(self.work, thrown);
                return Ok(None);
            }
        };
        let start_ns = made.times.start_ns;
        made.times.connect_ns = (user.thread.clock.now_ns() - start_ns).max(1);
        made.result.header_bytes = opened.received_bytes;
        made.result.received_bytes = opened.received_bytes;
        made.result.sent_bytes = opened.sent_bytes;
        let kept = Box::new(KeptWebSocket {
            socket: opened.socket,
            state: SocketState::Connected,
            shown,
            within: None,
            is_compressed: false,
            compressed: Vec::new(),
            deflate: deflate(&headers),
            stop_policy: self.stop_policy,
            masks: Random::new(user.random.bits(), 0),
        });
        Ok(Some((kept, lines(&opened.headers))))
    }

    /// Puts what came into the result.
    fn shows(&self, talk: &mut SocketTalk<'_>, asked: &AskedSocket, frame: Option<&ReadFrame>) {
        match (self.work, frame) {
            (WebSocketWork::Exchange, Some(frame)) => {
                talk.put(frame, asked.payload != PayloadType::Binary);
            }
            (WebSocketWork::Read, Some(frame)) => {
                talk.put(frame, frame.kind != FrameType::Binary);
            }
            (WebSocketWork::Read, None) => {
                "No response".clone_into(&mut talk.result.code);
                "Read timeout, no response received.".clone_into(&mut talk.result.message);
            }
            (WebSocketWork::Close, Some(frame)) => {
                let (code, reason) = frame.close();
                let code = code.map(|code| code.to_string()).unwrap_or_default();
                let result = &mut *talk.result;
                result.message = match &reason {
                    Some(reason) => format!("Connection closed; close reason: '{reason}'."),
                    None => "Connection closed.".to_owned(),
                };
                let reason = reason
                    .map(|reason| format!(": {reason}"))
                    .unwrap_or_default();
                result.body = format!("{code}{reason}").into_bytes();
                result.encoding = Some("UTF-8".to_owned());
                result.data_type = DataType::Text;
                result.code = code;
            }
            _ => {}
        }
    }

    /// The headers of a handshake, where managers say any, in the order of Java's map.
    fn headers(
        &self,
        user: &mut ElementUser<'_>,
        asked: &AskedSocket,
        made: &mut SocketSample,
    ) -> Vec<(String, String)> {
        let mut headers = asked.headers.clone();
        if let Some(manager) = self.cookies.as_deref() {
            let scheme = if asked.tls { "https" } else { "http" };
            let (server, port) = (&asked.server, &asked.port);
            let url = format!("{scheme}://{server}:{port}{}", asked.file_part());
            let url = JavaUrl::parse(&url).ok();
            let cookies = url.and_then(|url| cookie_header(user, manager, &url));
            if let Some(cookies) = cookies {
                match headers.iter_mut().find(|(name, _)| name == "Cookie") {
                    Some((_, own)) => *own = cookies,
                    None => headers.push(("Cookie".to_owned(), cookies)),
                }
                headers = in_map_order(headers, |(name, _)| name);
            }
        }
        made.result.request_headers = lines(&headers);
        headers
    }
}

impl AskedSocket {
    /// The address as samples show it.
    fn shown(&self) -> String {
        let scheme = if self.tls { "wss" } else { "ws" };
        let (server, port) = (&self.server, &self.port);
        let file = self.file_part();
        let slash = if file.starts_with('/') { "" } else { "/" };
        format!("{scheme}://{server}:{port}{slash}{file}")
    }
}

impl SocketSample {
    fn fails(&mut self, code: &str, message: String, kind: ErrorKind) {
        code.clone_into(&mut self.result.code);
        self.result.message = message;
        self.result.success = false;
        self.times.error = Some(kind);
    }

    /// What the plugin makes of an exception.
    fn throws(&mut self, work: WebSocketWork, thrown: SocketThrown) {
        match thrown {
            SocketThrown::Unexpected(frame) if work == WebSocketWork::Close => {
                let message = format!(
                    "WebSocket error: received not a close frame, but {}",
                    frame.shown()
                );
                let code = "WebSocket error: unsuccesful close.";
                self.fails(code, message, ErrorKind::Other);
            }
            SocketThrown::Unexpected(frame) => {
                let code = format!("{SAMPLER_ERROR}: unexpected frame type ({}).", frame.word());
                self.fails(
                    &code,
                    format!("Received: {}", frame.shown()),
                    ErrorKind::Other,
                );
            }
            SocketThrown::Refused { status, text } => {
                let code = status.map(|status| status.to_string()).unwrap_or_default();
                self.fails(&code, text, ErrorKind::HttpStatus);
            }
            SocketThrown::Io(text, kind) => {
                let message = format!("WebSocket I/O error: {text}");
                self.fails("Websocket I/O error", message, kind);
            }
            SocketThrown::Late => {
                let message = "WebSocket I/O error: Read timed out".to_owned();
                self.fails("Websocket I/O error", message, ErrorKind::ReadTimeout);
            }
            SocketThrown::Told(code, message) => self.fails(code, message, ErrorKind::Other),
            SocketThrown::Other(text) => {
                let message = format!("{SAMPLER_ERROR}: {text}");
                self.fails(SAMPLER_ERROR, message, ErrorKind::Other);
            }
        }
    }

    fn done(mut self, user: &ElementUser<'_>) -> Sampled {
        self.times.end_ns = user.thread.clock.now_ns();
        let result = &mut self.result;
        // Java's result counts the body that it holds where no other is told.
        if result.body_bytes == 0 {
            result.body_bytes = result.body.len() as u64;
            result.received_bytes += result.body_bytes;
        }
        Sampled::new(self.result, self.times)
    }
}

/// Headers, a line each.
fn lines(headers: &[(String, String)]) -> String {
    let lines = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Compression, where a header of the plan's asks for it; the plugin does not look whether the server agrees.
fn deflate(headers: &[(String, String)]) -> Option<Deflate> {
    let mut asked = headers.iter().filter(|(name, value)| {
        name.contains("Sec-WebSocket-Extensions") && value.contains("permessage-deflate")
    });
    let (_, value) = asked.next_back()?;
    let each_alone = value.contains("server_no_context_takeover");
    let agreed = match each_alone {
        true => "permessage-deflate; server_no_context_takeover",
        false => "permessage-deflate",
    };
    Deflate::agreed(std::iter::once(agreed)).ok().flatten()
}
