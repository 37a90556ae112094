//! What a WebSocket sample is to do: the sampler's texts for a user, and what the plugin finds wrong with them.

use plimsoll_elements::Fault;
use plimsoll_elements::fields::Field;

use crate::context::ElementContext;
use crate::element_user::ElementUser;
use crate::http::Eval;
use crate::java_map::in_map_order;
use crate::samplers::websocket::{ReadyFilter, WebSocketSampler, WebSocketWork};

/// The plugin's defaults, ms.
const CONNECT_TIMEOUT: &str = "20000";
const READ_TIMEOUT: &str = "6000";

/// What a sample is to do.
pub(super) struct AskedSocket {
    pub(super) server: String,
    pub(super) port: String,
    pub(super) path: String,
    pub(super) tls: bool,
    connect_timeout: String,
    read_timeout: String,
    /// It makes a connection of its own.
    pub(super) creates: bool,
    pub(super) payload: PayloadType,
    pub(super) data_type: String,
    pub(super) request: String,
    /// The file that has the request.
    pub(super) file: Option<String>,
    pub(super) optional: bool,
    pub(super) ping_type: String,
    pub(super) close_code: String,
    pub(super) filters: Vec<ReadyFilter>,
    /// Names and values of headers, as Java's map has them.
    pub(super) headers: Vec<(String, String)>,
}

/// What a frame that is sent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PayloadType {
    /// Text.
    Text,
    /// Text of STOMP: `^@` is its end mark.
    Stomp,
    /// Bytes.
    Binary,
}

/// Time-outs, ms.
#[derive(Debug, Clone, Copy)]
pub(super) struct SocketTimeouts {
    pub(super) connect_ms: u64,
    /// 0: for ever.
    pub(super) read_ms: u64,
}

impl WebSocketSampler {
    /// The texts. None: one cannot be computed.
    pub(super) async fn asked(&self, user: &mut ElementUser<'_>) -> Option<AskedSocket> {
        let work = |cx: &mut ElementContext<'_, '_>| {
            let mut text = |field: &Field, default: &str| -> Result<String, Fault> {
                match field.is_there() {
                    true => Ok(field.text(cx)?.into_owned()),
                    false => Ok(default.to_owned()),
                }
            };
            let is_true = |text: &str| text.eq_ignore_ascii_case("true");
            let creates = match self.work {
                WebSocketWork::Open => true,
                WebSocketWork::Exchange => is_true(&text(&self.creates, "true")?),
                WebSocketWork::Read | WebSocketWork::Write => is_true(&text(&self.creates, "")?),
                WebSocketWork::Ping | WebSocketWork::Close => false,
            };
            let payload = match self.payload_type.is_there() {
                true => payload_type(&text(&self.payload_type, "")?),
                false if is_true(&text(&self.is_binary, "")?) => PayloadType::Binary,
                false => PayloadType::Text,
            };
            let data_type = match text(&self.data_type, "")? {
                none if none.is_empty() && is_true(&text(&self.is_binary, "")?) => {
                    "Binary".to_owned()
                }
                none if none.is_empty() => "Text".to_owned(),
                said => said,
            };
            let file = match is_true(&text(&self.from_file, "")?) {
                true => Some(text(&self.file, "")?),
                false => None,
            };
            let trimmed = |text: String| text.trim_matches(|c: char| c <= ' ').to_owned();
            Ok::<_, Fault>(AskedSocket {
                server: text(&self.server, "")?,
                port: trimmed(text(&self.port, "80")?),
                path: text(&self.path, "")?,
                tls: is_true(&text(&self.tls, "")?),
                connect_timeout: trimmed(text(&self.connect_timeout, CONNECT_TIMEOUT)?),
                read_timeout: trimmed(text(&self.read_timeout, READ_TIMEOUT)?),
                creates,
                payload,
                data_type,
                request: text(&self.request, "")?,
                file,
                optional: is_true(&text(&self.optional, "")?),
                ping_type: text(&self.ping_type, "PingPong")?,
                close_code: text(&self.close_code, "1000")?,
                filters: self
                    .filters
                    .iter()
                    .map(|filter| filter.ready(cx))
                    .collect::<Result<_, _>>()?,
                headers: self.header_pairs(cx)?,
            })
        };
        user.work(work, |fault| *fault == Fault::Remote).await.ok()
    }

