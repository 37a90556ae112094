//! The search on surfaces that were measured on real systems (bench/tune/surface.py): how soon it is near the best,
//! beside random search and one knob at a time; and whole studies of knobs that do nothing, on what a machine did to
//! one and the same system. The figures stand in bench/TUNE.md; `UPDATE_EXPECTED=1` writes them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod plain;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use plain::PlainSearch;
use plimsoll_plan::study::StudySearch;
use plimsoll_text::Message;
use plimsoll_tune::engine::{EngineSettings, tune};
use plimsoll_tune::space::{Configuration, Domain, Space, SpaceKnob};
use plimsoll_tune::trial::{Measured, TrialAsk, TrialBench, TrialEnd};
use serde_json::Value;

/// Seeds of each search.
const SEEDS: u64 = 50;
/// Trials of each study, of which some are for its end: what is found later is not in time on any surface.
const TRIALS: u32 = 40;
/// What is near the best.
const NEAR: f64 = 0.95;
/// The share of the grid within which it must be found.
const SHARE: f64 = 0.2;
/// Studies of knobs that do nothing, and the fewest measurements of one point that they are replayed on.
const STUDIES: u64 = 200;
const LEAST_AGAIN: usize = 300;

/// A grid of settings with what was measured at each of its points.
struct Grid {
    name: String,
    space: Space,
    /// Mean throughput of each point, by the places of its values.
    means: HashMap<Vec<usize>, f64>,
    /// Standard deviation of the logarithm of one measurement, from points that were measured again.
    noise: f64,
    /// Points of the grid.
    points: usize,
    lines: usize,
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/tune/data")
}

/// The lines of a file of measurements.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

