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

/// The response time outside of the target; by the wire if that says how long the target has a
/// request, where `on_host` says whether the generator was seen there too.
///
/// What goes elsewhere is left out: all times are of the rest, as parts of the response time of all requests.
pub(super) fn outside(
    scene: &Scene<'_>,
    at_door: Option<(&Wire, f64, bool)>,
    elsewhere: &Elsewhere<'_>,
) -> Outside {
    let all_ms = scene.total().response_time_ms.mean.max(0.0);
    let (here, time_here) = (elsewhere.share_here(), elsewhere.time_share_here());
    let response_ms = all_ms * time_here;
    let service_ms = (scene.service_s() * 1e3 * time_here).min(response_ms);
    let late_ms = response_ms - service_ms;
    let connecting_ms = (connecting_ms(scene) * here).min(service_ms);
    let lag_ms = (own_ms(scene) * here - late_ms).clamp(0.0, service_ms - connecting_ms);
    let Some((wire, door_ms, on_host)) = at_door else {
        return Outside {
            generator_ms: late_ms + lag_ms,
            connecting_ms,
            network_ms: 0.0,
            inside_ms: service_ms - connecting_ms - lag_ms,
            basis: AccountBasis::Load,
        };
    };
    // The capture is a moment of the stretch: what it says is taken in proportion.
    let then_ms = response_then_ms(scene, wire).unwrap_or(all_ms) * time_here * service_ms
        / response_ms.max(1e-9);
    let seen_ms = service_ms.min(then_ms * MOST_STRETCHED);
    let connecting_ms = connecting_ms.min(seen_ms);
    let share = (door_ms * here / then_ms.max(1e-9)).min(1.0);
    let inside_ms = (share * seen_ms).min(seen_ms - connecting_ms);
    let beside_ms = seen_ms - inside_ms - connecting_ms;
    let network_ms = if on_host {
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

/// The mean response time of the seconds in which packets were looked at.
#[expect(clippy::cast_precision_loss, reason = "counts of a second")]
fn response_then_ms(scene: &Scene<'_>, wire: &Wire) -> Option<f64> {
    let (from_ms, to_ms) = wire.stretch_ms;
    let seconds = scene.load().seconds.iter();
    let (mut sum_ms, mut count) = (0.0, 0.0);
    for second in seconds.filter(|second| {
        let begins_ms = i64::from(second.second) * 1_000;
        begins_ms + 1_000 > from_ms && begins_ms < to_ms
    }) {
        sum_ms += second.response_ms * second.samples as f64;
        count += second.samples as f64;
    }
    (count > 0.0).then(|| sum_ms / count)
}
