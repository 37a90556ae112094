//! Frames held against those of tungstenite itself, at every split.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;
use tungstenite::Message;
use tungstenite::protocol::{Role, WebSocket};

use super::*;

/// What a server sends.
#[derive(Debug, Clone)]
enum Sent {
    /// A message in parts of so many bytes, with a ping between them or not.
    Message(bool, Vec<u8>, usize, bool),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
}

fn frame(out: &mut Vec<u8>, opcode: OpCode, is_final: bool, rsv1: bool, payload: &[u8]) {
    let header = FrameHeader {
        is_final,
        rsv1,
        opcode,
        ..FrameHeader::default()
    };
    let frame = Frame::from_payload(header, payload.to_vec().into());
    frame.format(out).unwrap();
}

fn write_sent(sent: &Sent, deflate: Option<&mut Deflate>, out: &mut Vec<u8>) {
    let (is_text, data, part, ping) = match sent {
        Sent::Ping(payload) => {
            return frame(out, OpCode::Control(Control::Ping), true, false, payload);
        }
        Sent::Pong(payload) => {
            return frame(out, OpCode::Control(Control::Pong), true, false, payload);
        }
        Sent::Message(is_text, data, part, ping) => (*is_text, data, *part, *ping),
    };
    let compressed = deflate.map(|it| it.deflate(data).unwrap());
    let data = compressed.as_ref().unwrap_or(data);
    let mut parts: Vec<&[u8]> = data.chunks(part.max(1)).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let last = parts.len() - 1;
    for (number, piece) in parts.into_iter().enumerate() {
        let kind = match (number, is_text) {
            (0, true) => Data::Text,
            (0, false) => Data::Binary,
            _ => Data::Continue,
        };
        let rsv1 = compressed.is_some() && number == 0;
        frame(out, OpCode::Data(kind), number == last, rsv1, piece);
        if ping && number != last {
            frame(out, OpCode::Control(Control::Ping), true, false, b"between");
        }
    }
}

fn expected(all: &[Sent]) -> Vec<Incoming> {
    all.iter()
        .map(|sent| match sent.clone() {
            Sent::Message(is_text, data, ..) => Incoming::Message { is_text, data },
            Sent::Ping(payload) => Incoming::Ping(payload),
            Sent::Pong(payload) => Incoming::Pong(payload),
        })
        .collect()
}

fn read(frames: &mut Frames, pieces: &[&[u8]]) -> Result<Vec<Incoming>, FramingError> {
    let mut all = Vec::new();
    for piece in pieces {
        frames.feed(piece);
        while let Some(incoming) = frames.take()? {
            if incoming != Incoming::Ping(b"between".to_vec()) {
                all.push(incoming);
            }
        }
    }
    Ok(all)
}

fn agreed(parameters: &str) -> Deflate {
    let header = format!("permessage-deflate{parameters}");
    Deflate::agreed([header.as_str()].into_iter())
        .unwrap()
        .unwrap()
}

