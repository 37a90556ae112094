//! TOML: one value is exchanged or added, the rest stays.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use toml_edit::{Document, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value};

use super::address::Address;
use super::editor::{Editor, Splice, Standing};
use super::error::{EditFault, Stop};
use super::lines::one_line;
use super::placing::line_end;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// TOML.
pub(super) struct TomlEditor;

/// A single value of a file.
struct TomlLeaf {
    path: String,
    value: String,
    span: Range<usize>,
    /// Where its key begins.
    key_start: usize,
}

/// All that stands in a file.
#[derive(Default)]
struct TomlLeaves {
    leaves: Vec<TomlLeaf>,
    /// Paths of tables and lists, and where they begin.
    collections: Vec<(String, usize)>,
}

impl TomlLeaves {
    fn read(text: &str) -> Result<Self, Stop> {
        let (own, offset) = without_mark(text);
        let document = Document::parse(own).map_err(|error| syntax(&error, offset))?;
        let mut all = Self::default();
        all.table(own, document.as_table(), "");
        for leaf in &mut all.leaves {
            leaf.span = leaf.span.start + offset..leaf.span.end + offset;
            leaf.key_start += offset;
        }
        Ok(all)
    }

    fn table(&mut self, text: &str, table: &dyn TableLike, within: &str) {
        for (key, item) in table.iter() {
            let path = match within {
                "" => key.to_owned(),
                _ => format!("{within}.{key}"),
            };
            let start = table.key(key).and_then(|key| key.span());
            let start = start.map_or(0, |span| span.start);
            match item {
                Item::None => {}
                Item::Value(value) => self.value(text, value, path, start),
                Item::Table(inner) => {
                    self.table(text, inner, &path);
                    self.collections.push((path, start));
                }
                Item::ArrayOfTables(tables) => {
                    for (number, inner) in tables.iter().enumerate() {
                        let path = format!("{path}[{number}]");
                        self.table(text, inner, &path);
                        self.collections.push((path, start));
                    }
                    self.collections.push((path, start));
                }
            }
        }
    }

    fn value(&mut self, text: &str, value: &Value, path: String, key_start: usize) {
        let span = value.span().unwrap_or_default();
        match value {
            Value::Array(values) => {
                for (number, value) in values.iter().enumerate() {
                    let start = value.span().unwrap_or_default().start;
                    self.value(text, value, format!("{path}[{number}]"), start);
                }
                self.collections.push((path, span.start));
            }
            Value::InlineTable(table) => {
                self.table(text, table, &path);
                self.collections.push((path, span.start));
            }
            single => {
                let written = text.get(span.clone()).unwrap_or_default();
                self.leaves.push(TomlLeaf {
                    value: single.as_str().unwrap_or(written).to_owned(),
                    path,
                    span,
                    key_start,
                });
            }
        }
    }
}

fn without_mark(text: &str) -> (&str, usize) {
    let own = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    (own, text.len() - own.len())
}

fn syntax(error: &TomlError, offset: usize) -> Stop {
    Stop {
        byte: error.span().map(|span| span.start + offset),
        fault: EditFault::Syntax(error.message().to_owned()),
    }
}

/// A number, a date, `true` or `false` as itself, all else as a string.
fn literal(value: &str) -> Value {
    let read = value.trim().parse::<Value>().ok();
    let read = read.filter(|it| !it.is_str() && !it.is_array() && !it.is_inline_table());
    read.unwrap_or_else(|| Value::from(value))
}

/// The table of a key, made where it is missing.
fn entered<'a>(
    table: &'a mut dyn TableLike,
    key: &str,
    braces: bool,
) -> Option<(&'a mut dyn TableLike, bool)> {
    let new = match braces {
        true => Item::Value(Value::InlineTable(InlineTable::new())),
        false => Item::Table(Table::new()),
    };
    let item = table.entry(key).or_insert(new);
    let braces = item.is_inline_table();
    Some((item.as_table_like_mut()?, braces))
}

/// Where two texts differ, whatever ends their lines; what comes in has the line ends of the first.
fn difference(before: &str, after: &str) -> Splice {
    // The bytes of the first one without those that only end lines, and their places.
    let ends_line = |at: usize| before[at..].starts_with("\r\n");
    let kept = before.char_indices().filter(|(at, _)| !ends_line(*at));
    let old: Vec<(usize, char)> = kept.collect();
    let new: Vec<char> = after.chars().filter(|letter| *letter != '\r').collect();
    let same = |pair: &(&(usize, char), &char)| pair.0.1 == *pair.1;
    let front = old.iter().zip(&new).take_while(same).count();
    let rests = old[front..].iter().rev().zip(new[front..].iter().rev());
    let back = rests.take_while(same).count();
    let place = |index: usize| old.get(index).map_or(before.len(), |(at, _)| *at);
    let with: String = new[front..new.len() - back].iter().collect();
    Splice {
        range: place(front)..place(old.len() - back),
        with: with.replace('\n', line_end(before)),
    }
}

