//! What a protocol or an element outside of this crate is made of: connections, one exchange of HTTP, what is kept for
//! a user, expressions, failures. Who only makes a run needs [`crate::engine`] and nothing of this.

pub use crate::in_flight::InFlight;
pub use crate::random::Random;

/// Credentials of HTTP: basic and digest.
pub mod auth {
    pub use crate::auth::{DigestAuth, basic};
}

/// What a response has to be.
pub mod check {
    pub use crate::check::bind_check;
}

/// Bodies that came compressed.
pub mod content_coding {
    pub use crate::content_coding::{CodingError, decode};
}

/// What servers have set.
pub mod cookies {
    pub use crate::cookies::Cookies;
}

/// Until when something has to be done.
pub mod deadline {
    pub use crate::deadline::{Broken, Deadline};
}

/// The only way to the network.
pub mod driver {
    pub use crate::driver::connect::{Endpoint, Proxy};
    pub use crate::driver::resolve::NameResolver;
    pub use crate::driver::session::{TlsEnding, TlsSession};
    pub use crate::driver::{ConnectTimes, Connection, EndpointId, Stream, TcpOptions};

    /// How a connection is encrypted.
    pub mod tls {
        pub use crate::driver::tls::*;
    }
}

/// Elements above this crate, as the engine asks for them.
pub mod extension {
    pub use crate::extension::{
        Extension, ExtensionRun, KeptForUser, NewTransaction, Ran, RunBeginning, TransactionEnding,
        TransactionExtension, UserCounts, UserExtension, Waiting,
    };
}

/// Values that are taken from responses.
pub mod extract {
    pub use crate::extract::{BindError, ResponseView, bind_extract};
}

/// Responses that failed, as they are kept to be shown.
pub mod failed {
    pub use crate::failed::{FailedResponse, ShownMessage, kept};
}

/// What went wrong with a sample.
pub mod failure {
    pub use crate::failure::{Failure, tls_error};
}

/// Expressions in plans.
pub mod functions {
    pub use crate::functions::{
        DynamicScript, EvalContext, EvalError, OnceValues, ScriptProperties, TextExtension, eval,
        eval_text, hex,
    };
}

/// One exchange of HTTP, on a connection of a pool.
pub mod http {
    pub use crate::protocols::http::HttpConnection;
    pub use crate::protocols::http::conclude::without_credentials;
    pub use crate::protocols::http::connect::{Connecting, connect};
    pub use crate::protocols::http::exchange::ExchangeOrder;
    pub use crate::protocols::http::fixed::is_idempotent;
    pub use crate::protocols::http::hop::{Hop, LostRequest, Way, make_hop};
    pub use crate::protocols::http::message::{HeadForm, HttpRequest};
    pub use crate::protocols::http::pool::{IdleConnections, KeepAlive};
    pub use crate::protocols::http::redirects::RedirectRules;
    pub use crate::protocols::http::response::{Failing, Response, Want};
}

/// HTTP/1 as bytes.
pub mod http1 {
    pub use crate::http1::{
        BodyFraming, Head, HeaderField, Progress, ReadError, RequestError, RequestHead,
        RequestMethod, RequestTarget, ResponseLimits, ResponseReader, Sink, unfold,
    };
}

/// Scripts of plans.
pub mod script {
    pub use crate::script::Scripts;
}

/// What users of all threads share.
pub mod shared {
    pub use crate::shared::LocalShared;
    pub use crate::shared::meeting::{Meeting, Patience};
}

/// Times at which something is to be done.
pub mod timer {
    pub use crate::timer::Watch;
}

/// A user, and what is kept for it.
pub mod user {
    pub use crate::user::tracing::Values;
    pub use crate::user::{Cut, Due, Open, User};
}

/// Names and values of variables.
pub mod variables {
    pub use crate::variables::{Names, Variables};
}

/// Frames of WebSocket.
pub mod websocket {
    pub use crate::protocols::websocket::{BareFrame, BareSocket, Deflate, FrameCode, proof};
}
