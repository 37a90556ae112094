//! Configurations that may be tried.

use std::collections::HashSet;

use crate::space::{Configuration, Domain, Space};

/// A space of no more configurations is listed as a whole, unless its numbers have values between those listed.
const LISTED: usize = 4096;
/// Of a larger one so many are drawn.
const DRAWN: usize = 1500;
/// A knob of no more values is gone through one by one.
const FEW_VALUES: usize = 12;
/// So far beside a good value others are looked at, as shares of the distance of two that stand for all …
const BESIDE: [f64; 6] = [-0.5, -0.25, -0.1, 0.1, 0.25, 0.5];
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

/// Whether a domain has values beside those that stand for all of them.
fn is_finer(domain: &Domain) -> bool {
    matches!(domain, Domain::Number { .. }) && domain.count() > FEW_VALUES
}

/// Values close to one: the next ones on both sides, and some up to half the way to those that stand for all.
fn beside(domain: &Domain, value: Option<&str>) -> Vec<Option<String>> {
    let place = value.and_then(|value| Some((domain.number(value)?, domain.share(value)?)));
    let (Domain::Number { step, .. }, Some((number, share))) = (domain, place) else {
        return Vec::new();
    };
    let next = [number - step, number + step].map(|raw| domain.nearest(raw));
    let apart = 1.0 / (FEW_VALUES - 1) as f64;
    let near = BESIDE.map(|part| Some(domain.at(share + part * apart)));
    next.into_iter().chain(near).collect()
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
    let any_finer = space.knobs.iter().any(|knob| is_finer(&knob.domain));
    if let Some(total) = total.filter(|total| *total <= LISTED && !any_finer) {
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
            let domain = &space.knobs[at].domain;
            let near = match is_finer(domain) {
                true => beside(domain, space.value(base, at)),
                false => Vec::new(),
            };
            list.iter()
                .chain(&near)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::space::SpaceKnob;
    use proptest::prelude::*;

    fn space(domains: Vec<Domain>) -> Space {
        let knob = |domain| SpaceKnob {
            name: "k".to_owned(),
            domain,
            found: None,
            only_if: None,
            is_hidden: false,
        };
        Space {
            knobs: domains.into_iter().map(knob).collect(),
            relations: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn any_value_of_a_long_range_may_be_tried_and_those_beside_a_good_one_are(
            to in 30_u32..5000, share in 0.0..1.0_f64, knobs in 1_usize..4, by_ratio: bool, seed: u64,
        ) {
            let domain = Domain::numbers(1.0, f64::from(to), 1.0, by_ratio, "");
            let of_one = space(vec![domain.clone(); knobs]);
            let good = Configuration(vec![Some(domain.at(share)); knobs]);
            let mut rng = fastrand::Rng::with_seed(seed);
            let all = candidates(&of_one, std::slice::from_ref(&good), &mut rng);
            let mut values: Vec<&String> = all.iter().filter_map(|of| of.0[0].as_ref()).collect();
            values.sort();
            values.dedup();
            prop_assert!(values.len() > 2 * FEW_VALUES, "{}", values.len());
            let number = domain.number(&domain.at(share)).unwrap();
            for next in [number - 1.0, number + 1.0] {
                let next = good.with(0, domain.nearest(next));
                prop_assert!(next == good || all.contains(&next), "{next:?}");
            }
        }

        #[test]
        fn a_space_of_few_values_is_listed_as_a_whole(to in 2_u32..12, words in 1_usize..5, seed: u64) {
            let words: Vec<String> = (0..words).map(|at| format!("w{at}")).collect();
            let count = words.len();
            let numbers = Domain::numbers(1.0, f64::from(to), 1.0, false, "");
            let both = space(vec![numbers, Domain::Choice(words)]);
            let all = candidates(&both, &[], &mut fastrand::Rng::with_seed(seed));
            prop_assert_eq!(all.len(), (to as usize + 1) * (count + 1));
        }
    }
}
