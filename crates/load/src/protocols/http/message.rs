//! A request as an exchange is given it: in its parts, until a connection writes it.

use crate::http1::RequestHead;

/// A request that is to be sent.
#[derive(Debug, Clone, Copy)]
pub struct HttpRequest<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its head.
    pub head: HeadForm<'a>,
    /// Its body; empty if there is none.
    pub body: &'a [u8],
    /// The body waits for `100 Continue`.
    pub waits: bool,
}

/// The head of a request.
#[derive(Debug, Clone, Copy)]
pub enum HeadForm<'a> {
    /// In its parts.
    Parts(RequestHead<'a>),
    /// As HTTP/1.1 writes it with the body behind it, since the request never changes, or the order
    /// of its lines is the client's own.
    Written(&'a [u8]),
}

/// What HTTP/1.1 writes of a request.
#[derive(Clone, Copy)]
pub struct WrittenRequest<'a> {
    /// Head and body.
    pub bytes: &'a [u8],
    /// Length of the head, where the body waits for `100 Continue`.
    pub wait_after: Option<usize>,
}

impl<'a> HttpRequest<'a> {
    /// What HTTP/1.1 writes of it: into the buffer, unless it is written already.
    #[inline]
    pub fn http1<'b>(&self, buffer: &'b mut Vec<u8>) -> WrittenRequest<'b>
    where
        'a: 'b,
    {
        let bytes = match self.head {
            HeadForm::Written(bytes) => bytes,
            HeadForm::Parts(head) => {
                buffer.clear();
                head.write(buffer);
                buffer.extend_from_slice(self.body);
                buffer
            }
        };
        let head_bytes = bytes.len().saturating_sub(self.body.len());
        WrittenRequest {
            bytes,
            wait_after: self.waits.then_some(head_bytes),
        }
    }
}