impl Editor for TomlEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let path = address.dotted()?;
        let all = TomlLeaves::read(text)?;
        if let Some((_, start)) = all.collections.iter().find(|(one, _)| one == path) {
            return Err(Stop::here(*start, EditFault::NotSingle(path.to_owned())));
        }
        let mut leaves = all.leaves.into_iter().filter(|leaf| leaf.path == path);
        let leaf = leaves.next();
        let others: Vec<usize> = leaves.map(|leaf| leaf.span.start).collect();
        if let (Some(leaf), false) = (&leaf, others.is_empty()) {
            let places = [leaf.span.start].into_iter().chain(others);
            let fault = EditFault::several(text, places);
            return Err(Stop::here(leaf.span.start, fault));
        }
        Ok(leaf.map(|leaf| Standing {
            whole: leaf.key_start..leaf.span.end,
            value: leaf.value,
            span: leaf.span,
        }))
    }

    fn replaced(
        &self,
        text: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        one_line(value)?;
        let old = &text[place.span.clone()];
        let with = match old.chars().next() {
            Some('\'') if !value.contains('\'') => format!("'{value}'"),
            Some('"' | '\'') => Value::from(value).to_string(),
            _ => literal(value).to_string(),
        };
        Ok(Splice {
            range: place.span.clone(),
            with,
        })
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let path = address.dotted()?;
        let (own, offset) = without_mark(text);
        let mut document: DocumentMut = own.parse().map_err(|error| syntax(&error, offset))?;
        let keys: Vec<&str> = path.split('.').collect();
        let no_parent = |level: usize| Stop::nowhere(EditFault::NoParent(keys[..=level].join(".")));
        let (mut table, mut braces) = (document.as_table_mut() as &mut dyn TableLike, false);
        for (level, key) in keys.iter().enumerate() {
            if key.contains(['[', ']']) {
                return Err(no_parent(level));
            }
            if level + 1 == keys.len() {
                table.insert(key, Item::Value(literal(value)));
                break;
            }
            (table, braces) = entered(table, key, braces).ok_or_else(|| no_parent(level))?;
        }
        let mut changed = document.to_string();
        // The library ends the last line.
        if !own.ends_with('\n') && changed.ends_with('\n') {
            changed.pop();
        }
        let change = difference(own, &changed);
        // What stands in an odd order would be written anew.
        if !change.range.is_empty() {
            return Err(Stop::nowhere(EditFault::NotKept(value.to_owned())));
        }
        Ok(Splice {
            range: offset + change.range.start..offset + change.range.end,
            with: change.with,
        })
    }

    /// The line, if nothing else is on it; else the value alone, without which the rest cannot be read.
    fn whole(&self, text: &str, place: &Standing) -> Range<usize> {
        let line = text[..place.whole.start].rfind('\n');
        let start = line.map_or(without_mark(text).1, |at| at + 1);
        let end = text[place.span.end..].find('\n');
        let end = end.map_or(text.len(), |at| place.span.end + at + 1);
        let before = &text[start..place.whole.start];
        let behind = text[place.span.end..end].trim_start();
        let alone = !before.contains(['{', '[', ',', '=']);
        match alone && (behind.is_empty() || behind.starts_with('#')) {
            true => start..end,
            false => place.span.clone(),
        }
    }

    fn others(&self, text: &str, address: &Address) -> Result<u64, Stop> {
        let path = address.dotted()?;
        let all = TomlLeaves::read(text)?;
        let mut hash = DefaultHasher::new();
        let mut others: Vec<_> = all.leaves.iter().filter(|leaf| leaf.path != path).collect();
        others.sort_by(|one, other| one.path.cmp(&other.path));
        for leaf in others {
            (&leaf.path, &leaf.value).hash(&mut hash);
        }
        Ok(hash.finish())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::TomlLeaves;
    use crate::formats::{Address, EditFault, Format, get, remove, set};

    const FILE: &str = "# 服务\nworkers = 4 # each a thread\nname = 'shop'\n\n[pool]\nmax.idle = 2\nsizes = [1, 2]\nlimits = { soft = 10, hard = \"20\" }\n\n[[server]]\nport = 80\n\n[[server]]\nport = 81\n";

    fn changed(file: &str, path: &str, value: &str) -> String {
        let now = set(Format::Toml, file.as_bytes(), &Address::new(path), value);
        String::from_utf8(now.unwrap()).unwrap()
    }

    #[test]
    fn values_keep_their_kinds_and_lines() {
        for (path, was, value, line) in [
            ("workers", "4", "8", "workers = 8 # each a thread"),
            ("name", "shop", "it's", "name = \"it's\""),
            ("name", "shop", "8", "name = '8'"),
            ("pool.max.idle", "2", "5 s", "max.idle = \"5 s\""),
            ("pool.sizes[1]", "2", "3", "sizes = [1, 3]"),
            (
                "pool.limits.hard",
                "20",
                "30",
                "limits = { soft = 10, hard = \"30\" }",
            ),
            ("server[1].port", "81", "8081", "port = 8081"),
        ] {
            let found = get(Format::Toml, FILE.as_bytes(), &Address::new(path)).unwrap();
            assert_eq!(found.unwrap().value, was, "{path}");
            let now = changed(FILE, path, value);
            assert!(now.lines().any(|each| each == line), "{path}: {now}");
            let others = |text: &str| text.lines().filter(|each| *each != line).count();
            assert_eq!(others(&now) + 1, FILE.lines().count(), "{path}: {now}");
        }
    }

    #[test]
    fn what_is_missing_is_added_in_its_table() {
        assert!(changed(FILE, "pool.min", "1").contains("hard = \"20\" }\nmin = 1\n"));
        assert!(changed(FILE, "backlog", "9").contains("name = 'shop'\nbacklog = 9\n"));
        assert!(changed(FILE, "pool.limits.burst", "3").contains("burst = 3 }"));
        assert!(changed(FILE, "cache.size", "1g").ends_with("[cache]\nsize = \"1g\"\n"));
        assert_eq!(
            changed("\u{feff}a = 1\r\n", "b", "2"),
            "\u{feff}a = 1\r\nb = 2\r\n"
        );
        for (path, name) in [
            ("workers.x", "workers"),
            ("server[2].port", "server[2]"),
            ("pool.sizes.x", "pool.sizes"),
        ] {
            let stop = set(Format::Toml, FILE.as_bytes(), &Address::new(path), "1").unwrap_err();
            assert_eq!(stop.fault, EditFault::NoParent(name.to_owned()));
        }
    }

    #[test]
    fn what_stands_alone_goes_and_the_rest_stays() {
        let without = |path: &str| remove(Format::Toml, FILE.as_bytes(), &Address::new(path));
        let gone = String::from_utf8(without("pool.max.idle").unwrap()).unwrap();
        assert_eq!(gone, FILE.replace("max.idle = 2\n", ""));
        for path in ["pool.sizes[0]", "pool.limits.soft", "pool", "server"] {
            let stop = without(path).unwrap_err();
            assert!(
                matches!(stop.fault, EditFault::NotSingle(_)),
                "{path}: {stop:?}"
            );
        }
        let stop = get(Format::Toml, b"a = 1\nb = \n", &Address::new("a")).unwrap_err();
        assert_eq!(
            (stop.line, matches!(stop.fault, EditFault::Syntax(_))),
            (2, true)
        );
    }

    /// Any file of lines that may be TOML, with keys that are few.
    fn files() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            "[0-9]{1,3}",
            Just("true".to_owned()),
            Just("1979-05-27T07:32:00Z".to_owned()),
            "\"[a-z中 ]{0,5}\"",
            "'[a-z\\\\]{0,4}'",
            Just("\"\"\"\nx\ny\"\"\"".to_owned()),
            Just("[1, {a = 2}, [3]]".to_owned()),
            Just("{ a = 1, b.c = 2 }".to_owned()),
            Just("{}".to_owned()),
        ];
        let key = prop::sample::select(vec!["a", "b", "c", "a.b", "b.c.a", "\"d\""]);
        let line = prop_oneof![
            4 => (key.clone(), value).prop_map(|(key, value)| format!("{key} = {value}")),
            1 => key.clone().prop_map(|key| format!("[{key}]")),
            1 => key.prop_map(|key| format!("[[{key}]]")),
            1 => Just("# a = 1".to_owned()),
        ];
        (prop::collection::vec(line, 0..8), any::<bool>())
            .prop_map(|(lines, crlf)| lines.join(if crlf { "\r\n" } else { "\n" }))
    }

    fn all(text: &[u8]) -> BTreeMap<String, String> {
        let all = TomlLeaves::read(std::str::from_utf8(text).unwrap()).unwrap();
        all.leaves
            .into_iter()
            .map(|leaf| (leaf.path, leaf.value))
            .collect()
    }

    proptest! {
        #[test]
        fn what_is_set_is_there_and_nothing_else_moves(
            file in files(), value in "[ -~中]{0,8}|[0-9]{1,3}|false|nan",
            path in prop::sample::select(vec!["a", "b", "a.b", "b.c", "b.c.a", "c.x.y", "a[0].b", "a[1].a", "e"]),
        ) {
            let address = Address::new(path);
            let Ok(now) = set(Format::Toml, file.as_bytes(), &address, &value) else { return Ok(()) };
            let mut wanted = all(file.as_bytes());
            let was_there = wanted.insert(path.to_owned(), value.clone()).is_some();
            prop_assert_eq!(all(&now), wanted.clone());
            prop_assert_eq!(set(Format::Toml, &now, &address, &value).unwrap(), now.clone());
            if !was_there {
                // What was there is there yet, byte for byte, before and behind what came in.
                let old = file.as_bytes();
                let front = old.iter().zip(&now).take_while(|(old, new)| old == new).count();
                prop_assert!(now.ends_with(&old[front..]), "{}", String::from_utf8_lossy(&now));
            }
            if let Ok(gone) = remove(Format::Toml, &now, &address) {
                wanted.remove(path);
                prop_assert_eq!(all(&gone), wanted);
            }
        }
    }
}
