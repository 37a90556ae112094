//! What cannot be shared, and what cannot be joined late, is told before the run.

use plimsoll_load::engine::{can_join_late, shareable};
use plimsoll_load::kit::extract::BindError;

use crate::support::{program, program_in};

fn ids(result: Result<(), Vec<BindError>>) -> Vec<String> {
    let errors = result.err().unwrap_or_default();
    errors
        .iter()
        .map(|error| error.message.id.to_string())
        .collect()
}

const HEAD: &str = "target: http://127.0.0.1:9\nduration: 1m\n";

#[test]
fn locks_and_meetings_are_refused_where_they_are_shared() {
    let locks = format!("{HEAD}users: 3\nsteps:\n  - critical: l\n    steps:\n      - get: /\n");
    assert_eq!(ids(shareable(&program(&locks), 2)), ["share-lock"]);
    assert!(shareable(&program(&locks), 1).is_ok(), "each runs it whole");
    let meets = format!("{HEAD}users: 3\nsteps:\n  - rendezvous: all\n  - get: /\n");
    assert_eq!(ids(shareable(&program(&meets), 3)), ["share-meeting"]);
    let alone = locks.replace("users: 3", "users: 1");
    assert!(
        shareable(&program(&alone), 3).is_ok(),
        "one share has users"
    );
    let limit = format!("{HEAD}rate: 10/s\nmax-in-flight: 2\nsteps:\n  - get: /\n");
    assert_eq!(ids(shareable(&program(&limit), 3)), ["share-in-flight"]);
    assert!(shareable(&program(&limit), 2).is_ok());
}

#[test]
fn what_a_lost_share_has_done_cannot_be_taken_over() {
    let plain = format!("{HEAD}users: 3\nsteps:\n  - get: /\n");
    assert!(can_join_late(&program(&plain)).is_ok());
    let arrivals = format!("{HEAD}rate: 10/s\nsteps:\n  - get: /\n");
    assert!(can_join_late(&program(&arrivals)).is_ok());
    let iterations = "target: http://127.0.0.1:9\nusers: 3\niterations: 5\nsteps:\n  - get: /\n";
    assert_eq!(
        ids(can_join_late(&program(iterations))),
        ["late-iterations"]
    );
    let counts = format!("{HEAD}users: 3\nsteps:\n  - get: /${{counter(n)}}\n");
    assert_eq!(ids(can_join_late(&program(&counts))), ["late-counter"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rows.csv"), "row\na\n").unwrap();
    let rows = |at_end| {
        let data = format!("data: {{csv: rows.csv, at-end: {at_end}}}\n");
        program_in(
            folder.path(),
            &format!("{HEAD}{data}users: 3\nsteps:\n  - get: /${{row}}\n"),
        )
    };
    assert_eq!(ids(can_join_late(&rows("stop"))), ["late-rows"]);
    assert!(can_join_late(&rows("recycle")).is_ok());
}
