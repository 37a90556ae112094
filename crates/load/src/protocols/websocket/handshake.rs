//! Opening a connection (RFC 6455, 4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;
use sha1::{Digest as _, Sha1};
use url::Url;

use super::super::carrier::{Carrier, Read};
use super::super::seam::{ExchangeCall, MadeExchange};
use super::connection::{NamedSocket, WebSocket};
use super::deflate::{Deflate, OFFER};
use super::frames::Frames;
use super::steps::Connect;
use crate::deadline::Broken;
use crate::driver::Connection;
use crate::extract::headers;
use crate::failure::Failure;
use crate::in_flight::InFlight;
use crate::protocols::http::draft::Draft;
use crate::protocols::http::hop::Hop;
use crate::protocols::http::response::{Response, Taker, Want};
use crate::user::User;
use crate::user::step::Cut;

/// What the server's proof is made with (RFC 6455, 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Opens a connection and keeps it under its name; one of that name that is open is closed.
pub(super) async fn connect(
    user: &mut User,
    call: &ExchangeCall<'_>,
    step: &Connect,
) -> Result<MadeExchange, Cut> {
    user.protocols
        .websocket
        .retain(|named| named.name != step.name);
    let asked = user
        .draft(call.request)
        .and_then(|draft| ask(user, draft, step));
    let (draft, key, offered) = match asked {
        Ok(asked) => asked,
        Err(failure) => return Ok(MadeExchange::never_sent(user, call, failure)),
    };
    let thread = std::rc::Rc::clone(&user.thread);
    let (mut hop, mut sent) = (Hop::new(call.start_ns, Box::default()), Vec::new());
    let mut in_flight = InFlight::new(&thread, call.recorded_label());
    let sending = Carrier::send(user, call, &draft, &mut hop, &mut sent, &mut in_flight);
    let switched = match sending.await {
        Ok(carrier) => switch(user, call, carrier, &mut hop).await,
        Err(broken) => Err(broken),
    };
    in_flight.done();
    user.keep_cookies(call.request, &draft.url, &mut hop.response);
    let agreed = switched.and_then(|switched| {
        let Some((connection, first)) = switched else {
            return Ok(None);
        };
        let deflate = agreement(&hop.response, &key, &offered, step.deflate)?;
        Ok(Some((connection, first, deflate)))
    });
    match agreed {
        Ok(Some((connection, first, deflate))) => {
            if step.deflate && deflate.is_none() {
                let message = Message::new("exchange-not-compressed");
                user.thread
                    .remark(message.with("url", host_and_path(&draft.url)));
            }
            let frames = Frames::new(deflate, call.request.max_body_bytes);
            let seed = user.random.bits();
            let socket = WebSocket::new(&user.thread, connection, frames, &first, seed);
            user.protocols.websocket.push(NamedSocket {
                name: step.name.clone(),
                socket,
                url: draft.url.clone(),
            });
        }
        Ok(None) => {}
        Err(Broken::Failed(failure)) => {
            hop.failure = Some(failure);
            hop.response.end_ns = user.thread.clock.now_ns();
        }
        Err(Broken::CutOff) => return Err(Cut),
    }
    Ok(MadeExchange::new(hop, draft.url, sent))
}

/// The request that asks to switch, its key, and the subprotocols it offers.
fn ask(
    user: &mut User,
    mut draft: Draft,
    step: &Connect,
) -> Result<(Draft, String, Vec<String>), Failure> {
    let to = match draft.url.scheme() {
        "ws" => Some("http"),
        "wss" => Some("https"),
        _ => None,
    };
    if let Some(to) = to {
        // Both are special schemes, so that this cannot fail.
        let _ = draft.url.set_scheme(to);
    }
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&user.random.bits().to_le_bytes());
    nonce[8..].copy_from_slice(&user.random.bits().to_le_bytes());
    let key = STANDARD.encode(nonce);
    let offered = step.subprotocols.iter().map(|text| user.text(text));
    let offered = offered.collect::<Result<Vec<_>, _>>()?;
    let mut add = |name: &str, value: &str| {
        draft
            .headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        draft.headers.push((name.to_owned(), value.to_owned()));
    };
    add("Upgrade", "websocket");
    add("Connection", "Upgrade");
    add("Sec-WebSocket-Version", "13");
    add("Sec-WebSocket-Key", &key);
    if !offered.is_empty() {
        add("Sec-WebSocket-Protocol", &offered.join(", "));
    }
    if step.deflate {
        add("Sec-WebSocket-Extensions", OFFER);
    }
    Ok((draft, key, offered))
}

