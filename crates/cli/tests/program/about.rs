//! Version, help, completions and manual pages, read by the programs that they are for.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::{folder, plimsoll};

fn is_there(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    found.unwrap().status.success()
}

/// The names of all commands, as the help has them.
fn commands(dir: &TempDir) -> Vec<String> {
    let help = plimsoll(dir, &["help"]).out;
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_once("  ").map(|(name, _)| name));
    let named = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase()) && !name.is_empty();
    names.filter(named).map(str::to_owned).collect()
}

#[test]
fn the_version_says_what_was_built() {
    let dir = folder();
    let short = plimsoll(&dir, &["-V"]);
    assert_eq!(
        short.out.trim_end(),
        concat!("plimsoll ", env!("CARGO_PKG_VERSION"))
    );
    for lang in ["en", "zh"] {
        let long = plimsoll(&dir, &["--version", "--lang", lang]);
        assert_eq!(long.code, 0, "{long:?}");
        assert!(long.out.starts_with(short.out.trim_end()), "{long:?}");
        for part in [
            std::env::consts::ARCH,
            "websocket",
            "mysql",
            "5.6.3",
            "junit",
        ] {
            assert!(long.out.contains(part), "{part}: {long:?}");
        }
    }
}

#[test]
fn help_of_a_command_is_its_help() {
    let dir = folder();
    assert_eq!(
        plimsoll(&dir, &["help"]).out,
        plimsoll(&dir, &["--help"]).out
    );
    let names = commands(&dir);
    assert!(names.len() > 20, "{names:?}");
    for name in ["run", "doctor", "help"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        let help = plimsoll(&dir, &["help", name]);
        assert_eq!(
            (help.code, &help.out),
            (0, &plimsoll(&dir, &[name, "--help"]).out)
        );
    }
    let wrong = plimsoll(&dir, &["help", "runn"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(
        wrong.err.contains("runn") && wrong.err.contains("run?"),
        "{wrong:?}"
    );
}

/// What a shell says of a script that it only reads.
fn reads(shell: &str, args: &[&str], script: &str) {
    if !is_there(shell) {
        eprintln!("{shell} is not installed: left out");
        return;
    }
    let mut child = Command::new(shell)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.is_empty(), "{shell}: {err}");
}

#[test]
fn shells_read_their_completions() {
    let dir = folder();
    for lang in ["en", "zh"] {
        for (shell, args) in [
            ("bash", &["-n"][..]),
            ("zsh", &["-n", "-f", "-s"]),
            ("fish", &["--no-execute", "/dev/stdin"]),
        ] {
            let told = plimsoll(&dir, &["completions", shell, "--lang", lang]);
            assert_eq!(told.code, 0, "{told:?}");
            for name in commands(&dir) {
                assert!(told.out.contains(&name), "{shell}: {name}");
            }
            reads(shell, args, &told.out);
        }
    }
    assert_eq!(plimsoll(&dir, &["completions", "csh"]).code, 2);
}

/// What Bash would offer for the last of these words.
fn offered(dir: &TempDir, words: &str) -> Vec<String> {
    let script = plimsoll(dir, &["completions", "bash"]).out;
    let call = "\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _plimsoll plimsoll \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let script = format!("{script}\nCOMP_WORDS=({words}){call}");
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    out.lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_commands_options_and_values() {
    let dir = folder();
    assert_eq!(offered(&dir, "plimsoll doc"), ["doctor"]);
    assert!(offered(&dir, "plimsoll run --rep").contains(&"--report".to_owned()));
    let shells = offered(&dir, "plimsoll completions ''");
    for shell in ["bash", "zsh", "fish"] {
        assert!(shells.contains(&shell.to_owned()), "{shells:?}");
    }
}

/// Formats a page; what the program says of it.
fn complaints(program: &str, args: &[&str], page: &str) -> String {
    let mut child = Command::new(program)
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let page = page.to_owned();
    let writes = std::thread::spawn(move || stdin.write_all(page.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writes.join().unwrap().unwrap();
    assert!(!output.stdout.is_empty(), "{program} shows nothing");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What `man` shows of a page where it has been installed: it chooses rules by the folder's language.
fn as_man_shows(folder: &Path, lang: &str, page: &str, text: &str) -> String {
    let place = match lang {
        "zh" => "zh_CN/man1",
        _ => "man1",
    };
    let place = folder.join(place);
    std::fs::create_dir_all(&place).unwrap();
    let path = place.join(format!("{page}.1"));
    std::fs::write(&path, text).unwrap();
    let shown = Command::new("timeout")
        .args(["60", "man", "-l"])
        .arg(&path)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(shown.status.success(), "{page} in {lang}: {shown:?}");
    String::from_utf8_lossy(&shown.stdout).into_owned()
}

#[test]
fn manual_pages_are_right_and_have_every_option() {
    let dir = folder();
    for lang in ["en", "zh"] {
        let told = plimsoll(&dir, &["man", "-o", lang, "--lang", lang]);
        assert_eq!(told.code, 0, "{told:?}");
        let names = commands(&dir);
        let mut pages = vec![("plimsoll".to_owned(), "--help".to_owned())];
        pages.extend(
            names
                .iter()
                .map(|name| (format!("plimsoll-{name}"), name.clone())),
        );
        for (page, command) in pages {
            let path = dir.path().join(lang).join(format!("{page}.1"));
            let text = std::fs::read_to_string(path).unwrap();
            let help = plimsoll(&dir, &[&command, "--help", "--lang", lang]).out;
            let options = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            let plain = text.replace("\\-", "-");
            for option in options.filter(|word| word.starts_with("--") && word.len() > 2) {
                assert!(plain.contains(option), "{page}: {option}");
            }
            if is_there("groff") {
                let said = complaints("groff", &["-man", "-Tutf8", "-ww", "-K", "utf8"], &text);
                // A long word in a narrow column is the language's, not the page's.
                let said = said
                    .lines()
                    .filter(|line| !line.contains("can't break line"));
                assert_eq!(said.collect::<Vec<_>>().join("\n"), "", "{page}");
            }
            if is_there("man") {
                let shown = as_man_shows(dir.path(), lang, &page, &text);
                let name = page.replace('-', "");
                assert!(
                    shown.replace(['-', '‐', '−'], "").contains(&name),
                    "{page}: {shown}"
                );
            }
            if is_there("mandoc") {
                let said = complaints("mandoc", &["-Tutf8", "-W", "error"], &text);
                assert_eq!(said, "", "{page}");
            }
        }
        assert_eq!(
            plimsoll(&dir, &["man", "run", "--lang", lang]).out,
            std::fs::read_to_string(dir.path().join(lang).join("plimsoll-run.1")).unwrap()
        );
    }
    assert_eq!(plimsoll(&dir, &["man", "nothing"]).code, 2);
}
