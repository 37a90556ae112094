//! Files whose settings are lines: properties, ini, my.cnf, redis.conf, postgresql.conf, sysctl.

use std::ops::Range;

use super::address::Address;
use super::editor::{Editor, Included, Splice, Standing};
use super::error::Stop;
use super::placing::{as_line, line_end};
use super::profiles::{active_documents, names_profiles};

/// How one program writes lines.
pub(super) struct LineDialect {
    /// Key and value of a line's content; the value's range is empty and at the end where there is none.
    pub(super) parts: fn(&str) -> Option<LineParts>,
    /// A key as it is compared.
    pub(super) key: fn(&str) -> String,
    /// What a value says.
    pub(super) decoded: fn(&str) -> String,
    /// A value as it is written.
    pub(super) encoded: fn(&str) -> Result<String, Stop>,
    /// A key as it is written.
    pub(super) written_key: fn(&str) -> String,
    /// Between key and value.
    pub(super) between: &'static str,
    /// Whether a line goes on in the next; `first` begins where the setting does.
    pub(super) goes_on: fn(first: &str, line: &str, next: &str) -> bool,
    /// Sections, and which other sections are read as that one.
    pub(super) sections: Option<fn(asked: &str, section: &str) -> bool>,
    /// Documents with profiles, parted by `#---`.
    pub(super) documents: bool,
    /// A key may be asked for without a section: it holds in whatever section it stands.
    pub(super) bare: bool,
    /// What is written as it is asked for comes before what is compared alike: some readers tell them apart.
    pub(super) exact_first: bool,
    /// The section that stands for an asked one that is not there.
    pub(super) stands_for: for<'a> fn(asked: &str, sections: &[&'a str]) -> Option<&'a str>,
    /// Of a setting whose lines add up to one value: how many words of it each line has.
    pub(super) adds_up: fn(key: &str) -> Option<usize>,
    /// The file that a line takes in, and whether it is a folder.
    pub(super) include: fn(&str) -> Option<(&str, bool)>,
}

/// Where key and value are in a line's content.
pub(super) struct LineParts {
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
    /// The key stands alone and says what this does.
    pub(super) alone: Option<&'static str>,
}

/// One setting of a file.
struct Entry<'a> {
    section: &'a str,
    document: usize,
    /// As it is compared, and as it is written.
    key: String,
    written: &'a str,
    value: String,
    span: Range<usize>,
    whole: Range<usize>,
}

/// The settings of a file and where others may be added.
#[derive(Default)]
struct Entries<'a> {
    all: Vec<Entry<'a>>,
    /// Each section's name and the end of its last line that says something.
    sections: Vec<(&'a str, usize)>,
    /// Where each document ends.
    documents: Vec<usize>,
}

/// A line may not end within a value.
pub(super) fn one_line(value: &str) -> Result<(), Stop> {
    let odd =
        |c: char| c.is_control() && c != '\t' || matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}');
    match value.contains(odd) {
        true => Err(Stop::value(value, "knobs-why-control")),
        false => Ok(()),
    }
}

/// The value as it is given, in place of what stands there.
pub(super) fn exactly(place: &Standing, value: &str) -> Result<Splice, Stop> {
    one_line(value)?;
    Ok(Splice {
        range: place.span.clone(),
        with: value.to_owned(),
    })
}

/// Lines that belong together, with their line end.
fn logical<'a>(dialect: &LineDialect, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let goes_on = dialect.goes_on;
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let start = at;
        let next_end = |from: usize| {
            text[from..]
                .find('\n')
                .map_or(text.len(), |end| from + end + 1)
        };
        let mut line = start;
        at = next_end(start);
        while at < text.len() && goes_on(&text[start..], &text[line..at], &text[at..next_end(at)]) {
            line = at;
            at = next_end(at);
        }
        Some((start, &text[start..at]))
    })
}

