//! Chains of services: what each hop adds to the response time.

mod alone;
mod chain;

use super::Rule;
use crate::model::Finding;
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["hop_latency"],
    refuted_by: "a hop that takes no longer than the others",
    look,
};

/// A chain has so many hops: of two the slower one is seen without a rule.
const LEAST_HOPS: usize = 3;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let alone = scene.load().hops.as_ref();
    let chain = chain::chain(scene);
    let slowest = chain.iter().max_by(|a, b| a.own_ms.total_cmp(&b.own_ms));
    let seen = slowest.filter(|_| chain.len() >= LEAST_HOPS);
    let seen = seen.and_then(|slowest| chain::finding(scene, &chain, slowest).zip(Some(slowest)));
    let found = match (seen, alone) {
        (Some((finding, slowest)), Some(alone)) => {
            Some(alone::beside(scene, alone, slowest, finding))
        }
        (Some((finding, _)), None) => Some(finding),
        (None, Some(alone)) => alone::finding(scene, alone),
        (None, None) => None,
    };
    found.into_iter().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use crate::testing::{Made, thing};

    /// A chain of nginx, a gateway, a shop and a stock, each with its time and CPU.
    fn chain(hops: &[(&str, f64, f64)]) -> Made {
        let mut made = Made::load(200.0, 100.0);
        for (name, ms, cpu) in hops {
            let (kind, series) = match *name {
                "nginx[80]" => (EntityKind::Proxy, "nginx.request.duration"),
                _ => (EntityKind::Application, "http.server.request.duration"),
            };
            let of = thing(kind, name);
            made = made
                .process(name, *cpu, 1.0)
                .counter(&of, &format!("{series}.count"), &[], 200.0)
                .counter(&of, &format!("{series}.sum"), &[], 200.0 * ms / 1e3);
        }
        made
    }

    #[test]
    fn the_hop_that_adds_most_and_has_no_room_is_named() {
        let made = chain(&[
            ("nginx[80]", 98.0, 0.1),
            ("java[8081]", 90.0, 0.5),
            ("java[8082]", 80.0, 0.97),
            ("java[8083]", 10.0, 0.3),
        ]);
        let finding = made.find("hop_latency").unwrap();
        assert_eq!(finding.object.name, "java[8082]");
        assert!((finding.explains.share - 0.7).abs() < 0.01);
        // Four hops and the CPU of the slowest.
        assert_eq!(finding.evidence.len(), 5);
    }

    #[test]
    fn a_slow_hop_with_room_and_a_single_service_are_no_finding() {
        let with_room = chain(&[
            ("nginx[80]", 98.0, 0.1),
            ("java[8082]", 80.0, 0.4),
            ("java[8083]", 10.0, 0.3),
        ]);
        assert_eq!(with_room.find("hop_latency"), None);
        let alone = chain(&[("java[8082]", 80.0, 0.97)]);
        assert_eq!(alone.find("hop_latency"), None);
    }
}
