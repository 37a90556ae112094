//! A YAML value as JSON text, templates inside kept as they are written.

use crate::yaml::node::{Node, Value, core_scalar, template_end};

/// The JSON text of a value. Strings are escaped except inside `${…}`, whose arguments may
/// hold quotes of their own; what comes of it is escaped by the function `json` if it is to be. A
/// value tagged `!raw` is put in without quotes, as it is.
pub(crate) fn json_text(node: &Node, escapes: bool) -> String {
    let mut out = Writer {
        text: String::new(),
        escapes,
    };
    out.value(node);
    out.text
}

struct Writer {
    text: String,
    /// The values of templates are escaped; imported plans have no function for it.
    escapes: bool,
}

impl Writer {
    fn value(&mut self, node: &Node) {
        let out = &mut self.text;
        match &node.value {
            Value::Scalar { text, .. } if node.tag.as_deref() == Some("raw") => out.push_str(text),
            Value::Scalar { text, plain } => match core_scalar(text) {
                _ if node.is_null() => out.push_str("null"),
                serde_json::Value::String(_) => self.string(text),
                // As it is written: 1.50 stays 1.50 where JSON allows it.
                value if *plain => match serde_json::from_str::<serde_json::Value>(text) {
                    Ok(_) => out.push_str(text),
                    Err(_) => out.push_str(&value.to_string()),
                },
                _ => self.string(text),
            },
            Value::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.value(item);
                }
                self.text.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.string(&key.name);
                    self.text.push(':');
                    self.value(value);
                }
                self.text.push('}');
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, template) = rest.split_at(start);
            if before.ends_with('$') {
                // `$${` stands for the text `${`.
                let (text, after) = rest.split_at(start + 2);
                self.escaped(text);
                rest = after;
                continue;
            }
            self.escaped(before);
            let end = template_end(template);
            self.template(&template[..end]);
            rest = &template[end..];
        }
        self.escaped(rest);
        self.text.push('"');
    }

    /// A `${…}` within quotes. What asks for the escaped form itself, or does not end, stays.
    fn template(&mut self, written: &str) {
        let is_escaped = written[2..].trim_start().starts_with("json(");
        match self.escapes && !is_escaped && written.ends_with('}') {
            true => self.text.extend(["${json(", written, ")}"]),
            false => self.text.push_str(written),
        }
    }

    fn escaped(&mut self, text: &str) {
        let quoted = serde_json::Value::String(text.to_owned()).to_string();
        self.text.push_str(&quoted[1..quoted.len() - 1]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::yaml::tree;

    fn json(yaml: &str) -> String {
        json_text(&tree::read(yaml, &mut Vec::new()).unwrap(), false)
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

    #[test]
    fn what_comes_of_templates_within_quotes_is_escaped() {
        let yaml = "a: 'x${b}$${c}'\nd: '${ json(e)}${= 1 }${open'\n'${k}': !raw ${n}\n";
        let node = tree::read(yaml, &mut Vec::new()).unwrap();
        let expected = r#"{"a":"x${json(${b})}$${c}","d":"${ json(e)}${json(${= 1 })}${open","${json(${k})}":${n}}"#;
        assert_eq!(json_text(&node, true), expected);
    }
}
