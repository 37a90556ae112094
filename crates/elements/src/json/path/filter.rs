//! Whether an item passes a filter.

use super::super::{Json, Number};
use super::compare::{SideValue, holds};
use super::error::PathError;
use super::tree::{Filter, Operand};

impl Filter {
    /// Whether an item passes.
    pub(super) fn accepts(&self, item: &Json<'_>, root: &Json<'_>) -> bool {
        self.evaluate(item, root).unwrap_or(false)
    }

    /// None: it cannot be told, and the item does not pass.
    fn evaluate(&self, item: &Json<'_>, root: &Json<'_>) -> Option<bool> {
        match self {
            Self::And(filters) => {
                for filter in filters {
                    if !filter.evaluate(item, root)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Self::Or(filters) => {
                for filter in filters {
                    if filter.evaluate(item, root)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Self::Not(filter) => Some(!filter.evaluate(item, root)?),
            Self::Exists(path, wanted) => {
                let from = if path.root == '$' { root } else { item };
                match path.value(from, root, true) {
                    Ok(_) => Some(*wanted),
                    Err(PathError::NotFound(_)) => Some(!*wanted),
                    Err(PathError::Bad(_)) => None,
                }
            }
            Self::Compare(left, operator, right) => {
                let (left, right) = (left.value(item, root)?, right.value(item, root)?);
                holds(&left, *operator, &right)
            }
        }
    }
}

impl Operand {
    fn value<'v>(&'v self, item: &Json<'v>, root: &Json<'v>) -> Option<SideValue<'v>> {
        Some(SideValue::Json(match self {
            Self::Path(path) => {
                let from = if path.root == '$' { root } else { item };
                match path.value(from, root, false) {
                    Ok(value) => value,
                    Err(PathError::NotFound(_)) => return Some(SideValue::Undefined),
                    Err(PathError::Bad(_)) => return None,
                }
            }
            Self::Null => Json::Null,
            Self::Bool(truth) => Json::Bool(*truth),
            Self::Number(text) => Json::Number(match text.contains(['.', 'e', 'E']) {
                true => Number::Decimal(text.as_str().into()),
                false => Number::whole(text),
            }),
            Self::Text(text) => Json::Text(text.as_str().into()),
            Self::Json(text) => super::super::parse(text).ok()?,
            Self::Pattern(pattern) => return Some(SideValue::Pattern(pattern)),
        }))
    }
}
