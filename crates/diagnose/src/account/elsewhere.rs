//! Requests of the load to addresses at which nobody watches: their time is none of the target's.

use plimsoll_stats::series::EntityKind;

use crate::address;
use crate::evidence::LoadElsewhere;
use crate::processes::listens_at;
use crate::scene::Scene;

/// What goes there.
pub(super) struct Elsewhere<'a> {
    scene: &'a Scene<'a>,
    /// The addresses.
    origins: Vec<&'a LoadElsewhere>,
}

impl<'a> Elsewhere<'a> {
    /// The addresses at whose port nothing that is watched listens. Another name may lead to the host that is
    /// watched, so a host alone says nothing.
    pub fn of(scene: &'a Scene<'a>) -> Self {
        let processes = scene.things(EntityKind::Process);
        let is_watched = |other: &LoadElsewhere| {
            let Some(port) = address::port(&other.origin) else {
                return false;
            };
            let mut processes = processes.iter();
            processes.any(|process| listens_at(scene, process, &port.to_string()))
        };
        let all = scene.load().elsewhere.iter();
        Self {
            scene,
            origins: all.filter(|other| !is_watched(other)).collect(),
        }
    }

    /// Each with its part of the mean response time of all requests, ms.
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    pub fn parts(&self) -> impl Iterator<Item = (&'a str, f64)> {
        let of_all = |other: &&'a LoadElsewhere| {
            let ms = other.mean_ms * other.requests as f64 / self.scene.requests();
            (other.origin.as_str(), ms)
        };
        self.origins.iter().map(of_all)
    }

    /// The share of all requests that goes to the target, over 0.
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    pub fn share_here(&self) -> f64 {
        let counts = self.origins.iter().map(|other| other.requests as f64);
        (1.0 - counts.sum::<f64>() / self.scene.requests()).clamp(1e-6, 1.0)
    }

    /// The share of all response time that passes at the target, over 0.
    pub fn time_share_here(&self) -> f64 {
        let all_ms = self.scene.total().response_time_ms.mean;
        let away_ms: f64 = self.parts().map(|(_, ms)| ms).sum();
        (1.0 - away_ms / all_ms.max(1e-9)).clamp(1e-6, 1.0)
    }
}
