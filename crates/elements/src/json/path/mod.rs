//! JsonPath as Jayway 2.8 has it. It differs from RFC 9535: a path without wildcards is
//! "definite" and has one value, functions stand at the end, `..` goes its own way.

mod compile;
mod evaluate;
mod filter;
mod functions;
mod reader;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::Json;
use filter::Filter;
use functions::Function;

/// Why a path has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// There is nothing there (`PathNotFoundException`).
    NotFound(String),
    /// It cannot be evaluated.
    Bad(String),
}

impl PathError {
    /// What Java's exception says.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::NotFound(message) | Self::Bad(message) => message,
        }
    }
}

/// A compiled path.
#[derive(Debug, Clone)]
pub struct Path {
    root: char,
    steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone)]
enum Step {
    /// `.name`, `['name']`, `['one','two']`.
    Names(Vec<String>, char),
    /// `*`.
    All,
    /// `[0]`, `[0,-1]`.
    Indexes(Vec<i64>),
    /// `[from:to]`.
    Slice(Option<i64>, Option<i64>),
    /// `[?(…)]`.
    Where(Filter),
    /// `..`.
    Scan,
    /// `.name(…)`.
    Call(Function, Vec<Arg>),
}

/// An argument of a function.
#[derive(Debug, Clone)]
enum Arg {
    Path(Path),
    /// Its JSON, as written.
    Json(String),
}

impl Path {
    /// Compiles a path.
    ///
    /// # Errors
    /// What is wrong with it, in Jayway's words where they are known.
    pub fn new(path: &str) -> Result<Self, String> {
        compile::compile(path)
    }

    /// Whether it has one value at most.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.is_definite_before(self.steps.len())
    }

    /// Whether it ends with a function.
    #[must_use]
    pub fn is_function(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Call(..)))
    }

    fn is_definite_before(&self, step: usize) -> bool {
        (0..step).all(|at| self.is_step_definite(at))
    }

    fn is_step_definite(&self, at: usize) -> bool {
        match &self.steps[at] {
            Step::Names(names, _) => names.len() == 1 || at + 1 == self.steps.len(),
            Step::Indexes(indexes) => indexes.len() == 1,
            Step::Call(..) => true,
            Step::All | Step::Slice(..) | Step::Where(_) | Step::Scan => false,
        }
    }

    /// What JMeter's JSON extractor reads: always a list.
    ///
    /// # Errors
    /// Nothing found for a definite path; functions, which Jayway does not allow here.
    pub fn list<'t>(&self, document: &Json<'t>) -> Result<Vec<Json<'t>>, PathError> {
        if matches!(document, Json::Null) {
            return Err(PathError::Bad("root can not be null".to_owned()));
        }
        if self.is_function() {
            return Err(PathError::Bad(
                "Options AS_PATH_LIST and ALWAYS_RETURN_LIST are not allowed when using path functions!"
                    .to_owned(),
            ));
        }
        let mut found = self.values(document, document, false)?;
        if self.is_definite() {
            found.drain(..found.len().saturating_sub(1));
        }
        Ok(found)
    }

    /// The value: of an indefinite path an array of all.
    ///
    /// # Errors
    /// Nothing found for a definite path.
    pub fn read<'t>(&self, document: &Json<'t>) -> Result<Json<'t>, PathError> {
        if matches!(document, Json::Null) {
            return Err(PathError::Bad("json can not be null".to_owned()));
        }
        self.value(document, document, false)
    }

    fn value<'t>(
        &self,
        item: &Json<'t>,
        root: &Json<'t>,
        required: bool,
    ) -> Result<Json<'t>, PathError> {
        let mut found = self.values(item, root, required)?;
        Ok(match self.is_definite() {
            true => found.pop().unwrap_or(Json::Null),
            false => Json::Array(found),
        })
    }

    /// As Jayway writes it.
    fn text(&self) -> String {
        let mut out = self.root.to_string();
        for step in &self.steps {
            step.write(&mut out);
        }
        out
    }
}

impl Step {
    fn write(&self, out: &mut String) {
        // Writing to a String does not fail.
        let _ = match self {
            Self::Names(names, quote) => {
                let separator = format!("{quote},{quote}");
                write!(out, "[{quote}{}{quote}]", names.join(&separator))
            }
            Self::All => write!(out, "[*]"),
            Self::Indexes(indexes) => {
                let indexes: Vec<String> = indexes.iter().map(i64::to_string).collect();
                write!(out, "[{}]", indexes.join(","))
            }
            Self::Slice(from, to) => {
                let end = |end: &Option<i64>| end.map_or_else(String::new, |end| end.to_string());
                write!(out, "[{}:{}]", end(from), end(to))
            }
            Self::Where(_) => write!(out, "[?]"),
            Self::Scan => write!(out, ".."),
            Self::Call(function, _) => write!(out, ".{}", function.name()),
        };
    }
}
