//! Texts whose value is known before the run: the number of threads, a file's name, a
//! schedule. JMeter evaluates these when the test starts; here the plan's variables, the
//! properties and a few functions of them are enough.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use plimsoll_elements::functions::before_the_run;

use super::options::ReadFile;
use crate::properties::Properties;

/// What texts may use before the run.
#[derive(Default)]
pub(crate) struct KnownBefore<'o> {
    /// JMeter's properties.
    pub properties: Option<&'o Properties>,
    /// Variables whose value is known.
    pub variables: HashMap<String, String>,
    /// Variables whose value only the run can tell.
    pub late: HashSet<String>,
    /// Reads a file, and the plan's folder.
    pub files: Option<(ReadFile<'o>, &'o Path)>,
}

/// What becomes of the name of a variable that nobody sets before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unset {
    /// It may have a value when it is asked for.
    Unknown,
    /// It stays as it is written.
    Kept,
}

/// Deepest nesting of calls that is looked into.
const MAX_DEPTH: usize = 20;

impl KnownBefore<'_> {
    /// The value of a text; none when only the run can tell.
    pub fn value(&self, text: &str) -> Option<String> {
        self.read(text, Unset::Unknown)
    }

    /// The value of a text that JMeter looks at when a thread group starts, where only the
    /// plan's variables have values: any other name stays as it is written.
    pub fn value_at_start(&self, text: &str) -> Option<String> {
        self.read(text, Unset::Kept)
    }

    fn read(&self, text: &str, unset: Unset) -> Option<String> {
        match text.contains("${") {
            true => self.text(text, unset, 0),
            false => Some(text.to_owned()),
        }
    }

    /// JMeter 5.6.3's grammar (`FunctionParser`): `\` escapes `$`, `,` and `\` in arguments,
    /// and in texts that hold variables or calls.
    fn text(&self, text: &str, unset: Unset, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some(inner) = rest.strip_prefix("${") {
                let end = closing_brace(inner)?;
                out.push_str(&self.expression(&inner[..end], unset, depth + 1)?);
                rest = &inner[end + 1..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match (c, rest.chars().next()) {
                ('\\', Some(next @ ('$' | ',' | '\\'))) => {
                    out.push(next);
                    rest = &rest[next.len_utf8()..];
                }
                _ => out.push(c),
            }
        }
        Some(out)
    }

    fn expression(&self, expression: &str, unset: Unset, depth: usize) -> Option<String> {
        let Some((name, rest)) = expression.split_once('(') else {
            return match expression.starts_with("__") {
                true => self.call(expression.trim(), &[], unset),
                false => self.variable(expression, unset),
            };
        };
        let inner = rest.trim_end().strip_suffix(')')?;
        let arguments: Option<Vec<String>> = arguments(inner)
            .into_iter()
            .map(|argument| self.text(argument, unset, depth))
            .collect();
        self.call(name.trim(), &arguments?, unset)
    }

    fn variable(&self, name: &str, unset: Unset) -> Option<String> {
        let known = self.variables.get(name).cloned();
        let kept = unset == Unset::Kept && !self.late.contains(name);
        known.or_else(|| kept.then(|| format!("${{{name}}}")))
    }

    fn call(&self, name: &str, arguments: &[String], unset: Unset) -> Option<String> {
        let argument = |index: usize| arguments.get(index).map(|text| text.trim());
        let property = |name: &str| self.properties.and_then(|known| known.get(name)).cloned();
        match name {
            "__P" => {
                let default = argument(1).unwrap_or("1");
                Some(property(argument(0)?).unwrap_or_else(|| default.to_owned()))
            }
            "__property" => {
                let name = argument(0)?;
                let default = argument(2).unwrap_or(name);
                Some(property(name).unwrap_or_else(|| default.to_owned()))
            }
            "__V" => {
                let known = self.variables.get(argument(0)?).cloned();
                known.or_else(|| argument(1).map(str::to_owned))
            }
            "__intSum" | "__longSum" => sum(arguments),
            "__CSVRead" => self.row(argument(0)?, argument(1)?.parse().ok()?, unset),
            _ if is_base_dir(name, arguments) => self.folder(),
            _ => before_the_run(name, arguments),
        }
    }
}

