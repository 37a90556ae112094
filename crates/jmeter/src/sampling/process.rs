//! A program of the system as a sample.

use std::path::PathBuf;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use super::program::{self, ProgramOrder, ProgramTrouble};
use super::waits::{all_texts, texts, until_now};
use crate::element_user::ElementUser;
use crate::java_map::in_map_order;
use crate::sampled::Sampled;
use crate::samplers::process::ProcessSampler;
use plimsoll_load::kit::user::Cut;

impl ProcessSampler {
    /// Makes the sample. None: what it is given is no environment, and JMeter makes none.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Option<Sampled>, Cut> {
        let [command] = texts(user, [&self.command]).await;
        let arguments = all_texts(user, &self.arguments).await;
        let environment = all_texts(user, &self.environment).await;
        let [checks, expected] = texts(user, [&self.checks, &self.expected]).await;
        let environment = variables(environment);
        if let Some(said) = refused(&environment) {
            let thread = &user.thread;
            let text = format!("{label}: java.lang.IllegalArgumentException: {said}");
            thread
                .jmeter
                .log(thread.clock.now_ns(), &user.vars.redact(&text));
            return Ok(None);
        }
        let fields = [&self.directory, &self.timeout];
        let [directory, timeout] = texts(user, fields).await;
        let fields = [&self.stdin, &self.stdout, &self.stderr];
        let files = texts(user, fields).await;
        if user.jm().thrown.is_some() {
            return Ok(None);
        }
        let here = std::env::current_dir().unwrap_or_default();
        let order = ProgramOrder {
            directory: match directory.is_empty() {
                true => here.clone(),
                false => PathBuf::from(java_path(&directory)),
            },
            command,
            arguments,
            environment,
            files,
            timeout_ms: timeout.parse::<u64>().unwrap_or(0),
        };
        let mut result = SampleResult {
            data_type: DataType::Text,
            sampler_data: Some(asked(&order, &here)),
            ..SampleResult::new(label)
        };
        let start_ns = user.thread.clock.now_ns();
        let mut output = Vec::new();
        let ended = program::run(user, &order, &mut output).await?;
        let mut times = until_now(user, start_ns);
        let checks = checks.eq_ignore_ascii_case("true");
        let expected = checks.then(|| expected.parse().unwrap_or(0));
        conclude(&mut result, ended, expected);
        times.error = (!result.success).then_some(ErrorKind::Other);
        // Through a text of Java's: what is no UTF-8 is replaced.
        result.body = String::from_utf8_lossy(&output).into_owned().into_bytes();
        result.body_bytes = result.body.len() as u64;
        result.received_bytes = result.body_bytes;
        Ok(Some(Sampled::new(result, times)))
    }
}

/// How it ended; `expected`: the return code that it must have.
fn conclude(result: &mut SampleResult, ended: Result<i32, ProgramTrouble>, expected: Option<i32>) {
    "500".clone_into(&mut result.code);
    match ended {
        Ok(code) => {
            result.code = code.to_string();
            result.success = expected.is_none_or(|expected| code == expected);
            result.message = match expected {
                Some(expected) if code != expected => {
                    format!("Unexpected return code.  Expected [{expected}]. Actual [{code}].")
                }
                _ => "OK".to_owned(),
            };
        }
        Err(ProgramTrouble::Io(class, said)) => {
            result.message =
                format!("Exception occurred whilst executing system call: {class}: {said}");
        }
        Err(ProgramTrouble::Late(timeout_ms)) => {
            result.message = format!("Process timeout reached after {timeout_ms} milliseconds");
        }
    }
}

/// What JMeter says of what it runs.
fn asked(order: &ProgramOrder, here: &std::path::Path) -> String {
    let mut line = order.command.clone();
    for argument in &order.arguments {
        line.push(' ');
        line.push_str(argument);
    }
    let ordered = in_map_order(order.environment.iter().collect(), |(name, _)| name);
    let pairs: Vec<String> = ordered
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!(
        "Working Directory: {}\nEnvironment: {{{}}}\nExecuting: {line}",
        here.join(&order.directory).display(),
        pairs.join(", ")
    )
}

/// Names and values in turn, as pairs; of a name that is there twice the last value counts.
fn variables(texts: Vec<String>) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut texts = texts.into_iter();
    while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
        match pairs.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => pairs.push((name, value)),
        }
    }
    pairs
}

/// What Java says of an environment that it does not take.
fn refused(environment: &[(String, String)]) -> Option<String> {
    environment.iter().find_map(|(name, value)| {
        if name.contains(['=', '\0']) {
            return Some(format!("Invalid environment variable name: \"{name}\""));
        }
        let is_odd = value.contains('\0');
        is_odd.then(|| format!("Invalid environment variable value: \"{value}\""))
    })
}

/// A path as Java's `File` keeps it: no slash twice, none at the end.
fn java_path(path: &str) -> String {
    let mut kept = String::with_capacity(path.len());
    for c in path.chars() {
        if c != '/' || !kept.ends_with('/') {
            kept.push(c);
        }
    }
    if kept.len() > 1 && kept.ends_with('/') {
        kept.pop();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_name_counts() {
        let texts = ["A", "1", "B", "2", "A", "3"].map(str::to_owned).to_vec();
        let expected = [("A", "3"), ("B", "2")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(variables(texts), expected);
    }

    #[test]
    fn paths_are_as_java_keeps_them() {
        for (path, kept) in [("/", "/"), ("//a//b/", "/a/b"), ("a/../b", "a/../b")] {
            assert_eq!(java_path(path), kept);
        }
    }

    #[test]
    fn endings_are_said_as_jmeter_says_them() {
        let told = |ended, expected| {
            let mut result = SampleResult::new("p");
            conclude(&mut result, ended, expected);
            (result.success, result.code, result.message)
        };
        let (ok, code, message) = told(Ok(1), Some(0));
        assert!(!ok);
        assert_eq!(code, "1");
        assert_eq!(
            message,
            "Unexpected return code.  Expected [0]. Actual [1]."
        );
        assert_eq!(
            told(Ok(3), None),
            (true, "3".to_owned(), "OK".to_owned()),
            "nobody looks at the code"
        );
        let (ok, code, message) = told(Err(ProgramTrouble::Late(70)), None);
        assert!(!ok);
        assert_eq!(code, "500");
        assert_eq!(message, "Process timeout reached after 70 milliseconds");
    }
}
