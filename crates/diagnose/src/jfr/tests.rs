//! Recordings: a real one, damaged ones, and what is none.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;

#[path = "../../tests/java/recording.rs"]
mod recording;

#[test]
fn a_recording_is_read_and_a_damaged_one_ends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let Some(file) = recording::flight_recording(dir.path()) else {
        return;
    };
    let bytes = std::fs::read(file).unwrap();
    let profile = read(&bytes, 0).unwrap();
    let calls = |stack: usize| profile.stacks[stack].join(" ");
    let computing = profile
        .cpu
        .iter()
        .filter(|sample| calls(sample.stack).contains("Busy.compute:"))
        .count();
    assert!(
        computing * 3 > profile.cpu.len() && computing > 5,
        "{computing} of {}",
        profile.cpu.len()
    );
    let waits = profile.waits.iter();
    let waits: Vec<&LockWait> = waits.filter(|wait| wait.class == "Busy$Desk").collect();
    assert!(!waits.is_empty(), "{:?}", profile.waits);
    assert!(waits.iter().all(|wait| wait.lasted_ms > 0.0));
    assert!(calls(waits[0].stack).contains("Busy$Desk.enter:"));
    // On the wall clock, in this century.
    let at_ms = profile.cpu[0].at_ms;
    assert!(at_ms > 1_600_000_000_000, "{at_ms}");
    let text = serde_json::to_string(&profile).unwrap();
    assert_eq!(
        serde_json::from_str::<StackSamples>(&text).unwrap(),
        profile
    );
    damaged(&bytes);
}

/// Cut anywhere, and with any byte changed, it is an error or less of a profile.
fn damaged(bytes: &[u8]) {
    for part in 1..40 {
        let cut = bytes.len() * part / 40;
        let _ = read(&bytes[..cut], 0);
    }
    let mut random = 12_345_u64;
    for _ in 0..60 {
        let mut changed = bytes.to_vec();
        for _ in 0..8 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % changed.len();
            changed[at] ^= u8::try_from(random & 0xff).unwrap() | 1;
        }
        let _ = read(&changed, 0);
    }
}

#[test]
fn what_is_no_recording_is_said() {
    for bytes in [&b"GIF89a"[..], b"FLR\0\0\x09\0\0", b"FL"] {
        assert!(read(bytes, 0).is_err(), "{bytes:?}");
    }
    assert_eq!(read(b"", 0), Ok(StackSamples::default()));
    let mut header = b"FLR\0\0\x02\0\x01".to_vec();
    header.resize(200, 0xff);
    assert!(read(&header, 0).is_err());
}

/// A number as recordings pack it, with the top bit set while more follows.
fn packed(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7f {
        to.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    to.push(u8::try_from(number).unwrap());
}

/// A chunk whose event is of a type with fields of types with fields …, ten each, twelve deep,
/// and the last of them has none: nothing to read, any number of times.
fn bomb() -> Vec<u8> {
    let mut texts = vec![
        "root",
        "class",
        "field",
        "name",
        "id",
        "jdk.ExecutionSample",
    ];
    let numbers: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    texts.extend(numbers.iter().map(String::as_str));
    let number = |number: u64| 6 + number;
    let mut types = Vec::new();
    for id in 20..32_u64 {
        packed(1, &mut types);
        packed(2, &mut types);
        packed(3, &mut types);
        packed(if id == 20 { 5 } else { number(id) }, &mut types);
        packed(4, &mut types);
        packed(number(id), &mut types);
        let fields = if id == 31 { 0 } else { 10 };
        packed(fields, &mut types);
        for _ in 0..fields {
            // A field: its class is the next type.
            packed(2, &mut types);
            packed(1, &mut types);
            packed(1, &mut types);
            packed(number(id + 1), &mut types);
            packed(0, &mut types);
        }
    }
    let mut metadata = vec![1, 0, 0, 0, 0];
    packed(texts.len() as u64, &mut metadata);
    for text in &texts {
        metadata.push(3);
        packed(text.len() as u64, &mut metadata);
        metadata.extend(text.as_bytes());
    }
    metadata.extend([0, 0, 12]);
    metadata.extend(types);
    // Size, type, beginning, duration, nothing before it, no pools.
    let checkpoint = [8, 1, 0, 0, 0, 0, 0, 0];
    let event = [2, 20];
    let (checkpoint_at, event_at) = (68, 68 + checkpoint.len());
    let metadata_at = event_at + event.len();
    let length = metadata_at + metadata.len();
    let mut chunk = b"FLR\0\0\x02\0\x01".to_vec();
    for number in [length, checkpoint_at, metadata_at, 0, 0, 0, 1] {
        chunk.extend((number as u64).to_be_bytes());
    }
    chunk.extend([0, 0, 0, 1]);
    assert_eq!(chunk.len(), 68);
    chunk.extend(checkpoint);
    chunk.extend(event);
    chunk.extend(metadata);
    chunk
}

#[test]
fn a_small_recording_is_read_whole() {
    let bytes = include_bytes!("../../../../fuzz/seeds/jfr_reader/chunk");
    let samples = read(bytes, 0).unwrap();
    assert_eq!(samples.stacks, [["shop.Page.show:17"]]);
    assert_eq!((samples.cpu[0].at_ms, samples.cpu[0].stack), (5, 0));
    let wait = &samples.waits[0];
    assert_eq!((wait.class.as_str(), wait.at_ms), ("shop.Stock", 7));
    assert_eq!((wait.lasted_ms, wait.stack), (9.0, 0));
}

#[test]
fn types_that_make_any_number_of_nothing_end_the_reading() {
    let bytes = bomb();
    let told = read(&bytes, 0);
    assert!(matches!(told, Err(JfrError::Damaged(_))), "{told:?}");
}
