//! The server itself.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plimsoll_run::NatsSettings;
use plimsoll_text::{Lang, Message};

use crate::app::{App, IMPORTS};
use crate::connections::{self, ConnectionPlaces};
use crate::desk::{DeskJournal, RunDesk, clear};
use crate::guard::AllowedHosts;
use crate::hooks::WebhookDesk;
use crate::language::speak;
use crate::library::Library;
use crate::live::LiveHub;
use crate::machines::MachineBook;
use crate::monitor::MonitorDesk;
use crate::now::now_s;
use crate::routes::router;
use crate::schedules::{ScheduleBook, turn};
use crate::shared::{AccessPolicy, PolicyDoor, ServerAllows};
use crate::tls::{CertificateFiles, ServerIdentity};
use plimsoll_watch::agent::tls::Fingerprint;

/// Threads that serve; what reads files has others.
const THREADS: usize = 2;
/// Work that is under way when the server ends is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked for what is too old.
const CLEARED_EVERY: Duration = Duration::from_secs(600);
/// How often it is looked what is due.
const LOOKED_EVERY: Duration = Duration::from_secs(1);

/// What is served, and where.
#[derive(Debug, Clone)]
pub struct WorkbenchSettings {
    /// The folder of the runs; it is made if it is missing.
    pub runs: PathBuf,
    /// Address and port; port 0: one that is free.
    pub listen: SocketAddr,
    /// The program's version.
    pub version: String,
    /// Whoever calls must log in, also from this host; beyond loopback he must anyhow.
    pub login: bool,
    /// Further names by which it is called, `HOST[:PORT]`, as behind a proxy.
    pub names: Vec<String>,
    /// The certificate of its TLS; none: beyond loopback one that it makes itself, else no TLS.
    pub certificate: Option<CertificateFiles>,
    /// What is allowed here beside runs.
    pub allows: Vec<ServerAllows>,
    /// The hosts that may be loaded, until an administrator sets others; empty: any on loopback without a login,
    /// none with one.
    pub allow_hosts: Vec<String>,
    /// Hosts of own networks that webhooks may be sent to; empty: the internet alone.
    pub allow_webhooks: Vec<String>,
    /// Where workers are asked who is there; none: nobody is asked.
    pub nats: Option<NatsSettings>,
    /// What is watched without load, until an administrator sets something else: as `--watch` has it.
    pub monitor: Vec<String>,
}

impl WorkbenchSettings {
    /// On loopback without a login.
    #[must_use]
    pub fn new(runs: PathBuf, listen: SocketAddr, version: String) -> Self {
        Self {
            runs,
            listen,
            version,
            login: false,
            names: Vec::new(),
            certificate: None,
            allows: Vec::new(),
            allow_hosts: Vec::new(),
            monitor: Vec::new(),
            allow_webhooks: Vec::new(),
            nats: None,
        }
    }

    /// What it shows; none: loopback without TLS.
    fn identity(&self, own: &Path) -> Result<Option<ServerIdentity>, Message> {
        if self.certificate.is_none() && self.listen.ip().is_loopback() {
            return Ok(None);
        }
        let names = self.certificate_names();
        ServerIdentity::open(self.certificate.as_ref(), own, &names).map(Some)
    }

    /// The runs, what the workbench keeps, and the files of its TLS.
    fn own_files(&self, own: &Path) -> Vec<PathBuf> {
        let mut files = vec![self.runs.clone(), own.to_owned()];
        if let Some(certificate) = &self.certificate {
            files.extend([certificate.certificate.clone(), certificate.key.clone()]);
        }
        files
    }

    /// The names that a certificate is made for.
    fn certificate_names(&self) -> Vec<String> {
        let bare = |name: &String| name.split(':').next().unwrap_or_default().to_owned();
        let mut names: Vec<String> = self.names.iter().map(bare).collect();
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        names.push(plimsoll_run::environment::host_name());
        if !self.listen.ip().is_unspecified() {
            names.push(self.listen.ip().to_string());
        }
        names.retain(|name| !name.is_empty() && name.is_ascii());
        names.sort();
        names.dedup();
        names
    }
}

/// A server that has its folder and its port.
pub struct Workbench {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    hosts: AllowedHosts,
    identity: Option<ServerIdentity>,
    is_behind_proxy: bool,
}

