//! What is told of a study.

use plimsoll_plan::study::{StudyObjective, StudySearch};
use plimsoll_report::AcceptanceForm;
use plimsoll_text::Lang;

use super::*;
use crate::engine::DuelSide;
use crate::judge::Pairs;
use crate::space::{Domain, SpaceKnob};
use crate::told;
use crate::trial::FailedTrial;

#[test]
fn a_change_that_was_never_measured_alone_is_told_as_such() {
    let knob = |name: &str| SpaceKnob {
        name: name.to_owned(),
        domain: Domain::numbers(1.0, 9.0, 1.0, false, ""),
        found: None,
        only_if: None,
        is_hidden: false,
    };
    let space = Space {
        knobs: ["a", "b"].map(knob).to_vec(),
        relations: Vec::new(),
    };
    let both = Configuration(vec![Some("2".into()), Some("3".into())]);
    let ending = |kept: &Configuration, measured: &Configuration| Ending {
        kept: Some(kept.clone()),
        against_baseline: None,
        measured: measured.clone(),
        put_back: Vec::new(),
    };
    for at in 0..2 {
        let kept = both.with(at, None);
        let measured = untested(&space, &kept, Some(&ending(&kept, &kept)));
        assert!(measured.is_empty());
        let rest = untested(&space, &kept, Some(&ending(&kept, &both)));
        assert_eq!(rest, [space.knobs[1 - at].name.as_str()]);
    }
    let all = untested(&space, &both, Some(&ending(&both, &both)));
    assert_eq!(all, ["a", "b"]);
}

fn one_knob() -> Space {
    Space {
        knobs: vec![SpaceKnob {
            name: "threads".to_owned(),
            domain: Domain::numbers(1.0, 64.0, 1.0, false, ""),
            found: Some("8".to_owned()),
            only_if: None,
            is_hidden: false,
        }],
        relations: Vec::new(),
    }
}

fn threads(value: &str) -> Configuration {
    Configuration(vec![Some(value.to_owned())])
}

/// A run with an objective; what limits it is called by its configuration.
fn run(number: u32, why: Reason, of: &Configuration, objective: f64) -> Record {
    let value = of.0[0].as_deref().unwrap_or("found");
    let title = format!("limited as {value}");
    let limits = Limits {
        finding: "thread_pool".to_owned(),
        object: String::new(),
        title: title.clone(),
        title_zh: title,
        healthy: false,
    };
    let measured = Measured {
        objective,
        throughput_per_s: objective,
        limits: Some(limits),
        ..Measured::default()
    };
    Record {
        number,
        why,
        configuration: of.clone(),
        seconds: 1.0,
        result: TrialEnd::Measured(Box::new(measured)),
    }
}

/// A study whose first runs are slow, whose first candidate's pairs are slow, too, and whose last one's pairs decide.
fn decided(verdict: Verdict) -> Tuned {
    let (found, first, last) = (Configuration::unchanged(1), threads("16"), threads("32"));
    let mut records = vec![
        run(1, Reason::Baseline, &found, 60.0),
        run(2, Reason::Baseline, &found, 64.0),
        run(3, Reason::Search, &last, 90.0),
    ];
    for (of, was, is) in [(&first, 50.0, 55.0), (&last, 100.0, 124.0)] {
        for _ in 0..5 {
            let number = records.len() as u32 + 1;
            records.push(run(number, Reason::Final, &found, was));
            records.push(run(number + 1, Reason::Final, of, is));
        }
    }
    let duel = Duel {
        verdict,
        pairs: Pairs(vec![0.24; 5]),
        runs: (0..5).map(|pair| (15 + 2 * pair, 14 + 2 * pair)).collect(),
        interval: (0.2, 0.28),
        failed: None,
        cut: false,
    };
    let ending = Ending {
        kept: (verdict == Verdict::Better).then(|| last.clone()),
        against_baseline: Some(duel),
        measured: last.clone(),
        put_back: Vec::new(),
    };
    Tuned {
        end: StudyEnd::Done,
        records,
        best: last,
        ending: Some(ending),
        is_judged: true,
        needs: None,
    }
}

