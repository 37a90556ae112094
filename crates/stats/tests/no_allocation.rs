//! Recording allocates nothing in the steady state, and codes made up by a
//! plan do not eat the memory. Both need a process of their own.
#![allow(clippy::unwrap_used, missing_docs)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use plimsoll_stats::{Code, ErrorKind, IntervalSet, LabelId, LabelKind, Sample};

struct Counting;

thread_local! {
    /// Allocations of this thread; the test harness has others.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it came; the
// counter is a plain cell that does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` came from `alloc` above, so from the system.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn sample(n: u64) -> Sample<'static> {
    let start_ns = n * 1_000_000;
    let failed = n.is_multiple_of(10);
    Sample {
        label: LabelId((n % 5) as u32),
        kind: LabelKind::Request,
        parent: None,
        user: 0,
        iteration: n,
        code: if failed {
            Code::None
        } else {
            Code::Http(200 + n as u16 % 4)
        },
        message: "",
        error: failed.then_some(ErrorKind::ReadTimeout),
        sent_bytes: 10,
        received_bytes: 10,
        intended_ns: start_ns.saturating_sub(n % 3 * 50_000),
        ready_ns: 0,
        start_ns,
        dns_ns: 0,
        connect_ns: n % 2,
        tls_ns: 0,
        first_byte_ns: start_ns + 500_000,
        end_ns: start_ns + 600_000 + (n * 7_919) % 600_000,
        lag_ns: 0,
    }
}

/// Records a second into `set` and hands it over.
fn second(set: &mut IntervalSet, spare: &mut IntervalSet) {
    (0..20_000).for_each(|n| set.record(&sample(n)));
    std::mem::swap(set, spare);
    spare.clear();
}

#[test]
fn recording_allocates_nothing_in_the_steady_state() {
    let (mut set, mut spare) = (IntervalSet::new(), IntervalSet::new());
    second(&mut set, &mut spare);
    second(&mut set, &mut spare);
    let before = ALLOCATIONS.get();
    assert!(before > 0, "the counter counts");
    for _ in 0..4 {
        second(&mut set, &mut spare);
    }
    assert_eq!(ALLOCATIONS.get(), before);
}

#[test]
fn made_up_codes_do_not_eat_the_memory() {
    let codes: Vec<Code> = (0..10_050)
        .map(|n| Code::from_text(&format!("made up {n}")))
        .collect();
    assert_eq!(codes[0].to_string(), "made up 0");
    assert_eq!(codes[10_040].to_string(), "(other)");
    assert_eq!(Code::from_text("made up 0"), codes[0]);
    assert_eq!(Code::from_text("204"), Code::Http(204));
}
