//! What holds where a plan says nothing. The reader's reference quotes these, the compiler
//! applies them.

use std::time::Duration;

use super::CookieMode;

/// Time-out of a whole request, redirects not included.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// Time-out of making a connection: DNS, TCP and TLS together.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Redirects followed for one request.
pub const REDIRECTS: u32 = 10;

/// Time requests in flight get at the end; as long as [`TIMEOUT`], so that by default no
/// request is cut off that would have got its response.
pub const GRACE: Duration = Duration::from_secs(30);

/// Cookies are kept as a browser keeps them.
pub const COOKIES: CookieMode = CookieMode::Keep;

/// Connections are kept open.
pub const KEEP_ALIVE: bool = true;

/// No compression unless asked for: it costs the generator CPU and hides sizes.
pub const COMPRESSION: bool = false;

/// Connections belong to users.
pub const SHARE_CONNECTIONS: bool = false;

/// Longest response body that is accepted, bytes.
pub const MAX_BODY_BYTES: u64 = 64 * 1024 * 1024;

/// Longest header section that is accepted, bytes.
pub const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Users in flight over which an arrival of an open load counts as not started.
pub const MAX_IN_FLIGHT: u32 = 10_000;

/// How long a guard's condition must be broken.
pub const GUARD_FOR: Duration = Duration::from_secs(10);