/// Reads the response; with the bytes behind it when the server has switched. One that has not
/// fails by its status.
async fn switch(
    user: &User,
    call: &ExchangeCall<'_>,
    mut carrier: Carrier,
    hop: &mut Hop,
) -> Result<Option<(Connection, Vec<u8>)>, Broken> {
    let want = Want {
        head: true,
        body: true,
        cookies: true,
        reason: true,
        content_type: false,
        location_bytes: false,
    };
    let mut bytes = 0;
    loop {
        let mut taker = Taker {
            response: &mut hop.response,
            want,
            failing: None,
        };
        let read = carrier
            .read(user, call.deadline, &mut taker, &mut bytes)
            .await;
        hop.response.received_bytes = bytes;
        let (at_ns, switched) = match read? {
            Read::More(at_ns) => {
                let response = &mut hop.response;
                response.came(at_ns);
                if response.body.len() as u64 > call.request.max_body_bytes {
                    let what = "a body of more than is accepted (max-body)";
                    return Err(Failure::new(ErrorKind::BodyLimit, what).into());
                }
                continue;
            }
            Read::Whole(at_ns) => (at_ns, false),
            Read::Upgraded(at_ns) => (at_ns, true),
        };
        let response = &mut hop.response;
        response.came(at_ns);
        if switched {
            let (connection, first) = carrier.into_upgraded();
            response.received_bytes -= first.len() as u64;
            return Ok(Some((connection, first)));
        }
        return Err(match response.status {
            400.. => Failure::of_status(response.status),
            status => Failure::new(
                ErrorKind::HttpStatus,
                format!("HTTP {status}: the server did not switch to WebSocket (redirects are not followed here)"),
            ),
        }
        .into());
    }
}

/// What a server proves with that it read the key of a handshake: `Sec-WebSocket-Accept`.
#[must_use]
pub fn proof(key: &str) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(GUID).finalize())
}

/// What the server's response says; compression when it was agreed on.
fn agreement(
    response: &Response,
    key: &str,
    offered: &[String],
    deflate: bool,
) -> Result<Option<Deflate>, Broken> {
    let wrong = |what: String| Failure::new(ErrorKind::MalformedResponse, what);
    let value = |name: &str| {
        let named = headers(&response.head).filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let values: Vec<String> = named.map(|(_, value)| value.into_owned()).collect();
        values
    };
    let upgrade = value("upgrade");
    if !upgrade
        .iter()
        .any(|it| it.eq_ignore_ascii_case("websocket"))
    {
        let what = format!("the server switched to \"{}\"", upgrade.join(", "));
        return Err(wrong(what).into());
    }
    if value("sec-websocket-accept") != [proof(key)] {
        let what = "Sec-WebSocket-Accept does not fit the key that was sent";
        return Err(wrong(what.to_owned()).into());
    }
    for chosen in value("sec-websocket-protocol") {
        if !offered.contains(&chosen) {
            let what =
                format!("the server chose the subprotocol \"{chosen}\", which was not offered");
            return Err(wrong(what).into());
        }
    }
    let extensions = value("sec-websocket-extensions");
    if !deflate && let Some(extension) = extensions.first() {
        let what = format!("the server uses the extension \"{extension}\", which was not offered");
        return Err(wrong(what).into());
    }
    let agreed = Deflate::agreed(extensions.iter().map(String::as_str));
    agreed.map_err(|what| wrong(what).into())
}

fn host_and_path(url: &Url) -> String {
    format!(
        "{}{}",
        crate::protocols::http::fixed::authority(url),
        url.path()
    )
}
