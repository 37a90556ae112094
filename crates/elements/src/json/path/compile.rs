//! Reading a path.

use super::compile_filter;
use super::functions::PathFunction;
use super::reader::{DEEPEST, PathReader, unescaped};
use super::tree::{Path, PathArg, PathStep};

/// Compiles a path.
pub(super) fn compile(path: &str) -> Result<Path, String> {
    compile_within(path, 0)
}

/// Compiles a path that stands in a filter or an argument.
pub(super) fn compile_within(path: &str, depth: u32) -> Result<Path, String> {
    if path.is_empty() {
        return Err("path can not be null or empty".to_owned());
    }
    if depth > DEEPEST {
        return Err("Paths in paths are too deep".to_owned());
    }
    let full = match path.starts_with(['$', '@']) {
        true => path.to_owned(),
        false => format!("$.{path}"),
    };
    let full = full.trim_matches(' ');
    if full.ends_with('.') {
        return Err("Path must not end with a '.' or '..'".to_owned());
    }
    let chars: Vec<char> = full.chars().collect();
    let mut compiler = PathCompiler {
        reader: PathReader {
            chars: &chars,
            at: 1,
        },
        steps: Vec::new(),
        depth,
    };
    compiler.steps()?;
    if let [PathStep::Scan, PathStep::Call(..)] = compiler.steps[..] {
        return Err("Current path token is a leaf".to_owned());
    }
    let steps = scan_last(compiler.steps);
    Ok(Path {
        root: chars[0],
        steps,
    })
}

/// `$..a.sum()`: the function gets all that the scan finds, not each for itself.
fn scan_last(mut steps: Vec<PathStep>) -> Vec<PathStep> {
    if !matches!(steps.first(), Some(PathStep::Scan)) || steps.len() < 2 {
        return steps;
    }
    match steps.pop() {
        Some(PathStep::Call(function, _)) => {
            if function.counts() {
                steps.push(PathStep::All);
            }
            let scanned = Path { root: '$', steps };
            vec![PathStep::Call(function, vec![PathArg::Path(scanned)])]
        }
        last => {
            steps.extend(last);
            steps
        }
    }
}

struct PathCompiler<'p> {
    reader: PathReader<'p>,
    steps: Vec<PathStep>,
    depth: u32,
}

