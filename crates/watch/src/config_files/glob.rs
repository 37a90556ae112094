//! Patterns of paths as `glob(3)` has them, in a process's own root.

use super::source::ConfigSource;

/// Paths of one pattern.
const MAX_PATHS: usize = 2000;

/// Whether a path is a pattern.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The paths of an absolute pattern, in order.
pub(crate) fn expand(source: &dyn ConfigSource, pattern: &str) -> Vec<String> {
    let mut paths = vec![String::new()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if !is_pattern(part) {
            paths.iter_mut().for_each(|path| {
                path.push('/');
                path.push_str(part);
            });
            continue;
        }
        let part: Vec<char> = part.chars().collect();
        let mut next = Vec::new();
        for path in &paths {
            let folder = if path.is_empty() { "/" } else { path };
            let mut names = source.list(folder).unwrap_or_default();
            names.retain(|name| {
                let hidden = name.starts_with('.') && part.first() != Some(&'.');
                !hidden && matches(&part, &name.chars().collect::<Vec<_>>())
            });
            next.extend(names.iter().map(|name| format!("{path}/{name}")));
        }
        next.sort_unstable();
        next.truncate(MAX_PATHS);
        paths = next;
    }
    paths
}

/// Goes back to the last `*` only, so that no pattern takes long.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        let one = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(_) => one(&pattern[p..], name[n]),
            None => None,
        };
        match (one, star) {
            (Some(length), _) => {
                p += length;
                n += 1;
            }
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                p = at + 1;
                n = from + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

/// How much of the pattern stands for that letter.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => match set(rest, letter) {
            Some((true, length)) => Some(length + 1),
            Some((false, _)) => None,
            // Without its end it is a bracket like any other letter.
            None => (letter == '[').then_some(1),
        },
        ['\\', same, ..] => (*same == letter).then_some(2),
        [same, ..] => (*same == letter).then_some(1),
        [] => None,
    }
}

/// Whether a letter is in `a-z]`, and the length of that.
fn set(pattern: &[char], letter: char) -> Option<(bool, usize)> {
    let not = matches!(pattern.first(), Some('!' | '^'));
    let begin = usize::from(not);
    let mut at = begin;
    let mut found = false;
    loop {
        match &pattern[at..] {
            [] => return None,
            [']', ..] if at > begin => return Some((found != not, at + 1)),
            [from, '-', to, ..] if *to != ']' => {
                found |= (*from..=*to).contains(&letter);
                at += 3;
            }
            [same, ..] => {
                found |= *same == letter;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matched(pattern: &str, name: &str) -> bool {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        matches(&letters(pattern), &letters(name))
    }

    #[test]
    fn patterns_as_glob_has_them() {
        for (pattern, name, expected) in [
            ("*.conf", "a.conf", true),
            ("*.conf", "a.conf.bak", false),
            ("a*b*c", "a--b-c-bc", true),
            ("?", "", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]a]", "]", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("**", "", true),
        ] {
            assert_eq!(matched(pattern, name), expected, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn any_pattern_is_taken(pattern in "[*?a\\[\\]!\\\\^-]{0,40}", name in "[a\\[\\]-]{0,200}") {
            let _ = matched(&pattern, &name);
        }

        #[test]
        fn a_name_matches_itself_and_its_wildcards(name in "[a-z.]{1,20}", at in 0..20_usize) {
            let at = at.min(name.len() - 1);
            let one = format!("{}?{}", &name[..at], &name[at + 1..]);
            let any = format!("{}*", &name[..at]);
            prop_assert!(matched(&name, &name) && matched(&one, &name) && matched(&any, &name));
        }
    }
}