    /// Headers by their names, of which the last of a name counts, in the order of Java's map.
    fn header_pairs(
        &self,
        cx: &mut ElementContext<'_, '_>,
    ) -> Result<Vec<(String, String)>, Fault> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let Some(headers) = &self.headers else {
            return Ok(pairs);
        };
        let all = headers.pairs(&mut Eval(Some(cx)))?;
        for (name, value) in all.into_iter().filter(|(name, _)| !name.trim().is_empty()) {
            match pairs.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => pairs.push((name, value)),
            }
        }
        Ok(in_map_order(pairs, |(name, _)| name))
    }
}

fn payload_type(word: &str) -> PayloadType {
    match word {
        "Binary" => PayloadType::Binary,
        "TextStomp" => PayloadType::Stomp,
        _ => PayloadType::Text,
    }
}

impl AskedSocket {
    /// What the plugin says of texts that are wrong, before anything is done.
    pub(super) fn wrong(&self, work: WebSocketWork) -> Option<String> {
        let place = || self.wrong_port().or_else(|| self.wrong_connect_timeout());
        let of_new = self.creates.then(place).flatten();
        match work {
            WebSocketWork::Write => of_new,
            _ => of_new.or_else(|| self.wrong_read_timeout()),
        }
    }

    fn wrong_port(&self) -> Option<String> {
        let port = &self.port;
        match port.parse::<i32>() {
            Ok(1..=65_535) => None,
            Ok(_) => Some(format!("Port number '{port}' is not valid.")),
            Err(_) => Some(format!("Port number '{port}' is not a number.")),
        }
    }

    fn wrong_connect_timeout(&self) -> Option<String> {
        wrong_timeout("Connection", &self.connect_timeout, 1, 999_999)
    }

    fn wrong_read_timeout(&self) -> Option<String> {
        wrong_timeout("Read", &self.read_timeout, 0, 9_999_999)
    }

    /// The time-outs.
    ///
    /// # Errors
    /// Java's exception for a text that is no number; the plugin looks at those that it does not need, too.
    pub(super) fn timeouts(&self) -> Result<SocketTimeouts, String> {
        let number = |text: &str| match text.parse::<i32>() {
            Ok(number) => Ok(u64::try_from(number).unwrap_or(0)),
            Err(_) => Err(format!(
                "java.lang.NumberFormatException: For input string: \"{text}\""
            )),
        };
        let read_ms = number(&self.read_timeout)?;
        let connect_ms = number(&self.connect_timeout)?;
        Ok(SocketTimeouts {
            connect_ms,
            read_ms,
        })
    }

    /// The path with its query, as it is asked for: Java's address has no fragment, and a path begins with a slash.
    pub(super) fn file_part(&self) -> String {
        let file = self.path.split('#').next().unwrap_or_default();
        let path = file.rsplit_once('?').map_or(file, |(path, _)| path);
        let trimmed = file.trim_matches(|c: char| c <= ' ');
        match path.starts_with('/') || trimmed.starts_with('/') {
            true => file.to_owned(),
            false => format!("/{trimmed}"),
        }
    }
}

fn wrong_timeout(what: &str, text: &str, least: i32, most: i32) -> Option<String> {
    match text.parse::<i32>() {
        Ok(number) if (least..=most).contains(&number) => None,
        Ok(number) => Some(format!(
            "{what} timeout '{number}' is not valid; should between {least} and {most}"
        )),
        Err(_) => Some(format!("{what} timeout '{text}' is not a number.")),
    }
}
