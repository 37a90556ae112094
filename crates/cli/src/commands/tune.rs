//! `plimsoll tune`: settings are changed, read back and measured again; what helps is kept.

use std::cell::Cell;
use std::io::{BufRead as _, IsTerminal as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use plimsoll_plan::study::Study;
use plimsoll_report::AcceptanceForm;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{Interrupt, Listener, Quiet, ReadyPlan, RejectedPlan};
use plimsoll_text::{Lang, Message, render};
use plimsoll_tune::engine::Record;
use plimsoll_tune::given_file::why_no_file;
use plimsoll_tune::outcome::StudyResult;
use plimsoll_tune::shown;
use plimsoll_tune::study::{self, StudyError, StudyRequest};
use plimsoll_tune::target::{
    Fragment, Load, Prepared, Restored, Watched, left_beside, of_start, options_in_vain,
    start_study_name, state_folder, studies, together,
};
use plimsoll_tune::told::{self, write_story};

use crate::args::TuneArgs;
use crate::ended::EndedBy;
use crate::interrupt::{INTERRUPTED, interrupt_by_signals, too_large_is_an_error};
use crate::outputs::all_writable;
use crate::say::{err, harmless, out};
use crate::tell::{BAD_USE, progress, say};
use crate::{kept, problems};

/// How often it is looked whether the study is to end while a change waits for a yes.
const LOOK: Duration = Duration::from_millis(50);
/// Nothing could be measured.
const NO_BASELINE: u8 = 1;
/// Nothing could be judged: the budget ended before, or nothing with changed settings could be tried or measured.
const NOT_JUDGED: u8 = 5;

/// Runs `plimsoll tune`; gives the exit code: 0 with a result, 1 if the target as it was found could not be
/// measured, 2 for bad use and what could not be done, 5 if nothing could be judged, 130 when
/// interrupted.
#[must_use]
pub fn run(args: &TuneArgs, lang: Lang) -> u8 {
    too_large_is_an_error();
    let made = match &args.knobs {
        Some(family) => listed(family, args.json, lang),
        None if args.restore => bring_back(args, lang),
        None if args.show.is_some() => shown(args, lang),
        None => tuned(args, lang),
    };
    made.unwrap_or_else(|ended| ended.exit(lang))
}

impl From<StudyError> for EndedBy {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Rejected(rejected) => Self::Rejected(rejected),
            StudyError::Failed(message) | StudyError::Left(_, message) => message.into(),
        }
    }
}

fn tuned(args: &TuneArgs, lang: Lang) -> Result<u8, EndedBy> {
    let file = args.study.as_deref().unwrap_or(Path::new(""));
    if args.approve && !args.dry_run && nobody_confirms() {
        return Err(Message::new("tune-approve-nobody").into());
    }
    let is_url = file.starts_with("http:") || file.starts_with("https:");
    if args.start.is_none() && is_url {
        let message = Message::new("tune-url-without-start");
        return Err(message.with("url", file.display().to_string()).into());
    }
    let mut prepared = match &args.start {
        Some(start) => {
            of_start(&file.to_string_lossy(), start, &args.watch).map_err(EndedBy::Rejected)?
        }
        None => {
            let (prepared, warnings, text) = study::read(file).map_err(EndedBy::Rejected)?;
            problems::print(&warnings, &text, lang);
            prepared
        }
    };
    take_options(&mut prepared.study, args)?;
    if let Some(message) = plimsoll_tune::engine::too_few_trials(prepared.study.trials) {
        say(&message, lang);
    }
    if args.dry_run {
        let watched = Watched {
            sources: &args.watch,
            allow_capture: args.watch_allow_capture,
        };
        Load::of(&prepared, watched).map_err(EndedBy::Rejected)?;
        out(&harmless(&told::planned(&prepared, lang)?));
        return Ok(0);
    }
    let stories = stories(args)?;
    let files = args.output.iter().chain(&args.report);
    all_writable(files.map(|path| path.as_path()))?;
    let (result, left) = made(args, &prepared, lang)?;
    if !args.quiet {
        show_result(&result, left.is_none(), args, lang);
    }
    let written = write(&result, args, lang);
    let told = tell(&result, &stories, args, lang);
    // What could not be brought back is said, whatever could not be written beside it.
    if let Some(message) = together(left.into_iter().chain(written.err()).chain(told.err())) {
        return Err(message.into());
    }
    Ok(exit_code(&result, args))
}

fn exit_code(result: &StudyResult, args: &TuneArgs) -> u8 {
    match result.end.as_str() {
        "interrupted" => INTERRUPTED,
        "no_baseline" => NO_BASELINE,
        "not_judged" | "none_measured" => NOT_JUDGED,
        // Without a study nothing is a result, too: there was nothing to advise.
        "nothing_tried" if args.start.is_none() => NOT_JUDGED,
        _ => 0,
    }
}

