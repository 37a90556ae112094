//! Real plans in a folder, and plans broken at random: nothing may crash, and whatever is said
//! is said in both languages.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io;
use std::path::{Path, PathBuf};

use plimsoll_jmx::{
    Properties, TranslateOptions, coverage, coverage::FileOutcome, read, table, translate,
};
use plimsoll_plan::{CompileOptions, Problem, compile};
use plimsoll_text::{Lang, render};
use proptest::prelude::*;

const PLAN: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="mutated" enabled="true">
      <boolProp name="TestPlan.functional_mode">false</boolProp>
      <elementProp name="TestPlan.user_defined_variables" elementType="Arguments">
        <collectionProp name="Arguments.arguments">
          <elementProp name="n" elementType="Argument">
            <stringProp name="Argument.name">n</stringProp>
            <stringProp name="Argument.value">${__P(n,2)}</stringProp>
          </elementProp>
        </collectionProp>
      </elementProp>
    </TestPlan>
    <hashTree>
      <ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="group">
        <stringProp name="ThreadGroup.num_threads">${n}</stringProp>
        <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
          <boolProp name="LoopController.continue_forever">false</boolProp>
          <intProp name="LoopController.loops">1</intProp>
        </elementProp>
      </ThreadGroup>
      <hashTree>
        <IfController testname="if"><stringProp name="IfController.condition">"${n}" == f(1,2)</stringProp></IfController>
        <hashTree>
          <HTTPSamplerProxy testname="get &amp; put"><stringProp name="HTTPSampler.path">/a&#x20;b</stringProp></HTTPSamplerProxy>
          <hashTree><RegexExtractor testname="x"/><hashTree/></hashTree>
          <ModuleController testname="m"><collectionProp name="ModuleController.node_path">
            <stringProp name="1">Test Plan</stringProp><stringProp name="2">mutated</stringProp><stringProp name="3">group</stringProp>
          </collectionProp></ModuleController>
          <hashTree/>
        </hashTree>
        <CSVDataSet testname="csv"><stringProp name="delimiter">\t</stringProp><stringProp name="filename">a.csv</stringProp></CSVDataSet>
        <hashTree/>
        <ResultCollector testname="r"><objProp><name>saveConfig</name><value class="SampleSaveConfiguration"><time>true</time></value></objProp></ResultCollector>
        <hashTree/>
      </hashTree>
      <OpenModelThreadGroup testname="open"><stringProp name="OpenModelThreadGroup.schedule">rate(1/s) pause(2 s)</stringProp></OpenModelThreadGroup>
      <hashTree/>
      <kg.apc.jmeter.threads.UltimateThreadGroup testname="u"><collectionProp name="ultimatethreadgroupdata"><collectionProp name="1">
        <stringProp name="1">5</stringProp><stringProp name="2">0</stringProp><stringProp name="3">30</stringProp>
        <stringProp name="4">60</stringProp><stringProp name="5">10</stringProp></collectionProp></collectionProp></kg.apc.jmeter.threads.UltimateThreadGroup>
      <hashTree/>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
"#;

/// Everything this crate does with a file.
fn use_all(bytes: &[u8], folder: &Path) {
    let tree = match read(bytes) {
        Ok(tree) => tree,
        Err(problem) => return said(&problem),
    };
    for row in table(&tree) {
        assert!(!row.class.is_empty() || row.at.line > 0);
        for message in row.lost.iter().chain(&row.instead) {
            has_text(message);
        }
    }
    let properties = Properties::new();
    let read_file = |path: &Path| -> io::Result<Vec<u8>> { std::fs::read(path) };
    let options = TranslateOptions {
        properties: &properties,
        folder: folder.to_owned(),
        plan_file: "plan.jmx".to_owned(),
        allow_unsupported: true,
        read_file: &read_file,
    };
    match translate(&tree, &options) {
        Ok(translated) => {
            translated.warnings.iter().for_each(said);
            if let Err(problems) = compile(&translated.plan, &CompileOptions::default()) {
                problems.iter().for_each(said);
            }
        }
        Err(problems) => problems.iter().for_each(said),
    }
}

