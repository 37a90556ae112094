#![allow(
    clippy::all,
    clippy::pedantic,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used
)]
use plimsoll_access::Access;
use plimsoll_elements::listeners::ConsoleOutput;
use plimsoll_elements::{Evaluated, EvaluatedValue, Properties};
use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::clock::Clock;
use plimsoll_load::engine::{Event, LabelInfo, Observer, Options, Second, check, run};
use plimsoll_plan::compile::{CompileOptions, compile};
use std::path::Path;
use std::sync::{Arc, Mutex};
struct Obs;
impl Observer for Obs {
    fn started(&mut self, _: Clock) {}
    fn labels(&mut self, _: &[LabelInfo]) {}
    fn second(&mut self, _: &Second<'_>) {}
    fn event(&mut self, e: &Event) {
        eprintln!(
            "{}",
            plimsoll_text::render(plimsoll_text::Lang::En, &e.message)
        );
    }
}
fn main() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let plan = args[0].clone();
    let mut props = plimsoll_jmx::properties::Properties::new();
    let mut log = None;
    let mut it = args[1..].iter();
    let mut paths = Vec::new();
    while let Some(a) = it.next() {
        if a == "-l" {
            log = it.next().cloned();
        } else if let Some(p) = a.strip_prefix("-J") {
            plimsoll_jmx::properties::define(&mut props, p);
        } else if let Some(p) = a.strip_prefix("--plugins=") {
            paths.push(p.to_owned());
        }
    }
    if !paths.is_empty() {
        plimsoll_jmx::properties::define(&mut props, &format!("search_paths={}", paths.join(";")));
    }
    let tree = plimsoll_jmx::read::read(&std::fs::read(&plan).unwrap()).unwrap();
    let options = plimsoll_jmx::TranslateOptions {
        properties: &props,
        folder: Path::new("").to_owned(),
        plan_file: plan.clone(),
        allow_unsupported: false,
        read_file: &|p| std::fs::read(p),
    };
    let translated = match plimsoll_jmx::translate(&tree, &options) {
        Ok(t) => t,
        Err(p) => {
            for p in p {
                eprintln!("{p:?}");
            }
            std::process::exit(3)
        }
    };
    let access = Access::of_user();
    let a2 = access.clone();
    let compiled = CompileOptions {
        columns_of: Some(Arc::new(move |d: &_, p: &_| {
            plimsoll_load::data::column_names(d, p, &a2)
        })),
        ..CompileOptions::default()
    };
    let program = match compile(&translated.plan, &compiled) {
        Ok(p) => Arc::new(p),
        Err(p) => {
            for p in p {
                eprintln!("{p:?}");
            }
            std::process::exit(3)
        }
    };
    let properties = Properties::new(props);
    let jm = JMeterOptions {
        properties,
        plan_file: plan,
        listeners: log
            .map(|l| Evaluated {
                class: "ResultCollector".into(),
                name: "-l".into(),
                properties: vec![("filename".into(), EvaluatedValue::Text(l))],
            })
            .into_iter()
            .collect(),
        folder: std::env::current_dir().unwrap(),
        output: ConsoleOutput::to(Arc::new(Mutex::new(std::io::stderr()))),
        ..JMeterOptions::default()
    };
    for (_, m) in check(&program, Some(&jm), &access).unwrap() {
        eprintln!(
            "missing: {}",
            plimsoll_text::render(plimsoll_text::Lang::En, &m)
        );
    }
    let options = Options {
        threads: Some(1),
        access,
        extension: Some(Arc::new(jm)),
        seed: 7,
        ..Options::default()
    };
    run(&program, &options, &mut Obs).unwrap();
}
