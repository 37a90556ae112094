//! The load's side of an account: what of the response time passes before a request is at the
//! target's door and after its response has left it.

use super::elsewhere::Elsewhere;
use super::model::AccountBasis;
use super::seen::Wire;
use crate::scene::Scene;

/// A moment in which packets were looked at stands for a stretch whose response time is so many times that of the
/// moment, and no more: what the requests of other moments waited for was not seen.
pub(super) const MOST_STRETCHED: f64 = 2.0;

/// The response time as the load saw it, ms.
pub(super) struct Outside {
    /// With the generator.
    pub generator_ms: f64,
    /// Connections made.
    pub connecting_ms: f64,
    /// On the way, beside that.
    pub network_ms: f64,
    /// In the target.
    pub inside_ms: f64,
    /// How it is known when requests come and go.
    pub basis: AccountBasis,
}

/// The load in the seconds in which packets were looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadThen {
    /// Requests a second.
    pub per_s: f64,
    /// Their mean response time, ms.
    pub ms: f64,
}

/// What packets say of requests where they come in.
pub(super) struct AtDoor {
    pub then: LoadThen,
    /// How long packets were looked at, ms.
    pub lasts_ms: f64,
    /// So long the target has a request, as far as that was seen, ms.
    pub has_ms: f64,
    /// Whether the generator was seen there, too.
    pub knows_generator: bool,
}

/// The response time outside of the target; by the wire if that says how long the target has a request.
///
/// What goes elsewhere is left out: all times are of the rest, as parts of the response time of all requests.
pub(super) fn outside(
    scene: &Scene<'_>,
    at_door: Option<AtDoor>,
    elsewhere: &Elsewhere<'_>,
) -> Outside {
    let all_ms = scene.total().response_time_ms.mean.max(0.0);
    let (here, time_here) = (elsewhere.share_here(), elsewhere.time_share_here());
    let response_ms = all_ms * time_here;
    let service_ms = (scene.service_s() * 1e3 * time_here).min(response_ms);
    let late_ms = response_ms - service_ms;
    let connecting_ms = (connecting_ms(scene) * here).min(service_ms);
    let lag_ms = (own_ms(scene) * here - late_ms).clamp(0.0, service_ms - connecting_ms);
    let Some(door) = at_door else {
        return Outside {
            generator_ms: late_ms + lag_ms,
            connecting_ms,
            network_ms: 0.0,
            inside_ms: service_ms - connecting_ms - lag_ms,
            basis: AccountBasis::Load,
        };
    };
    // The capture is a moment of the stretch: what it says is taken in proportion.
    let then_ms = door.then.ms * time_here * service_ms / response_ms.max(1e-9);
    let seen_ms = service_ms.min(then_ms * MOST_STRETCHED);
    let connecting_ms = connecting_ms.min(seen_ms);
    // Of requests that are longer than the looking no more can have been seen.
    let seen_then_ms = then_ms.min(door.lasts_ms);
    let share = (door.has_ms * here / seen_then_ms.max(1e-9)).min(1.0);
    let inside_ms = (share * seen_ms).min(seen_ms - connecting_ms);
    let beside_ms = seen_ms - inside_ms - connecting_ms;
    let network_ms = if door.knows_generator {
        0.0
    } else {
        (beside_ms - lag_ms).max(0.0)
    };
    Outside {
        generator_ms: late_ms + beside_ms - network_ms,
        connecting_ms,
        network_ms,
        inside_ms,
        basis: AccountBasis::Wire,
    }
}

/// What making connections takes of a request on average.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn connecting_ms(scene: &Scene<'_>) -> f64 {
    let phases = &scene.total().phases;
    let all = [phases.dns, phases.connect, phases.tls];
    let sum_ms: f64 = all
        .iter()
        .map(|phase| phase.count as f64 * phase.mean_ms)
        .sum();
    sum_ms / scene.requests()
}

/// What the generator itself is known to have added.
fn own_ms(scene: &Scene<'_>) -> f64 {
    let corrected = scene.load().generator.corrected;
    let known = corrected.filter(|times| times.mean > 0.0);
    let measured_ms = scene.total().response_time_ms.mean;
    known.map_or(0.0, |times| (measured_ms - times.mean).max(0.0))
}

/// The load in the seconds in which packets were looked at; of the whole stretch where no request ended in them. None
/// without any.
#[expect(clippy::cast_precision_loss, reason = "counts of a second")]
pub(super) fn load_then(scene: &Scene<'_>, wire: &Wire) -> Option<LoadThen> {
    let (from_ms, to_ms) = wire.stretch_ms;
    let seconds = scene.load().seconds.iter();
    let (mut sum_ms, mut count, mut lasted_s) = (0.0, 0.0, 0.0_f64);
    for second in seconds.filter(|second| {
        let begins_ms = i64::from(second.second) * 1_000;
        begins_ms + 1_000 > from_ms && begins_ms < to_ms
    }) {
        sum_ms += second.response_ms * second.samples as f64;
        count += second.samples as f64;
        lasted_s += 1.0;
    }
    match count > 0.0 {
        true => Some(LoadThen {
            per_s: count / lasted_s,
            ms: sum_ms / count,
        }),
        false => Some(LoadThen {
            per_s: scene.throughput_per_s(),
            ms: scene.total().response_time_ms.mean,
        })
        .filter(|then| then.per_s > 0.0),
    }
}
