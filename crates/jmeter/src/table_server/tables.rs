//! The lists that the Simple Table Server keeps, and its commands (jmeter-plugins-table-server 5.0,
//! `HttpSimpleTableServer`).

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::path::PathBuf;

use encoding_rs::Encoding;
use plimsoll_access::Access;
use plimsoll_elements::JavaRandom;
use plimsoll_elements::pattern::{Dialect, Pattern};
use plimsoll_plan::limits::{DATA_BYTES, read_file};

use crate::java_map::in_map_order;

/// Longest name of a list, as the plugin's.
const LONGEST_NAME: usize = 128;

/// What the server is told by properties.
#[derive(Debug, Clone)]
pub(super) struct TableSettings {
    /// Where lists are read from and saved to.
    pub folder: PathBuf,
    /// Whether saved files have the time in their names.
    pub timestamp: bool,
    pub read_encoding: String,
    pub write_encoding: String,
    pub response_encoding: String,
    pub port: u16,
    /// Files that are read before the first request: names with commas, or one pattern.
    pub first_files: String,
    pub first_is_pattern: bool,
}

/// The lists.
pub(super) struct Tables {
    settings: TableSettings,
    access: Access,
    /// In the order in which they came: Java's maps show it where hashes are equal.
    lists: Vec<(String, VecDeque<String>)>,
    chance: JavaRandom,
}

/// What a request gives along.
pub(super) type Params = HashMap<String, String>;

/// A page with this title.
fn page(title: &str, body: &str) -> String {
    format!("<html><title>{title}</title>\n<body>{body}</body>\n</html>")
}

/// What is wrong with a request.
type Wrong = String;

impl Tables {
    pub(super) fn new(settings: TableSettings, access: Access, seed: i64) -> Self {
        Self {
            settings,
            access,
            lists: Vec::new(),
            chance: JavaRandom::new(seed),
        }
    }

    /// Reads the files that the properties name.
    pub(super) fn read_first(&mut self) {
        let given = self.settings.first_files.clone();
        if given.is_empty() {
            return;
        }
        let names: Vec<String> = match self.settings.first_is_pattern {
            false => given
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect(),
            true => self.files_like(&given),
        };
        for name in names {
            // A file that is not there is told to whoever asks for its lines, as in JMeter.
            let _ = self.load(&name);
        }
    }

    fn files_like(&self, pattern: &str) -> Vec<String> {
        let Ok(pattern) = whole_pattern(pattern) else {
            return Vec::new();
        };
        let listed = self.access.list(&self.settings.folder).unwrap_or_default();
        let names = listed.into_iter().filter(|(_, is_folder)| !is_folder);
        let names = names.filter_map(|(name, _)| name.into_string().ok());
        let mut names: Vec<String> = names.filter(|name| pattern.matches(name)).collect();
        names.sort();
        names
    }

    /// The page of a command; none of one that is not known.
    pub(super) fn command(&mut self, name: &str, params: &Params) -> Option<String> {
        let done = match name {
            "INITFILE" => file_name(params).and_then(|file| self.load(file)),
            "READ" => self.read(params),
            "READMULTI" => self.read_many(params),
            "FIND" => self.find(params),
            "ADD" => self.add(params),
            "LENGTH" => self.length(params),
            "SAVE" => self.save(params),
            "RESET" => self.reset(params),
            "STATUS" => return Some(self.status()),
            "CONFIG" => return Some(self.config()),
            _ => return None,
        };
        Some(match done {
            Ok(body) => page("OK", &body),
            Err(wrong) => page("KO", &format!("Error : {wrong}")),
        })
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.lists.iter().position(|(known, _)| known == name)
    }

    fn list(&mut self, name: &str) -> Result<&mut VecDeque<String>, Wrong> {
        match self.at(name) {
            Some(at) => Ok(&mut self.lists[at].1),
            None => Err(format!("{name} not loaded yet !")),
        }
    }

