//! Service demands of resources over the loads of a stepped run, and which of them predicts the
//! throughput that was reached.

use std::ops::Range;

use plimsoll_stats::curve::{Demand, DemandSample};
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use crate::about::object;
use crate::cpu;
use crate::evidence::{EvidenceStep, SecondOfLoad};
use crate::links;
use crate::model::{Exhibit, FindingObject, ResourceDemand};
use crate::scene::{Scene, SeriesQuery};
use crate::serial;

/// Loads at which a larger share fails say little of what a request needs.
const MOST_ERRORS: f64 = 0.1;
/// Parts of a load, and the seconds that each has at least.
const PARTS: u32 = 5;
const LEAST_PART_S: u32 = 3;
/// Resources of which less is ever used are left out: nobody waits for them.
const LEAST_USED: f64 = 0.05;

impl Scene<'_> {
    /// What a request needs of each resource, over the loads of a stepped run.
    pub fn demands(&self) -> &[ResourceDemand] {
        self.demands.get_or_init(|| of_resources(self))
    }

    /// What the loads of a stepped run say of one resource, as evidence.
    #[must_use]
    pub fn demand_exhibit(&self, of: &FindingObject) -> Option<Exhibit> {
        let mut demands = self.demands().iter();
        let found = demands.find(|demand| demand.of.name == of.name && demand.of.host == of.host);
        found.map(ResourceDemand::exhibit)
    }
}

/// Something that can be busy.
struct Resource<'a> {
    of: FindingObject,
    series: SeriesName,
    busy: SeriesQuery<'a>,
    /// What of the series' unit one busy server is.
    unit: f64,
    capacity: f64,
}

/// The demands of all resources that a stepped run used, the lowest bound first; nothing for
/// other runs.
fn of_resources(scene: &Scene<'_>) -> Vec<ResourceDemand> {
    if scene.load().steps.len() < 2 {
        return Vec::new();
    }
    let mut found: Vec<ResourceDemand> = resources(scene)
        .into_iter()
        .filter_map(|resource| measured(scene, resource))
        .collect();
    found.sort_by(|a, b| a.demand.bound_per_s.total_cmp(&b.demand.bound_per_s));
    if let Some(first) = found.first_mut() {
        first.predicts = first.demand.predicts();
    }
    found
}

fn resources<'a>(scene: &Scene<'a>) -> Vec<Resource<'a>> {
    let mut all = Vec::new();
    for process in scene.things(EntityKind::Process) {
        if let Some(cpu) = cpu::of(scene, &process) {
            all.push(Resource {
                of: object("process", process.name.as_str(), &process),
                series: CPU,
                busy: scene.of(&process, CPU),
                unit: 1.0,
                capacity: serial::of(scene, &cpu).map_or(cpu.limit, |serial| serial.cpus),
            });
        }
    }
    for (host, disks) in scene.series(DISK).by_thing() {
        for (name, busy) in disks.by(attributes::SYSTEM_DEVICE) {
            all.push(Resource {
                of: object("disk", name, &host),
                series: DISK,
                busy,
                unit: 1.0,
                capacity: 1.0,
            });
        }
    }
    for thing in scene.things(EntityKind::Pool) {
        all.extend(pools(scene, &thing));
    }
    // A link is busy for as long as it takes to carry the bytes at its speed.
    all.extend(
        links::of_interfaces(scene)
            .into_iter()
            .map(|link| Resource {
                of: object("link", link.interface, &link.thing),
                series: links::CARRIED,
                busy: link.carried,
                unit: link.limit,
                capacity: 1.0,
            }),
    );
    all
}

const CPU: SeriesName = names::process::CPU_TIME;
const DISK: SeriesName = names::host::DISK_IO_TIME;
const POOL: SeriesName = names::pool::CONNECTIONS;

fn pools<'a>(scene: &Scene<'a>, thing: &Entity) -> Vec<Resource<'a>> {
    let name = attributes::DB_CLIENT_CONNECTION_POOL_NAME;
    let limits = scene.of(thing, names::pool::MAX).by(name);
    let used = scene
        .of(thing, POOL)
        .with(attributes::DB_CLIENT_CONNECTION_STATE, "used");
    let pool = |(pool, busy): (String, SeriesQuery<'a>)| {
        Some(Resource {
            capacity: limits.get(&pool)?.last()?,
            of: object("connection_pool", pool, thing),
            series: POOL,
            busy,
            unit: 1.0,
        })
    };
    used.by(name).into_iter().filter_map(pool).collect()
}

fn measured(scene: &Scene<'_>, resource: Resource<'_>) -> Option<ResourceDemand> {
    let mut samples = Vec::new();
    for step in &scene.load().steps {
        for part in parts(step) {
            samples.extend(sample(scene, &resource, step.load, part));
        }
    }
    let demand = Demand::of(&samples, resource.capacity)?;
    let used = demand.loads.iter().map(|at| at.utilization);
    (used.fold(0.0, f64::max) >= LEAST_USED).then_some(ResourceDemand {
        of: resource.of,
        series: resource.series,
        demand,
        predicts: false,
    })
}

/// A load's seconds in equal parts.
fn parts(step: &EvidenceStep) -> impl Iterator<Item = Range<u32>> {
    let (from, lasts) = (step.from_s, step.to_s.saturating_sub(step.from_s));
    let count = (lasts / LEAST_PART_S).clamp(1, PARTS);
    (0..count).map(move |part| from + lasts * part / count..from + lasts * (part + 1) / count)
}

