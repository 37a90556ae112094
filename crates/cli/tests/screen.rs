//! The screen of `plimsoll watch` on a pseudo terminal, which script(1) gives.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A live view on a terminal of that size.
struct Screen {
    child: Child,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Screen {
    fn start(rows: u16) -> Self {
        let view = format!(
            "stty rows {rows} cols 80; exec '{}' watch --watch host --interval 1s",
            env!("CARGO_BIN_EXE_plimsoll")
        );
        let mut child = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &view, "/dev/null"])
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let written = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&written);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stdout.read(&mut buffer) {
                shared.lock().unwrap().extend_from_slice(&buffer[..read]);
            }
        });
        Self { child, written }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned()
    }

    fn until(&self, wanted: &str) -> String {
        let began = Instant::now();
        loop {
            let text = self.text();
            if text.contains(wanted) {
                return text;
            }
            let waited = began.elapsed();
            assert!(waited < Duration::from_secs(60), "no {wanted:?}: {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(keys.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The rows that the cursor was moved to.
fn rows(text: &str) -> impl Iterator<Item = u16> {
    let moves = text.split("\u{1b}[").skip(1);
    moves.filter_map(|rest| rest.split_once(";1H")?.0.parse().ok())
}

#[test]
fn a_picture_longer_than_the_screen_is_scrolled_and_given_back_with_q() {
    let mut screen = Screen::start(5);
    let text = screen.until("0 lines above,");
    assert!(text.contains("\u{1b}[?1049h"), "{text:?}");
    assert_eq!(rows(&text).max(), Some(5), "{text:?}");
    screen.press("\u{1b}[6~");
    screen.until("3 lines above,");
    screen.press("k");
    screen.until("2 lines above,");
    screen.press("q");
    let began = Instant::now();
    let ended = loop {
        if let Some(ended) = screen.child.try_wait().unwrap() {
            break ended;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(0), "{}", screen.text());
    assert!(screen.until("\u{1b}[?1049l").contains("\u{1b}[?25h"));
}
