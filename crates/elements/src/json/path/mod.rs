//! JsonPath as Jayway 2.8 has it. It differs from RFC 9535: a path without wildcards is
//! "definite" and has one value, functions stand at the end, `..` goes its own way.

mod compare;
mod compile;
mod compile_filter;
mod error;
mod evaluate;
mod filter;
mod functions;
mod reader;
#[cfg(test)]
mod tests;
mod tree;

use super::Json;

pub use error::PathError;
pub use tree::Path;

impl Path {
    /// Compiles a path.
    ///
    /// # Errors
    /// What is wrong with it, in Jayway's words where they are known.
    pub fn new(path: &str) -> Result<Self, String> {
        compile::compile(path)
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
}
