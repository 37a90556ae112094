//! "Did you mean".

/// The known name nearest to an unknown one, if it is near enough to be meant.
pub(crate) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(unknown);
    if wanted.chars().count() > 40 {
        return None;
    }
    let limit = match wanted.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    known
        .map(|name| (distance(&wanted, &plain(name)), name))
        .filter(|&(distance, name)| distance <= limit && distance < name.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Edits between two texts: insert, delete, exchange, swap of neighbours (optimal string
/// alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let exchange = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = exchange.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let known = ["users", "ramp-up", "timeout", "get"];
        let find = |text| nearest(text, known.into_iter());
        assert_eq!(find("user"), Some("users"));
        assert_eq!(find("ramp_up"), Some("ramp-up"));
        assert_eq!(find("rampup"), Some("ramp-up"));
        assert_eq!(find("tiemout"), Some("timeout"));
        assert_eq!(find("Get"), Some("get"));
        assert_eq!(find("elephant"), None);
    }

    #[test]
    fn swapped_letters_count_once() {
        assert_eq!(distance("tiemout", "timeout"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
