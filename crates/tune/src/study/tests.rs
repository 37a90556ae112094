//! What a study takes of an earlier one, and when it goes on.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::space::{Domain, SpaceKnob};

const STUDY: &str = "plan: plan.yaml
components:
  app: { start: sleep 100 --idle=5s --keep=9s, ready: '127.0.0.1:1' }
knobs:
  idle: { argument: '--idle={}', range: 1..60, unit: s }
  keep: { argument: '--keep={}', range: 1..60, unit: s }
relations: [idle <= keep]
";

/// The fingerprint of a study with its plan.
fn fingerprint_of(study: &str, plan: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.yaml");
    fs::write(&file, study).unwrap();
    fs::write(folder.path().join("plan.yaml"), plan).unwrap();
    let Ok((mut prepared, ..)) = read(&file) else {
        panic!("{study}");
    };
    let watched = Watched {
        sources: &[],
        allow_capture: false,
    };
    let Ok(load) = Load::of(&prepared, watched) else {
        panic!("{plan}");
    };
    // Whatever else a folder decides.
    let there = std::mem::take(&mut prepared.file);
    assert_eq!(there, file);
    fingerprint(&prepared, load.plan(), &[])
}

#[test]
fn a_study_goes_on_after_a_comment_and_not_with_another_plan() {
    let plan_of =
        |users: u32| format!("target: http://127.0.0.1:1\nusers: {users}\nsteps:\n- get: /\n");
    let plan = plan_of(50);
    let own = fingerprint_of(STUDY, &plan);
    for same in [
        format!("# Why it is made.\n\n{STUDY}"),
        STUDY.replace("knobs:", "# All that may be changed.\nknobs:"),
        STUDY.replace("argument: '--idle", "argument:     '--idle"),
        format!("{STUDY}trials: 90\n"),
    ] {
        assert_eq!(fingerprint_of(&same, &plan), own, "{same}");
    }
    for other in [
        STUDY.replace("1..60", "1..61"),
        STUDY.replace("idle <= keep", "idle < keep"),
        format!("{STUDY}reset: 'true'\n"),
    ] {
        assert_ne!(fingerprint_of(&other, &plan), own, "{other}");
    }
    assert_ne!(fingerprint_of(STUDY, &plan_of(500)), own);
}

#[test]
fn what_another_version_has_begun_does_not_go_on() {
    let begun = |version| Entry::Begun {
        version,
        mark: String::new(),
        study: PathBuf::new(),
        folder: None,
        fingerprint: "a".to_owned(),
        seed: 7,
        resumed: false,
        asked_by: None,
    };
    assert_eq!(
        earlier(&[begun(JOURNAL_VERSION)], "a"),
        Some((7, Vec::new()))
    );
    assert_eq!(earlier(&[begun(JOURNAL_VERSION)], "b"), None);
    assert_eq!(earlier(&[begun(JOURNAL_VERSION + 1)], "a"), None);
}

#[test]
fn a_relation_of_units_that_cannot_be_compared_is_refused_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.yaml");
    for (unit, is_refused) in [("s", false), ("min", false), ("gb", true), ("x", true)] {
        let units = format!("'--idle={{}}', range: 1..60, unit: {unit}");
        let study = STUDY.replace("'--idle={}', range: 1..60, unit: s", &units);
        fs::write(
            &file,
            study.replace("--idle=5s", &format!("--idle=5{unit}")),
        )
        .unwrap();
        let problems = read(&file).err().map(|rejected| rejected.problems);
        let lines = problems.map(|all| {
            let own = all
                .iter()
                .filter(|it| it.message.id == "tune-relation-units");
            own.map(|it| it.at.line).collect::<Vec<_>>()
        });
        assert_eq!(lines, is_refused.then(|| vec![7]), "{unit}");
    }
}

