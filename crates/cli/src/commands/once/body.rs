//! Bodies as people read them: JSON on several lines, passwords masked, binary left out.

use crate::session::MASK;

/// The body as it is shown; nothing if it is not text.
#[must_use]
pub fn shown(text: &str, content_type: &str) -> Option<String> {
    let broken = text
        .chars()
        .filter(|c| matches!(c, '\u{fffd}' | '\0'))
        .count();
    if broken * 20 > text.chars().count() {
        return None;
    }
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return Some(pretty(text));
    }
    if content_type
        .to_ascii_lowercase()
        .starts_with("application/x-www-form-urlencoded")
    {
        return Some(form(text));
    }
    Some(text.to_owned())
}

/// The beginning of a text, whole characters; `most` = 0: all of it.
#[must_use]
pub fn cut(text: &str, most: usize) -> &str {
    if most == 0 || text.len() <= most {
        return text;
    }
    let end = (0..=most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    &text[..end]
}

/// Whether a field of that name holds a password.
fn is_password(name: &str) -> bool {
    let name = name.to_lowercase();
    ["passw", "passphrase", "pwd", "secret", "密码", "口令"]
        .iter()
        .any(|part| name.contains(part))
}

fn form(text: &str) -> String {
    let field = |field: &str| match field.split_once('=') {
        Some((name, _)) if is_password(name) => format!("{name}={MASK}"),
        _ => field.to_owned(),
    };
    text.split('&').map(field).collect::<Vec<_>>().join("&")
}

/// Valid JSON, indented. Order of keys and numbers stay as they are written.
fn pretty(json: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut masks = false;
    let mut tokens = tokens(json).into_iter().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    while let Some(token) = tokens.next() {
        match token {
            "{" | "[" => {
                masks = false;
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
            text if tokens.peek() == Some(&":") => {
                masks = is_password(text);
                out.push_str(text);
            }
            value => {
                let hide = std::mem::take(&mut masks) && value != "null";
                if hide {
                    out.extend(["\"", MASK, "\""]);
                } else {
                    out.push_str(value);
                }
            }
        }
    }
    out
}

/// The tokens of valid JSON.
fn tokens(json: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = json.trim_start();
    while let Some(first) = rest.chars().next() {
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
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_stays_what_it_is() {
        let text = r#"{"b":1.50,"a":[{},[],"x\"{,:","\\"],"o":{"k":null,"n":-1e3}}"#;
        let shown = shown(text, "").unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(text));
        assert!(
            shown.starts_with("{\n  \"b\": 1.50,\n  \"a\": [\n    {},\n    [],\n"),
            "{shown}"
        );
    }

    #[test]
    fn passwords_are_masked() {
        let json = shown(
            r#"{"user":"joe","Password":"x y","secret":7,"list":["a"]}"#,
            "",
        )
        .unwrap();
        assert!(json.contains("\"joe\"") && json.contains("\"a\""), "{json}");
        assert!(!json.contains("x y") && !json.contains('7'), "{json}");
        let form = shown(
            "user=joe&password=x+y&c",
            "application/x-www-form-urlencoded; a=b",
        );
        assert_eq!(form.unwrap(), "user=joe&password=•••&c");
    }

    #[test]
    fn binary_is_not_shown() {
        assert_eq!(shown(&"\u{fffd}\0ab".repeat(10), "image/png"), None);
        assert_eq!(shown("登录成功", "text/plain").as_deref(), Some("登录成功"));
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(cut("ab登录", 4), "ab");
        assert_eq!(cut("ab登录", 5), "ab登");
        assert_eq!(cut("ab登录", 0), "ab登录");
    }
}
