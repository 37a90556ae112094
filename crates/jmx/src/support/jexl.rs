//! Scripts of `__jexl2` and `__jexl3` that want Java's classes, which are not there natively.

/// Whether one of the calls of this function in a text makes objects of Java's classes, or asks
/// for classes: `new("java.util.Date")`, `x.class`, `#pragma`.
pub(super) fn asks_for_java(function: &str, text: &str) -> bool {
    let calls = text.match_indices("${");
    matches!(function, "__jexl2" | "__jexl3")
        && calls
            .filter_map(|(at, _)| text[at + 2..].strip_prefix(function)?.strip_prefix('('))
            .any(script_asks)
}

/// Whether a script does, which begins here and ends with the `)` of the call.
fn script_asks(script: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut open = 1_usize;
    let (mut before, mut rest) = (' ', script);
    while let Some(c) = rest.chars().next() {
        let word = &rest[..rest.len() - rest.trim_start_matches(is_word).len()];
        if !word.is_empty() {
            let after = rest[word.len()..].trim_start();
            match word {
                "new" if before != '.' && after.starts_with('(') => return true,
                "class" if before == '.' => return true,
                "pragma" if before == '#' => return true,
                _ => {}
            }
            (before, rest) = ('a', &rest[word.len()..]);
            continue;
        }
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => after.get(1..).unwrap_or_default(),
            '"' | '\'' => after.find(c).map_or("", |end| &after[end + 1..]),
            _ => after,
        };
        match c {
            '(' => open += 1,
            ')' if open == 1 => return false,
            ')' => open -= 1,
            _ => {}
        }
        before = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_want_java_are_told_from_others() {
        for text in [
            "${__jexl3(new(\"java.util.Date\"\\,0L).getTime())}",
            "a ${__jexl3(1 + new ('java.util.Date').time)}",
            "${__jexl3(''.class.forName('x'))}",
            "${__jexl3(1)} ${__jexl3(#pragma a b)}",
        ] {
            assert!(asks_for_java("__jexl3", text), "{text}");
            assert!(!asks_for_java("__groovy", text), "{text}");
        }
        for text in [
            "${__jexl3(1+1)} new (x) .class",
            "${__jexl3('new(1)' + \"x.class\")}",
            "${__jexl3(vars.get('new'))}",
            "${__jexl3(a.new(1))}",
            "${__jexl3(renew(1))}",
            "${__jexl3(",
            "${__jexl3(\\",
            "${__jexl3('é",
        ] {
            assert!(!asks_for_java("__jexl3", text), "{text}");
        }
    }
}
