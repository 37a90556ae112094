//! The server itself.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_text::Message;

use crate::app::{App, IMPORTS};
use crate::desk::{DeskJournal, RunDesk};
use crate::guard::AllowedHosts;
use crate::library::Library;
use crate::live::LiveHub;
use crate::routes::router;

/// Threads that serve; what reads files has others.
const THREADS: usize = 2;
/// Work that is under way when the server ends is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is served, and where.
#[derive(Debug, Clone)]
pub struct WorkbenchSettings {
    /// The folder of the runs; it is made if it is missing.
    pub runs: PathBuf,
    /// Address and port; port 0: one that is free.
    pub listen: SocketAddr,
    /// The program's version.
    pub version: String,
}

/// A server that has its folder and its port.
pub struct Workbench {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Workbench {
    /// Takes the folder and the port.
    ///
    /// # Errors
    /// An address beyond this host, since there are no users yet who could log in; a folder that another
    /// server has, or that cannot be written; a port that is taken.
    pub fn open(settings: WorkbenchSettings) -> Result<Self, Message> {
        if !settings.listen.ip().is_loopback() {
            let message = Message::new("server-only-loopback");
            return Err(message.with("address", settings.listen.to_string()));
        }
        let journal = DeskJournal::open(&settings.runs)?;
        let refused = |error: std::io::Error| {
            Message::new("server-cannot-listen")
                .with("address", settings.listen.to_string())
                .with("reason", error.to_string())
        };
        let listener = TcpListener::bind(settings.listen).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        journal.tell(&format!("http://{address}/"));
        let desk = RunDesk::open(&settings.runs, journal)
            .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
        let app = App {
            version: settings.version,
            library: Library::new(settings.runs),
            desk,
            live: LiveHub::default(),
            imports: tokio::sync::Semaphore::new(IMPORTS),
        };
        Ok(Self {
            app: Arc::new(app),
            listener,
            address,
        })
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
        let refused = |error: std::io::Error| {
            Message::new("run-cannot-start").with("reason", error.to_string())
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(refused)?;
        let app = Arc::clone(&self.app);
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let hosts = Arc::new(AllowedHosts::of(self.address));
            let service = axum::serve(listener, router(self.app, hosts));
            tokio::select! {
                served = service => served,
                () = ended => Ok(()),
            }
        });
        app.desk.close();
        runtime.shutdown_timeout(PATIENCE);
        served.map_err(refused)
    }
}
