//! The grammar of templates: text with `${…}`. What the names mean is decided elsewhere.
//! Imported plans have JMeter's (`jmeter.rs`).

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextPiece {
    /// As it stands.
    Text(String),
    /// `${name}`.
    Variable {
        name: String,
        raw: String,
        at: usize,
    },
    /// `${name(arguments)}`.
    Call {
        name: String,
        args: Vec<Vec<TextPiece>>,
        raw: String,
        at: usize,
    },
    /// `${= expression }`.
    Script { source: String, raw: String },
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParseFault {
    /// `${` without `}`.
    Unclosed,
    /// `${}`, or a name with characters that names cannot have.
    BadName,
    /// An argument list without its end.
    BadArguments,
    /// Calls in calls, deeper than is read here.
    TooDeep,
}

/// A fault and where it begins, in characters from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParseError {
    pub fault: ParseFault,
    pub at: usize,
}

/// Splits a text into its pieces.
pub(super) fn parse(text: &str) -> Result<Vec<TextPiece>, ParseError> {
    if !text.contains("${") {
        return Ok(if text.is_empty() {
            Vec::new()
        } else {
            vec![TextPiece::Text(text.to_owned())]
        });
    }
    let chars: Vec<char> = text.chars().collect();
    let mut parser = TextParser {
        chars: &chars,
        next: 0,
        depth: 0,
    };
    parser.pieces(None)
}

/// Whether `${name}` can name a variable in a plan of ours.
pub(super) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

struct TextParser<'a> {
    chars: &'a [char],
    next: usize,
    depth: u32,
}

/// Calls within calls; more is no plan but an attack on the stack.
pub(super) const MAX_DEPTH: u32 = 32;