impl Grid {
    fn of(name: &str, lines: &[Value]) -> Self {
        let names: Vec<String> = lines[0]["values"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let of = |line: &Value, name: &String| line["values"][name].as_f64().unwrap();
        let values: Vec<Vec<f64>> = names
            .iter()
            .map(|name| {
                let mut all: Vec<f64> = lines.iter().map(|line| of(line, name)).collect();
                all.sort_by(f64::total_cmp);
                all.dedup();
                all
            })
            .collect();
        let mut seen: HashMap<Vec<usize>, Vec<f64>> = HashMap::new();
        for line in lines {
            let place = |(name, values): (&String, &Vec<f64>)| {
                values.iter().position(|it| *it == of(line, name)).unwrap()
            };
            let places = names.iter().zip(&values).map(place).collect();
            let rate = line["throughput_per_s"].as_f64().unwrap();
            seen.entry(places).or_default().push(rate.ln());
        }
        let mean = |all: &Vec<f64>| all.iter().sum::<f64>() / all.len() as f64;
        let (mut squares, mut freedom) = (0.0, 0.0);
        for all in seen.values().filter(|all| all.len() > 1) {
            squares += all.iter().map(|it| (it - mean(all)).powi(2)).sum::<f64>();
            freedom += all.len() as f64 - 1.0;
        }
        // Values as a study lists them: nothing is ever asked for that was not measured.
        let knob = |(name, values): (&String, &Vec<f64>)| SpaceKnob {
            name: name.clone(),
            domain: Domain::Choice(values.iter().map(f64::to_string).collect()),
            found: Some(values[0].to_string()),
            only_if: None,
            is_hidden: false,
        };
        Self {
            name: name.to_owned(),
            space: Space {
                knobs: names.iter().zip(&values).map(knob).collect(),
                relations: Vec::new(),
            },
            means: seen
                .iter()
                .map(|(at, all)| (at.clone(), mean(all).exp()))
                .collect(),
            noise: (squares / freedom).sqrt(),
            points: values.iter().map(Vec::len).product(),
            lines: lines.len(),
        }
    }

    /// Whether each point was measured.
    fn is_whole(&self) -> bool {
        self.means.len() == self.points
    }

    fn value(&self, of: &Configuration) -> f64 {
        let place = |(at, knob): (usize, &SpaceKnob)| {
            let Domain::Choice(values) = &knob.domain else {
                unreachable!()
            };
            let value = self.space.value(of, at).unwrap();
            values.iter().position(|it| it == value).unwrap()
        };
        let places: Vec<usize> = self.space.knobs.iter().enumerate().map(place).collect();
        self.means[&places]
    }

    fn best(&self) -> f64 {
        self.means.values().copied().fold(0.0, f64::max)
    }

    /// Trials until the incumbent is near the best and stays there, of those that the search makes.
    fn trials_needed(&self, search: StudySearch, seed: u64) -> Option<u32> {
        let settings = EngineSettings {
            trials: TRIALS,
            ..settings(search, seed)
        };
        let mut bench = Replayed {
            grid: self,
            rng: fastrand::Rng::with_seed(seed ^ 0x5eed),
        };
        let mut near = Vec::new();
        let mut hear = |_: &_, incumbent: &Configuration| {
            near.push(self.value(incumbent) >= NEAR * self.best());
        };
        tune(&self.space, &settings, &mut bench, &mut hear);
        // What leads before a trial was found by those before it.
        let last_far = near.iter().rposition(|is_near| !is_near);
        let first = last_far.map_or(0, |at| at + 1);
        (first < near.len()).then(|| u32::try_from(first).unwrap())
    }

    /// The same of the textbook's search, whose first trials are of the start, as a study's are.
    fn trials_of_plain(&self, seed: u64) -> Option<u32> {
        let mut places: Vec<&Vec<usize>> = self.means.keys().collect();
        places.sort();
        let most = |knob: usize| places.iter().map(|it| it[knob]).max().unwrap().max(1) as f64;
        let share = |place: &&Vec<usize>| {
            let all = place.iter().enumerate();
            all.map(|(knob, at)| *at as f64 / most(knob)).collect()
        };
        let mut search = PlainSearch::new(places.iter().map(share).collect(), seed);
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let start = vec![0; self.space.knobs.len()];
        let mut next = places.iter().position(|place| **place == start);
        let mut near = Vec::new();
        while let (Some(at), true) = (next, near.len() < TRIALS as usize) {
            let score = self.means[places[at]].ln() + self.noise * normal(&mut rng);
            search.saw(at, score);
            let best = search.best().unwrap();
            near.push(self.means[places[best]] >= NEAR * self.best());
            next = search.next();
        }
        let first = near
            .iter()
            .rposition(|is_near| !is_near)
            .map_or(0, |at| at + 1);
        // What leads after a trial was found by it.
        (first < near.len()).then(|| u32::try_from(first + 1).unwrap())
    }
}

/// A number of the normal distribution, by Box and Muller.
fn normal(rng: &mut fastrand::Rng) -> f64 {
    let (u, v) = (1.0 - rng.f64(), rng.f64());
    (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
}

fn settings(search: StudySearch, seed: u64) -> EngineSettings {
    EngineSettings {
        maximise: true,
        by_ratio: true,
        trials: 60,
        seconds: None,
        error_rate: 0.05,
        matters: 0.03,
        search,
        seed,
        earlier: Vec::new(),
        most_more_failures: None,
    }
}

/// A bench of measured points, with the noise that was measured.
struct Replayed<'a> {
    grid: &'a Grid,
    rng: fastrand::Rng,
}

impl TrialBench for Replayed<'_> {
    fn trial(&mut self, of: &Configuration, _: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let normal = normal(&mut self.rng);
        let measured = Measured {
            objective: self.grid.value(of) * (self.grid.noise * normal).exp(),
            ..Measured::default()
        };
        Ok((TrialEnd::Measured(Box::new(measured)), 1.0))
    }
}

fn median(found: &[Option<u32>]) -> String {
    let mut all: Vec<u32> = found.iter().map(|it| it.unwrap_or(u32::MAX)).collect();
    all.sort_unstable();
    match all[all.len() / 2] {
        u32::MAX => "–".to_owned(),
        trials => trials.to_string(),
    }
}

/// How soon a search is near the best, from each seed.
fn searched(grid: &Grid, search: StudySearch) -> Vec<Option<u32>> {
    (0..SEEDS)
        .map(|seed| grid.trials_needed(search, seed))
        .collect()
}

fn within(grid: &Grid, found: &[Option<u32>]) -> usize {
    let most = (SHARE * grid.points as f64).floor() as u32;
    let in_time = found.iter().flatten().filter(|trials| **trials <= most);
    in_time.count()
}

