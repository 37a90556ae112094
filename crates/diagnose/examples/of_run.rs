//! Prints what limits runs: `cargo run -p plimsoll-diagnose --example of_run -- RUN…`.

use std::path::Path;

use plimsoll_diagnose::{Evidence, diagnose, json};
use plimsoll_store::Run;
use plimsoll_text::{Lang, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let full = std::env::var("FULL").is_ok();
    for dir in std::env::args().skip(1) {
        let run = Run::open(Path::new(&dir))?;
        let evidence = Evidence::of_run(&run)?;
        let diagnosis = diagnose(&evidence);
        println!(
            "== {dir} {:?} {}",
            diagnosis.window_s,
            render(Lang::En, &json::summary(&diagnosis))
        );
        if full {
            for stacks in plimsoll_diagnose::Scene::new(&evidence)
                .iter()
                .flat_map(|scene| scene.stacks())
            {
                let mut places = std::collections::BTreeMap::new();
                for seen in stacks.serving() {
                    *places.entry((seen.place, seen.thread.state)).or_insert(0) += 1;
                }
                println!(
                    "  stacks {} dumps {} busy {:.1} {places:?}",
                    stacks.jvm,
                    stacks.dumps,
                    stacks.busy()
                );
                for lock in stacks.locks() {
                    println!(
                        "     lock {:?} monitor {} in {:?} {:.1}",
                        lock.class, lock.monitor, lock.waits_in, lock.waiting
                    );
                }
                for hot in stacks.hot_libraries().iter().take(4) {
                    println!("     hot {hot:?}");
                }
                for hot in stacks.hot_methods().iter().take(3) {
                    println!("     own {hot:?}");
                }
            }
        }
        for finding in &diagnosis.findings {
            println!(
                "  {} {} {:?} share {:.2} conf {:.2} {} [{}]",
                finding.layer.name(),
                finding.id,
                finding.explains.of,
                finding.explains.share,
                finding.confidence,
                render(Lang::En, &finding.text("")),
                finding.object.name
            );
            if full {
                for exhibit in &finding.evidence {
                    println!("      - {}", render(Lang::En, &exhibit.text));
                    for line in &exhibit.lines {
                        println!("          {line}");
                    }
                }
                for advice in &finding.advice {
                    println!(
                        "      > {:?} {:?} {:?} {}",
                        advice.setting,
                        advice.current,
                        advice.proposed,
                        render(Lang::En, &advice.why)
                    );
                }
            }
        }
        for missing in &diagnosis.missing {
            println!("  ? {}", render(Lang::En, missing));
        }
    }
    Ok(())
}