#[test]
fn who_refuses_the_tail_is_no_quicker() {
    let most = |objective: &str, constraints: &str| {
        let text = format!("{STUDY}objective: {objective}\n{constraints}");
        let (study, _) = parse_study(&text, "study.yaml").unwrap();
        engine_settings(&study, 1).most_more_failures
    };
    for (objective, wanted) in [
        ("maximise throughput", 0.01),
        ("minimise mean", 0.01),
        ("minimise p50", 0.01),
        ("minimise p90", 0.01),
        ("minimise p95", 0.005),
        ("minimise p99", 0.001),
        ("minimise p99.9", 0.000_1),
        ("maximise throughput * 1 - p99 * 0.5", 0.001),
    ] {
        let most = most(objective, "").unwrap();
        assert!((most - wanted).abs() < 1e-9, "{objective}: {most}");
    }
    assert_eq!(most("minimise p99", "constraints: [errors < 2 %]\n"), None);
}

#[test]
fn a_study_that_could_judge_nothing_is_refused_where_it_says_so() {
    let refused = |text: &str| {
        let problems = parse_study(text, "study.yaml").err().unwrap_or_default();
        let own = problems
            .iter()
            .filter(|it| it.message.id == "study-cannot-judge");
        let own = own.inspect(|it| assert!(it.remedy.is_some()));
        own.map(|it| (it.at.line, it.at.column)).collect::<Vec<_>>()
    };
    let line = STUDY.lines().count() as u32 + 1;
    for (key, wrong, right) in [
        (
            "error-rate",
            &["0", "0%", "100%", "51"][..],
            &["0.1%", "50"][..],
        ),
        ("measure", &["1ms", "999ms", "0"], &["1s"]),
        ("time", &["0", "0s"], &["1s", "2h"]),
    ] {
        let told = |value: &&str| refused(&format!("{STUDY}{key}: {value}\n"));
        let column = key.len() as u32 + 3;
        for value in wrong {
            assert_eq!(told(value), [(line, column)], "{key}: {value}");
        }
        assert!(right.iter().all(|value| told(value).is_empty()), "{key}");
    }
    let gain = |objective: &str, gain: &str| {
        refused(&format!(
            "{STUDY}smallest-gain: {gain}\nobjective: {objective}\n"
        ))
        .len()
    };
    assert_eq!(gain("minimise p99", "100"), 1);
    assert_eq!(gain("minimise p99", "99"), 0);
    assert_eq!(gain("maximise throughput", "100"), 0);
    let ready = |within: &str| {
        let own = format!("'127.0.0.1:1', ready-within: {within} }}");
        refused(&STUDY.replace("'127.0.0.1:1' }", &own)).len()
    };
    assert_eq!((ready("0s"), ready("1s")), (1, 0));
}

fn space(found: &[Option<&str>], to: f64) -> Space {
    let knob = |(at, found): (usize, &Option<&str>)| SpaceKnob {
        name: format!("k{at}"),
        domain: Domain::numbers(1.0, to, 1.0, false, ""),
        found: found.map(str::to_owned),
        only_if: None,
        is_hidden: false,
    };
    Space {
        knobs: found.iter().enumerate().map(knob).collect(),
        relations: Vec::new(),
    }
}

fn states(found: &[Option<&str>]) -> Vec<KnobState> {
    let state = |(at, found): (usize, &Option<&str>)| KnobState {
        name: format!("k{at}"),
        found: found.map(str::to_owned),
    };
    found.iter().enumerate().map(state).collect()
}

#[test]
fn earlier_trials_are_of_what_is_found_today() {
    let today = space(&[Some("32"), Some("8"), None], 64.0);
    let of = |then: &[Option<&str>], values: &[(&str, &str)]| {
        let own = values
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        let of = of_today(&today, &states(then), &own.collect())?;
        Some(
            of.0.into_iter()
                .map(|it| it.unwrap_or_default())
                .collect::<Vec<_>>(),
        )
    };
    let wanted = |values: [&str; 3]| Some(values.map(str::to_owned).to_vec());
    // The first was kept since then.
    let then = [Some("10"), Some("8"), Some("3")];
    assert_eq!(of(&then, &[]), wanted(["10", "", ""]));
    assert_eq!(of(&then, &[("k0", "32")]), wanted(["", "", ""]));
    assert_eq!(of(&then, &[("k1", "9")]), wanted(["10", "9", ""]));
    assert_eq!(of(&[None; 3], &[("k1", "9")]), wanted(["", "9", ""]));
    // What today's range has not is left out.
    assert_eq!(of(&[Some("100"), None, None], &[]), None);
    assert_eq!(of(&then, &[("k1", "100")]), None);
    assert_eq!(of(&then, &[("other", "1")]), None);
}

