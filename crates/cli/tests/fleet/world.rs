//! Hosts that are network namespaces, joined by a bridge in one of them, the hub. Namespaces and
//! what runs in them end with the test, however it ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::target::Target;

/// Far more than anything here needs on a busy machine: it only tells a hang from slowness.
pub const LONGEST_WAIT: Duration = Duration::from_secs(180);

/// Where NATS listens and the target, both in the hub at addresses of their own.
const NATS: &str = "nats://10.77.0.1:4222";
const TARGET: &str = "10.77.0.250:8080";

/// A process of the test's own.
pub struct Process {
    child: Child,
    log: PathBuf,
    ended: bool,
}

/// A host: what keeps its namespace, and its end of the cable at the hub.
pub struct Host {
    keeper: Process,
    cable: String,
    pub address: String,
}

/// The hub with NATS and the target; hosts are added.
pub struct World {
    hub: Process,
    hosts: u8,
    nats: Option<Process>,
    pub target: Target,
    pub folder: TempDir,
}

impl Process {
    fn spawn(mut command: Command, log: PathBuf) -> Self {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        // SAFETY: prctl with these numbers only marks the new process to end with the test's.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        Self {
            child: command.spawn().unwrap(),
            log,
            ended: false,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: i32) {
        assert!(!self.ended);
        // SAFETY: kill takes plain numbers; the child was not waited for.
        assert_eq!(unsafe { libc::kill(self.pid().cast_signed(), signal) }, 0);
    }

