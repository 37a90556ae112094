//! Command lines: options whose value is a secret or a login, in a list of arguments or in text.

use crate::headers::is_open;
use crate::names::is_secret;
use crate::spans::SpanSink;

/// Options whose value is `user:password`.
const LOGINS: &[&str] = &[
    "-u",
    "-U",
    "--user",
    "--proxy-user",
    "--auth",
    "--login",
    "--basic",
    "--userpwd",
    "--http-user",
    "--username",
    "--account",
];

/// An option of one program, and whether its value may follow it without a space.
type Rule = (&'static str, bool);

/// Programs with short options for secrets.
const PROGRAMS: &[(&str, &[Rule])] = &[
    ("mysql", &[("-p", true)]),
    ("mysqldump", &[("-p", true)]),
    ("mysqladmin", &[("-p", true)]),
    ("mysqlimport", &[("-p", true)]),
    ("mysqlslap", &[("-p", true)]),
    ("mysqlcheck", &[("-p", true)]),
    ("mysqlpump", &[("-p", true)]),
    ("mysqlsh", &[("-p", true)]),
    ("mariadb", &[("-p", true)]),
    ("mariadb-dump", &[("-p", true)]),
    ("mariadb-admin", &[("-p", true)]),
    ("mysqld", &[("-p", true)]),
    ("sshpass", &[("-p", true)]),
    ("redis-cli", &[("-a", false)]),
    ("redis-benchmark", &[("-a", false)]),
    ("mongo", &[("-p", false)]),
    ("mongosh", &[("-p", false)]),
    ("mongodump", &[("-p", false)]),
    ("mongorestore", &[("-p", false)]),
    ("mosquitto_pub", &[("-P", false)]),
    ("mosquitto_sub", &[("-P", false)]),
    ("ldapsearch", &[("-w", true)]),
    ("ldapmodify", &[("-w", true)]),
    ("ldapadd", &[("-w", true)]),
    ("sqlcmd", &[("-P", true)]),
    ("bcp", &[("-P", true)]),
    ("isql", &[("-P", true)]),
    ("tsql", &[("-P", true)]),
    ("cqlsh", &[("-p", false)]),
    ("docker", &[("-p", false)]),
    ("podman", &[("-p", false)]),
    ("zip", &[("-P", false)]),
    ("unzip", &[("-P", false)]),
    ("7z", &[("-p", true)]),
    ("7za", &[("-p", true)]),
    ("ipmitool", &[("-P", false)]),
    ("curl", &[("-b", false)]),
    ("http", &[("-a", false)]),
    ("snmpwalk", &[("-A", false), ("-X", false)]),
    ("rabbitmqadmin", &[("-p", false)]),
    ("influx", &[("-t", false)]),
    ("az", &[("-p", false)]),
    ("kcadm.sh", &[("-p", false)]),
    ("ab", &[("-A", false), ("-C", false)]),
];

/// What the next argument is.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum NextArgument {
    #[default]
    Anything,
    Secret,
    Login,
}

/// Reads arguments one by one.
#[derive(Default)]
pub(crate) struct OptionWords {
    rules: &'static [Rule],
    program: &'static str,
    next: NextArgument,
}

impl OptionWords {
    /// Where the secret begins that an argument ends with.
    pub(crate) fn secret_from(&mut self, word: &[u8]) -> Option<usize> {
        let is_option = matches!(word, [b'-', b'-', _, ..] | [b'-', _]);
        match std::mem::take(&mut self.next) {
            NextArgument::Secret if !is_option => return (!is_open(word)).then_some(0),
            NextArgument::Login if !is_option => return login(word),
            _ => {}
        }
        if word.first() != Some(&b'-') || word.last() == Some(&b':') {
            self.starts(word);
            return None;
        }
        let Ok(word) = std::str::from_utf8(word) else {
            return None;
        };
        if let Some((name, value)) = word.split_once('=') {
            let from = name.len() + 1;
            if is_secret(name) {
                return (!is_open(value.as_bytes())).then_some(from);
            }
            return LOGINS
                .contains(&name)
                .then(|| login(value.as_bytes()))
                .flatten()
                .map(|at| from + at);
        }
        for (option, joined) in self.rules {
            if word == *option {
                self.next = match (self.program, *option) {
                    // `docker run -p 80:80`; with a space mysql asks.
                    ("docker" | "podman", _) => NextArgument::Anything,
                    (program, _)
                        if program.starts_with("mysql") || program.starts_with("maria") =>
                    {
                        NextArgument::Anything
                    }
                    ("http" | "ab", _) => NextArgument::Login,
                    _ => NextArgument::Secret,
                };
                return None;
            }
            if *joined && word.starts_with(option) {
                return Some(option.len());
            }
        }
        if let Some(rest) = word.strip_prefix("-u").filter(|_| self.program == "curl") {
            self.next = if rest.is_empty() {
                NextArgument::Login
            } else {
                NextArgument::Anything
            };
            return login(rest.as_bytes()).map(|at| at + 2);
        }
        self.next = match word {
            _ if LOGINS.contains(&word) => NextArgument::Login,
            // `-Dtoken` is followed by another option.
            _ if is_secret(word) && !is_definition(word) => NextArgument::Secret,
            _ => NextArgument::Anything,
        };
        None
    }

