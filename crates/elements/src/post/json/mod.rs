//! `JSONPostProcessor` (JSON Extractor): several names, paths and defaults, apart by `;`.

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;

use super::json_target::JsonTarget;
use super::subject::json_texts;
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::numbers::int;
use crate::json::{Json, Path, PathError, parse};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;
use crate::scope::ElementScope;

struct JsonExtractor {
    name: Template,
    scope: ElementScope,
    variables: Field,
    paths: Compiled<Vec<Result<Path, String>>>,
    defaults: Field,
    numbers: Field,
    concatenate: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let field = |name: &str| fields.field(&format!("JSONPostProcessor.{name}"));
    let compile = |paths: &str, _: &dyn Context| {
        Ok(pieces(paths)
            .into_iter()
            .map(|path| Path::new(path.trim()))
            .collect())
    };
    Bound::Post(Box::new(JsonExtractor {
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        variables: field("referenceNames"),
        paths: Compiled::new(field("jsonPathExprs"), fields.0.site, 0, compile),
        defaults: field("defaultValues"),
        numbers: field("match_numbers"),
        concatenate: field("compute_concat"),
    }))
}

impl PostProcessor for JsonExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let which = self.scope.which(cx)?;
        let texts = json_texts(&which, cx, sample);
        let variables = self.variables.text(cx)?;
        let defaults = self.defaults.text(cx)?;
        let numbers = self.numbers.text(cx)?;
        let concatenates = self.concatenate.truth(cx, false)?;
        let ready = self.paths.ready(cx)?;
        let Ok(paths) = &*ready else {
            return Ok(());
        };
        let (variables, defaults) = (pieces(&variables), pieces(&defaults));
        let numbers = numbers_of(&numbers, defaults.len())?;
        if variables.len() != paths.len() || variables.len() != defaults.len() {
            return Err(Fault::new(
                "Mismatch between number of variables, json expressions and default values",
            ));
        }
        // Each text is read once, for all paths.
        let documents: Vec<Result<Json<'_>, String>> =
            texts.iter().map(|text| document(text)).collect();
        for (at, path) in paths.iter().enumerate() {
            let target = JsonTarget {
                own: &self.name,
                variable: variables[at].trim(),
                default: defaults[at],
                number: numbers[at],
                concatenates,
                counts_any: false,
            };
            let found = (!documents.is_empty()).then(|| values(path, &documents));
            target.set(cx, found, |value| value.extracted())?;
        }
        Ok(())
    }
}

fn document(text: &str) -> Result<Json<'_>, String> {
    match text.is_empty() {
        true => Err("json can not be null or empty".to_owned()),
        false => parse(text),
    }
}

fn values<'d>(
    path: &Result<Path, String>,
    documents: &[Result<Json<'d>, String>],
) -> Result<Vec<Json<'d>>, String> {
    let path = path.as_ref().map_err(String::clone)?;
    let mut values = Vec::new();
    for document in documents {
        match path.list(document.as_ref().map_err(String::clone)?) {
            Ok(found) => values.extend(found),
            Err(PathError::NotFound(_)) => {}
            Err(PathError::Bad(reason)) => return Err(reason),
        }
    }
    Ok(values)
}

/// Java's `split(";")`: empty pieces at the end are left out, unless there is nothing else.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split(';').collect();
    while pieces.len() > 1 && pieces.last() == Some(&"") {
        pieces.pop();
    }
    match pieces[..] {
        // ";" alone has no pieces at all.
        [""] if !text.is_empty() => Vec::new(),
        _ => pieces,
    }
}

fn numbers_of(text: &str, count: usize) -> Result<Vec<i64>, Fault> {
    let mut numbers = vec![0; count];
    if text.trim().is_empty() {
        return Ok(numbers);
    }
    for (at, text) in pieces(text).into_iter().enumerate() {
        let number = int(text.trim())?;
        let Some(slot) = numbers.get_mut(at) else {
            return Err(Fault::new(format!(
                "java.lang.ArrayIndexOutOfBoundsException: Index {at} out of bounds for length {count}"
            )));
        };
        *slot = number.into();
    }
    Ok(numbers)
}
