#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;

use super::{Dialect, Pattern};

/// All matches with their groups; `-` for a group that took no part.
fn all(pattern: &str, text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let pattern = Pattern::new(pattern, Dialect::Perl5).unwrap();
    pattern.each(text, &mut |groups| {
        let group = |at| groups.get(at).unwrap_or("-").to_owned();
        found.push((0..groups.len()).map(group).collect());
        ControlFlow::Continue(())
    });
    found
}

/// What ORO 2.0.8 finds: pattern, text, the matches' group 0, whether the whole matches.
const FINDS: &[(&str, &str, &[&str], bool)] = &[
    ("foo|foot", "foot", &["foo"], false),
    ("b$", "ab\n", &["b"], false),
    ("b$", "ab\n\n", &[], false),
    ("^b", "a\nb", &[], false),
    ("a.b", "a\rb", &["a\rb"], true),
    ("a.b", "a\nb", &[], false),
    ("{\"a\":(.)", "{\"a\":1", &["{\"a\":1"], true),
    ("a{,3}", "a{,3}", &["a{,3}"], true),
    ("a{2", "a{2", &["a{2"], true),
    ("[]a]", "x]", &["]"], false),
    ("(?i)AB", "ab", &["ab"], true),
    ("(?s)a.b", "a\nb", &["a\nb"], true),
    ("(?m)^b$", "a\nb\nc", &["b"], false),
    ("(?x)a b", "ab", &["ab"], true),
    ("a(?i)B", "AB", &["AB"], true),
    (r"\z", "z", &["z"], true),
    (r"\Z", "az", &[""], false),
    (r"\Qa.b\E", "Qa.bE", &["Qa.bE"], true),
    (r"\s", "\u{a0}", &[], false),
    (r"\w", "é", &["é"], true),
    (r"\d", "\u{661}", &["\u{661}"], true),
    (r"[\s]", "\u{a0}", &[], false),
    (r"[^\w]", "é", &[], false),
    (r"\p{L}", "p{L}", &["p{L}"], true),
    ("(?=a)a", "a", &["a"], true),
    ("(?!a)b", "b", &["b"], true),
    ("(?#c)a", "a", &["a"], true),
    ("[[:alpha:]]", "a", &["a"], true),
    ("[a[b]", "[", &["["], true),
    (r"\<a", "<a", &["<a"], true),
    ("(?i)\u{c9}", "\u{e9}", &["\u{e9}"], true),
    (r"[\b]", "\u{8}", &["\u{8}"], true),
    ("a$b", "a\nb", &[], false),
    ("(a$)", "a\n", &["a"], false),
    (r"[\]a]", "]", &["]"], true),
    (r"\y", "y", &["y"], true),
    (r"\x41\102", "AB", &["AB"], true),
    ("(a)\\1", "aa", &["aa"], true),
    ("[a&&b]", "&", &["&"], true),
    ("[a~~b-]", "-", &["-"], true),
];

#[test]
fn perl_patterns_find_what_oro_finds() {
    for (pattern, text, found, matches) in FINDS {
        let groups = all(pattern, text);
        let got: Vec<&str> = groups.iter().map(|groups| groups[0].as_str()).collect();
        assert_eq!(got, *found, "{pattern:?} in {text:?}");
        let pattern = Pattern::new(pattern, Dialect::Perl5).unwrap();
        assert_eq!(pattern.matches(text), *matches, "{pattern:?} is {text:?}");
        assert_eq!(pattern.is_in(text), !found.is_empty(), "{pattern:?}");
    }
}

#[test]
fn groups_that_took_no_part_are_told_from_empty_ones() {
    assert_eq!(all("(a)|(b)", "ab"), [["a", "a", "-"], ["b", "-", "b"]]);
    assert_eq!(all("(a)(?:b)?(c)?", "ab"), [["ab", "a", "-"]]);
    assert_eq!(all("(a|b)*c", "abc"), [["abc", "b"]]);
    assert_eq!(all("(a$)", "a\n"), [["a", "a"]]);
}

#[test]
fn what_oro_does_not_know_is_an_error_in_its_words() {
    let error = |pattern: &str| Pattern::new(pattern, Dialect::Perl5).unwrap_err();
    for (pattern, text) in [
        ("x(?<=a)b", "Sequence (?<...) not recognized"),
        ("(?>a)", "Sequence (?>...) not recognized"),
        ("(?i:a)", "Sequence (?:...) not recognized"),
        ("a++", "Nested repetitions *?+ in expression"),
        ("a{3}{2}", "Nested repetitions *?+ in expression"),
        ("[a", "Unmatched [] in expression."),
        ("(a", "Unmatched parentheses."),
        ("a)", "Unmatched parentheses."),
        ("*a", "?+* follows nothing in expression"),
        ("a|*", "?+* follows nothing in expression"),
        (r"[a-\d]", "Invalid [] range in expression."),
        ("[z-a]", "Invalid [] range in expression."),
        ("\\", "Trailing \\ in expression."),
        ("a{2,1}", "Invalid interval {2,1}"),
        (r"\1", r"Invalid backreference: \1"),
    ] {
        assert_eq!(error(pattern), text, "{pattern:?}");
    }
}

#[test]
fn java_patterns_mean_what_they_mean_in_java() {
    for (pattern, text, found, matches) in [
        ("foo|foot", "foot", true, true),
        (r"\Qa.b\E", "a.b", true, true),
        (r"\w", "é", false, false),
        ("a.b", "a\rb", false, false),
        ("(?<=a)b", "ab", true, false),
        ("a++b", "aab", true, true),
        ("(?i:A)b", "ab", true, true),
        ("b$", "ab\r\n", true, false),
        (r"(?<x>a)\k<x>", "aa", true, true),
        (r"\p{Alpha}+", "abc", true, true),
        ("[a-z&&[^b]]+", "ab", true, false),
        (r"\u0041", "A", true, true),
        (r"\{a\}", "{a}", true, true),
    ] {
        let pattern = Pattern::new(pattern, Dialect::Java).unwrap();
        assert_eq!(pattern.is_in(text), found, "{pattern:?} in {text:?}");
        assert_eq!(pattern.matches(text), matches, "{pattern:?} is {text:?}");
    }
    assert!(Pattern::new("{\"a\"", Dialect::Java).is_err());
}
