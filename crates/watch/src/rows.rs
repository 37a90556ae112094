//! Rows of a database as texts.

/// A row as texts.
pub(crate) type Texts = Vec<Option<String>>;

/// A text of a row; empty when it is not there.
pub(crate) fn text(row: &Texts, column: usize) -> &str {
    row.get(column).and_then(Option::as_deref).unwrap_or("")
}

/// A number of a row; not a number when it is none.
pub(crate) fn number(row: &Texts, column: usize) -> f64 {
    text(row, column).parse().unwrap_or(f64::NAN)
}
