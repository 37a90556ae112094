//! Texts: `__changeCase`, `__digest`.

use md2::Md2;
use md5::Md5;
use plimsoll_plan::program::Call;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};

use super::args::{save, text};
use crate::context::{Context, Fault};

/// `__changeCase(text[, UPPER|LOWER|CAPITALIZE[, variable]])`.
pub(super) fn change_case(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let mode = text(call, 1, cx)?;
    let value = match mode.to_uppercase().as_str() {
        "" | "UPPER" => raw.to_uppercase(),
        "LOWER" => raw.to_lowercase(),
        "CAPITALIZE" => capitalized(&raw),
        _ => {
            cx.log(&format!(
                "ERROR __changeCase: unknown mode {mode}, text unchanged"
            ));
            raw.into_owned()
        }
    };
    save(call, 2, &value, cx)?;
    Ok(value)
}

/// A text with its first character in upper case. One character for one: those that become several stay.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    let title = |c: char| {
        let mut upper = c.to_uppercase();
        if upper.len() == 1 {
            upper.next().unwrap_or(c)
        } else {
            c
        }
    };
    first.map(title).into_iter().chain(characters).collect()
}

/// `__digest(algorithm, text[, salt[, upper case[, variable]]])`: hex.
pub(super) fn digest(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let algorithm = text(call, 0, cx)?;
    let raw = text(call, 1, cx)?;
    let salt = text(call, 2, cx)?;
    let pieces = [raw.as_bytes(), salt.as_bytes()];
    let Some(mut hex) = hash(&algorithm, pieces) else {
        cx.log(&format!("ERROR __digest: no algorithm {algorithm}"));
        // Java writes what is not there as `null`.
        return Ok("null".to_owned());
    };
    if text(call, 3, cx)?.eq_ignore_ascii_case("true") {
        hex.make_ascii_uppercase();
    }
    save(call, 4, &hex, cx)?;
    Ok(hex)
}

/// By the names that Java 17 knows.
fn hash(algorithm: &str, pieces: [&[u8]; 2]) -> Option<String> {
    Some(match algorithm.to_uppercase().as_str() {
        "MD2" => hex::<Md2>(pieces),
        "MD5" => hex::<Md5>(pieces),
        "SHA" | "SHA1" | "SHA-1" => hex::<Sha1>(pieces),
        "SHA224" | "SHA-224" => hex::<Sha224>(pieces),
        "SHA256" | "SHA-256" => hex::<Sha256>(pieces),
        "SHA384" | "SHA-384" => hex::<Sha384>(pieces),
        "SHA512" | "SHA-512" => hex::<Sha512>(pieces),
        "SHA512/224" | "SHA-512/224" => hex::<Sha512_224>(pieces),
        "SHA512/256" | "SHA-512/256" => hex::<Sha512_256>(pieces),
        "SHA3-224" => hex::<Sha3_224>(pieces),
        "SHA3-256" => hex::<Sha3_256>(pieces),
        "SHA3-384" => hex::<Sha3_384>(pieces),
        "SHA3-512" => hex::<Sha3_512>(pieces),
        _ => return None,
    })
}

fn hex<D: Digest>(pieces: [&[u8]; 2]) -> String {
    let mut digest = D::new();
    for piece in pieces {
        digest.update(piece);
    }
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn case_changes() {
        // Values: JMeter 5.6.3.
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__changeCase", &["éß1 a"], &mut cx), "ÉSS1 A");
        assert_eq!(
            run("__changeCase", &["éß1 a", "upper", "v"], &mut cx),
            "ÉSS1 A"
        );
        assert_eq!(&*cx.vars["v"], "ÉSS1 A");
        assert_eq!(run("__changeCase", &["ÉA", "LOWER"], &mut cx), "éa");
        assert_eq!(
            run("__changeCase", &["ab cD", "Capitalize"], &mut cx),
            "Ab cD"
        );
        assert_eq!(run("__changeCase", &["ab cD", "odd"], &mut cx), "ab cD");
        assert_eq!(cx.logged.len(), 1);
    }

    #[test]
    fn digests_are_those_of_java() {
        // Values: JMeter 5.6.3 on Java 17, of `abc`; the longer ones by their ends.
        let cases = [
            ("MD2", "da853b0d3f88d99b30283a69e6ded6bb"),
            ("md5", "900150983cd24fb0d6963f7d28e17f72"),
            ("SHA", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("sha224", "f7e36c9da7"),
            ("SHA-256", "f20015ad"),
            ("SHA-384", "c825a7"),
            ("SHA-512", "a54ca49f"),
            ("sha512/224", "43e8924aa"),
            ("SHA-512/256", "2f13107e7af23"),
            ("SHA3-224", "d73b46fdf"),
            ("SHA3-256", "24511431532"),
            ("sha3-384", "f228376d25"),
            ("sha3-512", "f8274eec53f0"),
            ("sha3256", "null"),
            (" md5", "null"),
        ];
        let mut cx = TestContext::with(&[]);
        for (algorithm, end) in cases {
            let value = run("__digest", &[algorithm, "abc"], &mut cx);
            assert!(value.ends_with(end), "{algorithm}: {value}");
        }
        let salted = run("__digest", &["SHA-1", "abc", "salt", "TRUE", "v"], &mut cx);
        assert_eq!(salted, "99198DFC48E034C66356183F854EB322F607C1DD");
        assert_eq!(*cx.vars["v"], *salted);
    }
}
