//! The WebSocket samplers of eu.luminis (jmeter-websocket-samplers 1.3.1): open, request and response, single read,
//! single write, ping and pong, close. A user has one connection, and takes from it frame by frame: nothing is responded
//! to, put together or closed that the plan does not say.

mod filter;
mod frame;
mod kept;
mod package;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Fields, Properties};
use plimsoll_plan::program::ElementProgram;
use std::sync::Arc;

use crate::http::{CookieManager, Managers, SamplerHeaders};

pub(crate) use filter::{FrameFilter, PongSending, ReadyFilter};
pub(crate) use frame::{FrameType, ReadFrame};
pub(crate) use kept::{KeptWebSocket, SocketState, StopPolicy};
pub(crate) use package::PACKAGE;

/// What a sampler does with its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WebSocketWork {
    /// Opens it.
    Open,
    /// Sends a frame and takes the next one.
    Exchange,
    /// Takes a frame.
    Read,
    /// Sends a frame.
    Write,
    /// Sends a ping and takes its pong, or sends a pong.
    Ping,
    /// Says that it closes, and takes the frame that says so back.
    Close,
}

/// The samplers, by their classes without the package.
const WORKS: [(&str, WebSocketWork); 6] = [
    ("CloseWebSocketSampler", WebSocketWork::Close),
    ("OpenWebSocketSampler", WebSocketWork::Open),
    ("PingPongSampler", WebSocketWork::Ping),
    ("RequestResponseWebSocketSampler", WebSocketWork::Exchange),
    ("SingleReadWebSocketSampler", WebSocketWork::Read),
    ("SingleWriteWebSocketSampler", WebSocketWork::Write),
];

/// A WebSocket sampler.
pub struct WebSocketSampler {
    pub(crate) work: WebSocketWork,
    pub(crate) server: Field,
    pub(crate) port: Field,
    pub(crate) path: Field,
    pub(crate) tls: Field,
    pub(crate) connect_timeout: Field,
    pub(crate) read_timeout: Field,
    pub(crate) creates: Field,
    pub(crate) payload_type: Field,
    /// What said the type before there were more than two.
    pub(crate) is_binary: Field,
    pub(crate) data_type: Field,
    pub(crate) request: Field,
    pub(crate) from_file: Field,
    pub(crate) file: Field,
    pub(crate) optional: Field,
    pub(crate) ping_type: Field,
    pub(crate) close_code: Field,
    /// Of the header managers; none: there is none.
    pub(crate) headers: Option<SamplerHeaders>,
    pub(crate) cookies: Option<Arc<CookieManager>>,
    /// The nearest first, which is the last that sees a frame.
    pub(crate) filters: Vec<FrameFilter>,
    /// What filters took counts as received (`websocket.result.size_includes_filtered_frames`).
    pub(crate) counts_filtered: bool,
    /// What becomes of the connection with its user (`websocket.thread.stop.policy`).
    pub(crate) stop_policy: StopPolicy,
}

impl WebSocketSampler {
    /// Binds it with its configuration, the nearest first, if it is one.
    pub fn bind(
        fields: Fields<'_>,
        configs: &[&ElementProgram],
        properties: &Properties,
    ) -> Option<Self> {
        let class = fields.0.class.strip_prefix(PACKAGE)?;
        let (_, work) = *WORKS.iter().find(|(known, _)| *known == class)?;
        let all: Vec<Fields<'_>> = configs.iter().map(|config| Fields(config)).collect();
        let of_class = |class: &str| {
            let found = all.iter().filter(|config| config.0.class == class);
            found.copied().collect::<Vec<_>>()
        };
        let headers = of_class("HeaderManager");
        let mut filters: Vec<&&ElementProgram> = Vec::new();
        for config in configs {
            // Equal ones count once.
            let is_new = || {
                !filters
                    .iter()
                    .any(|known| FrameFilter::are_equal(known, config))
            };
            if FrameFilter::is_one(config) && is_new() {
                filters.push(config);
            }
        }
        let counts = properties.get("websocket.result.size_includes_filtered_frames");
        Some(Self {
            work,
            server: fields.field("server"),
            port: fields.field("port"),
            path: fields.field("path"),
            tls: fields.field("TLS"),
            connect_timeout: fields.field("connectTimeout"),
            read_timeout: fields.field("readTimeout"),
            creates: fields.field("createNewConnection"),
            payload_type: fields.field("payloadType"),
            is_binary: fields.field("binaryPayload"),
            data_type: fields.field("dataType"),
            request: fields.field("requestData"),
            from_file: fields.field("loadDataFromFile"),
            file: fields.field("dataFile"),
            optional: fields.field("optional"),
            ping_type: fields.field("type"),
            close_code: fields.field("statusCode"),
            headers: (!headers.is_empty()).then(|| SamplerHeaders::bind(&headers)),
            cookies: Managers::bind(&all).cookies,
            filters: filters
                .iter()
                .map(|it| FrameFilter::bind(Fields(it)))
                .collect(),
            counts_filtered: counts.is_some_and(|text| text.eq_ignore_ascii_case("true")),
            stop_policy: StopPolicy::of(properties),
        })
    }
}
