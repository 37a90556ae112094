//! What stands in a page as text.

/// Text for HTML, in elements and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No page may have one.
            c if c.is_control() && !"\n\r\t".contains(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// JSON that may stand inside a `<script>` element.
pub(crate) fn script_json(value: &serde_json::Value) -> String {
    // In JSON these characters occur in strings only, where an escape means the same.
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_script() {
        let value = serde_json::json!({"label": "</script><!--<script>&\u{2028}"});
        let text = script_json(&value);
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        let back: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(back, value);
        assert_eq!(
            escape("<a href='\"'>&"),
            "&lt;a href=&#39;&quot;&#39;&gt;&amp;"
        );
        assert_eq!(escape("a\0b\u{1b}[2J\n"), "a\u{fffd}b\u{fffd}[2J\n");
    }
}
