//! Command lines that are pasted in several lines.

/// Whether more of a command line of curl's that is pasted in its lines is to come: it goes on where a line
/// ends with what continues it, or within quotes.
#[must_use]
pub fn curl_goes_on(text: &str) -> bool {
    let line = text.trim_end_matches(['\r', '\n']);
    if line.ends_with(['\\', '^']) {
        return true;
    }
    // More commands follow; an empty line says that none does.
    let is_curl = text
        .trim_start()
        .trim_start_matches("$ ")
        .starts_with("curl");
    let is_empty = text
        .lines()
        .last()
        .is_none_or(|last| last.trim().is_empty());
    if is_curl && !is_empty && line.trim_end().ends_with([';', '&', '|']) {
        return true;
    }
    // An open quote is closed in a line that is still to come.
    is_curl && unquoted(line, &mut |_, _| ())
}

/// Calls `each` with what of a text lies outside of quotes and is no character that another one escapes, and
/// its place in bytes. Whether a quote is left open.
pub(super) fn unquoted(text: &str, each: &mut dyn FnMut(usize, char)) -> bool {
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if quote.is_none() {
            each(at, c);
        }
        match (c, quote) {
            ('\\', None | Some('"' | '$')) | ('^', None) => {
                chars.next();
            }
            ('$', None) if chars.as_str().starts_with('\'') => {
                chars.next();
                quote = Some('$');
            }
            ('\'' | '"', None) => quote = Some(c),
            ('\'', Some('$')) => quote = None,
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    quote.is_some()
}

#[cfg(test)]
mod tests {
    use super::curl_goes_on;

    #[test]
    fn a_pasted_line_goes_on_where_a_shell_reads_on() {
        for text in [
            "curl h \\\n",
            "curl ^\"h^\" ^\n",
            "curl -d 'a\n",
            "curl -d $'it\\'s\n",
            "curl -d \"a\\\"\n",
            "curl h ;\n",
            "$ curl h &&\n",
            "curl h ;\ncurl i &\r\n",
        ] {
            assert!(curl_goes_on(text), "{text:?}");
        }
        for text in [
            "curl h\n",
            "http://h/it's\n",
            "curl -d 'a\nb'\n",
            "curl -d $'it\\'s'\n",
            "plan.jmx\n",
            "http://h/?a=1&\n",
            "curl h ;\n\n",
            "curl h ;\ncurl i\n",
        ] {
            assert!(!curl_goes_on(text), "{text:?}");
        }
    }
}
