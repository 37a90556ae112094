//! JMeter's grammar of texts (5.6.3, `FunctionParser`): `${name}`, `${__function(a,b)}`,
//! backslashes that escape. Made from its behaviour, which is not always what one would expect:
//! what is not closed loses its `${`, and texts without variables keep their backslashes.

use super::parse::{MAX_DEPTH, ParseError, ParseFault, TextPiece, flush};
use crate::functions::jmeter_function;

/// Splits a text into its pieces. Escapes count only in texts that hold a variable or call;
/// others stay as they are.
pub(super) fn parse(text: &str) -> Result<Vec<TextPiece>, ParseError> {
    let whole = || match text.is_empty() {
        true => Vec::new(),
        false => vec![TextPiece::Text(text.to_owned())],
    };
    if !text.contains("${") {
        return Ok(whole());
    }
    let chars: Vec<char> = text.chars().collect();
    let compiled = JMeterTextReader::over(&chars, 0, 0).compile()?;
    if compiled.parts > 1 || compiled.is_dynamic() {
        return Ok(compiled.pieces);
    }
    Ok(whole())
}

/// A text taken apart.
struct CompiledText {
    pieces: Vec<TextPiece>,
    /// How many parts JMeter would have: texts that follow each other are several.
    parts: usize,
}

impl CompiledText {
    fn is_dynamic(&self) -> bool {
        self.pieces.iter().any(|p| !matches!(p, TextPiece::Text(_)))
    }
}

struct JMeterTextReader<'a> {
    chars: &'a [char],
    next: usize,
    depth: u32,
    /// Where `chars` begins in the text, for messages.
    origin: usize,
}

impl<'a> JMeterTextReader<'a> {
    fn over(chars: &'a [char], depth: u32, origin: usize) -> Self {
        Self {
            chars,
            next: 0,
            depth,
            origin,
        }
    }

    fn read(&mut self) -> Option<char> {
        let c = self.chars.get(self.next).copied();
        self.next += usize::from(c.is_some());
        c
    }

    fn fault(&self, at: usize) -> ParseError {
        ParseError {
            fault: ParseFault::BadArguments,
            at: self.origin + at,
        }
    }

    /// The whole text.
    fn compile(&mut self) -> Result<CompiledText, ParseError> {
        let (mut pieces, mut text, mut parts) = (Vec::new(), String::new(), 0);
        let mut after_dollar = false;
        while let Some(c) = self.read() {
            match c {
                '\\' => {
                    after_dollar = false;
                    let escaped = self.read().unwrap_or('\\');
                    if !matches!(escaped, '$' | ',' | '\\') {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
                '{' if after_dollar => {
                    text.pop();
                    parts += usize::from(!text.is_empty());
                    flush(&mut text, &mut pieces);
                    parts += 1;
                    match self.reference()? {
                        TextPiece::Text(rest) => pieces.push(TextPiece::Text(rest)),
                        piece => pieces.push(piece),
                    }
                    after_dollar = false;
                }
                _ => {
                    text.push(c);
                    after_dollar = c == '$';
                }
            }
        }
        parts += usize::from(!text.is_empty());
        flush(&mut text, &mut pieces);
        Ok(CompiledText { pieces, parts })
    }

    /// What follows `${`: a variable, a call, or, when nothing closes it, text.
    fn reference(&mut self) -> Result<TextPiece, ParseError> {
        let start = self.next - 2;
        let mut name = String::new();
        let mut after_space = true;
        while let Some(c) = self.read() {
            match c {
                '\\' => {
                    name.push(self.read().unwrap_or('\\'));
                    after_space = true;
                }
                '(' if !after_space => match jmeter_function(name.trim()) {
                    Some(function) => return self.call(function.name, start),
                    None => name.push(c),
                },
                '}' => {
                    let at = self.origin + start;
                    let raw: String = self.chars[start..self.next].iter().collect();
                    if let Some(function) = jmeter_function(&name) {
                        let (name, args) = (function.name.to_owned(), Vec::new());
                        return Ok(TextPiece::Call {
                            name,
                            args,
                            raw,
                            at,
                        });
                    }
                    let raw = format!("${{{name}}}");
                    return Ok(TextPiece::Variable { name, raw, at });
                }
                _ => {
                    name.push(c);
                    after_space = c == ' ';
                }
            }
        }
        Ok(TextPiece::Text(name))
    }

    /// A call behind its `(`, up to its `}`.
    fn call(&mut self, name: &str, start: usize) -> Result<TextPiece, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(ParseError {
                fault: ParseFault::TooDeep,
                at: self.origin + start,
            });
        }
        let args = self.arguments()?;
        loop {
            match self.read() {
                Some('}') => break,
                Some(c) if c.is_whitespace() && !c.is_control() => {}
                _ => return Err(self.fault(start)),
            }
        }
        Ok(TextPiece::Call {
            name: name.to_owned(),
            args,
            raw: self.chars[start..self.next].iter().collect(),
            at: self.origin + start,
        })
    }