    /// Ends it at once, as a crash does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.ended = true;
    }

    /// Waits until it ends by itself.
    pub fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.ended = true;
                return status;
            }
            assert!(
                begun.elapsed() < LONGEST_WAIT,
                "it does not end: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until its output has that text.
    pub fn says(&mut self, text: &str) {
        eventually(&format!("{text:?} in its output"), || {
            let over = self.child.try_wait().unwrap();
            assert!(
                over.is_none() || self.log().contains(text),
                "it ended: {}",
                self.log()
            );
            self.log().contains(text)
        });
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Waits until it holds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONGEST_WAIT, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn namespace_of(process: &Process) -> String {
    format!("/proc/{}/ns/net", process.pid())
}

/// A command in the namespace of that process; it becomes the command: the process id stays.
fn inside(process: &Process, program: &str) -> Command {
    let mut command = Command::new("nsenter");
    command
        .arg(format!("--net={}", namespace_of(process)))
        .arg("--")
        .arg(program);
    command
}

fn ip(process: &Process, words: &str) {
    let told = inside(process, "ip")
        .args(words.split(' '))
        .output()
        .unwrap();
    assert!(
        told.status.success(),
        "ip {words}: {}",
        String::from_utf8_lossy(&told.stderr)
    );
}

/// A process that only keeps a new namespace.
fn keeper(folder: &Path) -> Process {
    let mut command = Command::new("unshare");
    command.args(["--net", "sleep", "infinity"]);
    let keeper = Process::spawn(command, folder.join("keepers.log"));
    let own = fs::read_link("/proc/self/ns/net").unwrap();
    eventually("a namespace of its own", || {
        fs::read_link(namespace_of(&keeper)).is_ok_and(|other| other != own)
    });
    ip(&keeper, "link set lo up");
    keeper
}

impl World {
    /// The hub with NATS; none where namespaces cannot be made.
    pub fn new() -> Option<Self> {
        let allowed = Command::new("unshare").args(["--net", "true"]).output();
        if !allowed.is_ok_and(|told| told.status.success()) {
            eprintln!("left out: network namespaces need root");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let hub = keeper(folder.path());
        ip(&hub, "link add br0 type bridge");
        ip(&hub, "addr add 10.77.0.1/24 dev br0");
        ip(&hub, "addr add 10.77.0.250/24 dev br0");
        ip(&hub, "link set br0 up");
        let target = Target::start(File::open(namespace_of(&hub)).unwrap(), TARGET);
        let mut world = Self {
            hub,
            hosts: 0,
            nats: None,
            target,
            folder,
        };
        world.start_nats();
        Some(world)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server, again with the data it had.
    pub fn start_nats(&mut self) {
        let program = [
            "/usr/sbin/nats-server",
            "/usr/bin/nats-server",
            "/usr/local/bin/nats-server",
        ];
        let program = program.into_iter().find(|path| Path::new(path).exists());
        let mut command = inside(
            &self.hub,
            program.expect("no nats-server: run tools/setup.sh test"),
        );
        command
            .args(["-a", "10.77.0.1", "-p", "4222", "-js", "-sd"])
            .arg(self.path("nats"));
        let log = self.path("nats.log");
        let before = fs::read_to_string(&log).unwrap_or_default().len();
        let nats = Process::spawn(command, log);
        eventually("NATS is ready", || {
            nats.log()[before..].contains("Server is ready")
        });
        self.nats = Some(nats);
    }

    pub fn nats(&mut self) -> &mut Process {
        self.nats.as_mut().unwrap()
    }

    /// A new host with a cable to the hub.
    pub fn host(&mut self) -> Host {
        self.hosts += 1;
        let keeper = keeper(self.folder.path());
        let (number, pid) = (self.hosts, keeper.pid());
        let address = format!("10.77.0.{}", number + 1);
        let cable = format!("cable{number}");
        ip(
            &self.hub,
            &format!("link add {cable} type veth peer name eth0 netns {pid}"),
        );
        ip(&self.hub, &format!("link set {cable} master br0 up"));
        ip(&keeper, &format!("addr add {address}/24 dev eth0"));
        ip(&keeper, "link set eth0 up");
        Host {
            keeper,
            cable,
            address,
        }
    }

    /// Pulls a host's cable, or plugs it in again.
    pub fn cut(&self, host: &Host, cut: bool) {
        let state = if cut { "down" } else { "up" };
        ip(&self.hub, &format!("link set {} {state}", host.cable));
    }

    /// Has a host lose the way to NATS without a word; that to the target stays.
    pub fn cut_from_nats(&self, host: &Host) {
        ip(&host.keeper, "route add blackhole 10.77.0.1/32");
    }

    /// The program on a host, told where NATS is.
    pub fn start(&self, host: &Host, name: &str, args: &[&str]) -> Process {
        self.start_wrapped(&[], host, name, args)
    }

    /// The same by other programs that become it.
    fn start_wrapped(&self, wrapper: &[&str], host: &Host, name: &str, args: &[&str]) -> Process {
        let plimsoll = env!("CARGO_BIN_EXE_plimsoll");
        let words = [wrapper, &[plimsoll]].concat();
        let mut command = inside(&host.keeper, words[0]);
        command
            .args(&words[1..])
            .args(args)
            .args(["--nats", NATS])
            .current_dir(self.folder.path())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1");
        Process::spawn(command, self.path(&format!("{name}.log")))
    }

    /// A worker on a new host, ready for runs.
    pub fn worker(&mut self, name: &str) -> (Host, Process) {
        let host = self.host();
        fs::create_dir_all(self.path(name)).unwrap();
        let mut worker = self.start(&host, name, &["worker", "--name", name, "--folder", name]);
        worker.says("is ready");
        (host, worker)
    }

    /// Starts a run of a plan over so many workers, from a host of its own.
    pub fn run(&self, controller: &Host, plan: &str, workers: usize, more: &[&str]) -> Process {
        self.run_wrapped(&[], controller, plan, workers, more)
    }

    fn run_wrapped(
        &self,
        wrapper: &[&str],
        controller: &Host,
        plan: &str,
        workers: usize,
        more: &[&str],
    ) -> Process {
        let plan = format!("target: http://{TARGET}\n{plan}steps: [{{get: /}}]\n");
        fs::write(self.path("plan.yaml"), plan).unwrap();
        let workers = workers.to_string();
        let mut args = vec![
            "run",
            "plan.yaml",
            "--summary-json",
            "summary.json",
            "--workers",
            &workers,
        ];
        args.extend(more);
        self.start_wrapped(wrapper, controller, "controller", &args)
    }

    /// The same from a host whose runs lie on a disk of a few MiB.
    pub fn run_on_small_disk(&self, controller: &Host, plan: &str, workers: usize) -> Process {
        fs::create_dir(self.path("plimsoll-runs")).unwrap();
        let mount = "mount -t tmpfs -o size=6m none plimsoll-runs && exec \"$0\" \"$@\"";
        let wrapper = ["unshare", "--mount", "sh", "-c", mount];
        self.run_wrapped(&wrapper, controller, plan, workers, &[])
    }

    /// Where such a process has its small disk.
    pub fn disk_of(&self, process: &Process) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", process.pid()));
        root.join(self.path("plimsoll-runs").strip_prefix("/").unwrap())
    }

    pub fn summary(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path("summary.json")).unwrap()).unwrap()
    }

    /// Waits until the target has had so many requests.
    pub fn until_requests(&self, count: u64) {
        eventually("the load goes on", || self.target.count() >= count);
    }
}
