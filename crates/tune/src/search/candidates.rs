//! Configurations that may be tried.

use std::collections::HashSet;

use crate::space::{Configuration, Domain, Space};

/// A space of no more configurations is listed as a whole.
const LISTED: usize = 4096;
/// Of a larger one so many are drawn.
const DRAWN: usize = 1500;
/// A knob of no more values is gone through one by one.
const FEW_VALUES: usize = 12;
/// Draws that relations may refuse.
const REFUSED: usize = 20 * DRAWN;

/// Values of a knob that stand for all of them; the first is that it stays as it was.
#[must_use]
pub fn values(domain: &Domain) -> Vec<Option<String>> {
    let of = |count: usize| {
        let share = move |at: usize| at as f64 / (count.max(2) - 1) as f64;
        (0..count).map(move |at| Some(domain.at(share(at))))
    };
    let mut all = vec![None];
    match domain {
        Domain::Choice(words) => all.extend(words.iter().cloned().map(Some)),
        Domain::Number { .. } if domain.count() <= FEW_VALUES => {
            // By steps, not by shares: a scale by ratio would leave some out.
            all.extend(steps(domain));
        }
        Domain::Number { .. } => all.extend(of(FEW_VALUES)),
    }
    let mut seen = HashSet::new();
    all.retain(|value| seen.insert(value.clone()));
    all
}

fn steps(domain: &Domain) -> Vec<Option<String>> {
    let Domain::Number { from, step, .. } = domain else {
        return Vec::new();
    };
    let at = |step_number: usize| domain.nearest(from + step_number as f64 * step);
    (0..domain.count()).map(at).collect()
}

/// The configurations of a space that may be looked at next: all of a small one, else some that are
/// drawn and the neighbours of what is good so far.
#[must_use]
pub fn candidates(
    space: &Space,
    good: &[Configuration],
    rng: &mut fastrand::Rng,
) -> Vec<Configuration> {
    let lists: Vec<_> = space
        .knobs
        .iter()
        .map(|knob| values(&knob.domain))
        .collect();
    let total = lists
        .iter()
        .try_fold(1_usize, |all, list| all.checked_mul(list.len()));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut take = |of: Configuration| {
        let of = space.normal(&of);
        if space.broken(&of).is_none() && seen.insert(of.clone()) {
            found.push(of);
        }
    };
    if let Some(total) = total.filter(|total| *total <= LISTED) {
        for number in 0..total {
            let mut rest = number;
            let value = |list: &Vec<Option<String>>| {
                let value = list[rest % list.len()].clone();
                rest /= list.len();
                value
            };
            take(Configuration(lists.iter().map(value).collect()));
        }
        return found;
    }
    for base in good {
        for (at, list) in lists.iter().enumerate() {
            list.iter()
                .for_each(|value| take(base.with(at, value.clone())));
        }
    }
    for _ in 0..DRAWN {
        take(drawn(space, rng));
    }
    found
}

/// One that is drawn: each knob is left as it was now and then.
#[must_use]
pub fn drawn(space: &Space, rng: &mut fastrand::Rng) -> Configuration {
    let mut value = |domain: &Domain| match rng.usize(0..6) {
        0 => None,
        _ => Some(domain.at(rng.f64())),
    };
    let all = space.knobs.iter().map(|knob| value(&knob.domain));
    Configuration(all.collect())
}

/// One that is drawn and that relations allow; none if hardly any is.
#[must_use]
pub fn allowed_draw(
    space: &Space,
    tried: &HashSet<Configuration>,
    rng: &mut fastrand::Rng,
) -> Option<Configuration> {
    let mut draws = (0..REFUSED).map(|_| space.normal(&drawn(space, rng)));
    draws.find(|of| space.broken(of).is_none() && !tried.contains(of))
}