impl TextParser<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.next + ahead).copied()
    }

    fn looking_at(&self, what: &str) -> bool {
        what.chars()
            .enumerate()
            .all(|(i, c)| self.peek(i) == Some(c))
    }

    fn raw(&self, from: usize) -> String {
        self.chars[from..self.next].iter().collect()
    }

    fn skip_space(&mut self) {
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.next += 1;
        }
    }

    /// Pieces up to the end of the text, or up to where an argument ends.
    fn pieces(&mut self, argument: Option<CallArgument>) -> Result<Vec<TextPiece>, ParseError> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut depth = 0_u32;
        while let Some(c) = self.peek(0) {
            if self.looking_at("$${") {
                text.push_str("${");
                self.next += 3;
            } else if self.looking_at("${") {
                let piece = self.expression()?;
                flush(&mut text, &mut pieces);
                pieces.push(piece);
            } else {
                match argument {
                    Some(CallArgument::Quoted(quote)) if c == quote => break,
                    Some(CallArgument::Quoted(_)) if c == '\\' => {
                        self.next += 1;
                        text.push(self.escaped());
                        continue;
                    }
                    Some(CallArgument::Bare) if depth == 0 && matches!(c, ',' | ')') => break,
                    Some(CallArgument::Bare) if c == '(' => depth += 1,
                    Some(CallArgument::Bare) if c == ')' => depth -= 1,
                    _ => {}
                }
                text.push(c);
                self.next += 1;
            }
        }
        if matches!(argument, Some(CallArgument::Bare)) {
            text.truncate(text.trim_end().len());
        }
        flush(&mut text, &mut pieces);
        Ok(pieces)
    }

    /// The character that a backslash within quotes stands for.
    fn escaped(&mut self) -> char {
        let c = self.peek(0);
        self.next += usize::from(c.is_some());
        match c {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(other) => other,
            None => '\\',
        }
    }

    /// `${…}`; stands on its `$`.
    fn expression(&mut self) -> Result<TextPiece, ParseError> {
        let at = self.next;
        self.next += 2;
        if self.peek(0) == Some('=') {
            self.next += 1;
            let source = self.script(at)?;
            return Ok(TextPiece::Script {
                source,
                raw: self.raw(at),
            });
        }
        let name_at = self.next;
        while self
            .peek(0)
            .is_some_and(|c| !matches!(c, '}' | '{' | '(' | '$' | '\n'))
        {
            self.next += 1;
        }
        let name = self.raw(name_at).trim().to_owned();
        let wrong = |fault| Err(ParseError { fault, at });
        let args = match self.peek(0) {
            Some('}') => None,
            Some('(') => {
                self.next += 1;
                let args = self.arguments(at)?;
                self.skip_space();
                match self.peek(0) {
                    Some('}') => Some(args),
                    None => return wrong(ParseFault::Unclosed),
                    Some(_) => return wrong(ParseFault::BadArguments),
                }
            }
            None | Some('\n') => return wrong(ParseFault::Unclosed),
            Some(_) => return wrong(ParseFault::BadName),
        };
        self.next += 1;
        if !is_name(&name) {
            return wrong(ParseFault::BadName);
        }
        let raw = self.raw(at);
        Ok(match args {
            None => TextPiece::Variable { name, raw, at },
            Some(args) => TextPiece::Call {
                name,
                args,
                raw,
                at,
            },
        })
    }

    /// Arguments; stands behind the `(`, ends behind the `)`.
    fn arguments(&mut self, at: usize) -> Result<Vec<Vec<TextPiece>>, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(ParseError {
                fault: ParseFault::BadArguments,
                at,
            });
        }
        self.depth += 1;
        let args = self.argument_list(at);
        self.depth -= 1;
        args
    }

    fn argument_list(&mut self, at: usize) -> Result<Vec<Vec<TextPiece>>, ParseError> {
        let mut args = Vec::new();
        self.skip_space();
        if self.peek(0) == Some(')') {
            self.next += 1;
            return Ok(args);
        }
        loop {
            self.skip_space();
            let quote = self.peek(0).filter(|c| matches!(c, '"' | '\''));
            if let Some(quote) = quote {
                self.next += 1;
                args.push(self.pieces(Some(CallArgument::Quoted(quote)))?);
                if self.peek(0) != Some(quote) {
                    return Err(ParseError {
                        fault: ParseFault::BadArguments,
                        at,
                    });
                }
                self.next += 1;
                self.skip_space();
            } else {
                args.push(self.pieces(Some(CallArgument::Bare))?);
            }
            let end = self.peek(0);
            self.next += 1;
            match end {
                Some(',') => {}
                Some(')') => return Ok(args),
                _ => {
                    return Err(ParseError {
                        fault: ParseFault::BadArguments,
                        at,
                    });
                }
            }
        }
    }

    /// JavaScript up to the `}` that closes `${=`; knows strings, comments, nested braces.
    fn script(&mut self, at: usize) -> Result<String, ParseError> {
        let from = self.next;
        // What is open: braces, and backquotes with the braces of their `${` within.
        let mut open = Vec::new();
        while let Some(c) = self.peek(0) {
            let in_template = open.last() == Some(&'`');
            match c {
                '\\' if in_template => self.next += 1,
                '$' if in_template && self.peek(1) == Some('{') => {
                    open.push('{');
                    self.next += 1;
                }
                '`' if in_template => drop(open.pop()),
                _ if in_template => {}
                '`' | '{' => open.push(c),
                '"' | '\'' => self.skip_string(c),
                '/' if self.peek(1) == Some('*') => self.skip_to("*/"),
                '/' if self.peek(1) == Some('/') => self.skip_to("\n"),
                '}' if open.is_empty() => {
                    let source = self.raw(from).trim().to_owned();
                    self.next += 1;
                    let empty = source.is_empty();
                    let error = ParseError {
                        fault: ParseFault::BadName,
                        at,
                    };
                    return if empty { Err(error) } else { Ok(source) };
                }
                '}' => drop(open.pop()),
                _ => {}
            }
            self.next += 1;
        }
        Err(ParseError {
            fault: ParseFault::Unclosed,
            at,
        })
    }

    /// Moves onto the quote that ends a string; stands on the one that begins it.
    fn skip_string(&mut self, quote: char) {
        self.next += 1;
        while let Some(c) = self.peek(0) {
            match c {
                '\\' => self.next += 1,
                '\n' => return,
                _ if c == quote => return,
                _ => {}
            }
            self.next += 1;
        }
    }

    /// Moves onto the last character of `end`, or to the end of the text.
    fn skip_to(&mut self, end: &str) {
        self.next += 1;
        while self.peek(0).is_some() {
            if self.looking_at(end) {
                self.next += end.chars().count() - 1;
                return;
            }
            self.next += 1;
        }
    }
}

