//! Functions of the plugin jpgc-functions (`kg.apc.jmeter.functions`, 2.2), but for those of chance and sums:
//! `__MD5`, `__base64Decode`, `__base64Encode`, `__caseFormat`, `__env`, `__if`, `__isDefined`, `__iterationNum`,
//! `__lowercase`, `__strLen`, `__strReplace`, `__strReplaceRegex`, `__substring`, `__uppercase`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use plimsoll_plan::program::Call;

use super::args::{count, text, trim, trimmed};
use super::keep::made;
use super::numbers::int;
use super::replacement::Replacement;
use super::texts::capitalized;
use crate::context::{Context, Fault};
use crate::pattern::{Dialect, Pattern};

/// Sets the variable that an argument names, when the argument is there: even one without a name.
fn save_any(call: &Call, at: usize, value: &str, cx: &mut dyn Context) -> Result<(), Fault> {
    if count(call) > at {
        let name = trimmed(call, at, cx)?;
        cx.set(&name, value);
    }
    Ok(())
}

/// Sets the variable that an argument names, space around the name and all, if it names one.
fn save_exactly(call: &Call, at: usize, value: &str, cx: &mut dyn Context) -> Result<(), Fault> {
    let name = text(call, at, cx)?;
    if !name.is_empty() {
        cx.set(&name, value);
    }
    Ok(())
}

/// `__MD5(text[, variable])`: hex.
pub(super) fn md5(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let digest = Md5::digest(text(call, 0, cx)?.as_bytes());
    let value: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    save_any(call, 1, &value, cx)?;
    Ok(value)
}

/// `__base64Encode(text[, variable])`.
pub(super) fn base64_encode(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let value = STANDARD.encode(text(call, 0, cx)?.as_bytes());
    save_exactly(call, 1, &value, cx)?;
    Ok(value)
}

/// `__base64Decode(text[, variable])`: of both alphabets; what is of neither is passed over, and
/// nothing behind a `=` counts.
pub(super) fn base64_decode(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let bytes = decoded(&text(call, 0, cx)?);
    let value = String::from_utf8_lossy(&bytes).into_owned();
    save_exactly(call, 1, &value, cx)?;
    Ok(value)
}

/// As commons-codec's `Base64.decodeBase64` (1.16): lenient; six bits that are left over are dropped.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let coded = text.bytes().take_while(|byte| *byte != b'=');
    let (mut bytes, mut bits, mut kept) = (Vec::with_capacity(text.len()), 0_u32, 0_u32);
    for six in coded.filter_map(value) {
        bits = bits << 6 | u32::from(six);
        kept += 6;
        if kept >= 8 {
            kept -= 8;
            bytes.push((bits >> kept & 0xFF) as u8);
        }
    }
    bytes
}

/// `__caseFormat(text[, mode[, variable]])`.
pub(super) fn case_format(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let mode = text(call, 1, cx)?;
    let value = match mode.to_uppercase().as_str() {
        "" | "LOWER_CAMEL_CASE" => camel(&raw, false),
        "UPPER_CAMEL_CASE" => camel(&raw, true),
        "SNAKE_CASE" | "LOWER_UNDERSCORE" => words(&raw).join("_").to_lowercase(),
        "KEBAB_CASE" | "LISP_CASE" | "SPINAL_CASE" | "LOWER_HYPHEN" => {
            words(&raw).join("-").to_lowercase()
        }
        "TRAIN_CASE" => words(&raw).join("-").to_uppercase(),
        "UPPER_UNDERSCORE" => words(&raw).join("_").to_uppercase(),
        _ => {
            cx.log(&format!(
                "ERROR __caseFormat: unknown mode {mode}, text unchanged"
            ));
            raw.into_owned()
        }
    };
    super::args::save(call, 2, &value, cx)?;
    Ok(value)
}

/// Java's `split("[\\s\\-_]+")`: a first empty word stays, empty ones at the end go.
fn words(text: &str) -> Vec<&str> {
    let between = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0B' | '\x0C' | '\r' | '-' | '_');
    let mut words: Vec<&str> = text
        .split(between)
        .enumerate()
        .filter(|(at, word)| *at == 0 || !word.is_empty())
        .map(|(_, word)| word)
        .collect();
    // There was nothing but separators.
    if words == [""] && !text.is_empty() {
        words.clear();
    }
    words
}