    /// Takes note of a program that is called.
    fn starts(&mut self, word: &[u8]) {
        let name = word.rsplit(|c| *c == b'/').next().unwrap_or_default();
        let found = PROGRAMS
            .iter()
            .find(|(program, _)| program.as_bytes() == name);
        if let Some((program, rules)) = found {
            self.program = program;
            self.rules = rules;
        } else if self.program == "docker" && name == b"login" {
            self.program = "docker-login";
        }
    }
}

fn is_definition(word: &str) -> bool {
    matches!(word.as_bytes(), [b'-', b'D' | b'J' | b'G', ..])
}

/// Where the password of `user:password` begins.
fn login(word: &[u8]) -> Option<usize> {
    let colon = word.iter().position(|c| *c == b':')?;
    let password = &word[colon + 1..];
    // `1000:1000` is a user and a group; an address is looked at elsewhere.
    let numbers = word.iter().all(|c| c.is_ascii_digit() || *c == b':');
    let open = is_open(password) || password.starts_with(b"//") || word[..colon].contains(&b'/');
    (!numbers && !open).then_some(colon + 1)
}

/// Masks the values of options in a text.
pub(crate) fn find(bytes: &[u8], sink: &mut SpanSink<'_>) {
    if memchr::memchr(b'-', bytes).is_none() {
        return;
    }
    let mut options = OptionWords::default();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => {
                // A list of arguments in YAML goes on.
                let rest = &bytes[at + 1..];
                let blanks = rest.iter().take(64).take_while(|c| **c == b' ').count();
                if !rest[blanks..].starts_with(b"- ") {
                    options = OptionWords::default();
                }
                at += 1;
            }
            byte if byte.is_ascii_whitespace() || matches!(byte, b'[' | b'(' | b',') => at += 1,
            quote @ (b'"' | b'\'') => {
                let rest = &bytes[at + 1..];
                let end = rest.iter().position(|c| *c == quote || *c == b'\n');
                let end = end.map_or(bytes.len(), |end| at + 1 + end);
                // What is quoted may be a command itself.
                if options.next == NextArgument::Anything && bytes[at + 1..end].contains(&b' ') {
                    at += 1;
                    continue;
                }
                hide(&mut options, bytes, at + 1, end, sink);
                at = end + 1;
            }
            _ => {
                let length = word_length(&bytes[at..]);
                // A dash alone begins an item of a list.
                if bytes[at..at + length] != *b"-" {
                    hide(&mut options, bytes, at, at + length, sink);
                }
                at += length;
                // `--password</b>` has its value elsewhere.
                if bytes.get(at).is_some_and(|c| !c.is_ascii_whitespace()) {
                    options.next = NextArgument::Anything;
                }
            }
        }
    }
}

fn hide(options: &mut OptionWords, bytes: &[u8], from: usize, to: usize, sink: &mut SpanSink<'_>) {
    if let Some(secret) = options.secret_from(&bytes[from..to]) {
        sink.hide(from + secret, to);
    }
}

/// The length of a word; quotes in it may hold spaces, as in `--password='a b'`.
fn word_length(text: &[u8]) -> usize {
    let is_option = text[0] == b'-';
    let mut length = 0;
    while let Some(byte) = text.get(length) {
        match byte {
            byte if byte.is_ascii_whitespace() => break,
            b'"' | b'\'' if is_option && length > 0 && text[length - 1] == b'=' => {
                let rest = &text[length + 1..];
                let end = rest.iter().position(|c| c == byte || *c == b'\n');
                length += 1 + end.unwrap_or(rest.len());
            }
            b'"' | b'\'' | b'<' | b'>' => break,
            _ => {}
        }
        length += 1;
    }
    length.clamp(1, text.len())
}
