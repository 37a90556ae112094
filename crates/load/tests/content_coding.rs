//! Content codings: what decodes, what is refused, and that bombs stop.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use plimsoll_load::kit::content_coding::{CodingError, decode};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const LIMIT: u64 = 1 << 20;

/// Made with Node's `zlib.brotliCompressSync`.
const BROTLI: &str = "8b0c8068656c6c6f2062726f746c692c2068656c6c6f2062726f746c6903";
const BROTLI_TEXT: &[u8] = b"hello brotli, hello brotli";
/// The same of 16 MiB of zeros.
const BROTLI_BOMB: &str = "cbffff3ff82700e2b14020f7fe2ffffffff04f00c4611180eefd1f";
/// Made with the `zstd` command, with a checksum.
const ZSTD: &str = "28b52ffd04589500006068656c6c6f207a7374642c200100df4a1293c262ba";
const ZSTD_TEXT: &[u8] = b"hello zstd, hello zstd";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16).unwrap()).collect();
    digits
        .chunks(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zstd(body: &[u8]) -> Vec<u8> {
    compress_to_vec(body, CompressionLevel::Fastest)
}

fn corrupt(result: Result<Vec<u8>, CodingError>) -> &'static str {
    match result {
        Err(CodingError::Corrupt { coding, .. }) => coding,
        other => panic!("expected a corrupt body, got {other:?}"),
    }
}

#[test]
fn every_coding_decodes() {
    let text = b"the same text, the same text".repeat(50);
    for (name, coded) in [
        ("identity", text.clone()),
        ("", text.clone()),
        ("gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("zstd", zstd(&text)),
    ] {
        assert_eq!(decode(name, &coded, LIMIT).unwrap(), text, "{name}");
    }
    assert_eq!(decode("br", &hex(BROTLI), LIMIT).unwrap(), BROTLI_TEXT);
    assert_eq!(decode("zstd", &hex(ZSTD), LIMIT).unwrap(), ZSTD_TEXT);
}

#[test]
fn lists_are_undone_from_the_last_coding() {
    let coded = gzip(&zlib(b"text"));
    assert_eq!(
        decode("deflate, identity,\tgzip", &coded, LIMIT).unwrap(),
        b"text"
    );
    assert_eq!(corrupt(decode("gzip, deflate", &coded, LIMIT)), "deflate");
    let many = ["gzip"; 6].join(",");
    assert_eq!(decode(&many, b"x", LIMIT), Err(CodingError::TooMany));
}

#[test]
fn members_and_frames_are_joined_and_padding_is_ignored() {
    let padded = [gzip(b"one "), gzip(b"two"), vec![0; 9]].concat();
    assert_eq!(decode("gzip", &padded, LIMIT).unwrap(), b"one two");
    let skippable = hex("502a4d180300000000ffff");
    let frames = [zstd(b"one "), skippable.clone(), zstd(b"two")].concat();
    assert_eq!(decode("zstd", &frames, LIMIT).unwrap(), b"one two");
    assert_eq!(corrupt(decode("zstd", &skippable[..9], LIMIT)), "zstd");
    assert_eq!(
        corrupt(decode("zstd", &[zstd(b"one"), vec![0; 9]].concat(), LIMIT)),
        "zstd"
    );
}

#[test]
fn an_empty_body_stays_empty() {
    for name in ["gzip", "deflate", "br", "zstd", "identity", "gzip, br"] {
        assert_eq!(decode(name, b"", LIMIT).unwrap(), b"", "{name}");
    }
}

#[test]
fn an_unknown_coding_is_named() {
    let error = decode("gzip, compress\r", b"x", LIMIT).unwrap_err();
    assert!(error.to_string().contains("\"compress\""), "{error}");
    assert!(error.to_string().contains("known: gzip"), "{error}");
}

#[test]
fn truncated_and_damaged_bodies_are_refused() {
    let text = b"some text, some more text".repeat(20);
    for (name, coded) in [
        ("gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("br", hex(BROTLI)),
        ("zstd", hex(ZSTD)),
    ] {
        for cut in 1..coded.len() {
            assert_eq!(
                corrupt(decode(name, &coded[..cut], LIMIT)),
                name,
                "cut at {cut}"
            );
        }
    }
    for (name, mut coded, at) in [
        ("gzip", gzip(&text), 5),
        ("deflate", zlib(&text), 1),
        ("zstd", hex(ZSTD), 1),
    ] {
        let place = coded.len() - at;
        coded[place] ^= 1;
        assert_eq!(corrupt(decode(name, &coded, LIMIT)), name, "wrong checksum");
    }
    assert_eq!(corrupt(decode("gzip", b"<html>", LIMIT)), "gzip");
}

#[test]
fn bombs_stop_at_the_limit() {
    let zeros = vec![0; 16 << 20];
    for (name, bomb) in [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("deflate", raw_deflate(&zeros)),
        ("br", hex(BROTLI_BOMB)),
        ("zstd", zstd(&zeros)),
        ("gzip, gzip", gzip(&gzip(&zeros))),
        (
            "gzip",
            [gzip(&zeros[..600_000]), gzip(&zeros[..600_000])].concat(),
        ),
    ] {
        assert!(bomb.len() < 100_000);
        assert_eq!(
            decode(name, &bomb, LIMIT),
            Err(CodingError::Limit { limit: LIMIT }),
            "{name}"
        );
    }
    assert_eq!(decode("gzip", &gzip(b"1234"), 4).unwrap(), b"1234");
    assert!(decode("gzip", &gzip(b"1234"), 3).is_err());
    assert!(decode("identity", b"1234", 3).is_err());
    assert_eq!(decode("gzip", &gzip(b"1234"), u64::MAX).unwrap(), b"1234");
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_or_refused(
        body in prop::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(vec!["gzip", "deflate", "br", "zstd", "zstd, gzip"]),
    ) {
        if let Ok(decoded) = decode(name, &body, 1000) {
            prop_assert!(decoded.len() <= 1000);
        }
    }

    #[test]
    fn damaged_bodies_are_decoded_or_refused(
        text in prop::collection::vec(0u8..4, 0..300),
        name in prop::sample::select(vec!["gzip", "deflate", "zstd", "br"]),
        place in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let mut coded = match name {
            "gzip" => gzip(&text),
            "deflate" => zlib(&text),
            "zstd" => zstd(&text),
            _ => hex(BROTLI),
        };
        let place = place.index(coded.len());
        coded[place] ^= flip;
        if let Ok(decoded) = decode(name, &coded, 1000) {
            prop_assert!(decoded.len() <= 1000);
        }
    }
}
