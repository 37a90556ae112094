//! What each of the samplers does with its connection.

use plimsoll_elements::binary_text::{bytes_of, text_of};

use super::asked::{AskedSocket, PayloadType};
use super::talk::SocketTalk;
use super::thrown::SocketThrown;
use crate::http::Files;
use crate::samplers::websocket::{FrameType, PACKAGE, ReadFrame, WebSocketWork};
use plimsoll_load::kit::user::Cut;
use plimsoll_load::kit::websocket::FrameCode;
use std::io;

/// What the plugin says with a close frame.
const CLOSE_REASON: &str = "sampler requested close";
/// How many bytes of a file samples show.
const SHOWN_FILE_BYTES: usize = 100;

type Talked<T> = Result<Result<T, SocketThrown>, Cut>;

/// The value, or what an exception ends the work with.
macro_rules! or_thrown {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(thrown) => return Ok(Err(thrown)),
        }
    };
}

impl SocketTalk<'_> {
    /// Does it; the frame that came, if one is to come.
    pub(super) async fn work(
        &mut self,
        work: WebSocketWork,
        asked: &AskedSocket,
        read_ms: u64,
    ) -> Talked<Option<ReadFrame>> {
        match work {
            WebSocketWork::Open => Ok(Ok(None)),
            WebSocketWork::Write => Ok(self.request(asked).await?.map(|()| None)),
            WebSocketWork::Exchange => {
                or_thrown!(self.request(asked).await?);
                let frame = or_thrown!(self.next(&asked.filters, read_ms).await?);
                let wanted = match asked.payload {
                    PayloadType::Binary => FrameType::Binary,
                    PayloadType::Text | PayloadType::Stomp => FrameType::Text,
                };
                Ok(expected(frame, |frame| frame.kind == wanted))
            }
            WebSocketWork::Read => self.read(asked, read_ms).await,
            WebSocketWork::Ping => self.ping(asked, read_ms).await,
            WebSocketWork::Close => self.close(asked, read_ms).await,
        }
    }

    /// Sends the request.
    async fn request(&mut self, asked: &AskedSocket) -> Talked<()> {
        let (payload, shown) = or_thrown!(self.payload(asked));
        let data = self.result.sampler_data.get_or_insert_default();
        data.push_str(&format!("\nRequest data:\n{shown}\n"));
        let code = match asked.payload {
            PayloadType::Binary => FrameCode::Binary,
            PayloadType::Text | PayloadType::Stomp => FrameCode::Text,
        };
        let bytes = or_thrown!(self.send(code, &payload, "send data frame").await?);
        self.result.sent_bytes = bytes;
        Ok(Ok(()))
    }

    /// What is sent, and what samples show of it.
    fn payload(&self, asked: &AskedSocket) -> Result<(Vec<u8>, String), SocketThrown> {
        let file = match &asked.file {
            Some(file) => Some(self.file(file)?),
            None => None,
        };
        if asked.payload == PayloadType::Binary {
            return match file {
                Some(bytes) => {
                    let shown = text_of(&bytes, SHOWN_FILE_BYTES, "...");
                    Ok((bytes, shown))
                }
                None => match bytes_of(&asked.request) {
                    Ok(bytes) => Ok((bytes, asked.request.clone())),
                    Err(_) => {
                        let why = format!("Request data is not binary: {}", asked.request);
                        Err(SocketThrown::Told("Sampler Error", why))
                    }
                },
            };
        }
        let text = match file {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => asked.request.clone(),
        };
        let text = match asked.payload {
            PayloadType::Stomp => text.replace("^@", "\0"),
            _ => text,
        };
        Ok((text.clone().into_bytes(), text))
    }

    fn file(&self, path: &str) -> Result<Vec<u8>, SocketThrown> {
        let jmeter = &self.user.thread.jmeter;
        let files = Files {
            folder: &jmeter.plan_folder,
            access: &jmeter.access,
        };
        files.bytes(path).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::NotFound => "not found",
                io::ErrorKind::PermissionDenied => "not readable",
                _ => {
                    let kind = plimsoll_stats::ErrorKind::Other;
                    return SocketThrown::Io(error.to_string(), kind);
                }
            };
            let why = format!("Request data cannot be loaded, file '{path}' {what}");
            SocketThrown::Told("Sampler Error", why)
        })
    }

    async fn read(&mut self, asked: &AskedSocket, read_ms: u64) -> Talked<Option<ReadFrame>> {
        let frame = match self.next(&asked.filters, read_ms).await? {
            Err(SocketThrown::Late) if asked.optional => return Ok(Ok(None)),
            read => or_thrown!(read),
        };
        let wanted = match asked.data_type.as_str() {
            "Text" => Some(FrameType::Text),
            "Binary" => Some(FrameType::Binary),
            "Any" => None,
            word => {
                let what = "java.lang.IllegalArgumentException: No enum constant";
                let of = "SingleReadWebSocketSampler.DataType";
                let text = format!("{what} {PACKAGE}{of}.{word}");
                return Ok(Err(SocketThrown::Other(text)));
            }
        };
        Ok(expected(frame, |frame| match wanted {
            Some(wanted) => frame.kind == wanted,
            None => frame.is_data(),
        }))
    }

    async fn ping(&mut self, asked: &AskedSocket, read_ms: u64) -> Talked<Option<ReadFrame>> {
        match asked.ping_type.as_str() {
            "PingPong" => {
                let sent = self.send(FrameCode::Ping, b"", "send ping frame").await?;
                self.result.sent_bytes = or_thrown!(sent);
                let frame = or_thrown!(self.next(&asked.filters, read_ms).await?);
                Ok(expected(frame, |frame| frame.kind == FrameType::Pong))
            }
            "Pong" => {
                let sent = self.send(FrameCode::Pong, b"", "send pong frame").await?;
                self.result.sent_bytes = or_thrown!(sent);
                Ok(Ok(None))
            }
            word => {
                let what = "java.lang.IllegalArgumentException: No enum constant";
                let text = format!("{what} {PACKAGE}PingPongSampler.Type.{word}");
                Ok(Err(SocketThrown::Other(text)))
            }
        }
    }

    async fn close(&mut self, asked: &AskedSocket, read_ms: u64) -> Talked<Option<ReadFrame>> {
        let Ok(code) = asked.close_code.parse::<i32>() else {
            let code = &asked.close_code;
            let text = format!("java.lang.NumberFormatException: For input string: \"{code}\"");
            return Ok(Err(SocketThrown::Other(text)));
        };
        self.result.sampler_data = Some(format!(
            "Requested connection close with status {code} and reason '{CLOSE_REASON}'."
        ));
        let [.., high, low] = code.to_be_bytes();
        let mut payload = vec![high, low];
        payload.extend_from_slice(CLOSE_REASON.as_bytes());
        let sent = self.send(FrameCode::Close, &payload, "close").await?;
        self.result.sent_bytes = or_thrown!(sent);
        let frame = or_thrown!(self.next(&asked.filters, read_ms).await?);
        Ok(expected(frame, |frame| frame.kind == FrameType::Close))
    }
}

/// A frame, if it is the one that was to come.
fn expected(
    frame: ReadFrame,
    is: impl Fn(&ReadFrame) -> bool,
) -> Result<Option<ReadFrame>, SocketThrown> {
    match is(&frame) {
        true => Ok(Some(frame)),
        false => Err(SocketThrown::Unexpected(Box::new(frame))),
    }
}