fn camel(text: &str, first: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, word) in words(text).into_iter().enumerate() {
        let word = word.to_lowercase();
        match at > 0 || first {
            true => out.push_str(&capitalized(&word)),
            false => out.push_str(&word),
        }
    }
    out
}

/// `__env(name[, variable[, default]])`: of the environment; its name, when it is not there.
pub(super) fn env(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let default = super::args::text_or(call, 2, &name, cx)?;
    let found = cx.access().variable(&name);
    let value = trim(found.as_deref().unwrap_or(&default)).to_owned();
    save_exactly(call, 1, &value, cx)?;
    Ok(value)
}

/// `__if(a, b, equal, different[, variable])`. Only the text that is wanted is computed.
pub(super) fn if_equal(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let is_equal = text(call, 0, cx)? == text(call, 1, cx)?;
    let value = text(call, if is_equal { 2 } else { 3 }, cx)?.into_owned();
    save_any(call, 4, &value, cx)?;
    Ok(value)
}

/// `__isDefined(name)`: 1 or 0.
pub(super) fn is_defined(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = trimmed(call, 0, cx)?;
    Ok(if cx.get(&name).is_some() { "1" } else { "0" }.to_owned())
}

/// `__iterationNum()`: the user's iteration, from 1.
#[expect(clippy::unnecessary_wraps)] // The signature of all functions.
pub(super) fn iteration_number(_: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    Ok(cx.thread().iteration.to_string())
}

/// `__lowercase(text[, variable])`.
pub(super) fn lowercase(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let value = text(call, 0, cx)?.to_lowercase();
    save_any(call, 1, &value, cx)?;
    Ok(value)
}

/// `__uppercase(text[, variable])`.
pub(super) fn uppercase(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let value = text(call, 0, cx)?.to_uppercase();
    save_any(call, 1, &value, cx)?;
    Ok(value)
}

/// `__strLen(text[, variable])`: in UTF-16 units.
pub(super) fn length(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let value = text(call, 0, cx)?.encode_utf16().count().to_string();
    save_any(call, 1, &value, cx)?;
    Ok(value)
}

/// `__strReplace(text, search, by[, variable])`.
pub(super) fn replace(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let (search, by) = (text(call, 1, cx)?, text(call, 2, cx)?);
    let value = text(call, 0, cx)?.replace(&*search, &by);
    save_exactly(call, 3, &value, cx)?;
    Ok(value)
}

/// `__strReplaceRegex(text, pattern, by[, variable])`: Java's `String.replaceAll`.
pub(super) fn replace_pattern(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let written = text(call, 1, cx)?;
    let by = text(call, 2, cx)?;
    let fixed = call.args.get(1).is_some_and(|arg| arg.as_text().is_some());
    let pattern = made(cx, call.site, fixed, &written, |text| {
        Pattern::new(text, Dialect::Java)
    });
    let pattern = (*pattern).as_ref().map_err(|why| {
        Fault::new(format!(
            "java.util.regex.PatternSyntaxException: {written}: {why}"
        ))
    })?;
    let by = Replacement::new(&by);
    let value = by.put_into(&raw, pattern)?;
    save_exactly(call, 3, &value, cx)?;
    Ok(value)
}

