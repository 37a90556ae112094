//! Where an nginx has its configuration: by the arguments in its title, and what its program
//! says it was built with. Both are data; nothing is run.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// What nginx takes that was built without saying otherwise.
const PREFIX: &str = "/usr/local/nginx";
const FILE: &str = "conf/nginx.conf";

/// What `nginx -V` prints stands before what it was built with.
const BUILT: &[u8] = b"configure arguments:";

static BUILT_WITH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"--(prefix|conf-path)='?([^\x00-\x20']+)").ok());

/// Where a configuration begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NginxConfigPlace {
    /// An absolute path, as the process sees it.
    pub(crate) file: String,
    /// Named by `-e`, where the configuration names none.
    pub(crate) error_log: Option<String>,
}

impl NginxConfigPlace {
    /// By a master's title, its working folder, and its program's bytes.
    pub(crate) fn of(title: &str, folder: &str, program: &[u8]) -> Self {
        let mut built_prefix = None;
        let mut built_file = None;
        for found in BUILT_WITH
            .iter()
            .flat_map(|regex| regex.captures_iter(built_with(program)))
        {
            let value = String::from_utf8_lossy(&found[2]).into_owned();
            let known = match &found[1] {
                b"prefix" => &mut built_prefix,
                _ => &mut built_file,
            };
            known.get_or_insert(value);
        }
        let arguments = NginxArguments::parse(title);
        let prefix = match arguments.prefix {
            Some(prefix) => full(folder, &prefix),
            None => built_prefix.unwrap_or_else(|| PREFIX.to_owned()),
        };
        let file = arguments.file.or(built_file);
        Self {
            file: full(&prefix, file.as_deref().unwrap_or(FILE)),
            error_log: arguments.error_log.map(|path| full(&prefix, &path)),
        }
    }

    /// Where relative includes are.
    pub(super) fn folder(&self) -> &str {
        self.file.rsplit_once('/').map_or("/", |(folder, _)| folder)
    }
}

/// The arguments of `configure` in a program.
fn built_with(program: &[u8]) -> &[u8] {
    let at = program.windows(BUILT.len()).position(|part| part == BUILT);
    let text = at.map_or(&[][..], |at| &program[at..]);
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A path that may be relative to a folder.
pub(super) fn full(folder: &str, path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct NginxArguments {
    file: Option<String>,
    prefix: Option<String>,
    error_log: Option<String>,
}

impl NginxArguments {
    /// As `ngx_get_options` has them: letters behind a dash, the value with the letter or
    /// after it. In a title a value's own blanks cannot be told from those between arguments,
    /// and so it goes on up to the next dash.
    fn parse(title: &str) -> Self {
        let mut read = Self::default();
        let mut words = title
            .split([' ', '\0'])
            .filter(|word| !word.is_empty())
            .peekable();
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-') else {
                continue;
            };
            let Some(at) = letters.find(['c', 'p', 'e', 'g', 's']) else {
                continue;
            };
            let mut value = letters[at + 1..].to_owned();
            while let Some(more) = words.next_if(|word| !word.starts_with('-')) {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(more);
            }
            let place = match letters.as_bytes()[at] {
                b'c' => &mut read.file,
                b'p' => &mut read.prefix,
                b'e' => &mut read.error_log,
                _ => continue,
            };
            *place = Some(value).filter(|value| !value.is_empty());
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &[u8] = b"--prefix=/none\0\x7fELF\0configure arguments: --with-cc-opt='-g -O2' \
        --prefix=/usr/share/nginx --conf-path=/etc/nginx/nginx.conf --modules-path=/x\0";

    fn place(title: &str, built: &[u8]) -> (String, Option<String>) {
        let place = NginxConfigPlace::of(&format!("nginx: master process {title}"), "/srv", built);
        (place.file, place.error_log)
    }

    #[test]
    fn by_arguments_and_what_it_was_built_with() {
        let at = |path: &str| (path.to_owned(), None);
        for (title, built, expected) in [
            ("nginx", PROGRAM, at("/etc/nginx/nginx.conf")),
            ("nginx", b"", at("/usr/local/nginx/conf/nginx.conf")),
            (
                "/usr/sbin/nginx -g daemon off;",
                PROGRAM,
                at("/etc/nginx/nginx.conf"),
            ),
            ("nginx -p /a -c b.conf", PROGRAM, at("/a/b.conf")),
            ("nginx -p a/ -cb.conf", b"", at("/srv/a/b.conf")),
            ("nginx -p /a", b"", at("/a/conf/nginx.conf")),
            (
                "nginx -qc /my site/nginx.conf -g x;",
                PROGRAM,
                at("/my site/nginx.conf"),
            ),
            ("nginx -c", PROGRAM, at("/etc/nginx/nginx.conf")),
        ] {
            assert_eq!(place(title, built), expected, "{title}");
        }
        let logged = place("nginx -e stderr.log -p /a", PROGRAM);
        assert_eq!(logged.1.as_deref(), Some("/a/stderr.log"));
    }

    #[test]
    fn includes_are_beside_the_file() {
        let place = NginxConfigPlace::of("nginx: master process nginx -c /a/b/n.conf", "/", b"");
        assert_eq!(place.folder(), "/a/b");
    }
}
