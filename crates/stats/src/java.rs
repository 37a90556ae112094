//! Failures by the names that JMeter gives them.

use crate::ErrorKind;

/// The exception JMeter 5.6 reports for a kind of error, and its message; `None` where it
/// keeps the response's own code.
#[must_use]
pub fn java_exception(kind: ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::CheckFailed | ErrorKind::HttpStatus | ErrorKind::ScriptFailed => return None,
        ErrorKind::ReadTimeout => ("java.net.SocketTimeoutException", "Read timed out"),
        ErrorKind::ConnectTimeout => (
            "org.apache.http.conn.ConnectTimeoutException",
            "Connect timed out",
        ),
        ErrorKind::ConnectionRefused => (
            "org.apache.http.conn.HttpHostConnectException",
            "Connection refused",
        ),
        ErrorKind::ConnectionClosed => (
            "org.apache.http.NoHttpResponseException",
            "The target server failed to respond",
        ),
        ErrorKind::ClosedInBody => (
            "org.apache.http.ConnectionClosedException",
            "Premature end of message body",
        ),
        ErrorKind::CutOff => ("java.net.SocketException", "Socket closed"),
        ErrorKind::ConnectionReset => ("java.net.SocketException", "Connection reset"),
        ErrorKind::UnknownHost => ("java.net.UnknownHostException", "Name or service not known"),
        ErrorKind::IllegalHttp2Header => ("org.apache.http.ProtocolException", "Illegal header"),
        ErrorKind::NoLocalPort => ("java.net.BindException", "Address already in use"),
        ErrorKind::TlsHandshake => ("javax.net.ssl.SSLHandshakeException", "Handshake failed"),
        ErrorKind::TlsCertificate => (
            "javax.net.ssl.SSLHandshakeException",
            "PKIX path building failed",
        ),
        ErrorKind::MalformedResponse => (
            "org.apache.http.client.ClientProtocolException",
            "The response is not valid HTTP",
        ),
        ErrorKind::HeaderLimit => (
            "org.apache.http.MessageConstraintException",
            "Maximum header size exceeded",
        ),
        ErrorKind::BodyLimit => ("java.io.IOException", "Maximum body size exceeded"),
        ErrorKind::Decoding => ("java.util.zip.ZipException", "The body cannot be decoded"),
        ErrorKind::RedirectLoop => (
            "java.io.IOException",
            "Exceeded maximum number of redirects",
        ),
        ErrorKind::Proxy => ("java.io.IOException", "The proxy refused or failed"),
        ErrorKind::OutOfFileDescriptors => ("java.net.SocketException", "Too many open files"),
        ErrorKind::HostNotAllowed => ("java.lang.SecurityException", "Host not allowed"),
        ErrorKind::Network => ("java.net.NoRouteToHostException", "Host unreachable"),
        ErrorKind::Other => ("java.io.IOException", "Unknown error"),
    })
}
