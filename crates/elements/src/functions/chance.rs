//! What depends on chance: `__Random`, `__RandomString`, `__RandomFromMultipleVars`, `__UUID`.

use std::sync::LazyLock;

use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::program::Call;
use regex::Regex;

use super::args::{count, save, text, trimmed};
use super::numbers::{int, long};
use super::refusal::too_long;
use crate::context::{Context, Fault, between};

/// `__Random(least, most[, variable])`: a whole number, both ends in.
pub(super) fn random(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let least = long(&trimmed(call, 0, cx)?)?;
    let most = long(&trimmed(call, 1, cx)?)?;
    if most < least || most == i64::MAX {
        return Err(Fault::new(
            "java.lang.IllegalArgumentException: bound must be greater than origin",
        ));
    }
    let value = between(cx.random_bits(), least, most).to_string();
    save(call, 2, &value, cx)?;
    Ok(value)
}

/// `__RandomString(length[, characters][, variable])`.
pub(super) fn random_string(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let length = int(&text(call, 0, cx)?)?;
    let Ok(length) = usize::try_from(length) else {
        return Err(Fault::new(format!(
            "java.lang.IllegalArgumentException: Requested random string length {length} is \
             less than 0."
        )));
    };
    if length > TEXT_BYTES {
        return Err(too_long("__RandomString"));
    }
    let alphabet: Vec<char> = trimmed(call, 1, cx)?.chars().collect();
    let value = if alphabet.is_empty() {
        any_characters(length, cx)
    } else {
        (0..length).map(|_| pick(&alphabet, cx)).collect()
    };
    save(call, 2, &value, cx)?;
    Ok(value)
}

fn pick<T: Copy>(from: &[T], cx: &mut dyn Context) -> T {
    from[index(from.len(), cx)]
}

/// A random index into something with `len` entries, at least one.
pub(super) fn index(len: usize, cx: &mut dyn Context) -> usize {
    let last = i64::try_from(len).unwrap_or(i64::MAX) - 1;
    usize::try_from(between(cx.random_bits(), 0, last)).unwrap_or(0)
}

/// Assigned characters of all of Unicode, `length` UTF-16 units of them.
fn any_characters(length: usize, cx: &mut dyn Context) -> String {
    #[expect(clippy::expect_used)] // A fixed pattern, which a test compiles.
    static ASSIGNED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[^\p{Cn}\p{Co}]$").expect("a pattern"));
    let mut value = String::new();
    let mut left = length;
    while left > 0 {
        let code = between(cx.random_bits(), 0, 0x10_FFFF);
        let Some(character) = u32::try_from(code).ok().and_then(char::from_u32) else {
            continue;
        };
        let units = character.len_utf16();
        let mut bytes = [0; 4];
        if units <= left && ASSIGNED.is_match(character.encode_utf8(&mut bytes)) {
            value.push(character);
            left -= units;
        }
    }
    value
}

/// `__chooseRandom(a, b, …, variable)`: one of the texts (jpgc-functions). Only that one is computed.
pub(super) fn choose(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let last = count(call).saturating_sub(1);
    let name = trimmed(call, last, cx)?;
    let chosen = index(last.max(1), cx);
    let value = text(call, chosen, cx)?.into_owned();
    if !name.is_empty() {
        cx.set(&name, &value);
    }
    Ok(value)
}

/// Variables that `__RandomFromMultipleVars` looks at for one name.
const MOST_CHOICES: i32 = 1_000_000;

/// `__RandomFromMultipleVars(a|b|…[, variable])`: one of the values of variables; one with
/// matches (`a_matchNr`) stands for all of them.
pub(super) fn from_variables(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let names = trimmed(call, 0, cx)?;
    let mut values: Vec<Option<std::rc::Rc<str>>> = Vec::new();
    for name in names.split('|').filter(|name| !name.is_empty()) {
        let matches = match cx.get(&format!("{name}_matchNr")) {
            Some(text) if !text.is_empty() => int(&text)?,
            _ => 0,
        };
        if matches > MOST_CHOICES {
            return Err(Fault::new(format!(
                "__RandomFromMultipleVars: {name}_matchNr is {matches}; at most {MOST_CHOICES} are looked at"
            )));
        }
        if matches > 0 {
            values.extend((1..=matches).map(|number| cx.get(&format!("{name}_{number}"))));
        } else {
            let value = cx.get(name).filter(|value| !value.is_empty());
            values.extend(value.map(Some));
        }
    }
    let value = if values.is_empty() {
        String::new()
    } else {
        let chosen = values.swap_remove(index(values.len(), cx));
        // Java writes what is not there as `null`.
        chosen.map_or_else(|| "null".to_owned(), |value| value.to_string())
    };
    if count(call) > 1 {
        save(call, 1, &value, cx)?;
    }
    Ok(value)
}

/// `__UUID()`: a random (version 4) UUID.
#[expect(clippy::unnecessary_wraps)] // The signature of all functions.
pub(super) fn uuid(_: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    // RFC 9562, section 5.4: version and variant, the rest random.
    let high = (cx.random_bits() & !0xF000) | 0x4000;
    let low = (cx.random_bits() & !(0b11 << 62)) | (0b10 << 62);
    Ok(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};

    #[test]
    fn random_numbers_have_both_ends_in() {
        let mut cx = TestContext::with(&[]);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            seen.insert(run("__Random", &[" 3 ", "5", "v"], &mut cx));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["3", "4", "5"]);
        assert!(cx.vars.contains_key("v"));
        assert!(fault("__Random", &["5", "4"], &mut cx).contains("bound"));
        assert!(fault("__Random", &["a", "4"], &mut cx).contains("\"a\""));
    }

    #[test]
    fn random_text_is_as_long_as_asked() {
        let mut cx = TestContext::with(&[]);
        let text = run("__RandomString", &["50", "ab", "v"], &mut cx);
        assert_eq!(text.len(), 50);
        assert!(text.contains('a') && text.contains('b'));
        assert_eq!(*cx.vars["v"], *text);
        let any = run("__RandomString", &["40"], &mut cx);
        assert_eq!(any.encode_utf16().count(), 40);
        assert!(fault("__RandomString", &["-1"], &mut cx).contains("less than 0"));
        assert!(fault("__RandomString", &["x"], &mut cx).contains("NumberFormat"));
        for length in ["2000000000", "67108865"] {
            assert!(fault("__RandomString", &[length, "a"], &mut cx).contains("64 MiB"));
        }
    }

    #[test]
    fn a_choice_is_from_values_and_from_matches() {
        let mut cx = TestContext::with(&[
            ("a", "1"),
            ("m_matchNr", "2"),
            ("m_1", "2"),
            ("m_2", "3"),
            ("empty", ""),
        ]);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let names = "a|m||empty|none|";
            seen.insert(run("__RandomFromMultipleVars", &[names, "v"], &mut cx));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["1", "2", "3"]);
        assert_eq!(run("__RandomFromMultipleVars", &["none"], &mut cx), "");
    }

    #[test]
    fn a_uuid_says_that_it_is_random() {
        let mut cx = TestContext::with(&[]);
        let uuid = run("__UUID", &[], &mut cx);
        let pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
        assert!(
            regex::Regex::new(pattern).unwrap().is_match(&uuid),
            "{uuid}"
        );
        assert_ne!(uuid, run("__UUID", &[], &mut cx));
    }
}
