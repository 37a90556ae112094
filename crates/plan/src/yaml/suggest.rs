//! "Did you mean".

use strsim::osa_distance;

/// The known name nearest to an unknown one, if it is near enough to be meant.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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
        .map(|name| (osa_distance(&wanted, &plain(name)), name))
        .filter(|&(distance, name)| distance <= limit && distance < name.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
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
        assert_eq!(osa_distance("tiemout", "timeout"), 1);
        assert_eq!(osa_distance("", "abc"), 3);
        assert_eq!(osa_distance("abc", "abc"), 0);
    }
}