impl KnownBefore<'_> {
    /// A column of a file's row. What JMeter asks for when a group starts is asked by one thread, which gets the
    /// first row, and nothing of a file that is not there; what users ask for is known where there is one row
    /// alone, since each has its own.
    fn row(&self, file: &str, column: usize, unset: Unset) -> Option<String> {
        let (read, folder) = self.files?;
        let at_start = unset == Unset::Kept;
        let bytes = read(Path::new(file)).or_else(|_| read(&folder.join(file)));
        let bytes = match bytes {
            Err(error) if at_start && error.kind() == std::io::ErrorKind::NotFound => {
                return Some(String::new());
            }
            bytes => bytes.ok()?,
        };
        let text = String::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        let row = lines.next()?;
        if !at_start && lines.next().is_some() {
            return None;
        }
        let delimiter = self
            .properties
            .and_then(|known| known.get("csvread.delimiter"));
        let mut columns = row.split(delimiter.map_or(",", String::as_str));
        let found = columns.nth(column).map(str::to_owned);
        found.or_else(|| at_start.then(String::new))
    }

    /// The plan's folder.
    fn folder(&self) -> Option<String> {
        let (_, folder) = self.files?;
        let folder = folder.to_str()?;
        Some(if folder.is_empty() { "." } else { folder }.to_owned())
    }
}

/// Whether a script asks for the plan's folder and nothing else, as very many plans do.
fn is_base_dir(name: &str, arguments: &[String]) -> bool {
    let ([script], "__BeanShell" | "__groovy") = (arguments, name) else {
        return false;
    };
    let script: String = script.split_whitespace().collect::<Vec<_>>().join(" ");
    let script = script.trim_end_matches([';', ' ']);
    let script = script
        .strip_prefix("import org.apache.jmeter.services.FileServer;")
        .unwrap_or(script)
        .trim_start();
    let script = script.strip_prefix("return ").unwrap_or(script);
    let call = script
        .strip_prefix("org.apache.jmeter.services.")
        .unwrap_or(script);
    call == "FileServer.getFileServer().getBaseDir()"
}

/// The last argument may be the name of a variable to keep the sum in.
fn sum(arguments: &[String]) -> Option<String> {
    let (last, first) = arguments.split_last()?;
    let mut total = 0i64;
    for argument in first {
        total = total.checked_add(argument.trim().parse().ok()?)?;
    }
    if let Ok(number) = last.trim().parse() {
        total = total.checked_add(number)?;
    }
    Some(total.to_string())
}

/// Where the `}` is that belongs to a `${` before the text. The arguments of a call end with its parenthesis: a `}`
/// among them is text (`FunctionParser.parseParams`).
pub(crate) fn closing_brace(text: &str) -> Option<usize> {
    if let Some(end) = end_of_call(text) {
        return Some(end);
    }
    let mut all = outside(text);
    all.find(|(_, c)| *c == '}').map(|(at, _)| at)
}

