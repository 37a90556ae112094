//! Addresses of which one stands for several: `{a,b}`, `[1-3]`, `[a-c:2]` (curl's manual, "URL").

/// Most addresses that one may stand for.
pub(super) const MOST_ADDRESSES: usize = 100;

/// Why an address cannot be taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadGlob {
    /// A bracket that is not closed or holds no range, a brace within another.
    Form,
    /// It stands for more than [`MOST_ADDRESSES`].
    TooMany,
}

/// All addresses that a text stands for, in curl's order: what stands last changes first.
pub(super) fn expand(text: &str) -> Result<Vec<String>, BadGlob> {
    let mut all = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let (pieces, next) = match c {
            '{' => set(behind)?,
            '[' if is_ipv6(behind) => (vec!["[".to_owned()], behind),
            '[' => range(behind)?,
            '}' => return Err(BadGlob::Form),
            // It ends an address of IPv6.
            ']' if all[0].contains('[') => (vec!["]".to_owned()], behind),
            ']' => return Err(BadGlob::Form),
            '\\' if behind.starts_with(['{', '}', '[', ']']) => {
                (vec![behind[..1].to_owned()], &behind[1..])
            }
            c => (vec![c.to_string()], behind),
        };
        if all.len().saturating_mul(pieces.len()) > MOST_ADDRESSES {
            return Err(BadGlob::TooMany);
        }
        let with_each = |before: &String| -> Vec<String> {
            pieces
                .iter()
                .map(|piece| format!("{before}{piece}"))
                .collect()
        };
        all = all.iter().flat_map(with_each).collect();
        rest = next;
    }
    Ok(all)
}

/// Whether what follows a bracket is a host of IPv6.
fn is_ipv6(behind: &str) -> bool {
    let inside = behind.split_once(']').map(|(inside, _)| inside);
    let inside = inside.map(|inside| inside.split('%').next().unwrap_or_default());
    inside.is_some_and(|inside| inside.parse::<std::net::Ipv6Addr>().is_ok())
}

/// `a,b}`: what may stand there, and what follows.
fn set(text: &str) -> Result<(Vec<String>, &str), BadGlob> {
    let mut items = vec![String::new()];
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '}' if at > 0 => return Ok((items, &text[at + 1..])),
            '{' | '[' | ']' | '}' => break,
            ',' if items.len() >= MOST_ADDRESSES => return Err(BadGlob::TooMany),
            ',' => items.push(String::new()),
            c => {
                let c = match c {
                    '\\' => chars.next().map_or(c, |(_, c)| c),
                    c => c,
                };
                if let Some(item) = items.last_mut() {
                    item.push(c);
                }
            }
        }
    }
    Err(BadGlob::Form)
}

/// `1-3]`, `001-100:10]`, `a-z]`: what may stand there, and what follows.
fn range(text: &str) -> Result<(Vec<String>, &str), BadGlob> {
    let (inside, rest) = text.split_once(']').ok_or(BadGlob::Form)?;
    let (ends, step) = inside.split_once(':').unwrap_or((inside, "1"));
    let (first, last) = ends.split_once('-').ok_or(BadGlob::Form)?;
    let step: usize = step
        .parse()
        .ok()
        .filter(|step| *step > 0)
        .ok_or(BadGlob::Form)?;
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars
            .next()
            .filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    let items: Vec<String> = match (letter(first), letter(last)) {
        (Some(from), Some(to)) if from <= to && from.is_lowercase() == to.is_lowercase() => {
            (from..=to).step_by(step).map(String::from).collect()
        }
        _ => {
            let number = |text: &str| {
                let digits = text.bytes().all(|b| b.is_ascii_digit());
                text.parse::<u64>()
                    .ok()
                    .filter(|_| digits)
                    .ok_or(BadGlob::Form)
            };
            let (from, to) = (number(first)?, number(last)?);
            if from > to {
                return Err(BadGlob::Form);
            }
            let width = if first.starts_with('0') {
                first.len()
            } else {
                0
            };
            let numbers = (from..=to).step_by(step).take(MOST_ADDRESSES + 1);
            numbers.map(|number| format!("{number:0width$}")).collect()
        }
    };
    match items.len() > MOST_ADDRESSES {
        true => Err(BadGlob::TooMany),
        false => Ok((items, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_stands_for_several() {
        let of = |text| expand(text).map(|all| all.join(" "));
        assert_eq!(of("h/a").as_deref(), Ok("h/a"));
        assert_eq!(
            of("h/[1-2]/{x,y}").as_deref(),
            Ok("h/1/x h/1/y h/2/x h/2/y")
        );
        assert_eq!(of("[08-12:2]").as_deref(), Ok("08 10 12"));
        assert_eq!(of("[a-e:2]{}").as_deref(), Err(&BadGlob::Form));
        assert_eq!(of(r"\[1-2\]\{{a\,b,}").as_deref(), Ok("[1-2]{a,b [1-2]{"));
        assert_eq!(
            of("http://[::1]:80/[1-2]").as_deref(),
            Ok("http://[::1]:80/1 http://[::1]:80/2")
        );
        for wrong in [
            "[3-1]", "[1", "{a", "a}", "]", "{a{b}}", "[]", "[x]", "[1-2:0]", "[a-9]",
        ] {
            assert_eq!(expand(wrong), Err(BadGlob::Form), "{wrong}");
        }
        for many in ["[1-101]", "[1-18446744073709551615]", "[1-11][1-11]"] {
            assert_eq!(expand(many), Err(BadGlob::TooMany), "{many}");
        }
    }
}