/// What a part of a load showed; nothing if much failed, or nobody looked.
#[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
fn sample(
    scene: &Scene<'_>,
    resource: &Resource<'_>,
    load: f64,
    part: Range<u32>,
) -> Option<DemandSample> {
    let inside = |second: &&SecondOfLoad| part.contains(&second.second);
    let seconds = scene.load().seconds.iter().filter(inside);
    let (samples, errors) = seconds.fold((0, 0), |(samples, errors), second| {
        (samples + second.samples, errors + second.errors)
    });
    if samples == 0 || errors as f64 > MOST_ERRORS * samples as f64 {
        return None;
    }
    let ms = |second: u32| i64::from(second) * 1_000;
    Some(DemandSample {
        load,
        busy: resource.busy.mean_in((ms(part.start), ms(part.end)))? / resource.unit,
        throughput_per_s: samples as f64 / f64::from(part.end - part.start),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use crate::Diagnosis;
    use crate::testing::{Made, thing};
    use plimsoll_stats::series::{EntityKind, SeriesKind};

    /// Loads of 1, 4 and 16 users; a process that uses so many ms of CPU for a request, on one CPU.
    fn stepped(demand_ms: [f64; 3]) -> Made {
        let rates = [100.0, 400.0, 1_000.0_f64].into_iter().zip(demand_ms);
        let rates: Vec<f64> = rates.map(|(rate, ms)| rate.min(1e3 / ms)).collect();
        let used = [0, 1, 2].map(|at| rates[at] * demand_ms[at] / 1e3);
        Made::load(rates[2], 16.0)
            .steps(&[(1.0, rates[0]), (4.0, rates[1]), (16.0, rates[2])])
            .process_in_steps("java[8080]", used, 1.0)
    }

    fn demand_of(diagnosis: &Diagnosis) -> &super::ResourceDemand {
        diagnosis.demands.first().expect("a demand")
    }

    #[test]
    fn the_resource_that_predicts_the_plateau_is_named() {
        let pool = thing(EntityKind::Pool, "java[8080]");
        let name = [("db.client.connection.pool.name", "main")];
        let used = [
            ("db.client.connection.pool.name", "main"),
            ("db.client.connection.state", "used"),
        ];
        let diagnosis = stepped([2.0, 2.0, 2.0])
            .gauge(&pool, "db.client.connection.count", &used, 2.0)
            .gauge(&pool, "db.client.connection.max", &name, 20.0)
            .diagnose();
        assert_eq!(diagnosis.demands.len(), 2);
        let first = demand_of(&diagnosis);
        assert_eq!(
            (first.of.kind, first.of.name.as_str(), first.predicts),
            ("process", "java[8080]", true)
        );
        assert!((first.demand.bound_per_s - 500.0).abs() < 10.0, "{first:?}");
        assert_eq!(first.demand.grows_by(), None);
        assert!(!diagnosis.demands[1].predicts);
        // The finding of the CPU shows it.
        let cpu = diagnosis.findings.iter().find(|found| found.id == "cpu");
        let shown = &cpu.expect("a full CPU").evidence;
        assert!(shown.iter().any(|e| e.text.id == "exhibit-demand-steps"));
    }

    #[test]
    fn a_link_whose_bytes_predict_the_plateau_is_named() {
        // 100 kB for each request on a link of 12.5 MB/s: 125 a second, of which 108 are reached.
        let host = thing(EntityKind::Host, "");
        let interface = [("network.interface.name", "eth0")];
        let sent = |way| {
            [
                ("network.interface.name", "eth0"),
                ("network.io.direction", way),
            ]
        };
        let rates = [20.0, 60.0, 108.0];
        let made = |bytes: f64| {
            let sum = move |second: f64| {
                let steps = (0..).zip(rates);
                let inside = |at: i32| (second - f64::from(at) * 6.0).clamp(0.0, 6.0);
                steps.map(|(at, rate)| rate * bytes * inside(at)).sum()
            };
            Made::load(108.0, 150.0)
                .steps(&[(1.0, rates[0]), (4.0, rates[1]), (16.0, rates[2])])
                .process_in_steps("java[8080]", [0.1, 0.3, 0.54], 2.0)
                .gauge(&host, "system.network.bandwidth.limit", &interface, 12.5e6)
                .track(
                    &host,
                    "system.network.io",
                    &sent("transmit"),
                    SeriesKind::Counter,
                    sum,
                )
                .counter(&host, "system.network.io", &sent("receive"), 2e4)
        };
        let diagnosis = made(100e3).diagnose();
        let first = demand_of(&diagnosis);
        assert_eq!((first.of.kind, first.of.name.as_str()), ("link", "eth0"));
        assert!(first.predicts, "{first:?}");
        assert!((first.demand.bound_per_s - 125.0).abs() < 3.0, "{first:?}");
        let named = diagnosis.findings.iter().find(|f| f.id == "network_full");
        let shown = &named.expect("a full link").evidence;
        assert!(shown.iter().any(|e| e.text.id == "exhibit-demand-steps"));
        // With a tenth of the bytes it bounds nothing that was reached.
        let light = made(10e3).diagnose();
        assert!(light.findings.iter().all(|f| f.id != "network_full"));
        let link = light.demands.iter().find(|d| d.of.kind == "link");
        assert!(!link.expect("a link's demand").predicts);
    }

    #[test]
    fn a_demand_that_grows_is_told_with_its_growth() {
        let diagnosis = stepped([1.0, 1.2, 2.2]).diagnose();
        let first = demand_of(&diagnosis);
        let grows = first.demand.grows_by().expect("it grows");
        assert!((1.0..1.5).contains(&grows), "{grows}");
        assert!(!first.predicts, "it promised twice as much");
        assert_eq!(first.message().id, "exhibit-demand-grows");
    }

    #[test]
    fn a_run_of_one_load_has_no_demands() {
        let made = Made::load(100.0, 20.0).process("java[8080]", 0.9, 1.0);
        assert!(made.diagnose().demands.is_empty());
    }
}
