//! How much of what they can carry network interfaces carry.

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::Entity;

use crate::scene::{Scene, SeriesQuery};

/// Bytes a second of an interface, by direction.
pub const CARRIED: SeriesName = names::host::NETWORK_IO;
/// Bytes a second that a shaper lets out of an interface.
const SHAPER: SeriesName = names::host::SHAPER_LIMIT;
/// Bytes a second that an interface can carry each way, by its speed.
const SPEED: SeriesName = names::host::NETWORK_LIMIT;

/// The fuller direction of an interface, with what it may carry.
#[derive(Debug, Clone)]
pub struct NetworkLink<'a> {
    /// What it is part of.
    pub thing: Entity,
    /// Its name.
    pub interface: String,
    /// What it carries that way.
    pub carried: SeriesQuery<'a>,
    /// Bytes a second that it carried over the stretch.
    pub rate: f64,
    /// Bytes a second that it may carry.
    pub limit: f64,
    /// The series that the limit is from.
    pub limited_by: SeriesName,
}

impl NetworkLink<'_> {
    /// Carried of what it may carry.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        self.rate / self.limit
    }
}

/// Interfaces whose limit is known, the fullest first; each once, with the limit that is nearer.
#[must_use]
pub fn of_interfaces<'a>(scene: &Scene<'a>) -> Vec<NetworkLink<'a>> {
    let mut all = limited(scene, SHAPER, &["transmit"]);
    all.extend(limited(scene, SPEED, &["transmit", "receive"]));
    all.sort_by(|a, b| b.utilization().total_cmp(&a.utilization()));
    let mut found: Vec<NetworkLink<'a>> = Vec::new();
    for link in all {
        let same = |other: &NetworkLink<'_>| {
            other.thing.host == link.thing.host && other.interface == link.interface
        };
        if !found.iter().any(same) {
            found.push(link);
        }
    }
    found
}

/// The series of an interface.
#[must_use]
pub fn of<'a>(
    scene: &Scene<'a>,
    thing: &Entity,
    series: SeriesName,
    interface: &str,
) -> SeriesQuery<'a> {
    scene
        .of(thing, series)
        .with(attributes::NETWORK_INTERFACE_NAME, interface)
}

fn limited<'a>(
    scene: &Scene<'a>,
    limited_by: SeriesName,
    directions: &[&str],
) -> Vec<NetworkLink<'a>> {
    let mut found = Vec::new();
    for (thing, limits) in scene.series(limited_by).by_thing() {
        for (interface, limit) in limits.by(attributes::NETWORK_INTERFACE_NAME) {
            let Some(limit) = limit.last().filter(|limit| *limit > 0.0) else {
                continue;
            };
            let io = of(scene, &thing, CARRIED, &interface);
            let ways = directions.iter().filter_map(|way| {
                let carried = io.with(attributes::NETWORK_IO_DIRECTION, way);
                Some((carried.mean()?, carried))
            });
            if let Some((rate, carried)) = ways.max_by(|a, b| a.0.total_cmp(&b.0)) {
                found.push(NetworkLink {
                    thing: thing.clone(),
                    interface,
                    carried,
                    rate,
                    limit,
                    limited_by,
                });
            }
        }
    }
    found
}
