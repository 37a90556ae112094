use super::*;
use crate::lease::LEASE_NS;
use crate::wire::AssignmentLife;

const S: u64 = 1_000_000_000;
const ZERO: u64 = 1_000 * S;

/// Three workers with a share each; time passes in tenths of a second.
struct World {
    fleet: Fleet,
    now_ns: u64,
    alive: [bool; 3],
    cpu_share: [f64; 3],
    actions: Vec<(u64, FleetAction)>,
}

impl World {
    fn new(may_move: bool) -> Self {
        let mut fleet = Fleet::new(3, ZERO, ZERO, LEASE_NS, may_move);
        for share in 0..3_u32 {
            fleet.assign(Assignment {
                number: share,
                share,
                worker: share as usize,
                from_ns: 0,
            });
        }
        Self {
            fleet,
            now_ns: ZERO,
            alive: [true; 3],
            cpu_share: [0.2; 3],
            actions: Vec::new(),
        }
    }

    fn life(&mut self, worker: usize) {
        let numbers = self.fleet.of(worker);
        let life = Life {
            at_ns: self.now_ns,
            cpu_share: self.cpu_share[worker],
            assignments: numbers
                .iter()
                .map(|number| AssignmentLife {
                    number: *number,
                    started: (self.now_ns - ZERO) / 10_000_000,
                    ..AssignmentLife::default()
                })
                .collect(),
            ..Life::default()
        };
        let action = self.fleet.life(worker, self.now_ns, &life);
        self.fleet.renewed(worker, self.now_ns);
        let at_ns = self.now_ns - ZERO;
        self.actions.extend(action.map(|action| (at_ns, action)));
    }

    fn pass(&mut self, ns: u64) {
        let until_ns = self.now_ns + ns;
        while self.now_ns < until_ns {
            self.now_ns += S / 10;
            if self.now_ns.is_multiple_of(S / 2) {
                for worker in 0..3 {
                    if self.alive[worker] {
                        self.life(worker);
                    }
                }
            }
            let at_ns = self.now_ns - ZERO;
            let acted = self.fleet.tick(self.now_ns);
            self.actions
                .extend(acted.into_iter().map(|action| (at_ns, action)));
        }
    }

    fn given(&self) -> Option<(u64, Assignment)> {
        self.actions
            .iter()
            .find_map(|(at_ns, action)| match action {
                FleetAction::Give { to, .. } => Some((*at_ns, *to)),
                _ => None,
            })
    }
}

#[test]
fn a_silent_worker_is_noticed_and_replaced_when_its_lease_is_over() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.alive[1] = false;
    world.pass(15 * S);
    let (noticed_ns, silent) = &world.actions[0];
    assert_eq!(
        *silent,
        FleetAction::Silent {
            worker: 1,
            since_ns: 5 * S
        }
    );
    assert!(*noticed_ns <= 8 * S, "{noticed_ns}");
    let (moved_ns, to) = world.given().unwrap();
    assert!(
        moved_ns >= 15 * S,
        "not before the lease is over: {moved_ns}"
    );
    assert!(moved_ns < 16 * S && to.from_ns > moved_ns);
    assert_eq!((to.share, to.number), (1, 3));
    assert_ne!(to.worker, 1);
    let missing = world.fleet.missing();
    assert_eq!(missing.len(), 1);
    assert_eq!(
        (missing[0].from_ns, missing[0].to_ns),
        (5 * S, Some(to.from_ns))
    );
}

#[test]
fn who_comes_back_with_its_lease_goes_on() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.alive[1] = false;
    world.pass(6 * S);
    world.alive[1] = true;
    world.pass(20 * S);
    assert_eq!(world.given(), None);
    assert_eq!(world.fleet.of(1), [1]);
    let missing = world.fleet.missing();
    assert_eq!(
        (missing[0].from_ns, missing[0].to_ns),
        (5 * S, Some(11_500_000_000))
    );
}

#[test]
fn who_comes_back_too_late_has_no_share() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.alive[1] = false;
    world.pass(20 * S);
    world.alive[1] = true;
    world.pass(2 * S);
    assert!(world.fleet.of(1).is_empty());
    assert!(
        world
            .actions
            .iter()
            .any(|(_, action)| matches!(action, FleetAction::Back { worker: 1, .. }))
    );
}