proptest! {
    #[test]
    fn an_earlier_trial_keeps_the_values_that_it_was_made_with(
        then in proptest::collection::vec(1_u32..64, 3), today in proptest::collection::vec(1_u32..64, 3),
        changed in proptest::collection::vec(proptest::option::of(1_u32..64), 3),
    ) {
        let texts = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>();
        let (then, today) = (texts(&then), texts(&today));
        let some = |all: &'_ [String]| all.iter().map(|it| Some(it.clone())).collect::<Vec<_>>();
        let (then, today) = (some(&then), some(&today));
        let found: Vec<Option<&str>> = today.iter().map(Option::as_deref).collect();
        let was: Vec<Option<&str>> = then.iter().map(Option::as_deref).collect();
        let space = space(&found, 64.0);
        let all = changed.iter().enumerate();
        let values: Values = all
            .filter_map(|(at, value)| Some((format!("k{at}"), (*value)?.to_string())))
            .collect();
        let of = of_today(&space, &states(&was), &values).unwrap();
        for at in 0..3 {
            let made = changed[at].map_or_else(|| then[at].clone().unwrap(), |it| it.to_string());
            prop_assert_eq!(space.value(&of, at), Some(made.as_str()));
        }
    }
}

#[test]
fn a_journal_that_cannot_be_read_keeps_no_other_study_from_being_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["aaa", "bbb"].map(str::to_owned);
    fs::create_dir_all(state_folder(folder.path(), "aaa").join("journal.jsonl")).unwrap();
    let mut journal = open(folder.path(), "bbb").unwrap();
    let path = folder.path().join("a.conf");
    journal.write(Entry::Kept { path, was: None }).unwrap();
    drop(journal);
    let done = restore_each(folder.path(), &names);
    assert_eq!(done[0].as_ref().unwrap_err().id, "tune-journal-unusable");
    assert_eq!(done[1], Ok(Restored::default()));
    assert!(
        open(folder.path(), "bbb")
            .unwrap()
            .open_entries()
            .is_empty()
    );
}

#[test]
fn a_pipe_is_neither_a_study_nor_a_plan_nor_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    assert!(read(&pipe).is_err());
    assert!(StudyResult::read(&pipe).is_err());
    let file = folder.path().join("study.yaml");
    fs::write(&file, STUDY.replace("plan.yaml", "pipe")).unwrap();
    let Ok((prepared, ..)) = read(&file) else {
        panic!("{STUDY}");
    };
    let watched = Watched {
        sources: &[],
        allow_capture: false,
    };
    assert!(Load::of(&prepared, watched).is_err());
}

#[test]
fn a_result_is_kept_where_its_changes_cannot_be_told() {
    let changes = vec![Fragment {
        of: "app: start".to_owned(),
        lines: vec!["+x".to_owned()],
    }];
    let (silent, lost) = (
        Message::new("agent-tune-lost"),
        Message::new("tune-original-lost"),
    );
    for left in [None, Some(lost.clone())] {
        let told = told_beside(Ok(changes.clone()), left.clone());
        assert_eq!(told, (changes.clone(), left));
    }
    let untold = Message::new("tune-changes-untold").with("reason", silent.clone());
    let none = Vec::new();
    let told = told_beside(Err(silent.clone()), None);
    assert_eq!(told, (none.clone(), Some(untold)));
    // Where originals are gone, that is why.
    let told = told_beside(Err(silent), Some(lost.clone()));
    assert_eq!(told, (none, Some(lost)));
}
