//! JMeter's three clients for TCP (5.6.3, `TCPClientImpl`, `BinaryTCPClientImpl`,
//! `LengthPrefixedBinaryTCPClientImpl`).

use plimsoll_elements::Properties;

/// Where the clients are.
pub(crate) const PACKAGE: &str = "org.apache.jmeter.protocol.tcp.sampler.";

/// A client.
pub enum TcpClient {
    /// Text.
    Text {
        /// The encoding's name.
        encoding: String,
        /// The byte that ends responses, unless the sampler names one.
        end: i32,
    },
    /// Bytes, written in hexadecimal.
    Binary {
        /// The byte that ends responses, unless the sampler names one.
        end: i32,
    },
    /// Bytes in hexadecimal, after their number.
    Prefixed {
        /// The length of the number, bytes.
        length: i32,
    },
}

impl TcpClient {
    /// The client of a class, if it is JMeter's own.
    pub fn of(class: &str, properties: &Properties) -> Option<Self> {
        let number = |name: &str, default: i32| {
            let text = properties.get(name);
            text.and_then(|text| text.trim().parse().ok())
                .unwrap_or(default)
        };
        Some(match class.strip_prefix(PACKAGE).unwrap_or(class) {
            "" | "TCPClientImpl" => Self::Text {
                encoding: properties
                    .get("tcp.charset")
                    .unwrap_or_else(|| "UTF-8".to_owned()),
                end: number("tcp.eolByte", 1000),
            },
            "BinaryTCPClientImpl" => Self::Binary {
                end: number("tcp.BinaryTCPClient.eomByte", 1000),
            },
            "LengthPrefixedBinaryTCPClientImpl" => Self::Prefixed {
                length: number("tcp.binarylength.prefix.length", 2),
            },
            _ => return None,
        })
    }

    /// The encoding of its responses; none: JMeter's for results.
    pub fn encoding(&self) -> Option<&str> {
        match self {
            Self::Text { encoding, .. } => Some(encoding),
            _ => None,
        }
    }
}
