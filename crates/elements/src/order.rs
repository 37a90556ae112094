//! The order in which JMeter shows names (`AlphaNumericKeyComparator`).

use std::cmp::Ordering;

/// Texts part by part: runs of digits as numbers, what is between them as text.
#[must_use]
pub fn alphanumeric(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    while !one.is_empty() && !other.is_empty() {
        let ((part, rest), (other_part, other_rest)) = (part(one), part(other));
        let digits = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        let order = if digits(part) && digits(other_part) {
            let number = part.trim_start_matches('0');
            let other_number = other_part.trim_start_matches('0');
            let longer = number.len().cmp(&other_number.len());
            longer.then_with(|| number.cmp(other_number))
        } else {
            part.cmp(other_part)
        };
        if order != Ordering::Equal {
            return order;
        }
        (one, other) = (rest, other_rest);
    }
    one.len().cmp(&other.len())
}

/// The first run of digits or of other characters, and the rest.
fn part(text: &str) -> (&str, &str) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != digits);
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_names_count() {
        let mut names = ["x_10", "x_9", "a", "x", "x_09b"];
        names.sort_by(|one, other| alphanumeric(one, other));
        assert_eq!(names, ["a", "x", "x_9", "x_09b", "x_10"]);
    }
}