fn result_of(tuned: &Tuned, objective: &str) -> StudyResult {
    let settings = EngineSettings {
        maximise: objective.starts_with("max"),
        by_ratio: true,
        trials: 60,
        seconds: None,
        error_rate: 0.05,
        matters: 0.03,
        search: StudySearch::Model,
        seed: 1,
        earlier: Vec::new(),
        most_more_failures: None,
    };
    let facts = StudyFacts {
        load: "users: 8, hold 20 s",
        name: "shop",
        plan: "shop.yaml",
        objective: &StudyObjective::parse(objective).expect("an objective"),
        settings: &settings,
        space: &one_knob(),
        knobs: &[],
    };
    StudyResult::of(&facts, tuned, Vec::new())
}

#[test]
fn figures_are_of_the_pairs_that_decided() {
    let result = result_of(&decided(Verdict::Better), "maximise throughput");
    let (before, after) = (result.before.expect("runs"), result.after.expect("runs"));
    assert_eq!((before.runs, after.runs), (5, 5));
    assert!((before.objective - 100.0).abs() < 1e-9, "{before:?}");
    assert!((after.objective - 124.0).abs() < 1e-9, "{after:?}");
    let moved = result.notes.iter().find(|it| it.kind == "baseline_moved");
    assert_eq!(moved.and_then(|it| it.after), Some(100.0));
}

#[test]
fn the_bottleneck_is_that_of_the_target_as_it_remains() {
    for (verdict, of, head) in [
        (Verdict::Better, "limited as 32", ["after", "之后"]),
        (
            Verdict::NoDifference,
            "limited as found",
            ["candidate, not kept", "未保留的候选配置"],
        ),
    ] {
        let result = result_of(&decided(verdict), "maximise throughput");
        assert_eq!(result.limits.as_ref().map(|it| it.title.as_str()), Some(of));
        for (lang, head) in [(Lang::En, head[0]), (Lang::Zh, head[1])] {
            assert!(told::text(&result, lang).contains(head), "{verdict:?}");
            for form in [AcceptanceForm::Html, AcceptanceForm::Markdown] {
                let mut story = Vec::new();
                told::write_story(&result, form, lang, &mut story).expect("a story");
                let story = String::from_utf8_lossy(&story).into_owned();
                assert!(story.contains(head) && story.contains(of), "{story}");
            }
        }
    }
}

#[test]
fn the_figure_that_is_to_become_better_has_a_row() {
    for (objective, row) in [
        ("minimise p95", "p95"),
        ("minimise p99.9", "p99.9"),
        ("minimise p50", "p50"),
        ("maximise capacity", "capacity"),
        ("maximise throughput * 1 - p99 * 0.5", "the objective"),
        ("minimise p99", "p99 (ms)"),
    ] {
        let text = told::text(&result_of(&decided(Verdict::Better), objective), Lang::En);
        let is_row = |line: &str| line.trim_start().starts_with(row);
        assert_eq!(
            text.lines().filter(|line| is_row(line)).count(),
            1,
            "{text}"
        );
    }
}

#[test]
fn a_study_whose_best_dies_at_the_end_has_judged_nothing_and_says_so() {
    let mut tuned = decided(Verdict::Open);
    tuned.is_judged = false;
    tuned.records.truncate(5);
    tuned.records.push(Record {
        result: TrialEnd::Failed {
            what: FailedTrial::DoesNotStart,
            detail: "out of memory".to_owned(),
        },
        ..run(6, Reason::Final, &threads("32"), 0.0)
    });
    let ending = tuned.ending.as_mut().expect("an end");
    let duel = ending.against_baseline.as_mut().expect("pairs");
    duel.failed = Some(DuelSide::Challenger);
    duel.pairs.0.clear();
    duel.runs.clear();
    let result = result_of(&tuned, "maximise throughput");
    assert_eq!(result.end, "not_judged");
    for lang in [Lang::En, Lang::Zh] {
        let text = told::text(&result, lang);
        assert!(
            text.contains("threads=32") && text.contains("out of memory"),
            "{text}"
        );
    }
}