impl LineDialect {
    fn entries<'a>(&self, text: &'a str) -> Entries<'a> {
        let mut found = Entries::default();
        let mut section = "";
        for (start, line) in logical(self, text) {
            let content = line.trim_end_matches(['\r', '\n']);
            let whole = start..start + line.len();
            let trimmed = content.trim();
            if self.documents && matches!(trimmed, "#---" | "!---") && content == trimmed {
                found.documents.push(start);
                continue;
            }
            if self.sections.is_some()
                && let Some(name) = header(trimmed)
            {
                section = name;
                found.sections.push((name, whole.end));
                continue;
            }
            let Some(parts) = (self.parts)(content) else {
                continue;
            };
            let value = match parts.alone {
                Some(means) => means.to_owned(),
                None => (self.decoded)(&content[parts.value.clone()]),
            };
            if let Some((_, end)) = found.sections.last_mut() {
                *end = whole.end;
            }
            found.all.push(Entry {
                section,
                document: found.documents.len(),
                key: (self.key)(&content[parts.key.clone()]),
                written: &content[parts.key],
                value,
                span: start + parts.value.start..start + parts.value.end,
                whole,
            });
        }
        found.documents.push(text.len());
        found
    }

    /// Section and key of an address; no section where any will do.
    fn wanted<'a>(&self, address: &'a Address) -> Result<(Option<&'a str>, &'a str), Stop> {
        let path = address.path.trim();
        let form = self.sections.map_or("key", |_| "[section] key");
        let parts = match self.sections {
            None => Some((None, path)),
            Some(_) if self.bare && !path.starts_with('[') => Some((None, path)),
            Some(_) => {
                let parts = path.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                parts.map(|(section, key)| (Some(section.trim()), key))
            }
        };
        let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
        match parts {
            Some((section, key)) if !key.trim().is_empty() && !path.contains(odd) => {
                Ok((section, key.trim()))
            }
            _ => Err(Stop::address(path, form)),
        }
    }

    /// Which documents hold while the address's profiles are active.
    fn active(&self, entries: &Entries<'_>, address: &Address) -> Vec<bool> {
        let named = entries.all.iter();
        let named = named.filter(|entry| self.documents && names_profiles(&entry.key));
        let named = named.map(|entry| (entry.document, entry.value.as_str()));
        active_documents(entries.documents.len(), named, &address.profiles)
    }

    /// The section that is meant by an asked one.
    fn meant<'a>(&self, asked: Option<&'a str>, entries: &Entries<'a>) -> Option<&'a str> {
        let asked = asked?;
        let names: Vec<&str> = entries.sections.iter().map(|(name, _)| *name).collect();
        let other = (!names.contains(&asked)).then(|| (self.stands_for)(asked, &names));
        Some(other.flatten().unwrap_or(asked))
    }

    /// The lines that say an address, in their order.
    fn lines_at<'a>(&self, text: &'a str, address: &Address) -> Result<Vec<Entry<'a>>, Stop> {
        let (section, asked) = self.wanted(address)?;
        let key = (self.key)(asked);
        let mut entries = self.entries(text);
        let section = self.meant(section, &entries);
        let active = self.active(&entries, address);
        entries.all.retain(|entry| {
            let here = match (self.sections, section) {
                (Some(read), Some(section)) => read(section, entry.section),
                (Some(_), None) => true,
                (None, _) => active[entry.document],
            };
            here && entry.key == key
        });
        Ok(entries.all)
    }

    fn holding(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let (_, asked) = self.wanted(address)?;
        let lines = self.lines_at(text, address)?;
        let as_asked = |entry: &&Entry<'_>| self.exact_first && entry.written == asked;
        let Some(entry) = lines.iter().rfind(as_asked).or(lines.last()) else {
            return Ok(None);
        };
        let value = match (self.adds_up)(&entry.key) {
            Some(_) => sum(&lines),
            None => entry.value.clone(),
        };
        Ok(Some(Standing {
            value,
            span: entry.span.clone(),
            whole: entry.whole.clone(),
        }))
    }

    /// The lines that say a value, without an end behind the last.
    fn lines_of(&self, text: &str, key: &str, value: &str) -> Result<String, Stop> {
        one_line(value)?;
        let compared = (self.key)(key);
        let parts = match (self.adds_up)(&compared) {
            Some(count) if !value.is_empty() => {
                let words: Vec<&str> = value.split_whitespace().collect();
                words.chunks(count).map(|part| part.join(" ")).collect()
            }
            _ => vec![value.to_owned()],
        };
        let key = (self.written_key)(key);
        let lines = parts.iter().map(|part| {
            let part = (self.encoded)(part)?;
            Ok(format!("{key}{}{part}", self.between))
        });
        let lines: Result<Vec<String>, Stop> = lines.collect();
        Ok(lines?.join(line_end(text)))
    }

    /// Another value in place of all lines that add up to one; what stands between them stays.
    fn with_sum(&self, text: &str, lines: &[Entry<'_>], value: &str) -> Result<Splice, Stop> {
        let (mut range, mut with) = (0..0, String::new());
        for (at, line) in lines.iter().enumerate() {
            match at {
                0 => {
                    range.start = line.whole.start;
                    with.push_str(&self.lines_of(text, line.written, value)?);
                    with.push_str(line_end(text));
                }
                _ => with.push_str(&text[range.end..line.whole.start]),
            }
            range.end = line.whole.end;
        }
        if !text[range.clone()].ends_with('\n') {
            let end = line_end(text);
            with.truncate(with.strip_suffix(end).unwrap_or(&with).len());
        }
        Ok(Splice { range, with })
    }

    fn with_value(&self, text: &str, place: &Standing, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let mut with = (self.encoded)(value)?;
        let line = &text[place.whole.clone()];
        let (before, after) = (
            &text[place.whole.start..place.span.start],
            &text[place.span.end..place.whole.end],
        );
        // A key without a value has nothing between them yet.
        let content = line.trim_end_matches(['\r', '\n']);
        if let Some(parts) = (self.parts)(content)
            && parts.key.end == before.len()
        {
            with.insert_str(0, self.between);
        }
        // A comment behind the value must not become part of it.
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            with.push(' ');
        }
        Ok(Splice {
            range: place.span.clone(),
            with,
        })
    }

    fn with_line(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        let (section, key) = self.wanted(address)?;
        let line = self.lines_of(text, key, value)?;
        let entries = self.entries(text);
        let section = self.meant(section, &entries);
        let found = match (self.sections, section) {
            (Some(_), None) => Some(text.len()),
            (Some(read), Some(section)) => {
                let mut own = entries.sections.iter().rev();
                own.find(|(name, _)| read(section, name))
                    .map(|(_, end)| *end)
            }
            (None, _) => {
                let active = self.active(&entries, address);
                let document = active.iter().position(|active| *active);
                document.map(|document| entries.documents[document])
            }
        };
        let (at, line) = match (found, section) {
            (Some(at), _) => (at, line),
            (None, Some(section)) => (text.len(), format!("[{section}]{}{line}", line_end(text))),
            // Each document is another profile's: one more, for all.
            (None, None) => (text.len(), format!("#---{}{line}", line_end(text))),
        };
        Ok(Splice {
            range: at..at,
            with: as_line(text, at, &line),
        })
    }

    fn included(&self, text: &str) -> Vec<Included> {
        let mut found = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if let Some((path, folder)) = (self.include)(line.trim()) {
                found.push(Included {
                    path: path.trim().trim_matches(['\'', '"']).to_owned(),
                    folder,
                    line: number,
                });
            }
        }
        found
    }
}

impl Editor for LineDialect {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        self.holding(text, address)
    }

    fn replaced(
        &self,
        text: &str,
        address: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        let (_, key) = self.wanted(address)?;
        match (self.adds_up)(&(self.key)(key)) {
            Some(_) => self.with_sum(text, &self.lines_at(text, address)?, value),
            None => self.with_value(text, place, value),
        }
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        self.with_line(text, address, value)
    }

    fn includes(&self, text: &str) -> Vec<Included> {
        self.included(text)
    }
}

/// The words of all lines; one without any begins anew.
fn sum(lines: &[Entry<'_>]) -> String {
    let mut words = Vec::new();
    for line in lines {
        match line.value.is_empty() {
            true => words.clear(),
            false => words.extend(line.value.split_whitespace()),
        }
    }
    words.join(" ")
}

/// The name of `[section]`, a comment behind it left out.
fn header(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    Some(name.trim())
}