    /// A list that has lines.
    fn lines(&mut self, params: &Params) -> Result<&mut VecDeque<String>, Wrong> {
        let name = file_name(params)?;
        let list = self.list(name)?;
        match list.is_empty() {
            true => Err("No more line !".to_owned()),
            false => Ok(list),
        }
    }

    fn put(&mut self, name: &str, list: VecDeque<String>) {
        match self.at(name) {
            Some(at) => self.lists[at].1 = list,
            None => self.lists.push((name.to_owned(), list)),
        }
    }

    fn load(&mut self, name: &str) -> Result<String, Wrong> {
        is_plain(name)?;
        let path = self.settings.folder.join(name);
        if !self.access.exists(&path) {
            return Err("file not found !".to_owned());
        }
        let encoding = known_encoding(&self.settings.read_encoding)?;
        let read = read_file(self.access.open(&path), DATA_BYTES);
        let bytes = read.map_err(|error| io::Error::from(error).to_string())?;
        let text = encoding.decode_without_bom_handling(&bytes).0;
        let list: VecDeque<String> = java_lines(&text).map(str::to_owned).collect();
        let count = list.len();
        self.put(name, list);
        Ok(count.to_string())
    }

    fn read(&mut self, params: &Params) -> Result<String, Wrong> {
        self.lines(params)?;
        let (mode, keeps) = (ReadMode::of(params)?, keeps(params, "KEEP value has")?);
        let line = self.take(params, mode)?;
        if keeps {
            self.lines_or_none(params)?.push_back(line.clone());
        }
        Ok(line)
    }

    fn lines_or_none(&mut self, params: &Params) -> Result<&mut VecDeque<String>, Wrong> {
        let name = file_name(params)?;
        self.list(name)
    }

    fn take(&mut self, params: &Params, mode: ReadMode) -> Result<String, Wrong> {
        let length = self.lines(params)?.len();
        let at = match mode {
            ReadMode::First => 0,
            ReadMode::Last => length - 1,
            ReadMode::Random => drawn(self.chance.unit(), length),
        };
        let line = self.lines(params)?.remove(at);
        line.ok_or_else(|| "No more line !".to_owned())
    }

    fn read_many(&mut self, params: &Params) -> Result<String, Wrong> {
        let length = self.lines(params)?.len();
        let (mode, keeps) = (ReadMode::of(params)?, keeps(params, "KEEP value has")?);
        let given = params.get("NB_LINES").map_or("null", String::as_str);
        let Ok(count) = given.parse::<i32>() else {
            return Err(format!(
                "Can't parse integer parameter NB_LINES : {given} !"
            ));
        };
        if count <= 0 {
            return Err(format!(
                "Parameter NB_LINES must be greater or equals than 1 : {given} !"
            ));
        }
        if usize::try_from(count).is_ok_and(|count| count > length) {
            return Err(format!(
                "Number lines to read greater than file size, {count} greater than {length} !"
            ));
        }
        let taken = (0..count).map(|_| self.take(params, mode));
        let taken = taken.collect::<Result<Vec<String>, Wrong>>()?;
        let shown: String = taken.iter().map(|line| format!("{line}<br />\n")).collect();
        if keeps {
            self.lines_or_none(params)?.extend(taken);
        }
        Ok(format!("\n{shown}"))
    }

