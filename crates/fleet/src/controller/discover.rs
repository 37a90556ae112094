//! Who is there, and who is chosen.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::time::{Instant, timeout_at};

use super::{FleetError, Settings};
use crate::link::Link;
use crate::wire::control::{DISCOVER, found_subject};
use crate::wire::{self, Announce, Discover, WorkerFound, WorkerState};

/// Asks all workers who they are; those that respond within `wait`, by name. A worker that
/// speaks another version of the messages is not among them.
///
/// # Errors
/// A link that does not work.
pub async fn discover(
    link: &dyn Link,
    asker: &str,
    wait: Duration,
) -> Result<Vec<Announce>, FleetError> {
    let reply = found_subject(asker);
    let mut responses = link.subscribe(&reply).await?;
    let question = wire::encode(&Discover { reply })?;
    link.publish(DISCOVER, question).await?;
    let until = Instant::now() + wait;
    let mut found = BTreeMap::new();
    while let Ok(Some(response)) = timeout_at(until, responses.recv()).await {
        if let Ok(WorkerFound { worker }) = wire::decode(&response.payload) {
            found.insert((worker.name.clone(), worker.instance.clone()), worker);
        }
    }
    Ok(found.into_values().collect())
}

/// Chooses the workers of a run: idle, of the same version, with the labels asked for, no two of
/// one name; those with most cores first.
///
/// # Errors
/// Too few of them, with why the others do not count.
pub fn choose(found: &[Announce], settings: &Settings) -> Result<Vec<Announce>, Message> {
    let mut fit: Vec<&Announce> = Vec::new();
    let mut unfit = Vec::new();
    for worker in found {
        match unfitness(worker, found, settings) {
            None => fit.push(worker),
            Some(why) => unfit.push((worker.name.clone(), why)),
        }
    }
    fit.sort_by(|a, b| b.cores.total_cmp(&a.cores).then(a.name.cmp(&b.name)));
    if fit.len() >= settings.workers {
        return Ok(fit[..settings.workers].iter().copied().cloned().collect());
    }
    let reasons: Vec<String> = unfit
        .iter()
        .map(|(name, why)| format!("{name}: {why}"))
        .collect();
    let message = Message::new("fleet-too-few-workers")
        .with(
            "wanted",
            i64::try_from(settings.workers).unwrap_or(i64::MAX),
        )
        .with("found", i64::try_from(fit.len()).unwrap_or(i64::MAX));
    Err(match reasons.is_empty() {
        true => message.with("others", Message::new("fleet-no-others")),
        false => message.with("others", format!(" ({})", reasons.join(", "))),
    })
}

/// Why a worker does not count, as a short fact.
fn unfitness(worker: &Announce, all: &[Announce], settings: &Settings) -> Option<String> {
    if all.iter().filter(|other| other.name == worker.name).count() > 1 {
        return Some("two workers have this name".to_owned());
    }
    if worker.version != settings.version {
        return Some(format!(
            "version {}, not {}",
            worker.version, settings.version
        ));
    }
    let lacks = settings
        .with
        .iter()
        .find(|(name, value)| worker.labels.get(*name) != Some(value));
    if let Some((name, value)) = lacks {
        return Some(format!("no {name}={value}"));
    }
    match worker.state {
        WorkerState::Idle => None,
        WorkerState::Busy => Some("busy".to_owned()),
        WorkerState::Ending => Some("ending".to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn worker(name: &str, instance: &str, zone: &str, state: WorkerState) -> Announce {
        Announce {
            name: name.to_owned(),
            instance: instance.to_owned(),
            labels: BTreeMap::from([("zone".to_owned(), zone.to_owned())]),
            version: "1".to_owned(),
            cores: 2.0,
            state,
            ..Announce::default()
        }
    }

    fn settings(workers: usize, zone: Option<&str>) -> Settings {
        Settings {
            run: "r".to_owned(),
            workers,
            with: zone
                .map(|zone| ("zone".to_owned(), zone.to_owned()))
                .into_iter()
                .collect(),
            each: false,
            seed: 0,
            lease_ns: 0,
            give_up_ns: 0,
            clock_error_ns: 0,
            load_end_ns: None,
            may_move: true,
            sets_up: false,
            tears_down: false,
            version: "1".to_owned(),
        }
    }

    #[test]
    fn only_idle_ones_with_the_labels_and_a_name_of_their_own() {
        let found = [
            worker("w1", "1", "a", WorkerState::Idle),
            worker("w2", "2", "b", WorkerState::Idle),
            worker("w3", "3", "a", WorkerState::Busy),
            worker("twin", "4", "a", WorkerState::Idle),
            worker("twin", "5", "a", WorkerState::Idle),
        ];
        let names = |chosen: Vec<Announce>| -> Vec<String> {
            chosen.into_iter().map(|worker| worker.name).collect()
        };
        let chosen = choose(&found, &settings(1, Some("a"))).unwrap();
        assert_eq!(names(chosen), ["w1"]);
        let chosen = choose(&found, &settings(2, None)).unwrap();
        assert_eq!(names(chosen), ["w1", "w2"]);
        let why = choose(&found, &settings(2, Some("a"))).unwrap_err();
        let text = plimsoll_text::render(plimsoll_text::Lang::En, &why);
        assert!(
            text.contains("w3: busy") && text.contains("w2: no zone=a"),
            "{text}"
        );
        assert!(text.contains("twin: two workers have this name"), "{text}");
    }
}