impl PathCompiler<'_> {
    fn steps(&mut self) -> Result<(), String> {
        if let Some(c) = self.reader.peek()
            && c != '.'
            && c != '['
        {
            return Err("Illegal character at position 1 expected '.' or '['".to_owned());
        }
        // The first token is read whatever it is.
        if self.reader.is('[') && self.reader.at + 1 == self.reader.chars.len() {
            let at = self.reader.at;
            return Err(format!(
                "Could not parse token starting at position {at}. Expected ?, ', 0-9, * "
            ));
        }
        // Of what follows Jayway overlooks one last character.
        while self.reader.at + 1 < self.reader.chars.len() || self.is_last_name() {
            self.step()?;
        }
        Ok(())
    }

    /// A name or wildcard of one character after a dot: not to be overlooked.
    fn is_last_name(&self) -> bool {
        let before = self
            .reader
            .at
            .checked_sub(1)
            .map(|at| self.reader.chars[at]);
        self.reader.at < self.reader.chars.len() && before == Some('.')
    }

    fn step(&mut self) -> Result<(), String> {
        let at = self.reader.at;
        let cannot = || format!("Could not parse token starting at position {at}");
        match self.reader.peek() {
            Some('[') => self.bracket(),
            Some('.') => {
                self.reader.at += 1;
                if self.reader.is('.') {
                    self.reader.at += 1;
                    self.steps.push(PathStep::Scan);
                    if self.reader.is('.') {
                        let at = self.reader.at;
                        return Err(format!("Character '.' on position {at} is not valid."));
                    }
                }
                match self.reader.peek() {
                    Some('[') => self.bracket(),
                    _ => self.name_or_all(),
                }
            }
            Some(_) => self.name_or_all(),
            None => Err(cannot()),
        }
    }

    fn name_or_all(&mut self) -> Result<(), String> {
        let start = self.reader.at;
        match self.reader.peek() {
            Some('*') => {
                self.reader.at += 1;
                self.steps.push(PathStep::All);
                return Ok(());
            }
            None | Some(' ' | '.') => {
                return Err(format!(
                    "Could not parse token starting at position {start}"
                ));
            }
            Some(_) => {}
        }
        while let Some(c) = self.reader.peek() {
            match c {
                ' ' => {
                    return Err(format!(
                        "Use bracket notion ['my prop'] if your property contains blank characters. position: {start}"
                    ));
                }
                '.' | '[' => break,
                '(' => return self.call(start),
                _ => self.reader.at += 1,
            }
        }
        let name = self.reader.between(start, self.reader.at);
        self.steps.push(PathStep::Names(vec![name], '\''));
        Ok(())
    }

    /// A function; the name is read up to its parenthesis.
    fn call(&mut self, start: usize) -> Result<(), String> {
        let open = self.reader.at;
        let name = self.reader.between(start, open);
        let Some(close) = self.reader.closing(open, false) else {
            return Err(format!(
                "Arguments to function: '{name}' are not closed properly."
            ));
        };
        let args = self.args(open + 1, close)?;
        self.reader.at = close + 1;
        self.steps
            .push(PathStep::Call(PathFunction::named(&name), args));
        if self.reader.at < self.reader.chars.len() {
            // Jayway takes the parenthesis for a property then, and finds none.
            self.steps.push(PathStep::Names(vec![")".to_owned()], '\''));
        }
        Ok(())
    }

    fn args(&self, from: usize, to: usize) -> Result<Vec<PathArg>, String> {
        let mut args = Vec::new();
        let mut start = from;
        let mut at = from;
        while at <= to {
            let c = self.reader.chars[at];
            match c {
                '"' | '\'' => at = self.reader.end_of_text(at).unwrap_or(to),
                '(' | '[' | '{' => at = self.reader.closing(at, false).unwrap_or(to),
                _ if c == ',' || at == to => {
                    let text = self.reader.between(start, at);
                    args.extend(self.arg(text.trim())?);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(args)
    }

    fn arg(&self, text: &str) -> Result<Option<PathArg>, String> {
        Ok(match text.chars().next() {
            None => None,
            Some('$' | '@') => Some(PathArg::Path(compile_within(text, self.depth + 1)?)),
            Some(_) => Some(PathArg::Json(text.to_owned())),
        })
    }

    fn bracket(&mut self) -> Result<(), String> {
        let open = self.reader.at;
        let next = self.reader.significant(open + 1);
        match next {
            Some((at, '\'' | '"')) => self.names(at),
            Some((_, '0'..='9' | '-' | ':')) => self.indexes(open),
            Some((at, '*')) => match self.reader.significant(at + 1) {
                Some((close, ']')) => {
                    self.reader.at = close + 1;
                    self.steps.push(PathStep::All);
                    Ok(())
                }
                _ => Err(format!(
                    "Expected wildcard token to end with ']' on position {}",
                    at + 1
                )),
            },
            Some((at, '?')) => self.filter(open, at),
            _ => Err(cannot_read(open)),
        }
    }

    fn names(&mut self, first: usize) -> Result<(), String> {
        let quote = self.reader.chars[first];
        let mut names = Vec::new();
        let mut at = first;
        loop {
            let Some(end) = self.reader.end_of_text(at) else {
                return Err(format!(
                    "Property has not been closed - missing closing {quote}"
                ));
            };
            names.push(unescaped(&self.reader.between(at + 1, end)));
            match self.reader.significant(end + 1) {
                Some((close, ']')) => {
                    self.reader.at = close + 1;
                    self.steps.push(PathStep::Names(names, quote));
                    return Ok(());
                }
                Some((comma, ',')) => match self.reader.significant(comma + 1) {
                    Some((next, c)) if c == quote => at = next,
                    _ => return Err(format!("Found empty property at index {comma}")),
                },
                _ => {
                    return Err(format!(
                        "Property must be separated by comma or Property must be terminated close square bracket at index {end}"
                    ));
                }
            }
        }
    }

    fn indexes(&mut self, open: usize) -> Result<(), String> {
        let rest = &self.reader.chars[open..];
        let Some(close) = rest.iter().position(|c| *c == ']') else {
            return Err(cannot_read(open));
        };
        let written = self.reader.between(open + 1, open + close);
        let written = written.trim();
        let known = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | ':' | ' ');
        if !written.chars().all(known) {
            return Err(cannot_read(open));
        }
        let number = |text: &str| -> Result<i64, String> {
            let failed = || format!("Failed to parse token in ArrayIndexOperation: {written}");
            text.trim()
                .parse::<i32>()
                .map(i64::from)
                .map_err(|_| failed())
        };
        let step = if written.contains(':') {
            // A step after a second colon is overlooked.
            let mut ends = written.split(':').map(|end| match end.trim() {
                "" => Ok(None),
                end => number(end).map(Some),
            });
            let from = ends.next().transpose()?.flatten();
            let to = ends.next().transpose()?.flatten();
            if from.is_none() && to.is_none() {
                return Err(format!("Failed to parse SliceOperation: {written}"));
            }
            PathStep::Slice(from, to)
        } else {
            let indexes: Result<Vec<i64>, String> = written.split(',').map(number).collect();
            PathStep::Indexes(indexes?)
        };
        self.reader.at = open + close + 1;
        self.steps.push(step);
        Ok(())
    }

    fn filter(&mut self, open: usize, mark: usize) -> Result<(), String> {
        let Some((parenthesis, '(')) = self.reader.significant(mark + 1) else {
            return Err(format!(
                "Not enough predicates supplied for filter [?] at position {open}"
            ));
        };
        let close = self.reader.closing(parenthesis, true);
        let close = close.ok_or_else(|| cannot_read(open))?;
        let Some((end, ']')) = self.reader.significant(close + 1) else {
            return Err(cannot_read(open));
        };
        let chars = &self.reader.chars[parenthesis + 1..close];
        let filter = compile_filter::compile(chars, self.depth + 1, compile_within)?;
        self.steps.push(PathStep::Where(filter));
        self.reader.at = end + 1;
        Ok(())
    }
}

fn cannot_read(at: usize) -> String {
    format!("Could not parse token starting at position {at}. Expected ?, ', 0-9, * ")
}