#[test]
fn without_room_the_load_stays_lower_until_there_is_some() {
    let mut world = World::new(true);
    world.cpu_share = [0.9; 3];
    world.pass(2 * S);
    world.alive[0] = false;
    world.pass(20 * S);
    assert_eq!(world.given(), None);
    let unserved = world
        .actions
        .iter()
        .filter(|(_, action)| matches!(action, FleetAction::Unserved { share: 0, .. }));
    assert_eq!(unserved.count(), 1);
    assert_eq!(world.fleet.missing()[0].to_ns, None);
    world.cpu_share = [0.1; 3];
    world.pass(2 * S);
    assert!(world.given().is_some());
}

#[test]
fn a_plan_that_cannot_be_joined_late_stays_lower() {
    let mut world = World::new(false);
    world.pass(2 * S);
    world.alive[0] = false;
    world.pass(20 * S);
    assert_eq!(world.given(), None);
    assert_eq!(world.fleet.missing()[0].from_ns, 2 * S);
}

#[test]
fn a_share_that_is_given_back_moves_at_once() {
    let mut world = World::new(true);
    world.pass(5 * S);
    // The second in which it gave it back was reported as far as it went.
    world.fleet.reported(2, 4, 20);
    world.fleet.reported(2, 5, 1);
    world.fleet.ended(2, 5 * S, true);
    world.pass(S);
    let (moved_ns, to) = world.given().unwrap();
    assert!(moved_ns <= 5 * S + S / 5 && to.share == 2);
    assert_ne!(to.worker, 2, "not to whom it comes from");
    let missing = &world.fleet.missing()[0];
    assert_eq!((missing.from_ns, missing.to_ns), (5 * S, Some(to.from_ns)));
}

#[test]
fn a_controller_that_stood_still_blames_nobody() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.now_ns += 30 * S;
    assert!(world.fleet.tick(world.now_ns).is_empty());
    world.pass(5 * S);
    assert!(world.actions.is_empty(), "{:?}", world.actions);
}

#[test]
fn a_run_is_over_when_all_have_ended() {
    let mut world = World::new(true);
    world.pass(5 * S);
    for number in 0..3 {
        assert!(!world.fleet.is_over(world.now_ns));
        world.fleet.ended(number, 5 * S, false);
    }
    assert!(world.fleet.is_over(world.now_ns));
    assert!(world.fleet.losses(&|_, _| None).is_empty() && world.fleet.missing().is_empty());
}

/// The first worker is not heard after 10 s, the others come to their ends; what may be lost then.
fn without_the_first(meanwhile: impl FnOnce(&mut World)) -> (Assignment, u64, u64, u64) {
    let mut world = World::new(false);
    world.pass(10 * S);
    world.alive[0] = false;
    for second in 0..9 {
        world.fleet.reported(0, second, 100);
    }
    meanwhile(&mut world);
    for number in 1..3 {
        world.fleet.ended(number, 12 * S, false);
    }
    // One whose connection was closed is not awaited as long as one that may come back.
    if !world.fleet.workers[0].closed {
        world.pass(20 * S);
        assert!(!world.fleet.is_over(world.now_ns), "it may still come back");
        world.pass(15 * S);
    }
    world.pass(5 * S);
    assert!(world.fleet.is_over(world.now_ns));
    world.fleet.losses(&|_, _| None)[0]
}

#[test]
fn a_worker_that_ended_may_have_lost_what_it_started() {
    let (of, from_ns, to_ns, most) = without_the_first(|world| {
        world.pass(S);
        assert_eq!(world.fleet.quiet(world.now_ns), [0]);
        world.fleet.closed(0, world.now_ns);
        assert!(world.fleet.quiet(world.now_ns).is_empty());
    });
    assert_eq!((of.worker, from_ns, to_ns), (0, 9 * S, 11 * S));
    assert!((100..=300).contains(&most), "{most}");
}

#[test]
fn a_worker_that_was_cut_off_may_have_gone_on_until_its_lease_was_over() {
    // Nobody found its connection closed, or only late, or when the controller's own had broken.
    let late = |world: &mut World| {
        world.pass(4 * S);
        world.fleet.closed(0, world.now_ns);
    };
    let broken = |world: &mut World| {
        world.pass(S);
        world.fleet.doubted(world.now_ns);
        world.fleet.closed(0, world.now_ns);
    };
    let unasked: fn(&mut World) = |_| {};
    for meanwhile in [unasked, late, broken] {
        let (of, from_ns, to_ns, most) = without_the_first(meanwhile);
        assert_eq!((of.worker, from_ns), (0, 9 * S));
        assert_eq!(to_ns, 20 * S + 5_000_000);
        assert!(most >= 1_100, "all of these 11 s: {most}");
    }
}

