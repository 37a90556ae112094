//! Signatures of what is sent: who knows the secret sees that it came from here, and when.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac::{HMAC_SHA256, Key, sign};

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key), text).as_ref().to_vec()
}

/// `sha256=` and the HMAC of `TIMESTAMP.BODY` in hexadecimal.
pub(super) fn generic(secret: &str, unix_s: i64, body: &str) -> String {
    let digest = hmac(secret.as_bytes(), format!("{unix_s}.{body}").as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

/// DingTalk's signature of a moment, base64: open.dingtalk.com, "Custom robot security settings".
pub(super) fn dingtalk(secret: &str, unix_ms: i64) -> String {
    let text = format!("{unix_ms}\n{secret}");
    STANDARD.encode(hmac(secret.as_bytes(), text.as_bytes()))
}

/// Feishu's signature of a moment, base64: the key is what others sign, and nothing is signed with it
/// (open.feishu.cn, "Custom bot usage guide").
pub(super) fn feishu(secret: &str, unix_s: i64) -> String {
    let key = format!("{unix_s}\n{secret}");
    STANDARD.encode(hmac(key.as_bytes(), b""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each against OpenSSL:
    /// `printf '1700000000.{}' | openssl dgst -sha256 -hmac secret`,
    /// `printf '1700000000000\nsecret' | openssl dgst -sha256 -hmac secret -binary | base64`,
    /// `printf '' | openssl dgst -sha256 -hmac "$(printf '1700000000\nsecret')" -binary | base64`.
    #[test]
    fn signatures_are_those_of_openssl() {
        assert_eq!(
            generic("secret", 1_700_000_000, "{}"),
            "sha256=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163"
        );
        assert_eq!(
            dingtalk("secret", 1_700_000_000_000),
            "OuzzJR5+xZ4/EYwqtNt6sMYZQMTa/HEGvc9miJe7XzY="
        );
        assert_eq!(
            feishu("secret", 1_700_000_000),
            "fiWS2+gh28DOydAv7hzONH/mDn9+b1Y4Y5ivXWXy8vA="
        );
    }
}
