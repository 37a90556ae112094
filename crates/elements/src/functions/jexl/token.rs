//! JEXL's words (Apache Commons JEXL 3.2 and 2.1, syntax reference).

/// Which JEXL: their texts and sums differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Two,
    Three,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum JexlToken {
    Name(String),
    Text(String),
    /// Pieces of a text in back-quotes: texts, and expressions to be read.
    Template(Vec<(bool, String)>),
    Integer(i128),
    Double(f64),
    /// An operator or a bracket.
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: &[&str] = &[
    "...", "==", "!=", "<=", ">=", "&&", "||", "=~", "!~", "=^", "!^", "=$", "!$", "?:", "??",
    "?.", "..", "+=", "-=", "*=", "/=", "%=", "->", "=>", "+", "-", "*", "/", "%", "!", "<", ">",
    "=", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "&", "|", "^", "~",
];

/// The words of a script.
///
/// # Errors
/// What is not JEXL.
pub(super) fn tokens(source: &str, version: Version) -> Result<Vec<JexlToken>, String> {
    let letters: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let next = letters.get(at + 1).copied();
        match (letter, next) {
            (c, _) if c.is_whitespace() => at += 1,
            ('/', Some('/')) | ('#', Some('#')) => {
                at += letters[at..].iter().take_while(|c| **c != '\n').count();
            }
            ('/', Some('*')) => at = comment_end(&letters, at)?,
            ('"' | '\'', _) => {
                let (text, end) = quoted(&letters, at, version)?;
                tokens.push(JexlToken::Text(text));
                at = end;
            }
            ('`', _) if version == Version::Three => {
                let (pieces, end) = template(&letters, at)?;
                tokens.push(JexlToken::Template(pieces));
                at = end;
            }
            ('~', Some('/')) => {
                let (text, end) = pattern(&letters, at)?;
                tokens.push(JexlToken::Text(text));
                at = end;
            }
            (c, _) if c.is_ascii_digit() => {
                let after_point = matches!(tokens.last(), Some(JexlToken::Sign(".")));
                let (token, end) = number(&letters, at, after_point)?;
                tokens.push(token);
                at = end;
            }
            (c, _) if is_name_start(c) => {
                let name: String = letters[at..]
                    .iter()
                    .take_while(|c| is_name_start(**c) || c.is_ascii_digit())
                    .collect();
                at += name.chars().count();
                tokens.push(JexlToken::Name(name));
            }
            _ => {
                let rest: String = letters[at..letters.len().min(at + 3)].iter().collect();
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| format!("'{letter}' is not JEXL"))?;
                tokens.push(JexlToken::Sign(sign));
                at += sign.len();
            }
        }
    }
    Ok(tokens)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$' | '@')
}

fn comment_end(letters: &[char], begin: usize) -> Result<usize, String> {
    let end = letters[begin + 2..]
        .windows(2)
        .position(|pair| pair == ['*', '/']);
    end.map(|end| begin + end + 4)
        .ok_or_else(|| "a comment has no end".to_owned())
}

fn quoted(letters: &[char], begin: usize, version: Version) -> Result<(String, usize), String> {
    let quote = letters[begin];
    let mut units: Vec<u16> = Vec::new();
    let mut at = begin + 1;
    let push = |c: char, units: &mut Vec<u16>| {
        let mut two = [0; 2];
        units.extend_from_slice(c.encode_utf16(&mut two));
    };
    loop {
        let letter = *letters.get(at).ok_or("a text has no end")?;
        at += 1;
        if letter == quote {
            break;
        }
        if letter == '\n' || letter == '\r' {
            return Err("a text goes over the end of its line".to_owned());
        }
        if letter != '\\' {
            push(letter, &mut units);
            continue;
        }
        let escaped = *letters.get(at).ok_or("a text has no end")?;
        at += 1;
        let simple = match escaped {
            '\\' | '\'' | '"' => Some(escaped),
            'n' if version == Version::Three => Some('\n'),
            't' if version == Version::Three => Some('\t'),
            'r' if version == Version::Three => Some('\r'),
            'b' if version == Version::Three => Some('\u{8}'),
            'f' if version == Version::Three => Some('\u{c}'),
            _ => None,
        };
        let code = letters
            .get(at..at + 4)
            .map(|code| code.iter().collect::<String>());
        let code = code.and_then(|code| u16::from_str_radix(&code, 16).ok());
        match (simple, escaped, code) {
            (Some(simple), _, _) => push(simple, &mut units),
            (None, 'u', Some(code)) => {
                units.push(code);
                at += 4;
            }
            _ => {
                push('\\', &mut units);
                push(escaped, &mut units);
            }
        }
    }
    Ok((String::from_utf16_lossy(&units), at))
}

