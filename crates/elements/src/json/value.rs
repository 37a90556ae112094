//! A value of JSON.

use std::borrow::Cow;

use super::number::Number;

/// A value. Texts are borrowed from what was parsed where they can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'t> {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number<'t>),
    /// A text.
    Text(Cow<'t, str>),
    /// An array.
    Array(Vec<Json<'t>>),
    /// An object, in its order.
    Object(Vec<(Cow<'t, str>, Json<'t>)>),
}

impl<'t> Json<'t> {
    /// A member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json<'t>> {
        match self {
            Self::Object(members) => {
                let found = members.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The same value, borrowed from nothing.
    #[must_use]
    pub fn into_owned<'o>(self) -> Json<'o> {
        let owned = |text: Cow<'t, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Json::Null,
            Self::Bool(truth) => Json::Bool(truth),
            Self::Number(number) => Json::Number(number.into_owned()),
            Self::Text(text) => Json::Text(owned(text)),
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(members) => {
                let member = |(name, value): (_, Self)| (owned(name), value.into_owned());
                Json::Object(members.into_iter().map(member).collect())
            }
        }
    }

    /// Java's class of it, for messages.
    pub(super) fn java_class(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "java.lang.Boolean",
            Self::Number(number) => number.java_class(),
            Self::Text(_) => "java.lang.String",
            Self::Array(_) => "net.minidev.json.JSONArray",
            Self::Object(_) => "java.util.LinkedHashMap",
        }
    }

    /// Whether two values are equal in Java: the order of members does not count, but the kind
    /// of a number does.
    #[must_use]
    pub fn equals(&self, other: &Json<'_>) -> bool {
        self.equals_by(other, |one, other| one.equals(other))
    }

    /// The same with numbers compared otherwise.
    pub(super) fn equals_by(
        &self,
        other: &Json<'_>,
        numbers: fn(&Number<'_>, &Number<'_>) -> bool,
    ) -> bool {
        match (self, other) {
            (Self::Null, Json::Null) => true,
            (Self::Bool(one), Json::Bool(other)) => one == other,
            (Self::Number(one), Json::Number(other)) => numbers(one, other),
            (Self::Text(one), Json::Text(other)) => one == other,
            (Self::Array(one), Json::Array(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len() && pairs.all(|(one, other)| one.equals_by(other, numbers))
            }
            (Self::Object(one), Json::Object(members)) => {
                let same = |(name, value): &(Cow<'_, str>, Json<'_>)| {
                    let other = other.get(name);
                    other.is_some_and(|other| value.equals_by(other, numbers))
                };
                one.len() == members.len() && one.iter().all(same)
            }
            _ => false,
        }
    }
}

/// An item by its index, from the end below 0.
pub(super) fn item_at<T>(items: &[T], index: i64) -> Option<&T> {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let at = if index < 0 { index + length } else { index };
    items.get(usize::try_from(at).ok()?)
}
