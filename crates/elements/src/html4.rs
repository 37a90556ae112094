//! The character entities of HTML 4.01 (section 24), as `StringEscapeUtils.unescapeHtml4`
//! reads them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of U+00A0 to U+00FF, in order.
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy \
    reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 \
    frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
    Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
    Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
    egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde \
    ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// All others: runs of names in order, each from the code point (hexadecimal) before them.
/// `-` is a code point without a name.
const OTHERS: &str = "22 quot 26 amp 3C lt 3E gt 152 OElig oelig 160 Scaron scaron 178 Yuml \
    192 fnof 2C6 circ 2DC tilde 391 Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa \
    Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega 3B1 alpha beta gamma \
    delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau \
    upsilon phi chi psi omega 3D1 thetasym upsih 3D6 piv 2002 ensp emsp 2009 thinsp 200C zwnj \
    zwj lrm rlm 2013 ndash mdash 2018 lsquo rsquo sbquo 201C ldquo rdquo bdquo 2020 dagger \
    Dagger bull 2026 hellip 2030 permil 2032 prime Prime 2039 lsaquo rsaquo 203E oline 2044 \
    frasl 20AC euro 2111 image 2118 weierp 211C real 2122 trade 2135 alefsym 2190 larr uarr \
    rarr darr harr 21B5 crarr 21D0 lArr uArr rArr dArr hArr 2200 forall 2202 part exist 2205 \
    empty 2207 nabla isin notin 220B ni 220F prod 2211 sum minus 2217 lowast 221A radic 221D \
    prop infin 2220 ang 2227 and or cap cup int 2234 there4 223C sim 2245 cong 2248 asymp 2260 \
    ne equiv 2264 le ge 2282 sub sup nsub 2286 sube supe 2295 oplus 2297 otimes 22A5 perp 22C5 \
    sdot 2308 lceil rceil lfloor rfloor 2329 lang rang 25CA loz 2660 spades 2663 clubs 2665 \
    hearts diams";

static ENTITIES: LazyLock<HashMap<&'static str, char>> = LazyLock::new(|| {
    let latin_1 = LATIN_1.split_ascii_whitespace().zip('\u{A0}'..);
    let mut entities: HashMap<_, _> = latin_1.collect();
    let mut next = 0;
    for word in OTHERS.split_ascii_whitespace() {
        // No name is a hexadecimal number with a digit in front.
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            next = u32::from_str_radix(word, 16).unwrap_or(0);
            continue;
        }
        entities.extend(char::from_u32(next).map(|c| (word, c)));
        next += 1;
    }
    entities.remove("-");
    entities
});

/// Longest name or number between `&` and `;`.
const LONGEST: usize = 12;

/// A text with its entities read. What is none stays as it is.
#[must_use]
pub fn unescape(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('&') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.bytes().take(LONGEST).position(|byte| byte == b';');
        match end.and_then(|end| Some((character(&after[..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &after[end + 1..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(entity: &str) -> Option<char> {
    let Some(number) = entity.strip_prefix('#') else {
        return ENTITIES.get(entity).copied();
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_html_4_are_read_and_no_others() {
        for (text, read) in [
            ("a&lt;b&gt;&amp;&quot;", "a<b>&\""),
            ("&nbsp;&eacute;&yuml;&copy;", "\u{A0}\u{E9}\u{FF}\u{A9}"),
            ("&euro;&hellip;&Omega;&sigmaf;&diams;", "€…Ω\u{3C2}♦"),
            ("&#65;&#x42;&#X43;", "ABC"),
            // Not in HTML 4, or not ended.
            ("&apos;&nope;&lt &", "&apos;&nope;&lt &"),
            ("&amp;lt;", "&lt;"),
            ("&#1114112;", "&#1114112;"),
        ] {
            assert_eq!(unescape(text.into()), read, "{text}");
        }
        assert_eq!(ENTITIES.len(), 252);
    }
}