impl Workbench {
    /// Takes the folder and the port.
    ///
    /// # Errors
    /// A folder that another server has, or that cannot be written; a port that is taken; a certificate that
    /// cannot be read.
    pub fn open(settings: WorkbenchSettings) -> Result<Self, Message> {
        let journal = DeskJournal::open(&settings.runs)?;
        let own = journal.own_folder().to_owned();
        let identity = settings.identity(&own)?;
        let refused = |error: std::io::Error| {
            Message::new("server-cannot-listen")
                .with("address", settings.listen.to_string())
                .with("reason", error.to_string())
        };
        let listener = TcpListener::bind(settings.listen).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let secure = identity.is_some();
        // Behind a proxy everybody comes from here: who is called by another name has others call.
        let door = PolicyDoor {
            listen: address,
            login: settings.login,
            secure,
            is_behind_proxy: !settings.names.is_empty(),
            own_files: settings.own_files(&own),
        };
        let policy = AccessPolicy::open(&own, &door, settings.allows, settings.allow_hosts)?;
        let language = policy.settings.now().language;
        speak(language.as_deref().and_then(Lang::parse));
        let monitor = monitor_of(&policy, &settings.monitor)?;
        journal.tell(&url_of(address, secure));
        let library = Library::new(settings.runs.clone());
        let diagnoses = Arc::clone(&library.diagnoses);
        let app = App {
            desk: RunDesk::open(&settings.runs, journal).map_err(cannot)?,
            machines: MachineBook::open(settings.nats).map_err(cannot)?,
            hooks: WebhookDesk::open(&settings.runs, diagnoses, &own, &settings.allow_webhooks)?,
            schedules: ScheduleBook::open(&own)?,
            version: settings.version,
            library,
            live: LiveHub::default(),
            imports: tokio::sync::Semaphore::new(IMPORTS),
            monitor,
            policy,
        };
        let hooks = Arc::clone(&app.hooks);
        app.desk.tell_to(Box::new(move |told| hooks.hear(told)));
        Ok(Self {
            app: Arc::new(app),
            listener,
            address,
            hosts: AllowedHosts::of(address, secure, &settings.names),
            identity,
            is_behind_proxy: door.is_behind_proxy,
        })
    }

    /// Where its pages are.
    #[must_use]
    pub fn url(&self) -> String {
        url_of(self.address, self.identity.is_some())
    }

    /// What its certificate is known by; none: no TLS.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let identity = self.identity.as_ref()?;
        Some(identity.fingerprint)
    }

    /// The code by which the first user is made; none: there is one, or nobody logs in.
    #[must_use]
    pub fn first_code(&self) -> Option<String> {
        self.app.policy.first_code()
    }

    /// Nothing may be loaded until somebody says what.
    #[must_use]
    pub fn loads_nothing(&self) -> bool {
        self.app
            .policy
            .hosts()
            .is_some_and(|hosts| hosts.is_empty())
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs that a server before this one had begun and that were cut short, since it was killed.
    #[must_use]
    pub fn cut_short(&self) -> &[String] {
        self.app.desk.cut_short()
    }

    /// Serves until `ended`; a run that it makes then is ended, and waited for.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn serve(self, ended: impl Future<Output = ()> + Send + 'static) -> Result<(), Message> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(cannot)?;
        let app = Arc::clone(&self.app);
        let served = runtime.block_on(async move {
            tokio::spawn(clear_away(Arc::clone(&self.app)));
            tokio::spawn(keep_times(Arc::clone(&self.app)));
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let places = ConnectionPlaces::new(self.is_behind_proxy);
            let router = router(self.app, Arc::new(self.hosts));
            let tls = self.identity.map(|identity| identity.config);
            tokio::select! {
                () = connections::serve(listener, tls, router, places) => {}
                () = ended => {}
            }
            Ok(())
        });
        app.desk.close();
        runtime.shutdown_timeout(PATIENCE);
        served.map_err(cannot)
    }
}

fn cannot(error: std::io::Error) -> Message {
    Message::new("run-cannot-start").with("reason", error.to_string())
}

/// What is watched without load: what an administrator has set, else what the command line says.
fn monitor_of(policy: &AccessPolicy, named: &[String]) -> Result<Arc<MonitorDesk>, Message> {
    let monitor = MonitorDesk::new();
    let set = policy.settings.now().monitor;
    monitor.watch(if set.is_empty() { named } else { &set })?;
    Ok(monitor)
}

fn url_of(address: SocketAddr, secure: bool) -> String {
    match secure {
        true => format!("https://{address}/"),
        false => format!("http://{address}/"),
    }
}

/// Clears away what is older than it may be, now and then.
async fn clear_away(app: Arc<App>) {
    let mut turns = tokio::time::interval(CLEARED_EVERY);
    loop {
        turns.tick().await;
        let app = Arc::clone(&app);
        let cleared = tokio::task::spawn_blocking(move || {
            let retention = app.policy.settings.now().retention;
            let journal = app.desk.journal();
            clear(app.library.root(), journal, &retention, SystemTime::now());
        });
        // What could not be cleared away is the next time.
        let _ = cleared.await;
    }
}

/// Begins what is due, each second.
async fn keep_times(app: Arc<App>) {
    let mut turns = tokio::time::interval(LOOKED_EVERY);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        let app = Arc::clone(&app);
        let now_s = i64::try_from(now_s()).unwrap_or(i64::MAX);
        let turned = tokio::task::spawn_blocking(move || turn(&app, now_s));
        // What went wrong with one time is told where it is asked for; the next one comes.
        let _ = turned.await;
    }
}
