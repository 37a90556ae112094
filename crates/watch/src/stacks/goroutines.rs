//! Goroutines of a Go program, by its own profile of them (`/debug/pprof/goroutine`, the form of github.com/google/pprof,
//! packed): where each waits, and for what, by the functions of the runtime and of libraries that it waits in.
//! Goroutines that wait are no threads: nobody else sees them.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use plimsoll_profile::{FrameKind, NamedFrame};

use super::pprof::PprofProfile;
use super::told::{FORM, ToldStack, ToldStacks};

/// More of a profile is not read: stacks, and calls of one.
const MAX_STACKS: usize = 5_000;
const MAX_CALLS: usize = 128;
/// A profile unpacks to no more.
const MAX_BYTES: u64 = 64 << 20;
/// In the innermost calls of a goroutine that waits there is one of these.
const PARKED: [&str; 4] = [
    "runtime.gopark",
    "runtime.goparkunlock",
    "syscall.",
    "internal/runtime/syscall.",
];
/// So many innermost calls.
const INNERMOST: usize = 3;

/// What a goroutine waits for, by the function below its own code in which it does; the first that is there counts.
const WAITS: [(&str, &str); 15] = [
    ("internal/poll.(*FD).Accept", "accept"),
    ("internal/poll.(*FD).Write", "write"),
    ("internal/poll.(*FD).Fsync", "fsync"),
    ("internal/poll.(*FD).Read", "read"),
    ("net.(*netFD).connect", "connect"),
    ("internal/poll.", "read"),
    ("net/http.(*persistConn).roundTrip", "read"),
    ("net/http.(*Transport).getConn", "connect"),
    ("database/sql.(*DB).conn", "futex"),
    ("time.Sleep", "sleep"),
    ("sync.(*WaitGroup).", "other"),
    ("sync.(*Cond).", "other"),
    ("sync.", "futex"),
    ("internal/sync.", "futex"),
    ("runtime.chansend", "futex"),
];

/// Folders of Go's own packages, by which they are known where paths were trimmed.
const STANDARD: [&str; 52] = [
    "archive",
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "vendor",
    "weak",
    "builtin",
    "cmd",
];

/// Profiles of goroutines, one look each.
#[derive(Debug, Default)]
pub struct GoroutineLooks {
    looks: u32,
    goroutines: BTreeMap<(&'static str, Vec<NamedFrame>), u64>,
    others: u64,
}

impl GoroutineLooks {
    /// Adds a profile as it is served, packed; false where the bytes are none.
    pub fn add(&mut self, packed: &[u8]) -> bool {
        let mut plain = Vec::new();
        let mut unpacker = GzDecoder::new(packed).take(MAX_BYTES);
        unpacker.read_to_end(&mut plain).is_ok() && self.add_plain(&plain)
    }

    /// Adds a profile that is unpacked; false where the bytes are none.
    pub fn add_plain(&mut self, plain: &[u8]) -> bool {
        let Some(profile) = PprofProfile::read(plain) else {
            return false;
        };
        self.looks += 1;
        let root = library_root(profile.functions());
        for (locations, count) in &profile.samples {
            let calls = locations
                .iter()
                .flat_map(|location| profile.calls(*location));
            let calls: Vec<NamedFrame> = calls
                .take(MAX_CALLS)
                .map(|(function, file, line)| named(function, file, line, root.as_deref()))
                .collect();
            self.put(*count, calls);
        }
        true
    }

    fn put(&mut self, count: u64, calls: Vec<NamedFrame>) {
        // The one that writes the profile.
        let writes = |call: &NamedFrame| {
            let name = call.function.strip_prefix("runtime/pprof.");
            // What has labels runs within `Do`.
            name.is_some_and(|name| !name.starts_with("Do"))
        };
        if count == 0 || calls.is_empty() || calls.iter().any(writes) {
            return;
        }
        let key = (state(&calls), calls);
        let known = self.goroutines.len();
        match self.goroutines.get_mut(&key) {
            Some(kept) => *kept = kept.saturating_add(count),
            None if known < MAX_STACKS => {
                self.goroutines.insert(key, count);
            }
            None => self.others = self.others.saturating_add(count),
        }
    }

