//! Names that a file in a bundle may have: they lead nowhere but into the bundle's own folder.

use plimsoll_text::Message as Text;

use super::error::BundleError;

const LONGEST: usize = 1024;
const LONGEST_PART: usize = 255;
const DEEPEST: usize = 32;

pub(super) fn check(name: &str) -> Result<(), BundleError> {
    let parts_fit = name.split('/').all(|part| {
        !matches!(part, "" | "." | "..")
            && part.len() <= LONGEST_PART
            && !part.contains(|c: char| c == '\\' || c.is_control())
    });
    if parts_fit && name.len() <= LONGEST && name.split('/').count() <= DEEPEST {
        return Ok(());
    }
    let shown: String = name.chars().take(100).collect();
    Err(BundleError(
        Text::new("bundle-name").with("name", shown.escape_debug().to_string()),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_stay_inside() {
        for name in [
            "plan.yaml",
            "data/users.csv",
            "数据/用户.csv",
            "a b",
            "..a",
            "a/...",
            "-",
        ] {
            check(name).unwrap();
        }
        for name in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a/.",
            "a//b",
            "a/",
            "a\\b",
            "a\0b",
            "a\nb",
        ] {
            assert!(check(name).is_err(), "{name:?}");
        }
        assert!(check(&"a".repeat(256)).is_err());
        assert!(check(&["a"; 33].join("/")).is_err());
        assert!(check(&["a".repeat(200).as_str(); 6].join("/")).is_err());
    }
}
