//! Names of secrets.

use crate::harmless::{HARMLESS_ENDS, HARMLESS_STARTS, OPEN_KEYS, SECRET_IDS};
use crate::words::{ENDS, FOREIGN, OTHER_WORDS, PAIRS, PARTS, WORDS};

/// Longer names are judged by their end.
const MAX_BYTES: usize = 256;

/// Whether a word is one of these, in any case.
pub(crate) fn is_one_of(known: &[&str], word: &[u8]) -> bool {
    let mut known = known.iter();
    known.any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether what stands under that name is a secret: `spring.datasource.password`, `apiKey`,
/// `SSL_KEY`, `--token`, `-Dtoken`, `X-Auth-Token`, `user[password]`.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let mut start = name.len().saturating_sub(MAX_BYTES);
    while !name.is_char_boundary(start) {
        start += 1;
    }
    let name = &name[start..];
    // `-Dtoken`, `-Jpassword`: an option and a name in one.
    let defined = name
        .strip_prefix('-')
        .and_then(|rest| rest.strip_prefix(['D', 'J', 'G']));
    says_secret(defined.filter(|rest| !rest.is_empty()).unwrap_or(name))
}

fn says_secret(name: &str) -> bool {
    if !name.is_ascii()
        && FOREIGN
            .iter()
            .any(|word| name.to_lowercase().contains(word))
    {
        return true;
    }
    let words = words(name);
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    let first = words[0].as_str();
    let before = words.len().checked_sub(2).map(|at| words[at].as_str());
    if words
        .windows(2)
        .any(|two| two[0] == "private" && two[1] == "key")
    {
        return !HARMLESS_ENDS.contains(&last);
    }
    if matches!(last, "key" | "keys") {
        return before.is_some_and(|word| !OPEN_KEYS.contains(&word));
    }
    if words.len() > 1 && HARMLESS_STARTS.contains(&first) {
        return false;
    }
    let is_pair = |two: &[String]| PAIRS.contains(&(two[0].as_str(), two[1].as_str()));
    if words.windows(2).any(is_pair) {
        return last == "id" || !HARMLESS_ENDS.contains(&last);
    }
    if !words.iter().any(|word| is_secret_word(word)) {
        return false;
    }
    let ids = matches!(last, "id" | "ids") && before.is_some_and(|w| SECRET_IDS.contains(&w));
    ids || !HARMLESS_ENDS.contains(&last) || is_secret_word(last)
}

fn is_secret_word(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if WORDS.contains(&word) {
        return true;
    }
    if word.len() < 5 || OTHER_WORDS.contains(&word) {
        return false;
    }
    ENDS.iter().any(|end| word.ends_with(end))
        || PARTS.iter().any(|part| {
            let rest = word.split(part).last().unwrap_or_default();
            word.contains(part) && !HARMLESS_ENDS.contains(&rest)
        })
}

/// The words of `camelCase`, `kebab-case`, `snake_case`, `dotted.names` and `APIKey`, in small
/// letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || before.is_uppercase() && next_small);
        if (begins || !letter.is_alphanumeric())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}
