//! What becomes of a request: its hops, or its end without a sample.

use url::Url;

use super::response::Response;
use crate::clock::Nanos;
use crate::driver::ConnectTimes;
use crate::failure::Failure;

/// What became of one hop.
pub(crate) struct Hop {
    pub start_ns: Nanos,
    pub times: ConnectTimes,
    pub sent_bytes: u64,
    pub response: Box<Response>,
    pub failure: Option<Failure>,
}

/// What became of the request as a whole.
pub(crate) struct Done {
    pub hops: Vec<Hop>,
    pub url: Url,
}

/// The request's end without a sample.
pub struct Cut;
