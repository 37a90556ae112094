//! Conditions in JavaScript as calls of `__javaScript`.

use super::fixed::closing_brace;

/// A script as the argument of a call. What JMeter's grammar takes for itself (`,` and `\`)
/// is escaped, but not within `${…}`, which has its own arguments; brackets in the script's
/// strings become character codes. None when its other brackets do not pair, since these would
/// end the call too early or too late.
pub(super) fn as_call(script: &str) -> Option<String> {
    let mut call = String::from("${__javaScript(");
    let mut open = 0usize;
    let mut quote = None;
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("${")
            && let Some(end) = closing_brace(inner)
        {
            call.push_str(&rest[..end + 3]);
            rest = &inner[end + 1..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match (c, quote) {
            ('(', Some(_)) => call.push_str("\\\\x28"),
            (')', Some(_)) => call.push_str("\\\\x29"),
            ('\\', _) => {
                call.push_str("\\\\");
                rest = escaped(rest, &mut call);
            }
            (',', _) => call.push_str("\\,"),
            (c, _) => {
                match (c, quote) {
                    ('(', None) => open += 1,
                    (')', None) => open = open.checked_sub(1)?,
                    ('"' | '\'', None) => quote = Some(c),
                    (c, Some(begun)) if c == begun => quote = None,
                    _ => {}
                }
                call.push(c);
            }
        }
    }
    call.push_str(")}");
    (open == 0).then_some(call)
}

/// Takes over a character that the script escapes, so that it ends no string of it.
fn escaped<'s>(rest: &'s str, call: &mut String) -> &'s str {
    match rest.chars().next() {
        Some(c @ ('"' | '\'')) => call.push(c),
        Some('\\') => call.push_str("\\\\"),
        _ => return rest,
    }
    &rest[1..]
}

#[cfg(test)]
mod tests {
    use super::as_call;

    #[test]
    fn scripts_become_calls() {
        let call = |script| as_call(script);
        assert_eq!(call("1 < 2").as_deref(), Some("${__javaScript(1 < 2)}"));
        assert_eq!(
            call("Math.max(1,2) == ${__intSum(1,1)} && /\\d/.test(\"${x}\")").as_deref(),
            Some("${__javaScript(Math.max(1\\,2) == ${__intSum(1,1)} && /\\\\d/.test(\"${x}\"))}")
        );
        assert_eq!(
            call("\")\" == '${x}' && '\\'(' == y").as_deref(),
            Some("${__javaScript(\"\\\\x29\" == '${x}' && '\\\\'\\\\x28' == y)}")
        );
        assert_eq!(call("/\\)/.test(x)"), None);
        assert_eq!(call("(1 == 1"), None);
    }
}