    /// What was seen, in the form of stacks of threads: `looks` of them, so that a count divided by it is a mean
    /// number of goroutines.
    #[must_use]
    pub fn told(self, from_unix_ns: u64, lasted_s: f64) -> ToldStacks {
        let mut places: BTreeMap<NamedFrame, usize> = BTreeMap::new();
        let mut frames: Vec<NamedFrame> = Vec::new();
        let mut stacks = Vec::new();
        let mut goroutines: Vec<_> = self.goroutines.into_iter().collect();
        goroutines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for ((state, calls), count) in goroutines {
            let calls = calls.into_iter().map(|call| {
                *places.entry(call.clone()).or_insert_with(|| {
                    frames.push(call);
                    frames.len() - 1
                })
            });
            stacks.push(ToldStack {
                state: state.to_owned(),
                thread: "goroutine".to_owned(),
                count,
                calls: calls.collect(),
            });
        }
        ToldStacks {
            schema: FORM.to_owned(),
            from_unix_ns,
            lasted_s,
            pid: 0,
            processes: 1,
            runtime: Some("Go".to_owned()),
            cpus: 0,
            samples_per_cpu_and_second: 0,
            samples: 0,
            looks: self.looks,
            lost: 0,
            whole: 0,
            unnamed_places: 0,
            cost_s: 0.0,
            frames,
            stacks,
            others: self.others,
        }
    }
}

fn named(function: &str, file: &str, line: u64, root: Option<&str>) -> NamedFrame {
    let clean = |text: &str| -> String {
        let plain = text.chars().take(300);
        plain
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect()
    };
    NamedFrame {
        library: library(function, Some(file), root).as_deref().map(clean),
        function: clean(function),
        file: Some(clean(file)).filter(|file| !file.is_empty()),
        line: u32::try_from(line).ok().filter(|line| *line > 0),
        kind: FrameKind::Native,
    }
}

/// Below what Go's own packages lie: `/usr/local/go/src/`; empty where paths were trimmed.
fn library_root<'a>(functions: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let mut roots = functions.filter_map(|(function, file)| {
        let (folder, _) = file.rsplit_once('/')?;
        let package = package(function);
        let root = folder.strip_suffix(package)?;
        let is_runtime = package == "runtime";
        (is_runtime && (root.is_empty() || root.ends_with("/src/"))).then(|| root.to_owned())
    });
    roots.next()
}

/// The package of a function: `net/http` of `net/http.(*conn).serve`.
fn package(function: &str) -> &str {
    let folder = function.rfind('/').map_or(0, |at| at + 1);
    let end = function[folder..]
        .find('.')
        .map_or(function.len(), |at| folder + at);
    &function[..end]
}

/// To which library a function belongs; none: the program's own code.
fn library(function: &str, file: Option<&str>, root: Option<&str>) -> Option<String> {
    let package = package(function);
    let file = file.unwrap_or_default();
    // Modules are kept under their versions: `…/pkg/mod/github.com/lib/pq@v1.10.9/conn.go`.
    let is_module = file.contains("/pkg/mod/") || file.contains("/vendor/") || file.contains("@v");
    // Functions of one package may stand in the files of another: `time.Sleep` in `runtime/time.go`.
    let is_standard = root.is_some_and(|root| {
        let first = file.split('/').next().unwrap_or_default();
        let below = !root.is_empty() && file.starts_with(root);
        (below || root.is_empty() && STANDARD.contains(&first)) && !package.contains('.')
    });
    let is_own = package == "main" || !is_module && !is_standard;
    (!is_own).then(|| package.to_owned())
}