/// `__substring(text, begin, end[, variable])`: of UTF-16 units, from 0, the end not in.
pub(super) fn substring(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let units: Vec<u16> = text(call, 0, cx)?.encode_utf16().collect();
    let begin = int(&trimmed(call, 1, cx)?)?;
    let end = int(&trimmed(call, 2, cx)?)?;
    let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    let found = range.and_then(|(begin, end)| units.get(begin..end));
    let Some(found) = found else {
        return Err(Fault::new(format!(
            "java.lang.StringIndexOutOfBoundsException: begin {begin}, end {end}, length {}",
            units.len()
        )));
    };
    let value = String::from_utf16_lossy(found);
    save_exactly(call, 3, &value, cx)?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};

    fn value(name: &'static str, args: &[&str]) -> String {
        run(name, args, &mut TestContext::with(&[("there", "x")]))
    }

    #[test]
    fn base64_is_lenient() {
        // Values: commons-codec 1.16.
        for (coded, plain) in [
            ("SGVsbG8=", "Hello"),
            ("SGVsbG8", "Hello"),
            ("SGVs\nbG8=xxxx", "Hello"),
            ("S G.V*sbG8", "Hello"),
            ("w6nDvw", "éÿ"),
            ("w6nDv--_w6k", "éÿ\u{FFFD}é"),
            ("A", ""),
            ("=", ""),
            ("", ""),
        ] {
            let found = value("__base64Decode", &[coded]);
            assert_eq!(found, plain, "{coded}");
            let again = value("__base64Encode", &[&found]);
            assert_eq!(value("__base64Decode", &[&again]), found);
        }
        assert_eq!(
            value("__base64Encode", &["é用户\u{1F600}"]),
            "w6nnlKjmiLfwn5iA"
        );
    }

    #[test]
    fn cases_are_formatted_by_words() {
        for (text, mode, expected) in [
            ("ABCD, AB_c", "", "abcd,AbC"),
            ("ab cd-ef", "upper_camel_case", "AbCdEf"),
            (" ab  cd ", "LOWER_CAMEL_CASE", "AbCd"),
            ("ab cD", "SNAKE_CASE", "ab_cd"),
            ("_ab cD_", "LOWER_HYPHEN", "-ab-cd"),
            ("ab cD", "TRAIN_CASE", "AB-CD"),
            ("ab-cD", "UPPER_UNDERSCORE", "AB_CD"),
            ("", "SNAKE_CASE", ""),
            ("- _", "SNAKE_CASE", ""),
            ("ab cD", "other", "ab cD"),
        ] {
            assert_eq!(
                value("__caseFormat", &[text, mode]),
                expected,
                "{text} {mode}"
            );
        }
    }

    #[test]
    fn texts_are_cut_counted_and_replaced_as_in_java() {
        assert_eq!(value("__strLen", &["a用\u{1F600}"]), "4");
        assert_eq!(
            value("__substring", &["a用\u{1F600}b", " 1 ", "4"]),
            "用\u{1F600}"
        );
        let mut cx = TestContext::with(&[]);
        for (begin, end) in [("2", "1"), ("-1", "2"), ("0", "9"), ("x", "1")] {
            assert!(fault("__substring", &["abc", begin, end], &mut cx).starts_with("java.lang."));
        }
        assert_eq!(value("__strReplace", &["aaa", "aa", "b"]), "ba");
        assert_eq!(value("__strReplace", &["ab", "", "-"]), "-a-b-");
        assert_eq!(value("__MD5", &["abc"]), "900150983cd24fb0d6963f7d28e17f72");
    }

    #[test]
    fn patterns_are_replaced_with_their_groups() {
        let replaced = |text, pattern, by| value("__strReplaceRegex", &[text, pattern, by]);
        assert_eq!(replaced("a1b22", "[0-9]+", "<$0>"), "a<1>b<22>");
        assert_eq!(
            replaced("John Smith", r"(\w+) (\w+)", "$2, $1"),
            "Smith, John"
        );
        assert_eq!(replaced("a.b", r"\.", r"\$\\"), r"a$\b");
        assert_eq!(replaced("ab", "(?<first>a)", "${first}!"), "a!b");
        let mut cx = TestContext::with(&[]);
        for (pattern, by) in [
            ("(a", "x"),
            ("a", "$1"),
            ("a", "$x"),
            ("a", "\\"),
            ("a", "${no}"),
        ] {
            let said = fault("__strReplaceRegex", &["a", pattern, by], &mut cx);
            assert!(said.starts_with("java."), "{pattern} {by}: {said}");
        }
    }

    #[test]
    fn variables_are_named_as_each_function_does() {
        let mut cx = TestContext::with(&[("there", "x")]);
        for (name, args, variable) in [
            ("__lowercase", &["A", " v "][..], "v"),
            ("__uppercase", &["A", ""], ""),
            ("__base64Encode", &["A", " v "], " v "),
            ("__strReplace", &["A", "b", "c", "w"], "w"),
            ("__if", &["a", "a", "yes", "no", "i"], "i"),
        ] {
            let found = run(name, args, &mut cx);
            assert_eq!(
                cx.vars.get(variable).map(|it| &**it),
                Some(&*found),
                "{name}"
            );
        }
        run("__strReplace", &["A", "b", "c", ""], &mut cx);
        assert_eq!(value("__isDefined", &[" there "]), "1");
        assert_eq!(value("__isDefined", &["not"]), "0");
        assert_eq!(value("__if", &["a", "b", "yes", "no"]), "no");
        assert_eq!(
            value("__env", &["PLIMSOLL_NOT_THERE"]),
            "PLIMSOLL_NOT_THERE"
        );
        assert_eq!(value("__env", &["PLIMSOLL_NOT_THERE", "", " d "]), "d");
    }
}