/// Tells a result, and whether what is kept is in force now, where all could be brought back or left as it was asked.
fn show_result(result: &StudyResult, is_settled: bool, args: &TuneArgs, lang: Lang) {
    out(&harmless(&told::text(result, lang)));
    let now = match args.keep_best {
        true => "tune-now-kept",
        false if args.start.is_some() => "tune-now-restored-start",
        false => "tune-now-restored",
    };
    if is_settled && result.kept.as_ref().is_some_and(|kept| !kept.is_empty()) {
        out(&format!("{}\n", render(lang, &Message::new(now))));
    }
}

/// What the options say in place of the study.
fn take_options(study: &mut Study, args: &TuneArgs) -> Result<(), EndedBy> {
    if let Some(objective) = &args.objective {
        study.objective = objective.clone();
    }
    study.measure = args.measure.or(study.measure);
    study.warm_up = args.warm_up.or(study.warm_up);
    study.trials = args.trials.unwrap_or(study.trials);
    study.time = args.time.or(study.time);
    study.seed = args.seed.or(study.seed);
    let problems = options_in_vain(study);
    if problems.is_empty() {
        return Ok(());
    }
    let text = String::new();
    Err(EndedBy::Rejected(RejectedPlan { text, problems }))
}

/// Lists the knobs: a table of all, or all that is known of a family's, or of one.
fn listed(name: &str, json: bool, lang: Lang) -> Result<u8, EndedBy> {
    let family = plimsoll_knobs::FAMILIES.iter().find(|it| it.id == name);
    let knob = plimsoll_knobs::find(name);
    if family.is_none() && knob.is_none() && !name.is_empty() {
        let known: Vec<&str> = plimsoll_knobs::FAMILIES.iter().map(|it| it.id).collect();
        let message = Message::new("tune-unknown-family").with("name", name);
        return Err(message.with("known", known.join(", ")).into());
    }
    let only = knob.map(|knob| knob.id).or(family.map(|family| family.id));
    match (json, family, knob) {
        (true, ..) => out(&format!("{:#}\n", plimsoll_knobs::document(lang, only))),
        (false, Some(family), _) => out(&plimsoll_knobs::details(family, lang)),
        (false, None, Some(knob)) => out(&plimsoll_knobs::detail(knob, lang)),
        (false, None, None) => {
            out(&plimsoll_knobs::table(lang));
            say(&Message::new("tune-knobs-of-family"), lang);
        }
    }
    Ok(0)
}

/// The files for the story, with their forms.
fn stories(args: &TuneArgs) -> Result<Vec<(&Path, AcceptanceForm)>, Message> {
    let of = |path: &'_ std::path::PathBuf| {
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        AcceptanceForm::parse(&extension)
    };
    let all = args.report.iter();
    all.map(|path| Ok((path.as_path(), of(path)?))).collect()
}

/// Writes the story of a study.
fn tell(
    result: &StudyResult,
    stories: &[(&Path, AcceptanceForm)],
    args: &TuneArgs,
    lang: Lang,
) -> Result<(), Message> {
    for (path, form) in stories {
        let mut bytes = Vec::new();
        let shown = path.display().to_string();
        write_story(result, *form, lang, &mut bytes).map_err(|error| error.message(&shown))?;
        if let Err(error) = std::fs::write(path, bytes) {
            kept::lost();
            return Err(file_failed(path, &error));
        }
        if !args.quiet {
            written(path, lang);
        }
    }
    Ok(())
}

/// Tells a result that is there already.
fn shown(args: &TuneArgs, lang: Lang) -> Result<u8, EndedBy> {
    let path = args.show.as_deref().unwrap_or(Path::new(""));
    let stories = stories(args)?;
    all_writable(stories.iter().map(|(path, _)| *path))?;
    let result = StudyResult::read(path)?;
    if !args.quiet {
        out(&harmless(&told::text(&result, lang)));
    }
    tell(&result, &stories, args, lang)?;
    Ok(0)
}

/// A study's result, with what could not be brought back.
fn made(
    args: &TuneArgs,
    prepared: &Prepared,
    lang: Lang,
) -> Result<(StudyResult, Option<Message>), EndedBy> {
    let interrupt = interrupt_by_signals();
    let listen = |_: &ReadyPlan| -> Box<dyn Listener> { Box::new(Quiet) };
    let say_next = |message: &Message| progress(args.quiet, lang, message);
    let (best, spent_s) = (Cell::new(None), Cell::new(0.0));
    let mut hear = |record: &Record, prepared: &Prepared| {
        spent_s.set(spent_s.get() + record.seconds);
        let line = told::trial_line(record, prepared, best.get(), spent_s.get(), lang);
        best.set(told::better(best.get(), record, prepared));
        if !args.quiet {
            err(&harmless(&line));
        }
    };
    let until = interrupt.clone();
    let ask = |fragments: &[Fragment]| approved(fragments, &until, lang);
    let request = StudyRequest {
        runs: args.runs.out.clone(),
        interrupt,
        resume: args.resume,
        earlier: args.from.as_deref().map(StudyResult::read).transpose()?,
        keep_best: args.keep_best,
        watch: args.watch.clone(),
        allow_capture: args.watch_allow_capture,
        listen: &listen,
        tell: &say_next,
        hear: &mut hear,
        approve: args.approve.then_some(&ask),
    };
    match shown::run(prepared, request) {
        Ok(result) => Ok((result, None)),
        Err(StudyError::Left(result, message)) => Ok((*result, Some(message))),
        Err(error) => Err(error.into()),
    }
}

