//! A YAML value as JSON text, templates inside kept as they are written.

use crate::yaml::node::{Node, Value, core_scalar};

/// The JSON text of a value. Strings are escaped except inside `${…}`, whose arguments may
/// hold quotes of their own. A value tagged `!raw` is put in without quotes.
pub(super) fn json_text(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Scalar { text, .. } if node.tag.as_deref() == Some("raw") => out.push_str(text),
        Value::Scalar { text, plain } => match core_scalar(text) {
            _ if node.is_null() => out.push_str("null"),
            serde_json::Value::String(_) => write_string(text, out),
            // As it is written: 1.50 stays 1.50 where JSON allows it.
            value if *plain => match serde_json::from_str::<serde_json::Value>(text) {
                Ok(_) => out.push_str(text),
                Err(_) => out.push_str(&value.to_string()),
            },
            _ => write_string(text, out),
        },
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(&key.name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, template) = rest.split_at(start);
        if before.ends_with('$') {
            // `$${` stands for the text `${`.
            let (text, after) = rest.split_at(start + 2);
            write_escaped(text, out);
            rest = after;
            continue;
        }
        write_escaped(before, out);
        let end = template_end(template);
        out.push_str(&template[..end]);
        rest = &template[end..];
    }
    write_escaped(rest, out);
    out.push('"');
}

/// Where the `${…}` that a text begins with ends: behind its brace, or at the text's end.
fn template_end(text: &str) -> usize {
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn write_escaped(text: &str, out: &mut String) {
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    out.push_str(&quoted[1..quoted.len() - 1]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::yaml::tree;

    fn json(yaml: &str) -> String {
        json_text(&tree::read(yaml, &mut Vec::new()).unwrap())
    }

    #[test]
    fn yaml_becomes_json() {
        let yaml = "a: 1.50\nb: [true, null, '5', x]\nc: {d: \"say \\\"hi\\\"\"}\n0x10: 0x10";
        let expected = r#"{"a":1.50,"b":[true,null,"5","x"],"c":{"d":"say \"hi\""},"0x10":16}"#;
        assert_eq!(json(yaml), expected);
    }

    #[test]
    fn templates_stay_as_they_are() {
        let yaml = "a: 'x\"${pick(\"a}\", b)}\"'\nn: !raw ${n}\n";
        assert_eq!(json(yaml), r#"{"a":"x\"${pick("a}", b)}\"","n":${n}}"#);
    }
}
