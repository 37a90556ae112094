//! The plugins' Dummy Sampler (jmeter-plugins-dummy, `DummyElement`): a sample as it is
//! written.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;

/// A sample as it is written.
pub struct DummySampler {
    pub(crate) waits: Field,
    pub(crate) success: Field,
    pub(crate) code: Field,
    pub(crate) message: Field,
    pub(crate) request: Field,
    pub(crate) response: Field,
    pub(crate) time: Field,
    pub(crate) latency: Field,
    pub(crate) connect: Field,
    pub(crate) url: Field,
}

impl DummySampler {
    /// Binds it.
    pub fn bind(fields: Fields<'_>) -> Self {
        Self {
            waits: fields.field("WAITING"),
            // The plugin's own spelling.
            success: fields.field("SUCCESFULL"),
            code: fields.field("RESPONSE_CODE"),
            message: fields.field("RESPONSE_MESSAGE"),
            request: fields.field("REQUEST_DATA"),
            response: fields.field("RESPONSE_DATA"),
            time: fields.field("RESPONSE_TIME"),
            latency: fields.field("LATENCY"),
            connect: fields.field("CONNECT"),
            url: fields.field("URL"),
        }
    }
}
