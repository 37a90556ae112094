//! The page on CI: its files are taken out of it, and their shell lines run as the pipeline would.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::folder;
use crate::http::{HttpServer, Response};

const PAGES: [&str; 2] = [
    include_str!("../../../../docs/ci.md"),
    include_str!("../../../../docs/ci.zh-CN.md"),
];

/// The files of a page by their names.
fn files(page: &str) -> BTreeMap<String, String> {
    let blocks = page.split("\n```").filter_map(|block| {
        let (first, text) = block.split_once('\n')?;
        let (_, name) = first.split_once(" file=")?;
        Some((name.to_owned(), format!("{text}\n")))
    });
    blocks.collect()
}

/// Lines that stand deeper than the one before them, without what they have in common.
fn block<'a>(lines: &mut std::iter::Peekable<std::str::Lines<'a>>, indent: usize) -> String {
    let mut text = String::new();
    let depth = |line: &str| line.len() - line.trim_start().len();
    while let Some(line) = lines.next_if(|line| line.trim().is_empty() || depth(line) > indent) {
        text.push_str(line.trim_start());
        text.push('\n');
    }
    text
}

/// The scripts of a workflow of GitHub's: each `run:`.
fn of_github(file: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = file.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        match line
            .trim_start()
            .trim_start_matches("- ")
            .strip_prefix("run: ")
        {
            Some("|") => scripts.push(block(&mut lines, indent)),
            Some(line) => scripts.push(line.to_owned()),
            None => {}
        }
    }
    scripts
}

/// The lines of a job of GitLab's, which one shell runs.
fn of_gitlab(file: &str) -> Vec<String> {
    let mut lines = file.lines().peekable();
    lines.find(|line| line.trim() == "script:").unwrap();
    let mut script = String::new();
    while let Some(line) = lines.next_if(|line| line.trim_start().starts_with("- ")) {
        let indent = line.len() - line.trim_start().len();
        match line.trim_start().strip_prefix("- ").unwrap() {
            // Folded: one line.
            ">-" => script.push_str(&block(&mut lines, indent).replace('\n', " ")),
            line => script.push_str(line),
        }
        script.push('\n');
    }
    vec![script]
}

/// The scripts of a Jenkinsfile: `sh '''…'''` and `sh '…'`.
fn of_jenkins(file: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut rest = file;
    while let Some((_, after)) = rest.split_once("sh '") {
        let (script, behind) = match after.strip_prefix("''") {
            Some(long) => long.split_once("'''").unwrap(),
            None => after.split_once('\'').unwrap(),
        };
        scripts.push(script.to_owned());
        rest = behind;
    }
    scripts
}

/// Runs scripts in turn, until one fails; gives its exit code.
fn run(dir: &Path, shell: &[&str], scripts: &[String], env: &[(&str, &str)]) -> i32 {
    let program = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for script in scripts {
        let output = Command::new(shell[0])
            .args(&shell[1..])
            .arg(script)
            .current_dir(dir)
            .env("PATH", &path)
            .env("LC_ALL", "C.UTF-8")
            .envs(env.iter().copied())
            .output()
            .unwrap();
        let code = output.status.code().unwrap();
        if code != 0 {
            let told = [output.stdout, output.stderr].concat();
            println!("{script}: {code}\n{}", String::from_utf8_lossy(&told));
            return code;
        }
    }
    0
}

/// A folder with the page's files; the plan's times are short.
fn repository(page: &str) -> (TempDir, BTreeMap<String, String>) {
    let dir = folder();
    let files = files(page);
    for (name, text) in &files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Times of a page's plan, and what a busy machine makes of its goal.
        let text = text
            .replace("duration: 10s", "duration: 2s")
            .replace("p95 < 500 ms", "p95 < 30 s");
        std::fs::write(path, text).unwrap();
    }
    (dir, files)
}

/// A server that takes so many milliseconds.
fn server(ms: u64) -> HttpServer {
    HttpServer::start(move |_| {
        std::thread::sleep(std::time::Duration::from_millis(ms));
        Response::ok("hello")
    })
}

/// What a pipeline does at first, again, and with a target that is slower by far. A busy machine may
/// limit the generator (4): what there is to see is then seen the next time.
fn goes_through(shell: &[&str], scripts: &[String], dir: &Path) {
    let (quick, slow) = (server(200), server(600));
    let summary = dir.join("step-summary.md");
    let summary = summary.to_str().unwrap();
    let run_on = |url: &str| {
        let env = [
            ("TARGET_URL", url),
            ("GITHUB_STEP_SUMMARY", summary),
            ("CI_COMMIT_BRANCH", "main"),
            ("CI_DEFAULT_BRANCH", "main"),
        ];
        for _ in 0..5 {
            for folder in ["runs", "both"] {
                let _ = std::fs::remove_dir_all(dir.join(folder));
            }
            let code = run(dir, shell, scripts, &env);
            if code != 4 {
                return code;
            }
        }
        4
    };
    assert_eq!(run_on(&quick.url()), 0, "the first time");
    assert_eq!(std::fs::read_dir(dir.join("baseline")).unwrap().count(), 5);
    for report in ["junit.xml", "junit-5.xml"] {
        let text = std::fs::read_to_string(dir.join(report)).unwrap();
        assert!(text.contains("<testcase"), "{text}");
    }
    let text = std::fs::read_to_string(dir.join("summary.md")).unwrap();
    assert!(text.starts_with('#') && text.contains("p95"), "{text}");
    let reports = text.lines().filter(|line| line.starts_with("# ")).count();
    assert_eq!(reports, 5, "each run has its report: {text}");
    assert_eq!(run_on(&slow.url()), 1, "a slower target fails the gate");
    let kept = std::fs::read_dir(dir.join("baseline")).unwrap().count();
    assert_eq!(kept, 5, "the last good runs stay");
}

#[test]
fn the_shell_lines_for_github_work() {
    let (dir, files) = repository(PAGES[0]);
    let scripts = of_github(&files[".github/workflows/load.yml"]);
    assert_eq!(scripts.len(), 5, "{scripts:#?}");
    goes_through(&["bash", "-e", "-c"], &scripts, dir.path());
    let summary = std::fs::read_to_string(dir.path().join("step-summary.md")).unwrap();
    assert!(summary.contains("p95"), "{summary}");
}

#[test]
fn the_shell_lines_for_gitlab_work() {
    let (dir, files) = repository(PAGES[0]);
    let scripts = of_gitlab(&files[".gitlab-ci.yml"]);
    goes_through(&["bash", "-eo", "pipefail", "-c"], &scripts, dir.path());
}

#[test]
fn the_shell_lines_for_jenkins_work() {
    let (dir, files) = repository(PAGES[0]);
    let scripts = of_jenkins(&files["Jenkinsfile"]);
    assert_eq!(scripts.len(), 3, "{scripts:#?}");
    goes_through(&["sh", "-e", "-c"], &scripts, dir.path());
}

#[test]
fn both_pages_have_the_same_lines() {
    let [english, chinese] = PAGES.map(files);
    assert_eq!(english.len(), 4);
    let bare = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("- name: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for (name, text) in &english {
        assert_eq!(bare(text), bare(&chinese[name]), "{name}");
    }
}