/// Where the `}` is behind the arguments of a call; none: it is no call, or something else stands behind them.
fn end_of_call(text: &str) -> Option<usize> {
    let name = text.starts_with("__").then(|| text.find(['(', '}']))??;
    let mut open = 0usize;
    for (at, c) in outside(&text[name..]) {
        match c {
            '(' => open += 1,
            ')' if open > 1 => open -= 1,
            ')' => {
                let behind = name + at + 1;
                return text[behind..].starts_with('}').then_some(behind);
            }
            _ if open == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The arguments of a call: apart at the commas that are in no bracket of a `${…}`.
fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in outside(text).filter(|(_, c)| *c == ',') {
        found.push(&text[from..at]);
        from = at + 1;
    }
    found.push(&text[from..]);
    found
}

/// The characters that are in no bracket of a `${…}` and have no backslash before them.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut open = 0usize;
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                '$' if chars.peek().is_some_and(|(_, next)| *next == '{') => open += 1,
                '}' if open > 0 => open -= 1,
                c if open == 0 => return Some((at, c)),
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(properties: &Properties) -> KnownBefore<'_> {
        let variables = [("n", "7"), ("name", "who")];
        KnownBefore {
            properties: Some(properties),
            variables: variables.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            late: ["made".to_owned()].into(),
            files: None,
        }
    }

    #[test]
    fn values_before_the_run() {
        let properties = crate::properties::parse(b"threads=12\nn.x=5");
        let known = known(&properties);
        let value = |text: &str| known.value(text);
        assert_eq!(value("10").unwrap(), "10");
        assert_eq!(value("${__P(threads)}").unwrap(), "12");
        assert_eq!(value("${__P(nobody,3)}0").unwrap(), "30");
        assert_eq!(value("${__P(nobody)}").unwrap(), "1");
        // A brace too many is the argument's, as JMeter 5.6.3 has it.
        assert_eq!(value("${__P(nobody,0})}").unwrap(), "0}");
        assert_eq!(value("${__P(nobody,(a}))}b").unwrap(), "(a})b");
        assert_eq!(value("${__P(nobody,)}").unwrap(), "");
        assert_eq!(value("${__property(threads)}").unwrap(), "12");
        assert_eq!(value("${__property(nobody,,4)}").unwrap(), "4");
        assert_eq!(value("${__P(nobody,${__P(threads,1)})}").unwrap(), "12");
        assert_eq!(value("${__intSum(${n},3)}").unwrap(), "10");
        assert_eq!(value("${__P(no,a\\,b)}").unwrap(), "a,b");
        let computed = "${__jexl3(${__P(users,1000)}/${__P(threads,1)})}";
        assert_eq!(value(computed).unwrap(), "83");
        assert_eq!(value("${unknown}"), None);
        assert_eq!(value("${__time()}"), None);
        assert_eq!(value("${__P(open"), None);
        assert_eq!(value("\\${n}${n}").unwrap(), "${n}7");
    }

    #[test]
    fn a_row_that_all_users_have_is_known() {
        let read = |path: &Path| match path.to_str() {
            Some("plans/one.csv") => Ok(b"25,5,1\n".to_vec()),
            Some("two.csv") => Ok(b"1,2\n3,4\n".to_vec()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        let known = KnownBefore {
            files: Some((&read, Path::new("plans"))),
            ..KnownBefore::default()
        };
        assert_eq!(known.value("${__CSVRead(one.csv,2)}").unwrap(), "1");
        // Values: JMeter 5.6.3, `ThreadGroup.num_threads`.
        let at_start = |text: &str| known.value_at_start(&format!("${{__CSVRead({text})}}"));
        assert_eq!(at_start("two.csv,1").unwrap(), "2");
        assert_eq!(at_start("none.csv,0").unwrap(), "");
        assert_eq!(at_start("one.csv,3").unwrap(), "");
        for late in [
            "one.csv,3",
            "one.csv,next",
            "two.csv,0",
            "none.csv,0",
            "one.csv",
        ] {
            assert_eq!(
                known.value(&format!("${{__CSVRead({late})}}")),
                None,
                "{late}"
            );
        }
    }

    #[test]
    fn the_plans_folder_is_known_in_scripts() {
        let read = |path: &Path| match path.to_str() {
            Some("plans/one.csv") => Ok(b"25,5,1\n".to_vec()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        let known = KnownBefore {
            files: Some((&read, Path::new("plans"))),
            ..KnownBefore::default()
        };
        for script in [
            "__BeanShell(import org.apache.jmeter.services.FileServer; FileServer.getFileServer().getBaseDir();)",
            "__BeanShell(import org.apache.jmeter.services.FileServer;FileServer.getFileServer().getBaseDir())",
            "__groovy(org.apache.jmeter.services.FileServer.getFileServer().getBaseDir())",
        ] {
            let column = format!("${{__CSVRead(${{{script}}}/one.csv,0)}}");
            assert_eq!(known.value(&column).unwrap(), "25", "{script}");
        }
        assert_eq!(known.value("${__groovy(FileServer.exit())}"), None);
    }

    #[test]
    fn at_the_start_of_a_group_an_unset_variable_is_its_name() {
        let properties = Properties::new();
        let known = known(&properties);
        let value = |text: &str| known.value_at_start(text);
        assert_eq!(value("${n}${unset}").unwrap(), "7${unset}");
        assert_eq!(value("${__P(nobody,${unset})}").unwrap(), "${unset}");
        assert_eq!(value("${__intSum(1,${unset})}").unwrap(), "1");
        assert_eq!(value("${made}"), None);
        assert_eq!(value("${__time()}"), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[$ {}(),_Pa\\\\n]{0,60}") {
            KnownBefore::default().value(&text);
        }
    }
}
