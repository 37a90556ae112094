//! Conditions in JavaScript as calls of `__javaScript`.

use super::fixed::closing_brace;

/// A script as the argument of a call. What JMeter's grammar takes for itself (`,` and `\`)
/// is escaped, but not within `${…}`, which has its own arguments. None when the brackets of
/// the script would end the call too early or too late.
pub(super) fn as_call(script: &str) -> Option<String> {
    let mut call = String::from("${__javaScript(");
    let mut open = 0usize;
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("${")
            && let Some(end) = closing_brace(inner)
        {
            call.push_str(&rest[..end + 3]);
            rest = &inner[end + 1..];
            continue;
        }
        match c {
            ',' | '\\' => call.push('\\'),
            '(' => open += 1,
            ')' => open = open.checked_sub(1)?,
            _ => {}
        }
        call.push(c);
        rest = &rest[c.len_utf8()..];
    }
    call.push_str(")}");
    (open == 0).then_some(call)
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
        assert_eq!(call("\")\" == \"${x}\""), None);
        assert_eq!(call("\"(\" == 1"), None);
    }
}
