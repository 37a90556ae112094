//! Codes within TCP responses, as JMeter's properties `tcp.status.*` say.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use plimsoll_access::Access;
use plimsoll_elements::{Properties, SampleResult};

/// Where a code stands in a response, and what codes mean.
pub struct TcpStatus {
    prefix: String,
    suffix: String,
    /// The file of what codes mean; empty: none.
    file: String,
    /// By code; none: there is no such file.
    meanings: OnceLock<Option<HashMap<String, String>>>,
}

impl TcpStatus {
    /// What the properties say; none: responses hold no codes.
    pub fn of(properties: &Properties) -> Option<Self> {
        let text = |name: &str| properties.get(name).unwrap_or_default();
        let prefix = text("tcp.status.prefix");
        (!prefix.is_empty()).then(|| Self {
            prefix,
            suffix: text("tcp.status.suffix"),
            file: text("tcp.status.properties"),
            meanings: OnceLock::new(),
        })
    }

    /// Puts the code of a response into the result.
    ///
    /// # Errors
    /// The exception for a code that is no number.
    pub fn put(
        &self,
        result: &mut SampleResult,
        text: &str,
        access: &Access,
    ) -> Result<(), String> {
        let rest = text
            .find(&self.prefix)
            .map(|at| &text[at + self.prefix.len()..]);
        let code = rest.and_then(|rest| rest.find(&self.suffix).map(|end| &rest[..end]));
        let Some(code) = code else {
            "999".clone_into(&mut result.code);
            "TcpStatus value not found".clone_into(&mut result.message);
            result.success = false;
            return Ok(());
        };
        code.clone_into(&mut result.code);
        let number: i32 = code.parse().map_err(|_| {
            format!("java.lang.NumberFormatException: For input string: \"{code}\"")
        })?;
        // So it is in JMeter: the codes of errors are those that pass.
        result.success &= (400..=599).contains(&number);
        let read = || {
            let file = Some(&self.file).filter(|file| !file.is_empty());
            let bytes = access.read(Path::new(file?)).ok()?;
            Some(lines(&String::from_utf8_lossy(&bytes)))
        };
        let meaning = match self.meanings.get_or_init(read) {
            Some(meanings) => meanings
                .get(code)
                .map_or("TcpStatus code not found in properties", String::as_str),
            None => "No status property file",
        };
        meaning.clone_into(&mut result.message);
        Ok(())
    }
}

/// The lines `name=value` of a file of properties.
fn lines(text: &str) -> HashMap<String, String> {
    let pair = |line: &str| {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with(['#', '!']) {
            return None;
        }
        let (name, value) = line.split_once(['=', ':', ' ']).unwrap_or((line, ""));
        let value = value.trim_start_matches([' ', '=', ':']);
        Some((name.trim_end().to_owned(), value.to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn told(status: &TcpStatus, text: &str) -> (bool, String, String) {
        let mut result = SampleResult::new("t");
        result.ok();
        status.put(&mut result, text, &Access::of_user()).unwrap();
        (result.success, result.code, result.message)
    }

    #[test]
    fn codes_are_found_in_responses() {
        let mut status = TcpStatus {
            prefix: "TcpStatus=".to_owned(),
            suffix: ".".to_owned(),
            file: String::new(),
            meanings: OnceLock::new(),
        };
        let (ok, code, message) = told(&status, "x TcpStatus=404. y");
        assert!(ok);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("404", "No status property file")
        );
        status.meanings = OnceLock::from(Some(lines("# codes\n200 = fine\n")));
        let (ok, code, message) = told(&status, "TcpStatus=200.");
        assert!(!ok);
        assert_eq!((code.as_str(), message.as_str()), ("200", "fine"));
        let (ok, code, _) = told(&status, "nothing");
        assert_eq!((ok, code.as_str()), (false, "999"));
        let mut result = SampleResult::new("t");
        let error = status
            .put(&mut result, "TcpStatus=x.", &Access::of_user())
            .unwrap_err();
        assert!(error.ends_with("For input string: \"x\""));
    }
}