/// Runs of one and the same system in a row: whatever a study changes, it gets the next of them.
struct SameAgain<'a> {
    rates: &'a [f64],
    next: usize,
}

impl TrialBench for SameAgain<'_> {
    fn trial(&mut self, _: &Configuration, _: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        let measured = Measured {
            objective: self.rates[self.next % self.rates.len()],
            ..Measured::default()
        };
        self.next += 1;
        Ok((TrialEnd::Measured(Box::new(measured)), 1.0))
    }
}

/// Of so many studies of knobs that do nothing, how many keep something; each begins elsewhere in the row.
fn kept_by_chance(rates: &[f64]) -> u64 {
    let knob = |name: &str| SpaceKnob {
        name: name.to_owned(),
        domain: Domain::numbers(1.0, 64.0, 1.0, true, ""),
        found: Some("8".to_owned()),
        only_if: None,
        is_hidden: false,
    };
    let space = Space {
        knobs: ["threads", "pool", "buffers"].map(knob).to_vec(),
        relations: Vec::new(),
    };
    let keeps = |seed: &u64| {
        let mut bench = SameAgain {
            rates,
            next: *seed as usize * rates.len() / STUDIES as usize,
        };
        let settings = settings(StudySearch::Model, *seed);
        let tuned = tune(&space, &settings, &mut bench, &mut |_, _| {});
        tuned.ending.is_some_and(|ending| ending.kept.is_some())
    };
    (0..STUDIES).filter(keeps).count() as u64
}

