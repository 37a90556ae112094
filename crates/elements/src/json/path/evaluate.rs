//! Finding the values of a path.

use super::super::Json;
use super::super::value::item_at;
use super::error::PathError;
use super::tree::{Path, PathArg, PathStep};
use crate::work::{CpuPatience, DocumentRefused};

/// Where in the document the walk is: written out only when something is missing.
#[derive(Clone, Copy)]
struct JsonPlace<'p> {
    parent: Option<&'p JsonPlace<'p>>,
    part: PathPart<'p>,
}

#[derive(Clone, Copy)]
enum PathPart<'p> {
    Root(char),
    Name(&'p str),
    Index(i64),
}

impl<'p> JsonPlace<'p> {
    fn name(&'p self, name: &'p str) -> JsonPlace<'p> {
        JsonPlace {
            parent: Some(self),
            part: PathPart::Name(name),
        }
    }

    fn index(&'p self, index: i64) -> JsonPlace<'p> {
        JsonPlace {
            parent: Some(self),
            part: PathPart::Index(index),
        }
    }

    fn text(&self) -> String {
        let before = self.parent.map(JsonPlace::text).unwrap_or_default();
        match self.part {
            PathPart::Root(root) => root.to_string(),
            PathPart::Name(name) => format!("{before}['{name}']"),
            PathPart::Index(index) => format!("{before}[{index}]"),
        }
    }
}

type Done = Result<(), PathError>;

impl Path {
    /// All values; at least one for a definite path. `required`: a property that is not there
    /// is an error wherever it is (Jayway's `REQUIRE_PROPERTIES`).
    pub(super) fn values<'t>(
        &self,
        item: &Json<'t>,
        root: &Json<'t>,
        required: bool,
    ) -> Result<Vec<Json<'t>>, PathError> {
        let mut walk = PathWalk {
            path: self,
            root,
            required,
            last_scanned: None,
            found: Vec::new(),
            patience: CpuPatience::new(),
        };
        let place = JsonPlace {
            parent: None,
            part: PathPart::Root(self.root),
        };
        walk.go(0, &place, item)?;
        if walk.found.is_empty() && self.is_definite() {
            return Err(PathError::NotFound(format!(
                "No results for path: {}",
                self.text()
            )));
        }
        Ok(walk.found)
    }

    /// The value: of an indefinite path an array of all.
    pub(super) fn value<'t>(
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
}

impl PathArg {
    fn value<'t>(&self, item: &Json<'t>, root: &Json<'t>) -> Result<Json<'t>, PathError> {
        match self {
            Self::Path(path) if path.root == '$' => path.value(root, root, false),
            Self::Path(path) => path.value(item, root, false),
            Self::Json(text) => match super::super::parse(text) {
                Ok(value) => Ok(value.into_owned()),
                Err(reason) => Err(PathError::Bad(reason)),
            },
        }
    }
}

struct PathWalk<'w, 't> {
    path: &'w Path,
    root: &'w Json<'t>,
    required: bool,
    /// The index of the item that a scan last gave to the last step.
    last_scanned: Option<i64>,
    found: Vec<Json<'t>>,
    patience: CpuPatience,
}

