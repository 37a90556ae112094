//! Paths in XML: `Server/Service/Connector[port=8080]@maxThreads`.

use crate::formats::error::Stop;

const FORM: &str = "Element/Element[attribute=value]@attribute";

/// A path that was read.
pub(super) struct XmlPath {
    pub(super) steps: Vec<XmlStep>,
    pub(super) attribute: Option<String>,
    shown: String,
}

/// An element on the way.
pub(super) struct XmlStep {
    pub(super) name: String,
    /// What its attributes must be.
    pub(super) tests: Vec<(String, String)>,
}

impl XmlPath {
    pub(super) fn read(path: &str) -> Result<Self, Stop> {
        let wrong = || Stop::address(path, FORM);
        let mut rest = path.trim().trim_start_matches('/');
        let mut steps = Vec::new();
        loop {
            let end = rest.find(['/', '[', '@']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if !is_name(name) {
                return Err(wrong());
            }
            let mut step = XmlStep {
                name: name.to_owned(),
                tests: Vec::new(),
            };
            rest = after;
            while let Some(inner) = rest.strip_prefix('[') {
                let (test, after) = inner.split_once(']').ok_or_else(wrong)?;
                let (name, value) = test.split_once('=').ok_or_else(wrong)?;
                let name = name.trim().trim_start_matches('@').to_owned();
                let value = value.trim().trim_matches(['"', '\'']).to_owned();
                step.tests.push((name, value));
                rest = after;
            }
            steps.push(step);
            match rest.chars().next() {
                None => break,
                Some('/') => rest = &rest[1..],
                Some('@') if is_name(&rest[1..]) => break,
                Some(_) => return Err(wrong()),
            }
        }
        Ok(Self {
            steps,
            attribute: rest.strip_prefix('@').map(str::to_owned),
            shown: path.trim().to_owned(),
        })
    }

    /// What must be there before a value can be added.
    pub(super) fn shown_parent(&self) -> String {
        let end = self.shown.rfind(['@', '/']).unwrap_or(self.shown.len());
        self.shown[..end].to_owned()
    }
}

/// Letters of XML's names, as far as configurations have them.
fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(letter)
}
