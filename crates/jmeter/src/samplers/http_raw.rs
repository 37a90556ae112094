//! The plugins' HTTP Raw Request (jpgc-httpraw, `HTTPRawSampler`): bytes to a port, and whatever comes back until the
//! server ends it.

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Fields, Properties};
use plimsoll_load::kit::driver::Stream;
use plimsoll_plan::program::SiteId;

/// The plugin's class.
pub const CLASS: &str = "kg.apc.jmeter.samplers.HTTPRawSampler";

/// What pieces of a response, and of a file, have at most by default.
const PIECE_BYTES: usize = 4096;

/// Sends bytes and takes the response.
pub struct HttpRawSampler {
    /// Where a user's connection of this very sampler is kept.
    pub(crate) site: SiteId,
    pub(crate) host: Field,
    pub(crate) port: Field,
    pub(crate) timeout: Field,
    pub(crate) data: Field,
    pub(crate) file: Field,
    pub(crate) keep_alive: Field,
    pub(crate) parse: Field,
    /// Bytes read at once (`kg.apc.jmeter.samplers.ReceiveBufferSize`).
    pub(crate) piece_bytes: usize,
    /// Once a response has more, no further piece of it is kept (`kg.apc.jmeter.samplers.ResultDataLimit`).
    pub(crate) most_bytes: usize,
}

/// The connection of a sampler that keeps it.
pub struct KeptRaw {
    pub(crate) site: SiteId,
    pub(crate) channel: RawChannel,
}

/// A connection of the plugin's.
pub enum RawChannel {
    /// Open; `timeout_ms` as it was made with, 0: reads wait for ever.
    Open {
        /// The connection.
        stream: Stream,
        /// How long each read may wait, ms.
        timeout_ms: u32,
    },
    /// What was not made, or was closed: Java's exception for whoever writes to it, and for whoever only reads.
    Shut {
        /// Of writing.
        writing: &'static str,
        /// Of reading.
        reading: &'static str,
    },
}

impl HttpRawSampler {
    /// Binds it.
    pub fn bind(fields: Fields<'_>, properties: &Properties) -> Self {
        let bytes = |name: &str, default: usize| {
            let text = properties.get(&format!("kg.apc.jmeter.samplers.{name}"));
            let number = text.and_then(|text| text.trim().parse::<usize>().ok());
            number.unwrap_or(default)
        };
        Self {
            site: fields.0.site,
            host: fields.field("hostname"),
            port: fields.field("port"),
            timeout: fields.field("timeout"),
            data: fields.field("data"),
            file: fields.field("fileName"),
            keep_alive: fields.field("keepalive"),
            parse: fields.field("parse"),
            piece_bytes: bytes("ReceiveBufferSize", PIECE_BYTES).clamp(1, 1 << 20),
            most_bytes: bytes("ResultDataLimit", i32::MAX.unsigned_abs() as usize),
        }
    }
}
