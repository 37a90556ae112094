//! Subjects: what may be written in them and which pattern meets which, as NATS does.

use super::LinkError;

/// Whether the pattern meets the subject: `*` is one token, `>` one or more at the end.
pub(super) fn meets(pattern: &str, subject: &str) -> bool {
    let mut wanted = pattern.split('.');
    let mut given = subject.split('.');
    loop {
        match (wanted.next(), given.next()) {
            (Some(">"), Some(_)) | (None, None) => return true,
            (Some(want), Some(got)) if want == "*" || want == got => {}
            _ => return false,
        }
    }
}

/// A subject that something may be published on.
pub(super) fn check(subject: &str) -> Result<(), LinkError> {
    if subject.split('.').all(is_token) {
        return Ok(());
    }
    Err(unusable(subject))
}

/// A subject that may be listened to.
pub(super) fn check_pattern(pattern: &str) -> Result<(), LinkError> {
    let before_last = pattern.rsplit_once('.').map_or("", |(before, _)| before);
    let tokens_fit = pattern
        .split('.')
        .all(|token| matches!(token, "*" | ">") || is_token(token));
    if tokens_fit && !before_last.contains('>') {
        return Ok(());
    }
    Err(unusable(pattern))
}

/// The name of a run, a writer or an object.
pub(super) fn check_token(token: &str) -> Result<(), LinkError> {
    if is_token(token) && token.len() <= 128 {
        return Ok(());
    }
    Err(unusable(token))
}

/// Letters, digits, `-` and `_`: what is a token for NATS and a name for its streams.
pub(super) fn is_token(token: &str) -> bool {
    !token.is_empty()
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn unusable(text: &str) -> LinkError {
    let shown: String = text.chars().take(80).collect();
    LinkError::Failed {
        what: format!("\"{}\"", shown.escape_debug()),
        reason: "names and the parts of subjects are letters, digits, - and _".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn patterns_meet_what_they_do_for_nats() {
        for (pattern, subject, met) in [
            ("a.b", "a.b", true),
            ("a.b", "a.c", false),
            ("a", "a.b", false),
            ("a.b", "a", false),
            ("a.*", "a.b", true),
            ("a.*", "a.b.c", false),
            ("a.*.c", "a.b.c", true),
            ("a.>", "a.b.c", true),
            ("a.>", "a", false),
            (">", "a", true),
        ] {
            assert_eq!(meets(pattern, subject), met, "{pattern} {subject}");
        }
    }

    #[test]
    fn what_is_no_subject_is_refused() {
        for subject in [
            "",
            ".",
            "a.",
            "a..b",
            "a b",
            "a.*",
            "a.>",
            "ä",
            "a\r\nPUB x 0",
        ] {
            assert!(check(subject).is_err(), "{subject:?}");
        }
        for pattern in ["a.*.b", "*", "a.>", "a.b"] {
            check_pattern(pattern).unwrap();
        }
        for pattern in ["a.>.b", "a*", "", "a. .b"] {
            assert!(check_pattern(pattern).is_err(), "{pattern:?}");
        }
    }
}