    /// Arguments up to their `)`. Each is compiled for itself, with its escapes.
    fn arguments(&mut self) -> Result<Vec<Vec<TextPiece>>, ParseError> {
        let mut args = Vec::new();
        let (mut from, mut references, mut brackets) = (self.next, 0_u32, 0_u32);
        let mut after_dollar = false;
        while let Some(c) = self.read() {
            let end = self.next - 1;
            let was_after_dollar = std::mem::replace(&mut after_dollar, c == '$');
            match c {
                '\\' => {
                    self.read();
                    after_dollar = false;
                }
                ',' if references == 0 => {
                    args.push(self.argument(from, end)?);
                    from = self.next;
                    // JMeter remembers what stood before the comma.
                    after_dollar = was_after_dollar;
                }
                ')' if references == 0 && brackets == 0 => {
                    if from == end && args.is_empty() {
                        return Ok(args);
                    }
                    args.push(self.argument(from, end)?);
                    return Ok(args);
                }
                '{' if was_after_dollar => references += 1,
                '}' if references > 0 => references -= 1,
                ')' if references == 0 => brackets -= 1,
                '(' if references == 0 => brackets += 1,
                _ => {}
            }
        }
        args.push(self.argument(from, self.next)?);
        Ok(args)
    }

    fn argument(&self, from: usize, end: usize) -> Result<Vec<TextPiece>, ParseError> {
        let chars = &self.chars[from..end];
        let mut reader = JMeterTextReader::over(chars, self.depth + 1, self.origin + from);
        Ok(reader.compile()?.pieces)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::compile::parse::tests::show;

    fn shown(text: &str) -> String {
        show(&parse(text).unwrap())
    }

    #[test]
    fn variables_are_anything_up_to_the_brace() {
        assert_eq!(shown("a${b}c"), r#""a" $b "c""#);
        assert_eq!(shown("${ a b }${}${用户}"), "$ a b  $ $用户");
        assert_eq!(shown("${a${b}}"), r#"$a${b "}""#);
        assert_eq!(shown("${nothing(1)}"), "$nothing(1)");
        assert_eq!(shown(r"${a\}b}"), "$a}b");
        assert_eq!(shown("$${a}"), r#""$" $a"#);
    }

    #[test]
    fn escapes_count_only_beside_variables() {
        assert_eq!(shown(r"a\,b\\c\$d"), r#""a\\,b\\\\c\\$d""#);
        assert_eq!(shown(r"\${a}"), r#""\\${a}""#);
        assert_eq!(shown(r"\${a}${b}"), r#""${a}" $b"#);
        assert_eq!(shown(r"a\,b\\c\$d\n${x}"), r#""a,b\\c$d\\n" $x"#);
        assert_eq!(shown(r"${x}\"), r#"$x "\\""#);
    }

    #[test]
    fn what_is_not_closed_loses_its_brace_unless_it_is_all() {
        assert_eq!(shown("${a"), r#""${a""#);
        assert_eq!(shown("x${a"), r#""x" "a""#);
        assert_eq!(shown("${a}${b"), r#"$a "b""#);
        assert_eq!(shown("${"), r#""${""#);
    }

    #[test]
    fn calls_and_their_arguments() {
        assert_eq!(shown("${__time}"), "__time()");
        assert_eq!(shown("${__time()}"), "__time()");
        assert_eq!(shown("${__time( )}"), r#"__time(" ")"#);
        assert_eq!(shown("${__time(,)}"), "__time(;)");
        assert_eq!(shown("${ __time (x)}"), "$ __time (x)");
        assert_eq!(shown("${__time(yyyy, t ) }"), r#"__time("yyyy";" t ")"#);
        assert_eq!(
            shown(r"${__char(${__Random(1,2)},f(a,b),c\,d)}"),
            r#"__char(__Random("1";"2");"f(a";"b)";"c,d")"#
        );
        assert_eq!(shown(r"${__eval(a\\\${x)}"), r#"__eval("a\\${x")"#);
        assert_eq!(
            shown("${__groovy(f(1) + (2))}"),
            r#"__groovy("f(1) + (2)")"#
        );
    }

    #[test]
    fn calls_must_be_closed() {
        let fault = |text: &str| {
            let error = parse(text).unwrap_err();
            (error.fault, error.at)
        };
        assert_eq!(fault("ab${__time(x"), (ParseFault::BadArguments, 2));
        assert_eq!(fault("${__time(x)"), (ParseFault::BadArguments, 0));
        assert_eq!(
            fault("${__eval(${__time(x)y})}"),
            (ParseFault::BadArguments, 9)
        );
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["${__eval(", "${", "\\", "${__eval(${", "(", "}{$"] {
            let text = text.repeat(5_000);
            let _ = parse(&text);
        }
    }
}