#[test]
fn a_worker_that_is_heard_again_had_not_ended() {
    let mut world = World::new(false);
    world.pass(10 * S);
    world.alive[0] = false;
    world.pass(S);
    world.fleet.closed(0, world.now_ns);
    world.alive[0] = true;
    world.pass(S);
    world.alive[0] = false;
    world.pass(2 * S);
    assert_eq!(world.fleet.quiet(world.now_ns), [0]);
    let (_, _, to_ns, _) = world.fleet.losses(&|_, _| None)[0];
    assert_eq!(to_ns, 22 * S + 5_000_000);
}

#[test]
fn a_controller_that_takes_over_knows_what_may_be_lost() {
    let mut before = World::new(false);
    before.pass(10 * S);
    for second in 0..9 {
        before.fleet.reported(0, second, 100);
    }
    before.fleet.ended(1, 10 * S, false);
    // The worker died with the controller; another one's clock reads something else.
    let zero_ns = 7 * S;
    let mut after = Fleet::new(3, zero_ns, zero_ns + 15 * S, LEASE_NS, false);
    let all: Vec<Assignment> = before.fleet.assignments().copied().collect();
    all.into_iter().for_each(|of| after.assign(of));
    after.ended(1, 10 * S, false);
    after.restore_pulses(&before.fleet.pulses());
    after.closed(0, zero_ns + 16 * S);
    let losses = after.losses(&|_, _| None);
    assert_eq!(losses.len(), 2, "{losses:?}");
    let (of, from_ns, to_ns, most) = losses[0];
    assert_eq!((of.number, from_ns), (0, 9 * S));
    // It had its lease from a controller that was there until then.
    assert_eq!(to_ns, 25 * S + 5_000_000);
    assert!(most >= 1_600, "{most}");
}

#[test]
fn a_time_without_a_lease_is_missing_once() {
    let mut world = World::new(true);
    world.pass(5 * S);
    // All were without one while there was no controller.
    world.fleet.without_lease(0, 2 * S, 4 * S);
    world.fleet.without_lease(1, 2 * S, 4 * S);
    assert_eq!(world.fleet.missing().len(), 2);
    // What the controller has seen itself only becomes exact.
    world.alive[2] = false;
    world.pass(5 * S);
    world.alive[2] = true;
    world.pass(S);
    world.fleet.without_lease(2, 9 * S, 12 * S);
    let missing = &world.fleet.missing()[2..];
    assert_eq!(missing.len(), 1);
    assert_eq!(
        (missing[0].from_ns, missing[0].to_ns),
        (5 * S, Some(12 * S))
    );
}

#[test]
fn who_worked_on_unheard_was_not_missing() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.alive[1] = false;
    // The last report came before nothing came any more.
    world.fleet.reported(1, 5, 20);
    world.pass(5 * S);
    world.alive[1] = true;
    world.pass(S);
    assert_eq!(world.fleet.missing().len(), 1);
    // Its reports were kept: it had its lease all the time.
    for second in 6..11 {
        world.fleet.reported(1, second, 20);
    }
    assert!(world.fleet.missing().is_empty());
}

#[test]
fn who_stood_still_was_missing_from_the_second_it_stopped() {
    let mut world = World::new(true);
    world.pass(5 * S + S / 2);
    world.alive[1] = false;
    world.pass(3 * S);
    world.alive[1] = true;
    world.pass(S);
    for (second, requests) in [(4, 20), (5, 10), (6, 0), (7, 0), (8, 9)] {
        world.fleet.reported(1, second, requests);
    }
    let missing = &world.fleet.missing()[0];
    assert_eq!((missing.from_ns, missing.to_ns), (6 * S, Some(9 * S)));
}

#[test]
fn who_ends_a_run_waits_for_nobody_that_is_silent() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.alive = [false, true, true];
    world.pass(3 * S);
    world.fleet.ended(1, 8 * S, false);
    world.fleet.ended(2, 8 * S, false);
    assert!(!world.fleet.is_over(world.now_ns), "it may come back");
    world.fleet.stopping();
    assert!(world.fleet.is_over(world.now_ns));
}

#[test]
fn a_run_that_is_cut_off_ends_though_a_worker_never_says_so() {
    let mut world = World::new(true);
    world.pass(5 * S);
    world.fleet.cut_off(world.now_ns);
    world.pass(3 * S);
    assert!(!world.fleet.is_over(world.now_ns), "it gets time to end");
    world.pass(3 * S);
    assert!(world.fleet.is_over(world.now_ns));
}