/// A text in back-quotes with `${…}` in it.
fn template(letters: &[char], begin: usize) -> Result<(Vec<(bool, String)>, usize), String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut at = begin + 1;
    loop {
        match (letters.get(at), letters.get(at + 1)) {
            (None, _) => return Err("a text has no end".to_owned()),
            (Some('`'), _) => break,
            (Some('$'), Some('{')) => {
                let end = letters[at..].iter().position(|c| *c == '}');
                let end = at + end.ok_or("an expression in a text has no end")?;
                pieces.push((false, std::mem::take(&mut text)));
                pieces.push((true, letters[at + 2..end].iter().collect()));
                at = end + 1;
            }
            (Some('\\'), Some(escaped)) => {
                text.push(*escaped);
                at += 2;
            }
            (Some(letter), _) => {
                text.push(*letter);
                at += 1;
            }
        }
    }
    pieces.push((false, text));
    Ok((pieces, at + 1))
}

/// A pattern: `~/…/`.
fn pattern(letters: &[char], begin: usize) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut at = begin + 2;
    loop {
        match (letters.get(at), letters.get(at + 1)) {
            (None, _) => return Err("a pattern has no end".to_owned()),
            (Some('/'), _) => return Ok((text, at + 1)),
            (Some('\\'), Some('/')) => {
                text.push('/');
                at += 2;
            }
            (Some(letter), _) => {
                text.push(*letter);
                at += 1;
            }
        }
    }
}

/// A number; behind a point only digits (`list.1`).
fn number(letters: &[char], begin: usize, after_point: bool) -> Result<(JexlToken, usize), String> {
    let text = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
    if letters[begin] == '0' && matches!(letters.get(begin + 1), Some('x' | 'X')) {
        let end = begin + 2 + run(letters, begin + 2, char::is_ascii_hexdigit);
        return Ok((whole(&text(begin + 2, end), 16)?, end));
    }
    let whole_end = begin + digits(letters, begin);
    let end = match after_point {
        true => whole_end,
        false => end_of_fraction(letters, whole_end),
    };
    let suffix = letters.get(end).filter(|c| "lLhHfFdDbB".contains(**c));
    let after = end + usize::from(suffix.is_some());
    if letters.get(after).is_some_and(|c| is_name_start(*c)) {
        return Err(format!("{} is no number", text(begin, after + 1)));
    }
    let is_double = match suffix {
        Some('b' | 'B') => return Err("numbers of any precision (B) are not supported here".into()),
        Some('f' | 'F' | 'd' | 'D') => true,
        _ => end > whole_end,
    };
    let text = text(begin, end);
    let token = if is_double {
        let double = text.parse().map(JexlToken::Double);
        double.map_err(|_| "a number cannot be read".to_owned())?
    } else {
        let octal = text.len() > 1 && text.starts_with('0') && !after_point;
        whole(&text, if octal { 8 } else { 10 })?
    };
    Ok((token, after))
}

/// How many letters of a kind stand in a row.
fn run(letters: &[char], from: usize, is: fn(&char) -> bool) -> usize {
    letters[from..].iter().take_while(|c| is(c)).count()
}

fn digits(letters: &[char], from: usize) -> usize {
    run(letters, from, char::is_ascii_digit)
}

/// Where a number ends that may have a fraction and an exponent behind its digits.
fn end_of_fraction(letters: &[char], mut end: usize) -> usize {
    if letters.get(end) == Some(&'.') && letters.get(end + 1).is_some_and(char::is_ascii_digit) {
        end += 1 + digits(letters, end + 1);
    }
    if matches!(letters.get(end), Some('e' | 'E')) {
        let sign = usize::from(matches!(letters.get(end + 1), Some('+' | '-')));
        let exponent = digits(letters, end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn whole(digits: &str, radix: u32) -> Result<JexlToken, String> {
    let value = i128::from_str_radix(digits, radix).map(JexlToken::Integer);
    value.map_err(|_| "a number is too large".to_owned())
}
