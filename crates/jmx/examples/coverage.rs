//! How many of the plans below a folder run, and what they lack: `make jmeter-coverage DIR=…`.

use std::path::Path;
use std::process::ExitCode;

use plimsoll_jmx::coverage::{Coverage, FileOutcome, coverage};
use plimsoll_jmx::support::RunsIn;
use plimsoll_text::{Lang, render};

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1).filter(|folder| !folder.is_empty()) else {
        eprintln!("Name the folder: make jmeter-coverage DIR=FOLDER");
        return ExitCode::from(2);
    };
    match coverage(Path::new(&folder)) {
        Ok(found) => {
            tell(&found);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{folder} cannot be read: {error}");
            ExitCode::from(2)
        }
    }
}

fn tell(found: &Coverage) {
    for file in &found.files {
        let said = match &file.outcome {
            FileOutcome::Unreadable(error) => format!("cannot be read: {error}"),
            FileOutcome::NotParsed(problem) => {
                format!("no plan: {}", render(Lang::En, &problem.message))
            }
            FileOutcome::Parsed {
                elements, place, ..
            } => {
                format!("{elements} elements, {}", in_words(*place))
            }
        };
        println!("{}: {said}", file.path.display());
    }
    for folder in &found.skipped {
        println!("{}: cannot be listed", folder.display());
    }
    println!(
        "\n{} files, {} are plans:",
        found.files.len(),
        found.parsed()
    );
    for place in [RunsIn::Native, RunsIn::Companion, RunsIn::Unsupported] {
        println!("  {:4} {}", found.with(place), in_words(place));
    }
    let missing = found.missing();
    if !missing.is_empty() {
        println!("\nWhat is missing, in how many files:");
    }
    for one in missing {
        println!("  {:4} {}", one.files, one.class);
    }
}

fn in_words(place: RunsIn) -> &'static str {
    match place {
        RunsIn::Native => "run natively",
        RunsIn::Companion => "run with the JVM companion",
        RunsIn::Unsupported => "hold what is not supported",
    }
}