impl<'w, 't> PathWalk<'w, 't> {
    /// Takes the steps from `at` on.
    fn go(&mut self, at: usize, place: &JsonPlace<'_>, model: &Json<'t>) -> Done {
        let slow = |refused: DocumentRefused| PathError::Bad(refused.to_string());
        self.patience.step().map_err(slow)?;
        let path = self.path;
        let Some(step) = path.steps.get(at) else {
            self.found.push(model.clone());
            return Ok(());
        };
        match step {
            PathStep::Names(names, quote) => self.names(at, names, *quote, place, model),
            PathStep::All => self.all(at, place, model),
            PathStep::Indexes(indexes) => {
                let Some(items) = self.items(at, place, model)? else {
                    return Ok(());
                };
                for index in indexes {
                    self.index(at, *index, place, items)?;
                }
                Ok(())
            }
            PathStep::Slice(from, to) => {
                let Some(items) = self.items(at, place, model)? else {
                    return Ok(());
                };
                for index in slice(*from, *to, items.len()) {
                    self.index(at, index, place, items)?;
                }
                Ok(())
            }
            PathStep::Where(filter) => {
                let root = self.root;
                let accepts = |item: &Json<'t>| filter.accepts(item, root);
                match model {
                    Json::Object(_) if accepts(model) => self.go(at + 1, place, model),
                    Json::Object(_) => Ok(()),
                    Json::Array(items) => {
                        for (index, item) in (0..).zip(items) {
                            if accepts(item) {
                                self.index(at, index, place, items)?;
                            }
                        }
                        Ok(())
                    }
                    _ if self.path.is_definite_before(at) => Err(PathError::Bad(format!(
                        "Filter: [?] can not be applied to primitives. Current context is: {}",
                        model.java_text()
                    ))),
                    _ => Ok(()),
                }
            }
            PathStep::Scan => self.scan(at + 1, place, model),
            PathStep::Call(function, args) => {
                let values = args.iter().map(|arg| arg.value(model, self.root));
                let value = function.call(model, values.collect::<Result<_, _>>()?)?;
                self.go(at + 1, place, &value)
            }
        }
    }

    fn is_leaf(&self, at: usize) -> bool {
        at + 1 == self.path.steps.len()
    }

    fn names(
        &mut self,
        at: usize,
        names: &[String],
        quote: char,
        place: &JsonPlace<'_>,
        model: &Json<'t>,
    ) -> Done {
        let Json::Object(members) = model else {
            if !self.path.is_definite_before(at) {
                return Ok(());
            }
            let separator = format!("{quote}, {quote}");
            return Err(PathError::NotFound(format!(
                "Expected to find an object with property [{quote}{}{quote}] in path {} but found '{}'. This is not a json object according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JsonSmartJsonProvider'.",
                names.join(&separator),
                place.text(),
                model.java_class()
            )));
        };
        if names.len() > 1 && self.is_leaf(at) {
            let wanted = names.iter().filter_map(|name| {
                let member = members.iter().find(|(known, _)| known == name);
                member.cloned()
            });
            let merged: Vec<_> = wanted.collect();
            if self.required && merged.len() < names.len() {
                return Err(PathError::NotFound(format!(
                    "Missing property in path {}",
                    place.text()
                )));
            }
            self.found.push(Json::Object(merged));
            return Ok(());
        }
        for name in names {
            self.name(at, name, place, model)?;
        }
        Ok(())
    }

    fn name(&mut self, at: usize, name: &str, place: &JsonPlace<'_>, model: &Json<'t>) -> Done {
        let here = place.name(name);
        if let Some(value) = model.get(name) {
            if self.is_leaf(at) && !self.is_wanted(at) {
                return Ok(());
            }
            return self.go(at + 1, &here, value);
        }
        if self.is_leaf(at) {
            return match self.required {
                true => Err(PathError::NotFound(format!(
                    "No results for path: {}",
                    here.text()
                ))),
                false => Ok(()),
            };
        }
        let definite = self.path.is_definite_before(at + 1);
        match definite || self.required {
            true => Err(PathError::NotFound(format!(
                "Missing property in path {}",
                here.text()
            ))),
            false => Ok(()),
        }
    }

    /// Once a scan has been through an array, Jayway keeps of a last name only what is at the
    /// index that stands before it: `$..[0].name`.
    fn is_wanted(&self, at: usize) -> bool {
        match (
            self.last_scanned,
            at.checked_sub(1).map(|at| &self.path.steps[at]),
        ) {
            (None, _) => true,
            (Some(index), Some(PathStep::Indexes(indexes))) => *indexes == [index],
            (Some(_), _) => false,
        }
    }