/// Whether the standard input is a device that is no terminal (`/dev/null`): nobody says yes there.
fn nobody_confirms() -> bool {
    let is_device = |meta: std::fs::Metadata| meta.file_type().is_char_device();
    !std::io::stdin().is_terminal() && std::fs::metadata("/dev/stdin").is_ok_and(is_device)
}

/// Shows a change and waits for a yes or a no, or for the end of the study. Where the input ends nobody says it.
fn approved(fragments: &[Fragment], interrupt: &Interrupt, lang: Lang) -> bool {
    err(&harmless(&told::changes(fragments)));
    loop {
        err(&render(lang, &Message::new("tune-approve")));
        match said(interrupt).as_deref() {
            Some("y" | "yes" | "是") => return true,
            None | Some("n" | "no" | "否") => return false,
            Some(_) => {}
        }
    }
}

/// The next line that somebody types; none: the input ended, or the study ends.
fn said(interrupt: &Interrupt) -> Option<String> {
    let (tell, told) = mpsc::channel();
    // A signal does not end its wait. One that is left waiting asks for nothing more: the study ends.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = tell.send(read.map(|count| (count > 0).then_some(line)));
    });
    while !interrupt.is_hit() {
        match told.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Ok(line)) => return line.map(|line| line.trim().to_lowercase()),
            _ => return None,
        }
    }
    None
}

/// Brings back what one study has left, or all studies of a folder of runs.
fn bring_back(args: &TuneArgs, lang: Lang) -> Result<u8, EndedBy> {
    let names = match &args.study {
        Some(file) => vec![study_name(file, &args.runs.out)],
        None => studies(&args.runs.out),
    };
    let mut code = 0;
    let (mut unread, mut is_unknown) = (Vec::new(), false);
    let done = study::restore_each(&args.runs.out, &names);
    for (name, restored) in names.iter().zip(done) {
        match restored {
            Ok(restored) => {
                tell_restored(name, &restored, lang);
                is_unknown |= restored.is_journal_lost;
                if restored.told().next().is_some() {
                    code = BAD_USE;
                }
            }
            Err(message) => unread.push(message),
        }
    }
    for message in &unread {
        err(&render(lang, message));
        code = BAD_USE;
    }
    if names.is_empty() {
        say(&Message::new("tune-nothing-to-restore"), lang);
    }
    // What is brought back has none any more, and of what is not its journal has told.
    let left = args.study.as_deref();
    let left = left.filter(|_| code == 0 || is_unknown || !unread.is_empty());
    for message in left.map(left_beside).unwrap_or_default() {
        err(&render(lang, &message));
        code = BAD_USE;
    }
    Ok(code)
}

/// The name of the study in a file. One that cannot be read any more is known by its file alone, and a plan by the study
/// that `--start` made of it, where there was one.
fn study_name(file: &Path, runs: &Path) -> String {
    let text = match why_no_file(file) {
        Some(_) => String::new(),
        None => std::fs::read_to_string(file).unwrap_or_default(),
    };
    match plimsoll_plan::parse_study(&text, "") {
        Ok((study, _)) if !study.name.is_empty() => return study.name,
        _ => {}
    }
    let is_there = |name: &str| state_folder(runs, name).exists();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let of_start = start_study_name(file);
    match is_there(&of_start) && !is_there(&stem) {
        true => of_start,
        false => stem.into_owned(),
    }
}

fn tell_restored(name: &str, restored: &Restored, lang: Lang) {
    let files: Vec<String> = restored
        .files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let message = Message::new("tune-restored")
        .with("name", name)
        .with("count", files.len())
        .with("files", files.join(", "))
        .with("processes", u64::from(restored.processes));
    // Without a journal it is not known whether anything had to be brought back.
    if !restored.is_journal_lost || !files.is_empty() {
        say(&message, lang);
    }
    restored
        .told()
        .for_each(|message| err(&render(lang, message)));
}

fn write(result: &StudyResult, args: &TuneArgs, lang: Lang) -> Result<(), Message> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None => args.runs.out.join("tune.json"),
    };
    let json = serde_json::to_string_pretty(result).map_err(|error| file_failed(&path, &error))?;
    let written_to = match &args.output {
        Some(path) => std::fs::write(path, format!("{json}\n")),
        // A link that somebody has put there leads nowhere.
        None => plimsoll_store::private::replace(&path, format!("{json}\n").as_bytes()),
    };
    if let Err(error) = written_to {
        kept::lost();
        return Err(file_failed(&path, &error));
    }
    if !args.quiet {
        written(&path, lang);
    }
    Ok(())
}

fn written(path: &Path, lang: Lang) {
    let message = Message::new("run-written").with("path", path.display().to_string());
    out(&format!("{}\n", render(lang, &message)));
}
