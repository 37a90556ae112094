//! What a stopped component has left behind without the mark of the study.

#![allow(clippy::unwrap_used)]

use std::net::TcpListener;

use plimsoll_text::Arg;

use super::tests::{all_of, prepared, with_hands};
use super::*;

/// Listens; with x=8 by a process of its own with an empty environment, which ends by itself in the end.
const SERVICE: &str = "import os, socket, subprocess, sys, time
port, left = int(sys.argv[1]), len(sys.argv) > 2
if not left and 'x=8' in open('app.conf').read():
    subprocess.Popen([sys.executable, *sys.argv, 'left'], env={}, start_new_session=True)
    time.sleep(600)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('127.0.0.1', port))
listener.listen()
time.sleep(60 if left else 600)
";

#[test]
fn what_has_lost_the_mark_and_listens_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.conf"), "x=1\n").unwrap();
    std::fs::write(folder.path().join("service.py"), SERVICE).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let components = format!(
        "  app:\n    start: python3 service.py {port}\n    ready: 127.0.0.1:{port}\n    ready-within: 30s\n    \
         stop-within: 500ms\n"
    );
    let knobs = "  x: { file: app.conf, format: properties, key: x, range: 1..8 }\n";
    let prepared = prepared(folder.path(), &components, knobs);
    with_hands(&prepared, folder.path(), |mut hands| {
        for of in ["2", "8"] {
            hands.apply(&all_of(&prepared, of)).unwrap();
        }
        let stopped = hands.apply(&all_of(&prepared, "2")).unwrap_err();
        let Stopped::Broken(message) = stopped else {
            panic!("{stopped:?}");
        };
        assert_eq!(message.id, "tune-still-answers");
        // It is still there in the end, and that is told, too.
        let notes = hands.finish(None).unwrap();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(notes[0], message);
        let pid = message.args.iter().find(|(name, _)| name == "pid");
        let Some((_, Arg::Text(pid))) = pid else {
            panic!("{message:?}");
        };
        marks::kill(&[rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap()]);
    });
    let text = std::fs::read_to_string(folder.path().join("app.conf")).unwrap();
    assert_eq!(text, "x=1\n");
}
