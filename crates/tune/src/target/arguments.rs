//! Arguments of a start command: one of a knob takes the place of one like it, or is added.

use plimsoll_knobs::formats::command::java_at;

/// The words of an argument's template, such as `-Xmx{}m` or `--threads {}`, with a value.
fn filled(template: &str, value: &str) -> Vec<String> {
    let words = template.split_whitespace();
    words.map(|word| word.replace("{}", value)).collect()
}

/// Whether a word is one of a template's, whatever its value.
fn fits(template: &str, word: &str) -> bool {
    match template.split_once("{}") {
        Some(("", "")) => !word.starts_with('-'),
        Some((before, after)) => {
            let rest = word.strip_prefix(before);
            // A number is one whatever its unit.
            let number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
            rest.is_some_and(|rest| rest.ends_with(after) || number(rest))
        }
        None => template == word,
    }
}

/// Where in a command the words of a template stand; the last of several counts, as it does for most programs.
fn place(command: &[String], template: &[&str]) -> Option<usize> {
    let mut windows = command.windows(template.len().max(1)).enumerate().skip(1);
    let fits_all = |window: &[String]| window.iter().zip(template).all(|(w, t)| fits(t, w));
    let mut last = None;
    for (at, window) in windows.by_ref() {
        if fits_all(window) {
            last = Some(at);
        }
    }
    last
}

/// The value of a template in a command.
#[must_use]
pub fn value_in(command: &[String], template: &str) -> Option<String> {
    let words: Vec<&str> = template.split_whitespace().collect();
    let at = place(command, &words)?;
    let pairs = words.iter().zip(&command[at..]);
    pairs.into_iter().find_map(|(template, word)| {
        let (before, after) = template.split_once("{}")?;
        let value = word.strip_prefix(before)?.strip_suffix(after)?;
        Some(value.to_owned())
    })
}

/// Puts an argument with a value into a command.
pub fn put(command: &mut Vec<String>, template: &str, value: &str) {
    let words: Vec<&str> = template.split_whitespace().collect();
    let new = filled(template, value);
    match place(command, &words) {
        Some(at) => {
            command.splice(at..at + words.len(), new);
        }
        // What is for Java itself stands before the class or the file.
        None if words.first().is_some_and(|word| is_of_java(word)) => {
            let at = java_at(command).unwrap_or_default() + 1;
            command.splice(at..at, new);
        }
        None => command.extend(new),
    }
}

fn is_of_java(word: &str) -> bool {
    word.starts_with("-X") || word.starts_with("-D") || word.starts_with("--add-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_into(command: &str, template: &str, value: &str) -> String {
        let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        put(&mut words, template, value);
        assert_eq!(
            value_in(&words, template).as_deref(),
            Some(value),
            "{words:?}"
        );
        words.join(" ")
    }

    #[test]
    fn an_argument_takes_the_place_of_one_like_it() {
        for (command, template, value, wanted) in [
            (
                "java -Xmx1g -jar a.jar",
                "-Xmx{}m",
                "512",
                "java -Xmx512m -jar a.jar",
            ),
            (
                "java -Xmx100m -jar a.jar",
                "-Xmx{}m",
                "512",
                "java -Xmx512m -jar a.jar",
            ),
            (
                "java -XX:+UseSerialGC A",
                "-XX:+Use{}GC",
                "G1",
                "java -XX:+UseG1GC A",
            ),
            ("java -jar a.jar", "-Dx={}", "3", "java -Dx=3 -jar a.jar"),
            (
                "nice -n 1 /usr/bin/java A",
                "-Xmx{}m",
                "64",
                "nice -n 1 /usr/bin/java -Xmx64m A",
            ),
            (
                "java -jar a.jar",
                "--server.port={}",
                "3",
                "java -jar a.jar --server.port=3",
            ),
            (
                "serve --threads 4 -v",
                "--threads {}",
                "8",
                "serve --threads 8 -v",
            ),
            ("serve -v", "--threads {}", "8", "serve -v --threads 8"),
        ] {
            assert_eq!(put_into(command, template, value), wanted);
        }
    }
}
