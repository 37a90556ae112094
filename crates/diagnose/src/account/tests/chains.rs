//! Accounts of simulated chains: each part is what it was, and the deepest full place is named.

use plimsoll_stats::series::EntityKind;

use super::simulated::{Serves, Tier, Truth, name, simulate};
use super::{adds_up, ms};
use crate::account::{Account, FullPlace, PartKind};
use crate::testing::{Chance, Made, thing};

fn made(tiers: &[Tier], truth: &Truth, packets: bool) -> Made {
    let mut made = Made::load(truth.per_s, truth.response_ms + 1.0).at("http://127.0.0.1:8000/");
    if packets {
        let host = thing(EntityKind::Host, "");
        made = made.capture(&host, "wire", "steady", &truth.wire().to_string());
    }
    for (tier, at) in tiers.iter().zip(0..) {
        let process = thing(EntityKind::Process, &name(at));
        let threads = truth.threads(at, tier.serves).to_string();
        made = made
            .process(&name(at), truth.runs[at].mean(), 64.0)
            .capture(&process, "thread_states", "steady", &threads);
    }
    made
}

/// What an account says beside what was so.
fn is_true(account: &Account, truth: &Truth, tiers: usize) {
    adds_up(account);
    let near = |kind, at: usize, number: f64| {
        let (said, was) = (ms(account, kind, &name(at)), number / truth.per_s * 1e3);
        let most = 0.03 * account.response_ms;
        assert!(
            (said - was).abs() < most,
            "{kind:?} of {at}: {said} for {was}: {account:?}"
        );
    };
    for at in 0..tiers {
        let (runs, calls) = (truth.runs[at].mean(), truth.calls[at].mean());
        near(PartKind::Running, at, runs);
        near(
            PartKind::WaitingInside,
            at,
            truth.inside[at].mean() - calls - runs,
        );
        near(PartKind::Unaccounted, at, 0.0);
    }
}

fn number(chance: &mut Chance, from: i64, below: i64) -> u32 {
    u32::try_from(from + chance.below(below - from)).unwrap()
}

fn ample(chance: &mut Chance) -> Tier {
    let serves = match chance.below(2) {
        0 => Serves::Threads(500),
        _ => Serves::Loop { blocks_ms: 0.0 },
    };
    // A loop that hardly runs has room.
    let runs_ms = match serves {
        Serves::Threads(_) => f64::from(number(chance, 1, 20)),
        Serves::Loop { .. } => 0.05,
    };
    Tier {
        serves,
        runs_ms,
        pool: 500,
    }
}

/// A chain of two to four processes of which one limits, with the place that does.
fn limited(chance: &mut Chance) -> (Vec<Tier>, usize, FullPlace, usize) {
    let count = usize::try_from(2 + chance.below(3)).unwrap();
    let mut tiers: Vec<Tier> = (0..count).map(|_| ample(chance)).collect();
    let at = usize::try_from(chance.below(i64::try_from(count - 1).unwrap())).unwrap();
    let limit = number(chance, 2, 8);
    let users = usize::try_from(limit * 4 + number(chance, 5, 20)).unwrap();
    // Whoever is behind the limit takes long enough that it is one.
    tiers[count - 1] = Tier {
        serves: Serves::Threads(500),
        runs_ms: 30.0,
        pool: 500,
    };
    let place = match chance.below(3) {
        0 => {
            tiers[at].pool = limit;
            FullPlace::Hop
        }
        1 => {
            tiers[at].serves = Serves::Threads(limit);
            tiers[at].runs_ms = 10.0;
            FullPlace::Threads
        }
        _ => {
            tiers[at].serves = Serves::Loop { blocks_ms: 20.0 };
            tiers[at].runs_ms = 2.0;
            FullPlace::EventLoop
        }
    };
    // What stands before it is full too, and of no use.
    if at > 0 && chance.below(2) == 0 {
        tiers[at - 1].pool = limit * 2 + 1;
    }
    (tiers, at, place, users)
}

#[test]
fn accounts_of_chains_are_what_was_so() {
    for seed in 0..60 {
        let mut chance = Chance(seed);
        let (tiers, at, place, users) = limited(&mut chance);
        let truth = simulate(&tiers, users, 20, &mut chance);
        let account = made(&tiers, &truth, true).diagnose().account.unwrap();
        is_true(&account, &truth, tiers.len());
        let first = account.plateaus.first();
        let first = first.unwrap_or_else(|| panic!("{seed}: none of {tiers:?}: {account:?}"));
        assert_eq!(
            (first.process.as_str(), first.place),
            (name(at).as_str(), place),
            "{seed}: {tiers:?} {account:?}"
        );
    }
}

#[test]
fn chains_with_room_have_no_full_place() {
    for seed in 0..40 {
        let mut chance = Chance(seed);
        let mut tiers: Vec<Tier> = (0..3).map(|_| ample(&mut chance)).collect();
        tiers[2] = Tier {
            serves: Serves::Threads(500),
            runs_ms: 30.0,
            pool: 500,
        };
        let truth = simulate(&tiers, 20, 20, &mut chance);
        let diagnosis = made(&tiers, &truth, true).diagnose();
        let account = diagnosis.account.unwrap();
        is_true(&account, &truth, tiers.len());
        assert_eq!(account.plateaus, [], "{seed}: {tiers:?}");
        assert_eq!(
            diagnosis.outcome,
            crate::DiagnosisOutcome::Nothing,
            "{seed}: {account:?}"
        );
    }
}

#[test]
fn without_packets_no_account_says_more_than_was_so() {
    for seed in 0..40 {
        let mut chance = Chance(seed);
        let (tiers, _, _, users) = limited(&mut chance);
        let truth = simulate(&tiers, users, 20, &mut chance);
        let account = made(&tiers, &truth, false).diagnose().account.unwrap();
        adds_up(&account);
        for at in 0..tiers.len() {
            let was = truth.runs[at].mean() / truth.per_s * 1e3;
            let said = ms(&account, PartKind::Running, &name(at));
            assert!(
                said < was + 0.03 * account.response_ms,
                "{seed}: {account:?}"
            );
        }
    }
}