fn state(calls: &[NamedFrame]) -> &'static str {
    let is_one = |call: &NamedFrame, begins: &str| call.function.starts_with(begins);
    let mut innermost = calls.iter().take(INNERMOST);
    if !innermost.any(|call| PARKED.iter().any(|begins| is_one(call, begins))) {
        return "running";
    }
    let own = calls.iter().position(|call| call.library.is_none());
    let below = &calls[..own.unwrap_or(calls.len())];
    let found = WAITS
        .iter()
        .find(|(begins, _)| below.iter().any(|call| is_one(call, begins)));
    found.map_or("other", |(_, state)| state)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stacks::pprof::tests::{Packed, packed};

    fn call(function: &'static str, file: &'static str, line: u64) -> Packed {
        Packed {
            function,
            file,
            line,
        }
    }

    #[test]
    fn goroutines_are_told_by_place_and_by_what_they_wait_for() {
        let go = |function, file| call(function, file, 1);
        let park = go("runtime.gopark", "/usr/local/go/src/runtime/proc.go");
        let own = |line| call("main.(*Stock).take", "/srv/shop/stock.go", line);
        let mutex = go("sync.(*Mutex).Lock", "/usr/local/go/src/sync/mutex.go");
        let sleep = go("time.Sleep", "/usr/local/go/src/runtime/time.go");
        let accept = go(
            "internal/poll.(*FD).Accept",
            "/usr/local/go/src/internal/poll/fd_unix.go",
        );
        let pq = go(
            "github.com/lib/pq.(*conn).query",
            "/home/shop/go/pkg/mod/github.com/lib/pq@v1.10.9/conn.go",
        );
        let writer = go(
            "runtime/pprof.writeGoroutine",
            "/usr/local/go/src/runtime/pprof/pprof.go",
        );
        let send = go("runtime.chansend1", "/usr/local/go/src/runtime/chan.go");
        // A function once called by `sync.Once` that computes does not wait.
        let once = go("sync.(*Once).Do", "/usr/local/go/src/sync/once.go");
        let profile = packed(&[
            (5, vec![park, mutex, own(27)]),
            (1, vec![park, sleep, own(29)]),
            (2, vec![park, accept, pq]),
            (1, vec![writer]),
            (3, vec![park, send, own(40)]),
            (1, vec![own(50), once, own(51)]),
        ]);
        let mut looks = GoroutineLooks::default();
        assert!(looks.add(&profile) && looks.add(&profile));
        let told = looks.told(1, 1.0);
        assert_eq!((told.looks, told.stacks.len(), told.others), (2, 5, 0));
        let mut states: Vec<(&str, u64)> = told
            .stacks
            .iter()
            .map(|stack| (stack.state.as_str(), stack.count))
            .collect();
        states.sort_unstable();
        let expected = [
            ("accept", 4),
            ("futex", 6),
            ("futex", 10),
            ("running", 2),
            ("sleep", 2),
        ];
        assert_eq!(states, expected);
        let calls: Vec<&NamedFrame> = told.calls(&told.stacks[0]).collect();
        assert_eq!(calls[1].library.as_deref(), Some("sync"));
        assert_eq!(
            (calls[2].library.as_deref(), calls[2].line),
            (None, Some(27))
        );
        // What is kept can be read again.
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(ToldStacks::read(&text), Some(told));
    }

    #[test]
    fn packages_of_the_program_are_its_own_however_paths_are_written() {
        let of = |function, file, root| library(function, Some(file), Some(root));
        let go = "/usr/local/go/src/";
        let own = "/home/me/src/shop/store/a.go";
        assert_eq!(of("shop/store.Take", own, go), None);
        assert_eq!(
            of("example.org/shop/store.Take", "/srv/store/a.go", go),
            None
        );
        let http = Some("net/http".to_owned());
        let standard = "/usr/local/go/src/net/http/server.go";
        assert_eq!(of("net/http.Serve", standard, go), http);
        // Trimmed paths.
        assert_eq!(of("net/http.Serve", "net/http/server.go", ""), http);
        assert_eq!(
            of("example.org/shop.Take", "example.org/shop/a.go", ""),
            None
        );
        assert_eq!(of("shop/store.Take", "shop/store/a.go", ""), None);
        let trimmed = of(
            "github.com/lib/pq.Open",
            "github.com/lib/pq@v1.10.9/conn.go",
            "",
        );
        assert_eq!(trimmed, Some("github.com/lib/pq".to_owned()));
    }

    proptest! {
        /// Whatever comes, packed or not, cut or garbled: read or refused.
        #[test]
        fn any_bytes_are_read_or_refused(
            garbage in prop::collection::vec(any::<u8>(), 0..300),
            place in any::<prop::sample::Index>(),
            with in any::<u8>(),
        ) {
            use std::io::Write;
            let pack = |plain: &[u8]| {
                let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(plain).unwrap();
                packer.finish().unwrap()
            };
            GoroutineLooks::default().add(&garbage);
            GoroutineLooks::default().add(&pack(&garbage));
            let own = call("main.take", "/srv/stock.go", 3);
            let mut plain = Vec::new();
            let whole = packed(&[(5, vec![own, own]), (9, vec![own])]);
            GzDecoder::new(&whole[..]).read_to_end(&mut plain).unwrap();
            let at = place.index(plain.len());
            plain[at] = with;
            let mut looks = GoroutineLooks::default();
            looks.add(&pack(&plain));
            looks.add(&pack(&plain[..at]));
            prop_assert!(looks.told(1, 1.0).frames.len() <= 4);
        }
    }
}