    fn all(&mut self, at: usize, place: &JsonPlace<'_>, model: &Json<'t>) -> Done {
        match model {
            Json::Object(members) => {
                for (name, _) in members {
                    let done = self.name(at, name, place, model);
                    self.unless_missing(done)?;
                }
            }
            Json::Array(items) => {
                for index in 0..items.len() {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    let done = self.index(at, index, place, items);
                    self.unless_missing(done)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn unless_missing(&self, done: Done) -> Done {
        match done {
            Err(PathError::NotFound(_)) if !self.required => Ok(()),
            done => done,
        }
    }

    /// The items of an array; none when it is none and that does not matter.
    fn items<'m>(
        &self,
        at: usize,
        place: &JsonPlace<'_>,
        model: &'m Json<'t>,
    ) -> Result<Option<&'m [Json<'t>]>, PathError> {
        match model {
            Json::Array(items) => Ok(Some(items)),
            _ if !self.path.is_definite_before(at) => Ok(None),
            Json::Null => Err(PathError::NotFound(format!(
                "The path {} is null",
                place.text()
            ))),
            _ => {
                let mut filter = String::new();
                self.path.steps[at].write(&mut filter);
                Err(PathError::NotFound(format!(
                    "Filter: {filter} can only be applied to arrays. Current context is: {}",
                    model.java_text()
                )))
            }
        }
    }

    fn index(&mut self, at: usize, index: i64, place: &JsonPlace<'_>, items: &[Json<'t>]) -> Done {
        match item_at(items, index) {
            Some(item) => self.go(at + 1, &place.index(index), item),
            None => Ok(()),
        }
    }

    /// `..`: the step after it, wherever it fits.
    fn scan(&mut self, at: usize, place: &JsonPlace<'_>, model: &Json<'t>) -> Done {
        match model {
            Json::Object(members) => {
                if self.fits(at, model) {
                    self.go(at, place, model)?;
                }
                for (name, value) in members {
                    self.scan(at, &place.name(name), value)?;
                }
            }
            Json::Array(items) => {
                if self.fits(at, model) {
                    if self.is_leaf(at) {
                        self.go(at, place, model)?;
                    } else {
                        self.scan_items(at, place, items)?;
                    }
                }
                for (index, item) in (0..).zip(items) {
                    self.scan(at, &place.index(index), item)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// In an array Jayway goes on with each item, whatever the step itself would choose.
    fn scan_items(&mut self, at: usize, place: &JsonPlace<'_>, items: &[Json<'t>]) -> Done {
        for (index, item) in (0..).zip(items) {
            if self.is_leaf(at + 1) {
                self.last_scanned = Some(index);
            }
            self.go(at + 1, &place.index(index), item)?;
        }
        Ok(())
    }

    fn fits(&self, at: usize, model: &Json<'t>) -> bool {
        match self.path.steps.get(at) {
            Some(PathStep::Names(names, _)) => match model {
                Json::Object(_) if names.len() > 1 && !self.is_leaf(at) => true,
                Json::Object(_) => names.iter().all(|name| model.get(name).is_some()),
                _ => false,
            },
            Some(PathStep::Indexes(_) | PathStep::Slice(..)) => matches!(model, Json::Array(_)),
            Some(PathStep::All) => true,
            Some(PathStep::Where(filter)) => filter.accepts(model, self.root),
            Some(PathStep::Scan | PathStep::Call(..)) | None => false,
        }
    }
}

/// The indexes of a slice.
fn slice(from: Option<i64>, to: Option<i64>, length: usize) -> std::ops::Range<i64> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    match (from, to) {
        (Some(from), None) if from < 0 => (length + from).max(0)..length,
        (Some(from), None) => from..length,
        (None, Some(to)) if to < 0 => 0..length + to,
        (None, Some(to)) => 0..to.min(length),
        (Some(from), Some(to)) => from..to.min(length),
        (None, None) => 0..0,
    }
}