#[derive(Clone, Copy)]
enum CallArgument {
    Bare,
    Quoted(char),
}

pub(super) fn flush(text: &mut String, pieces: &mut Vec<TextPiece>) {
    if !text.is_empty() {
        pieces.push(TextPiece::Text(std::mem::take(text)));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
pub(super) mod tests {
    use super::*;

    /// Pieces as one line: text in quotes, `$name`, `name(args)`, `=script`.
    pub(in crate::compile) fn show(pieces: &[TextPiece]) -> String {
        let one = |piece: &TextPiece| match piece {
            TextPiece::Text(text) => format!("{text:?}"),
            TextPiece::Variable { name, .. } => format!("${name}"),
            TextPiece::Call { name, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| show(arg)).collect();
                format!("{name}({})", args.join(";"))
            }
            TextPiece::Script { source, .. } => format!("={source}"),
        };
        pieces.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn shown(text: &str) -> String {
        show(&parse(text).unwrap())
    }

    #[test]
    fn texts_variables_and_escapes() {
        assert_eq!(shown(""), "");
        assert_eq!(shown("plain $ {x} $x"), r#""plain $ {x} $x""#);
        assert_eq!(shown("${a}"), "$a");
        assert_eq!(
            shown("/x/${ a.b-c }?q=${用户}"),
            r#""/x/" $a.b-c "?q=" $用户"#
        );
        assert_eq!(shown("$${a} $$${a} $$"), r#""${a} $${a} $$""#);
        assert_eq!(shown("错${a}误"), r#""错" $a "误""#);
    }

    #[test]
    fn calls_nest_and_quote() {
        assert_eq!(shown("${uuid()}"), "uuid()");
        assert_eq!(shown("${random(1, 10)}"), r#"random("1";"10")"#);
        assert_eq!(shown("${pick(a,,c )}"), r#"pick("a";;"c")"#);
        assert_eq!(
            shown(r#"${f("a, \"b\")", 'it\'s }', x(1) y)}"#),
            r#"f("a, \"b\")";"it's }";"x(1) y")"#
        );
        assert_eq!(
            shown("${md5(${user}:${g(${x})})}"),
            r#"md5($user ":" g($x))"#
        );
        assert_eq!(shown(r#"${f("${a}\n")}"#), r#"f($a "\n")"#);
    }

    #[test]
    fn scripts_end_at_their_own_brace() {
        assert_eq!(shown("${= 1 + 2 }x"), r#"=1 + 2 "x""#);
        assert_eq!(shown("${= {a: '}'}.a }"), "={a: '}'}.a");
        assert_eq!(
            shown("${= `a${b}'` + \"}\" /* } */ }"),
            "=`a${b}'` + \"}\" /* } */"
        );
    }

    #[test]
    fn faults_have_a_place() {
        let fault = |text: &str| {
            let error = parse(text).unwrap_err();
            (error.fault, error.at)
        };
        assert_eq!(fault("ab${c"), (ParseFault::Unclosed, 2));
        assert_eq!(fault("错${= {"), (ParseFault::Unclosed, 1));
        assert_eq!(fault("${f(1}"), (ParseFault::BadArguments, 0));
        assert_eq!(fault("${f(1)"), (ParseFault::Unclosed, 0));
        assert_eq!(fault("${f(\"a)}"), (ParseFault::BadArguments, 0));
        assert_eq!(fault("${f(1) x}"), (ParseFault::BadArguments, 0));
        assert_eq!(fault("a${}"), (ParseFault::BadName, 1));
        assert_eq!(fault("${a b}"), (ParseFault::BadName, 0));
        assert_eq!(fault("${a${b}}"), (ParseFault::BadName, 0));
        assert_eq!(fault("${=}"), (ParseFault::BadName, 0));
    }

    #[test]
    fn hostile_texts_end() {
        for text in [
            "${f(", "${", "${=`", "${f(\"", "$${", "${f(${=", "${f((", "{}}",
        ] {
            let text = text.repeat(5_000);
            let _ = parse(&text);
        }
    }
}