fn sent() -> impl Strategy<Value = Sent> {
    let data = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        (any::<u8>(), 0_usize..70_000).prop_map(|(byte, length)| vec![byte; length]),
    ];
    let text = "\\PC{0,200}".prop_map(String::into_bytes);
    let small = || prop::collection::vec(any::<u8>(), 0..126);
    prop_oneof![
        3 => (data, 1_usize..70_000, any::<bool>()).prop_map(|(data, part, ping)| Sent::Message(false, data, part, ping)),
        3 => (text, 1_usize..300, any::<bool>()).prop_map(|(data, part, ping)| Sent::Message(true, data, part, ping)),
        1 => small().prop_map(Sent::Ping),
        1 => small().prop_map(Sent::Pong),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_a_server_sends_is_read_at_every_split(
        all in prop::collection::vec(sent(), 0..8),
        compression in prop_oneof![
            Just(None),
            Just(Some("")),
            Just(Some("; server_no_context_takeover; client_no_context_takeover")),
            Just(Some("; server_max_window_bits=10")),
        ],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        // What resets the server's side resets the side that sends here.
        let mut theirs = compression.map(|parameters| match parameters.contains("takeover") {
            true => agreed("; client_no_context_takeover"),
            false => agreed(""),
        });
        let mut bytes = Vec::new();
        for each in &all {
            write_sent(each, theirs.as_mut(), &mut bytes);
        }
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let mut frames = Frames::new(compression.map(agreed), 1 << 20);
        prop_assert_eq!(read(&mut frames, &pieces).unwrap(), expected(&all));
    }

    #[test]
    fn what_is_written_is_read_by_tungstenite(
        all in prop::collection::vec((any::<bool>(), "\\PC{0,300}", any::<[u8; 4]>()), 0..8),
    ) {
        let mut bytes = Vec::new();
        let mut frames = Frames::new(None, 1 << 20);
        for (is_text, data, mask) in &all {
            frames.message(*is_text, data.as_bytes(), *mask, &mut bytes);
        }
        ping(b"are you there", [1, 2, 3, 4], &mut bytes);
        close(1000, "done", [5, 6, 7, 8], &mut bytes);
        let stream = FramesDuplex(std::io::Cursor::new(bytes));
        let mut server = WebSocket::from_raw_socket(stream, Role::Server, None);
        for (is_text, data, _) in &all {
            let message = match is_text {
                true => Message::text(data.clone()),
                false => Message::binary(data.clone().into_bytes()),
            };
            prop_assert_eq!(server.read().unwrap(), message);
        }
        prop_assert_eq!(server.read().unwrap(), Message::Ping("are you there".into()));
        match server.read().unwrap() {
            Message::Close(Some(frame)) => {
                prop_assert_eq!(u16::from(frame.code), 1000);
                prop_assert_eq!(frame.reason.as_str(), "done");
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn anything_is_read_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        compressed in any::<bool>(),
    ) {
        let mut frames = Frames::new(compressed.then(|| agreed("")), 1 << 16);
        let _ = read(&mut frames, &[&bytes]);
    }
}

/// Reads what is there, and forgets what is written.
struct FramesDuplex(std::io::Cursor<Vec<u8>>);

impl std::io::Read for FramesDuplex {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl std::io::Write for FramesDuplex {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Bytes that break the protocol, and what is said of them where messages have at most 100 bytes.
fn broken() -> Vec<(Vec<u8>, &'static str)> {
    let text = |is_final, rsv1, payload: &[u8]| {
        let mut bytes = Vec::new();
        frame(
            &mut bytes,
            OpCode::Data(Data::Text),
            is_final,
            rsv1,
            payload,
        );
        bytes
    };
    let mut continued = Vec::new();
    frame(
        &mut continued,
        OpCode::Data(Data::Continue),
        true,
        false,
        b"x",
    );
    let mut masked = Vec::new();
    Frames::new(None, 100).message(true, b"x", [1, 2, 3, 4], &mut masked);
    let within = [text(false, false, b"a"), text(true, false, b"b")].concat();
    let mut parted = Vec::new();
    frame(
        &mut parted,
        OpCode::Control(Control::Ping),
        false,
        false,
        b"x",
    );
    let mut code = Vec::new();
    frame(
        &mut code,
        OpCode::Control(Control::Close),
        true,
        false,
        &1005_u16.to_be_bytes(),
    );
    vec![
        (text(true, true, b"x"), "reserved bits"),
        (text(true, false, b"\xff"), "not UTF-8"),
        (text(true, false, &[b'x'; 101]), "TooLong { most: 100 }"),
        (
            [
                text(false, false, &[b'x'; 60]),
                text(true, false, &[b'x'; 60]),
            ]
            .concat(),
            "TooLong { most: 100 }",
        ),
        (continued, "a continuation without a message"),
        (masked, "masks its frames"),
        (within, "within a message"),
        (parted, "a control frame in parts"),
        (code, "the code 1005"),
    ]
}

#[test]
fn what_breaks_the_protocol_is_told() {
    for (bytes, told) in broken() {
        let found = read(&mut Frames::new(None, 100), &[&bytes]);
        let found = found.expect_err(told);
        assert!(format!("{found:?}").contains(told), "{found:?} {told}");
    }
}

#[test]
fn a_compressed_message_may_not_grow_without_end() {
    let mut theirs = agreed("");
    let mut bytes = Vec::new();
    write_sent(
        &Sent::Message(false, vec![0; 10 << 20], 1 << 20, false),
        Some(&mut theirs),
        &mut bytes,
    );
    assert!(bytes.len() < 64 << 10);
    let found = read(&mut Frames::new(Some(agreed("")), 1 << 20), &[&bytes]);
    assert_eq!(found, Err(FramingError::TooLong { most: 1 << 20 }));
}

#[test]
fn what_the_server_wants_of_compression() {
    let agreed = |header: &str| Deflate::agreed([header].into_iter());
    assert!(agreed("").unwrap().is_none());
    assert!(
        agreed("permessage-deflate; server_max_window_bits=\"12\"")
            .unwrap()
            .is_some()
    );
    for wrong in [
        "x-webkit-deflate-frame",
        "permessage-deflate; client_max_window_bits=10",
        "permessage-deflate; server_max_window_bits=99",
        "permessage-deflate, permessage-deflate",
    ] {
        assert!(agreed(wrong).is_err(), "{wrong}");
    }
}