    fn find(&mut self, params: &Params) -> Result<String, Wrong> {
        self.lines(params)?;
        let wanted = params.get("LINE").filter(|line| !line.is_empty());
        let wanted = wanted.ok_or("Cant't find empty line !")?;
        let mode = params.get("FIND_MODE").map_or("SUBSTRING", String::as_str);
        let known = ["SUBSTRING", "REGEX_FIND", "EQUALS", "REGEX_MATCH"];
        if !known.contains(&mode) {
            return Err(
                "FIND_MODE value has to be EQUALS, SUBSTRING, REGEX_FIND or REGEX_MATCH !"
                    .to_owned(),
            );
        }
        let keeps = keeps(params, "KEEP has")?;
        let pattern = match mode {
            "REGEX_FIND" => Some(Pattern::new(wanted, Dialect::Java)),
            "REGEX_MATCH" => Some(whole_pattern(wanted)),
            _ => None,
        };
        let pattern = pattern.transpose().map_err(|_| "Regex compile error !")?;
        let fits = |line: &String| match (&pattern, mode) {
            (Some(pattern), "REGEX_FIND") => pattern.is_in(line),
            (Some(pattern), _) => pattern.matches(line),
            (None, "EQUALS") => line == wanted,
            (None, _) => line.contains(wanted.as_str()),
        };
        let list = self.lines(params)?;
        let found = list.iter().position(fits);
        let line = found.and_then(|at| list.remove(at)).ok_or("Not find !")?;
        if keeps {
            list.push_back(line.clone());
        }
        Ok(line)
    }

    fn add(&mut self, params: &Params) -> Result<String, Wrong> {
        let name = file_name(params)?;
        let line = params.get("LINE").ok_or("LINE parameter was missing !")?;
        if self.at(name).is_none() {
            self.put(name, VecDeque::new());
        }
        let list = self.list(name)?;
        let is_first = match params.get("ADD_MODE").map_or("FIRST", String::as_str) {
            "FIRST" => true,
            "LAST" => false,
            _ => return Err("ADD_MODE value has to be FIRST or LAST !".to_owned()),
        };
        let unique = flag(params, "UNIQUE", false);
        if unique.ok_or("UNIQUE value has to be TRUE or FALSE !")? && list.contains(line) {
            return Err("ENTRY already exists !".to_owned());
        }
        match is_first {
            true => list.push_front(line.clone()),
            false => list.push_back(line.clone()),
        }
        Ok(String::new())
    }

    fn length(&mut self, params: &Params) -> Result<String, Wrong> {
        Ok(self.lines_or_none(params)?.len().to_string())
    }

    fn reset(&mut self, params: &Params) -> Result<String, Wrong> {
        // One that is not there is no mistake.
        if let Some(at) = self.at(file_name(params)?) {
            self.lists[at].1.clear();
        }
        Ok(String::new())
    }

    fn save(&mut self, params: &Params) -> Result<String, Wrong> {
        let name = file_name(params)?;
        is_plain(name)?;
        let at = self.at(name).ok_or("LinkedList not found !")?;
        let said = params.get("ADD_TIMESTAMP");
        let stamped = said.map_or(self.settings.timestamp, |text| {
            text.eq_ignore_ascii_case("true")
        });
        let stamp = match stamped {
            true => jiff::Zoned::now().strftime("%Y%m%dT%Hh%Mm%Ss.").to_string(),
            false => String::new(),
        };
        let encoding = known_encoding(&self.settings.write_encoding)?;
        let path = self.settings.folder.join(format!("{stamp}{name}"));
        let list = &self.lists[at].1;
        let write = || -> io::Result<()> {
            let mut file = io::BufWriter::new(self.access.create(&path)?);
            for line in list {
                file.write_all(&encoded(line, encoding))?;
                file.write_all(b"\n")?;
            }
            file.flush()
        };
        write().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(list.len().to_string())
    }

    fn status(&self) -> String {
        if self.lists.is_empty() {
            return page("KO", "Error : Database was empty !");
        }
        let lists = in_map_order(self.lists.iter().collect(), |(name, _)| name.as_str());
        let lines = lists.iter();
        let lines = lines.map(|(name, list)| format!("{name} = {}<br />\n", list.len()));
        let shown: String = lines.collect();
        format!("<html><title>OK</title>\n<body>\n{shown}</body></html>")
    }

