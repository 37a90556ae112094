//! What a simple Groovy expression costs in the companion: the median round trip, for one
//! user and for several at once. `cargo run --release -p plimsoll-companion --example
//! groovy_cost [COMPANION FOLDER]`
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use plimsoll_companion::{
    CallMoment, Companion, CompanionOptions, CompanionSession, CompanionUser, Work, WorkOutcome,
    find, find_in,
};
use plimsoll_elements::Properties;
use plimsoll_plan::program::SiteId;

const EXPRESSION: &str = "vars.get('n').toInteger() + 1";

fn main() {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let installed = folder.map_or_else(find, |folder| find_in(&folder)).unwrap();
    let begun = Instant::now();
    let companion = {
        let access = plimsoll_access::Access::of_user();
        Companion::start(CompanionOptions::new(
            installed,
            Properties::default(),
            access,
        ))
        .unwrap()
    };
    println!("start: {:.2} s", begun.elapsed().as_secs_f64());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = tokio::task::LocalSet::new();
    for (users, calls) in [(1u32, 20_000u32), (1, 20_000), (8, 5_000), (50, 1_000)] {
        let begun = Instant::now();
        let mut times = local.block_on(&runtime, async {
            let tasks: Vec<_> = (0..users)
                .map(|number| tokio::task::spawn_local(one(companion.clone(), number, calls)))
                .collect();
            let mut times = Vec::new();
            for task in tasks {
                times.extend(task.await.unwrap());
            }
            times
        });
        let rate = f64::from(users * calls) / begun.elapsed().as_secs_f64();
        times.sort_unstable();
        let at =
            |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!(
            "{users} users, {calls} calls each: median {:.3} ms, p90 {:.3} ms, p99 {:.3} ms, {rate:.0}/s",
            at(0.5),
            at(0.9),
            at(0.99)
        );
    }
}

async fn one(companion: Companion, number: u32, calls: u32) -> Vec<Duration> {
    let user = CompanionUser {
        thread_name: format!("group 1-{}", number + 1),
        group: "group".into(),
        number,
        group_size: 1,
        same_user: true,
    };
    let mut session = CompanionSession::new(&companion, user);
    let args = [EXPRESSION.to_owned()];
    let mut times = Vec::with_capacity(calls as usize);
    for n in 0..calls {
        let text = n.to_string();
        let variables = |take: &mut dyn FnMut(&str, &str)| take("n", &text);
        let work = Work::Function {
            name: "__groovy",
            site: SiteId(1),
            args: &args,
        };
        let moment = CallMoment {
            variables: Some(&variables),
            ..CallMoment::default()
        };
        let begun = Instant::now();
        let result = session.call(&work, &moment).await.unwrap();
        times.push(begun.elapsed());
        assert_eq!(result.outcome, WorkOutcome::Text((n + 1).to_string()));
    }
    times
}
