//! The functions at the end of a path.

use super::super::value::item_at;
use super::super::{Json, Number};
use super::error::PathError;

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathFunction {
    Min,
    Max,
    Avg,
    Stddev,
    Sum,
    /// `length()` and `size()`.
    Length(&'static str),
    Keys,
    Concat,
    Append,
    First,
    Last,
    Index,
    /// Fails when it is evaluated.
    Unknown(String),
}

impl PathFunction {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "min" => Self::Min,
            "max" => Self::Max,
            "avg" => Self::Avg,
            "stddev" => Self::Stddev,
            "sum" => Self::Sum,
            "length" => Self::Length("length"),
            "size" => Self::Length("size"),
            "keys" => Self::Keys,
            "concat" => Self::Concat,
            "append" => Self::Append,
            "first" => Self::First,
            "last" => Self::Last,
            "index" => Self::Index,
            other => Self::Unknown(other.to_owned()),
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Avg => "avg",
            Self::Stddev => "stddev",
            Self::Sum => "sum",
            Self::Length(name) => name,
            Self::Keys => "keys",
            Self::Concat => "concat",
            Self::Append => "append",
            Self::First => "first",
            Self::Last => "last",
            Self::Index => "index",
            Self::Unknown(name) => name,
        }
    }

    /// Whether it counts what a path finds.
    pub(super) fn counts(&self) -> bool {
        matches!(self, Self::Length(_))
    }

    /// Its value for what stands before it and the values of its arguments.
    pub(super) fn call<'t>(
        &self,
        value: &Json<'t>,
        values: Vec<Json<'t>>,
    ) -> Result<Json<'t>, PathError> {
        Ok(match self {
            Self::Min | Self::Max | Self::Avg | Self::Stddev | Self::Sum => {
                let result = self.aggregate(&numbers(value, &values))?;
                Json::Number(Number::Double(result))
            }
            Self::Length(_) => match values.first().unwrap_or(value) {
                Json::Array(items) => whole(items.len()),
                Json::Object(members) if values.is_empty() => whole(members.len()),
                _ => Json::Null,
            },
            Self::Keys => match value {
                Json::Object(members) => {
                    // A set in Java: only its text is ever seen.
                    let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
                    Json::Text(format!("[{}]", names.join(", ")).into())
                }
                _ => Json::Null,
            },
            Self::Concat => Json::Text(concat(value, &values).into()),
            Self::Append => match value {
                Json::Array(items) => Json::Array([items.clone(), values].concat()),
                other => other.clone(),
            },
            Self::First => item(value, 0)?,
            Self::Last => item(value, -1)?,
            Self::Index => match values.first() {
                Some(Json::Number(Number::Int(index))) => item(value, *index)?,
                _ => Json::Null,
            },
            Self::Unknown(name) => {
                return Err(PathError::Bad(format!(
                    "Function with name: {name} does not exist."
                )));
            }
        })
    }

    #[expect(clippy::cast_precision_loss)] // A count.
    fn aggregate(&self, numbers: &[f64]) -> Result<f64, PathError> {
        if numbers.is_empty() {
            return Err(PathError::Bad(
                "Aggregation function attempted to calculate value using empty array".to_owned(),
            ));
        }
        let count = numbers.len() as f64;
        let sum: f64 = numbers.iter().sum();
        Ok(match self {
            Self::Min => numbers.iter().copied().fold(f64::MAX, f64::min),
            Self::Max => numbers.iter().copied().fold(-f64::MAX, f64::max),
            Self::Sum => sum,
            Self::Stddev => {
                let squares: f64 = numbers.iter().map(|number| number * number).sum();
                (squares / count - sum * sum / count / count).sqrt()
            }
            _ => sum / count,
        })
    }
}

fn whole<'t>(count: usize) -> Json<'t> {
    Json::Number(Number::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn numbers(value: &Json<'_>, args: &[Json<'_>]) -> Vec<f64> {
    fn collect(value: &Json<'_>, into: &mut Vec<f64>) {
        match value {
            Json::Number(number) => into.push(number.value()),
            Json::Array(items) => {
                for item in items {
                    if let Json::Number(number) = item {
                        into.push(number.value());
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    if matches!(value, Json::Array(_)) {
        collect(value, &mut found);
    }
    for arg in args {
        collect(arg, &mut found);
    }
    found
}

fn concat(value: &Json<'_>, args: &[Json<'_>]) -> String {
    let mut text = String::new();
    let mut add = |value: &Json<'_>| {
        if let Json::Text(found) = value {
            text.push_str(found);
        }
    };
    let arrays = std::iter::once(value).chain(args);
    for value in arrays {
        match value {
            Json::Array(items) => items.iter().for_each(&mut add),
            other => add(other),
        }
    }
    text
}

fn item<'t>(value: &Json<'t>, index: i64) -> Result<Json<'t>, PathError> {
    let Json::Array(items) = value else {
        return Ok(Json::Null);
    };
    if items.is_empty() {
        return Err(PathError::Bad(
            "Aggregation function attempted to calculate value using empty array".to_owned(),
        ));
    }
    Ok(item_at(items, index).cloned().unwrap_or(Json::Null))
}