    fn config(&self) -> String {
        let it = &self.settings;
        let folder = it.folder.display();
        let shown = [
            "loadAndRunOnStartup=true".to_owned(),
            format!("port={}", it.port),
            format!("datasetDirectory={folder}"),
            format!("addTimestamp={}", it.timestamp),
            format!("charsetEncodingHttpResponse={}", it.response_encoding),
            format!("charsetEncodingReadFile={}", it.read_encoding),
            format!("charsetEncodingWriteFile={}", it.write_encoding),
            format!("initFileAtStartup={}", it.first_files),
            format!("initFileAtStartupRegex={}", it.first_is_pattern),
        ];
        let shown = shown.iter();
        let shown: String = shown
            .map(|line| format!("jmeterPlugin.sts.{line}<br />\n"))
            .collect();
        let empty = self.lists.is_empty();
        format!(
            "<html><title>OK</title>\n<body>\n{shown}databaseIsEmpty={empty}<br />\n</body></html>"
        )
    }
}

/// Which line is read.
#[derive(Debug, Clone, Copy)]
enum ReadMode {
    First,
    Last,
    Random,
}

impl ReadMode {
    fn of(params: &Params) -> Result<Self, Wrong> {
        match params.get("READ_MODE").map_or("FIRST", String::as_str) {
            "FIRST" => Ok(Self::First),
            "LAST" => Ok(Self::Last),
            "RANDOM" => Ok(Self::Random),
            _ => Err("READ_MODE value has to be FIRST, LAST or RANDOM !".to_owned()),
        }
    }
}

fn file_name(params: &Params) -> Result<&str, Wrong> {
    let name = params.get("FILENAME").map(String::as_str);
    name.ok_or_else(|| "FILENAME parameter was missing !".to_owned())
}

/// Whether a line that was read stays, at the end.
fn keeps(params: &Params, begin: &str) -> Result<bool, Wrong> {
    flag(params, "KEEP", true).ok_or_else(|| format!("{begin} to be TRUE or FALSE !"))
}

fn flag(params: &Params, name: &str, default: bool) -> Option<bool> {
    match params.get(name).map(String::as_str) {
        None => Some(default),
        Some("TRUE") => Some(true),
        Some("FALSE") => Some(false),
        Some(_) => None,
    }
}

/// Lists lie in the server's folder and nowhere else.
fn is_plain(name: &str) -> Result<(), Wrong> {
    if name.contains(['\\', '/', ':', '\0']) || name == "." || name == ".." {
        return Err("Illegal character found !".to_owned());
    }
    match name.encode_utf16().count() > LONGEST_NAME {
        true => Err(format!("Maximum size reached ({LONGEST_NAME}) !")),
        false => Ok(()),
    }
}

/// Lines as Java reads them: each of the three ends counts, and the last line may lack one.
fn java_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let ends = ["\r\n", "\n", "\r"];
        let after = ends.iter().find_map(|end| after.strip_prefix(end));
        rest = after.unwrap_or_default();
        Some(line)
    })
}

/// A pattern that stands for all of a text, as Java's `matches` has it: of several ways one that reaches the end.
fn whole_pattern(text: &str) -> Result<Pattern, String> {
    // What is no pattern alone shall not become one by the brackets.
    Pattern::new(text, Dialect::Java)?;
    Pattern::new(&format!("(?:{text})\\z"), Dialect::Java)
}

/// A place below `length` of a number in [0, 1).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)] // Lists are short of 2^53 lines.
fn drawn(chance: f64, length: usize) -> usize {
    ((chance * length as f64) as usize).min(length - 1)
}

fn known_encoding(name: &str) -> Result<&'static Encoding, Wrong> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| name.to_owned())
}

/// What the encoding cannot say is `?`, as in Java.
fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    let (bytes, _, lossy) = encoding.encode(text);
    if !lossy {
        return bytes.into_owned();
    }
    let one = |c: char| {
        let mut buffer = [0; 4];
        let (bytes, _, lossy) = encoding.encode(c.encode_utf8(&mut buffer));
        match lossy {
            true => vec![b'?'],
            false => bytes.into_owned(),
        }
    };
    text.chars().flat_map(one).collect()
}
