//! Bodies as people read them: JSON on several lines, binary left out. Secrets are gone already.

/// The beginning of a body as it is shown, at most so many bytes (0: all of it), and whether that
/// is all; nothing if it is not text.
#[must_use]
pub fn shown(text: &str, most: usize) -> Option<(String, bool)> {
    let broken = text
        .chars()
        .filter(|c| matches!(c, '\u{fffd}' | '\0'))
        .count();
    if broken * 20 > text.chars().count() {
        return None;
    }
    let whole = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => pretty(text, most),
        Err(_) => text.to_owned(),
    };
    let kept = cut(&whole, most);
    let is_all = kept.len() == whole.len();
    Some((kept.to_owned(), is_all))
}

/// The beginning of a text, whole characters; `most` = 0: all of it.
#[must_use]
fn cut(text: &str, most: usize) -> &str {
    if most == 0 || text.len() <= most {
        return text;
    }
    let end = (0..=most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    &text[..end]
}

/// Levels of JSON that are indented: a line must not be as long as its text is deep.
const INDENTED: usize = 40;

/// Valid JSON, indented, until there is more than `most` (0: all of it). Order of keys and
/// numbers stay as they are written.
fn pretty(json: &str, most: usize) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut tokens = tokens(json).peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(INDENTED)));
    };
    while let Some(token) = tokens.next() {
        if most > 0 && out.len() > most {
            break;
        }
        match token {
            "{" | "[" => {
                out.push_str(token);
                if let Some(close) = tokens.next_if(|next| matches!(*next, "}" | "]")) {
                    out.push_str(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            value => out.push_str(value),
        }
    }
    out
}

/// The tokens of valid JSON.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json.trim_start();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = match first {
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            _ => rest
                .find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c))
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        rest = after.trim_start();
        Some(token)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_stays_what_it_is() {
        let text = r#"{"b":1.50,"a":[{},[],"x\"{,:","\\"],"o":{"k":null,"n":-1e3}}"#;
        let (shown, _) = shown(text, 0).unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(text));
        assert!(
            shown.starts_with("{\n  \"b\": 1.50,\n  \"a\": [\n    {},\n    [],\n"),
            "{shown}"
        );
    }

    #[test]
    fn binary_is_not_shown() {
        assert_eq!(shown(&"\u{fffd}\0ab".repeat(10), 0), None);
        let text = shown("登录成功", 0);
        assert_eq!(text, Some(("登录成功".to_owned(), true)));
    }

    #[test]
    fn deep_json_grows_with_its_length_alone() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let of_depth = |depth: usize| {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let (shown, is_all) = shown(&text, 0).unwrap();
                assert!(is_all);
                shown.len()
            };
            let (once, twice) = (of_depth(20_000), of_depth(40_000));
            assert!(twice <= 2 * once + 10_000, "{once} and {twice} bytes");
            // What is not shown is not made either.
            let text = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
            let (beginning, is_all) = shown(&text, 100).unwrap();
            assert!(beginning.len() <= 100 && !is_all);
            assert!(pretty(&text, 100).len() < 1_000);
        }
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(cut("ab登录", 4), "ab");
        assert_eq!(cut("ab登录", 5), "ab登");
        assert_eq!(cut("ab登录", 0), "ab登录");
    }
}
