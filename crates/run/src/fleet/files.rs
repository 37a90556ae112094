//! Files that a program uses, as far as they are known before it runs.

use std::path::{Component, Path};

use plimsoll_plan::program::{ElementProgram, Part, Program, SharedDef, Template, ValueProgram};

/// A file, or what names one while the plan runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// What uses it.
    pub what: String,
    /// Its path; none when it is made of variables.
    pub path: Option<String>,
    /// It is read, so that it must be there; otherwise it may be written.
    pub read: bool,
}

impl Use {
    /// Whether the file lies in the folder that paths start from, as far as can be seen.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.path.as_deref().is_some_and(is_inside)
    }
}

/// Whether a path leads nowhere but below the folder it starts from.
#[must_use]
pub fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    path.components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Properties of JMeter's elements that are paths, and whether the file is read.
const PATHS: [(&str, bool); 6] = [
    ("filename", true),
    ("File.path", true),
    ("TestPlan.user_define_classpath", true),
    ("scriptFile", true),
    ("BeanShellSampler.filename", true),
    ("accessLogFile", true),
];

/// Functions of JMeter's that open files.
const FUNCTIONS: [&str; 5] = [
    "${__FileToString",
    "${__StringFromFile",
    "${__StringToFile",
    "${__CSVRead",
    "${__XPath",
];

/// All files that a program uses.
#[must_use]
pub fn uses(program: &Program) -> Vec<Use> {
    let mut found = Vec::new();
    for request in &program.requests {
        let paths = request.body.files().into_iter();
        let what = request.url.as_text().unwrap_or("a request").to_owned();
        found.extend(paths.map(|path| of(&what, path, true)));
    }
    for shared in &program.shared {
        if let SharedDef::Rows { data, path, .. } = shared {
            found.push(of(&data.name, path, true));
        }
    }
    for profile in &program.profiles {
        let tls = &profile.tls;
        let files = [&tls.ca_file, &tls.certificate_file, &tls.key_file];
        found.extend(files.into_iter().flatten().map(|path| Use {
            what: "TLS".to_owned(),
            path: Some(path.clone()),
            read: true,
        }));
    }
    for element in &program.elements {
        of_element(&mut found, element);
    }
    found
}

fn of(what: &str, path: &Template, read: bool) -> Use {
    Use {
        what: what.to_owned(),
        path: path.as_text().map(str::to_owned),
        read,
    }
}

fn of_element(found: &mut Vec<Use>, element: &ElementProgram) {
    let name = element.name.as_text().unwrap_or_default();
    let what = format!("{} “{name}”", element.class);
    for (key, value) in &element.properties {
        of_value(found, element, &what, key, value);
    }
}

fn of_value(
    found: &mut Vec<Use>,
    element: &ElementProgram,
    what: &str,
    key: &str,
    value: &ValueProgram,
) {
    match value {
        ValueProgram::Text(text) => {
            let path = PATHS.iter().find(|(name, _)| *name == key);
            // Listeners write their files; on a worker they go with its folder.
            let writes = element.class == "ResultCollector";
            if let Some((_, read)) = path.filter(|_| !text.parts.is_empty()) {
                found.push(of(what, text, *read && !writes));
            }
            calls(found, what, text);
        }
        ValueProgram::List(values) => {
            for value in values {
                of_value(found, element, what, key, value);
            }
        }
        ValueProgram::Element(inner) => of_element(found, inner),
    }
}

fn calls(found: &mut Vec<Use>, what: &str, text: &Template) {
    for part in &text.parts {
        if let Part::Call(call) = part {
            if FUNCTIONS.iter().any(|name| call.raw.starts_with(name)) {
                let path = call.args.first().and_then(Template::as_text);
                found.push(Use {
                    what: what.to_owned(),
                    path: path.map(|path| path.trim().to_owned()),
                    read: true,
                });
            }
            call.args.iter().for_each(|arg| calls(found, what, arg));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_inside() {
        for path in ["a.csv", "data/a.csv", "./a", "a/../b"] {
            assert_eq!(is_inside(path), !path.contains(".."), "{path}");
        }
        assert!(!is_inside("/etc/passwd") && !is_inside("../a"));
    }
}