/// The upper end of the interval of a share of which so many of so many were seen, 95 % on this side (Clopper and
/// Pearson).
fn upper_bound(seen: u64, of: u64) -> f64 {
    let at_most = |share: f64| {
        let mut term = (1.0 - share).powf(of as f64);
        let mut sum = term;
        for count in 0..seen {
            term *= (of - count) as f64 / (count + 1) as f64 * share / (1.0 - share);
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match at_most(middle) > 0.05 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[test]
fn bounds_of_shares_are_those_of_tables() {
    for (seen, of, wanted) in [(0, 10, 0.2589), (9, 200, 0.0772), (5, 50, 0.1988)] {
        let bound = upper_bound(seen, of);
        assert!((bound - wanted).abs() < 5e-4, "{seen} of {of}: {bound}");
    }
}

#[test]
fn a_made_up_grid_is_searched_sooner_by_the_model_than_at_random() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut lines = Vec::new();
    for (threads, pool, level) in (0..60).map(|at| (at % 5, at / 5 % 4, at / 20)) {
        // What is smaller limits, and the level costs.
        let rate = 100.0 * f64::min(threads as f64 + 1.0, 1.5 * (pool as f64 + 1.0))
            / (1.0 + 0.3 * level as f64);
        for _ in 0..2 {
            lines.push(serde_json::json!({
                "values": {"threads": threads, "pool": pool, "level": level},
                "throughput_per_s": rate * (1.0 + 0.04 * (rng.f64() - 0.5)),
            }));
        }
    }
    let grid = Grid::of("made up", &lines);
    assert!(
        grid.is_whole() && (0.005..0.03).contains(&grid.noise),
        "{}",
        grid.noise
    );
    let model = searched(&grid, StudySearch::Model);
    let random = searched(&grid, StudySearch::Random);
    let near = within(&grid, &model);
    assert!(near > within(&grid, &random), "{model:?} {random:?}");
    // The textbook's search finds its way, too, where little is hidden by noise.
    let plain = (0..SEEDS)
        .map(|seed| grid.trials_of_plain(seed))
        .collect::<Vec<_>>();
    assert!(
        within(&grid, &plain) > within(&grid, &random),
        "{plain:?} {random:?}"
    );
    // A grid with a hole is none to search.
    let hole = Grid::of("hole", &lines[2..]);
    assert!(!hole.is_whole());
}

/// A row of the table of surfaces, and rows of the searches where each point was measured.
fn rows(grid: &Grid) -> (String, String) {
    let worst = grid.means.values().copied().fold(f64::INFINITY, f64::min);
    let first = format!(
        "| {} | {} of {} | {} |",
        grid.name,
        grid.means.len(),
        grid.points,
        grid.lines
    );
    if !grid.is_whole() {
        return (format!("{first} – | – | – | – |\n"), String::new());
    }
    let start = grid.value(&Configuration::unchanged(grid.space.knobs.len()));
    let noise = grid.noise * 100.0;
    let row = format!(
        "{first} {worst:.0} | {start:.0} | {:.0} | {noise:.1} % |\n",
        grid.best()
    );
    let searches = [
        (StudySearch::Model, "model"),
        (StudySearch::Random, "random"),
        (StudySearch::OneAtATime, "one at a time"),
    ];
    let of_engine = searches.map(|(search, name)| (name, searched(grid, search)));
    let plain = (0..SEEDS).map(|seed| grid.trials_of_plain(seed)).collect();
    let all = of_engine
        .into_iter()
        .chain([("plain expected improvement", plain)]);
    let searches: Vec<String> = all
        .map(|(name, found)| {
            let near = within(grid, &found);
            format!(
                "| {} | {name} | {} | {near} of {SEEDS} |\n",
                grid.name,
                median(&found)
            )
        })
        .collect();
    (row, searches.concat())
}

/// A row of the studies of knobs that do nothing.
fn row_again(name: &str, lines: &[Value]) -> String {
    let rates: Vec<f64> = lines
        .iter()
        .map(|line| line["throughput_per_s"].as_f64().unwrap())
        .collect();
    if rates.len() < LEAST_AGAIN {
        return format!("| {name} | {} | – | – |\n", rates.len());
    }
    let kept = kept_by_chance(&rates);
    let bound = upper_bound(kept, STUDIES) * 100.0;
    format!(
        "| {name} | {} | {kept} of {STUDIES} | {bound:.1} % |\n",
        rates.len()
    )
}

#[test]
fn measured_surfaces_are_searched_as_bench_tune_says() {
    let entries = fs::read_dir(data()).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let (mut surfaces, mut searches, mut again) = (String::new(), String::new(), String::new());
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let lines = lines(&file);
        match name.strip_suffix("-again") {
            Some(name) => again.push_str(&row_again(name, &lines)),
            None => {
                let (surface, searched) = rows(&Grid::of(&name, &lines));
                surfaces.push_str(&surface);
                searches.push_str(&searched);
            }
        }
    }
    let text = [BEFORE, &surfaces, BETWEEN, &searches, AGAIN, &again].concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/TUNE.md");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap();
    assert_eq!(known, text, "UPDATE_EXPECTED=1 writes bench/TUNE.md again");
}

const BEFORE: &str = "# How soon the search of `plimsoll tune` is near the best

Made by `UPDATE_EXPECTED=1 cargo test -p plimsoll-tune --test surfaces` of `bench/tune/data`, which
`bench/tune/surface.py` has measured on real systems.

## The surfaces

Each is a grid of settings that was measured point by point in a drawn order, a tenth of the points three times. Rates are
requests a second: of the worst point, of the one that the search starts from (the first value of each knob), of the best.
The noise is the standard deviation of one measurement. Generator and target share the machine's CPUs: a surface is of
both together. One that is not measured whole has dashes, and is not searched.

| surface | points | measurements | worst | start | best | noise |
|---|---|---|---|---|---|---|
";

const BETWEEN: &str = "
## The searches

Replayed on the data with the measured noise added, from fifty seeds. What counts is the trial from which on the best by
the search is, in truth, within 5 % of the best of the grid, and stays so; every trial is counted, those of the
baseline and of the incumbent, too. \"In time\" is a fifth of the grid's points. \"Plain expected improvement\" is the textbook's
search (`crates/tune/tests/plain`): it measures nothing twice, judges nothing, and what it saw best leads.

| surface | search | median of trials | in time |
|---|---|---|---|
";

const AGAIN: &str = "
## Knobs that do nothing

One and the same configuration, measured again and again with a start of its own each time (`bench/tune/surface.py NAME
--again 300`): what differs is the machine's doing. 200 studies of three knobs that do nothing are replayed on the row,
each from a place of its own on. Those that keep something were fooled; the bound is the upper one of a two-sided interval
at 90 % (Clopper and Pearson). A row of fewer than 300 has dashes.

| system | measurements | kept something | bound |
|---|---|---|---|
";