fn said(problem: &Problem) {
    has_text(&problem.message);
    problem.remedy.iter().for_each(has_text);
}

fn has_text(message: &plimsoll_text::Message) {
    for lang in [Lang::En, Lang::Zh] {
        let text = render(lang, message);
        assert!(
            !text.is_empty() && !text.contains(&message.id),
            "{lang:?} {message:?}"
        );
    }
}

#[test]
fn the_plan_itself_is_translated() {
    let tree = read(PLAN.as_bytes()).unwrap();
    assert!(table(&tree).len() > 10);
    use_all(PLAN.as_bytes(), Path::new("."));
}

#[test]
fn deep_and_long_plans_are_no_trouble() {
    let deep = |count: usize| {
        let open = "<GenericController testname='g'/><hashTree>".repeat(count);
        let close = "</hashTree>".repeat(count);
        format!(
            "<jmeterTestPlan><hashTree><TestPlan testname='p'/><hashTree><ThreadGroup testname='t'/><hashTree>{open}{close}</hashTree></hashTree></hashTree></jmeterTestPlan>"
        )
    };
    for count in [90, 150, 190, 100_000] {
        use_all(deep(count).as_bytes(), Path::new("."));
    }
    let argument = "<elementProp name='a' elementType='Argument'><stringProp name='Argument.name'>a</stringProp></elementProp>";
    let long = format!(
        "<jmeterTestPlan><hashTree><TestPlan testname='p'/><hashTree><Arguments testname='t'><collectionProp name='Arguments.arguments'>{}</collectionProp>{}</Arguments></hashTree></hashTree></jmeterTestPlan>",
        argument.repeat(20_000),
        "<stringProp name='x'>${__P(a)}</stringProp>".repeat(20_000),
    );
    use_all(long.as_bytes(), Path::new("."));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes_break_nothing(changes in proptest::collection::vec((0..PLAN.len(), any::<u8>()), 1..8)) {
        let mut bytes = PLAN.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        use_all(&bytes, Path::new("."));
    }

    #[test]
    fn pieces_moved_about_break_nothing(from in 0..PLAN.len(), to in 0..PLAN.len(), at in 0..PLAN.len()) {
        let bytes = PLAN.as_bytes();
        let piece = &bytes[from.min(to)..from.max(to)];
        let changed = [&bytes[..at], piece, &bytes[at..]].concat();
        use_all(&changed, Path::new("."));
        use_all(piece, Path::new("."));
    }
}

/// The folders named in `PLIMSOLL_JMX`, apart by `:`, hold plans that must all be read.
#[test]
fn every_plan_of_the_given_folders_is_read() {
    let Ok(folders) = std::env::var("PLIMSOLL_JMX") else {
        eprintln!("left out: PLIMSOLL_JMX names no folders with plans");
        return;
    };
    for folder in std::env::split_paths(&folders) {
        let found = coverage(&folder).unwrap();
        assert!(!found.files.is_empty(), "no plans in {}", folder.display());
        for file in &found.files {
            match &file.outcome {
                FileOutcome::Parsed { missing, .. } => {
                    assert!(missing.is_empty(), "{}: {missing:?}", file.path.display());
                }
                other => panic!("{}: {other:?}", file.path.display()),
            }
            let bytes = std::fs::read(&file.path).unwrap();
            let folder = file.path.parent().map(PathBuf::from).unwrap_or_default();
            use_all(&bytes, &folder);
        }
        eprintln!(
            "{}: {} plans, {} native, {} with the companion",
            folder.display(),
            found.parsed(),
            found.with(plimsoll_jmx::RunsIn::Native),
            found.with(plimsoll_jmx::RunsIn::Companion),
        );
    }
}
