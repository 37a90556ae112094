//! What an interpreter runs: the name of a file or module, no more of its command line.

use super::{Pid, file};

/// Interpreters, by how their programs' names begin.
const INTERPRETERS: [&str; 8] = [
    "python", "perl", "ruby", "node", "php", "bash", "sh", "java",
];
/// Longer names are cut.
const MAX_BYTES: usize = 64;

/// The script that a process runs; none of programs that are no interpreters.
pub(crate) fn of(pid: Pid) -> Option<String> {
    let text = file::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<&str> = text.trim_end_matches('\0').split('\0').collect();
    named(&words)
}

/// The same of a command line.
fn named(words: &[&str]) -> Option<String> {
    let (program, mut rest) = words.split_first()?;
    let program = base(program);
    let known = INTERPRETERS
        .iter()
        .find(|known| program.starts_with(*known))?;
    while let Some((word, more)) = rest.split_first() {
        rest = more;
        match *word {
            // Code on the command line has no name.
            "-c" | "-e" | "-r" | "--eval" => return None,
            "-m" | "-jar" => return rest.first().and_then(|name| clean(base(name))),
            // Options of these that have a value behind them.
            "-cp" | "-classpath" | "--class-path" | "-W" | "-X" | "-I" => {
                rest = rest.get(1..)?;
            }
            word if word.starts_with('-') => {}
            // A class with its package.
            word if *known == "java" => return clean(word),
            word => return clean(base(word)),
        }
    }
    None
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A name of letters, digits and what files are called with; else it may be anything.
fn clean(name: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '$');
    let short: String = name.chars().take(MAX_BYTES).collect();
    (!short.is_empty() && short.chars().all(fits)).then_some(short)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn scripts_modules_and_classes_are_named_and_nothing_else_of_a_command_line() {
        let named = |line: &str| super::named(&line.split(' ').collect::<Vec<_>>());
        let is =
            |line: &str, wanted: &str| assert_eq!(named(line).as_deref(), Some(wanted), "{line}");
        is(
            "/usr/bin/python3 -u /opt/geo/tile_builder.py --token=secret",
            "tile_builder.py",
        );
        is("python3.11 -W ignore -m http.server 8000", "http.server");
        is(
            "java -Xmx1g -cp a.jar:b.jar shop.Main password",
            "shop.Main",
        );
        is("java -jar /srv/shop.jar", "shop.jar");
        is("node server.js", "server.js");
        for none in [
            "nginx -g daemon",
            "python3 -c import",
            "perl",
            "python3 se=cret",
            "-bash",
        ] {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn a_process_of_an_interpreter_is_named_by_its_script() {
        let mut child = std::process::Command::new("sh")
            .args(["-s", "plimsoll-script-test.sh"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Whoever started it goes on a moment before its command line can be read.
        let script = (0..500).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            of(child.id())
        });
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(script.as_deref(), Some("plimsoll-script-test.sh"));
    }
}
