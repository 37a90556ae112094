//! All that shared use is made of.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use plimsoll_access::{Reach, Right};
use plimsoll_text::Message;
use ring::digest;

use super::audit::AuditLog;
use super::bounds::RunBounds;
use super::logins::LoginTries;
use super::passwords::PasswordDesk;
use super::people::PeopleBook;
use super::secret::random_bytes;
use super::sessions::SessionBook;
use super::settings::SettingsStore;

/// What the command line allows that settings cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerAllows {
    /// Studies, which run commands.
    Tune,
    /// Scripts of plans, and all that runs in Java.
    Scripts,
    /// Files outside a plan's folder.
    Files,
    /// Processes.
    Processes,
}

impl ServerAllows {
    /// All, with their names.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Tune, "tune"),
        (Self::Scripts, "scripts"),
        (Self::Files, "files"),
        (Self::Processes, "processes"),
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(known, _)| *known == self);
        own.map_or("", |(_, name)| *name)
    }

    fn right(self) -> Option<Right> {
        match self {
            Self::Tune => None,
            Self::Scripts => Some(Right::Scripts),
            Self::Files => Some(Right::Files),
            Self::Processes => Some(Right::Processes),
        }
    }
}

/// How a server is reached.
pub(crate) struct PolicyDoor {
    /// Where it listens.
    pub listen: SocketAddr,
    /// One must log in, wherever it listens.
    pub login: bool,
    /// It speaks TLS itself.
    pub secure: bool,
    /// A proxy on this host brings those who call.
    pub is_behind_proxy: bool,
    /// Files that are the server's own.
    pub own_files: Vec<PathBuf>,
}

/// Who may come in and what is kept of it.
pub(crate) struct AccessPolicy {
    /// Whoever calls must have logged in.
    pub login: bool,
    /// It speaks TLS itself, so that cookies go by TLS alone.
    pub secure: bool,
    /// A proxy on this host brings those who call.
    pub is_behind_proxy: bool,
    /// What the command line allows.
    pub allows: Vec<ServerAllows>,
    /// Files that plans never have.
    own_files: Vec<PathBuf>,
    /// The hosts of the command line; none: it says nothing.
    allow_hosts: Option<Vec<String>>,
    /// Users and tokens.
    pub people: PeopleBook,
    /// Who has logged in.
    pub sessions: SessionBook,
    /// Who failed to.
    pub logins: LoginTries,
    /// Passwords.
    pub passwords: PasswordDesk,
    /// What was done.
    pub audit: AuditLog,
    /// What was set.
    pub settings: SettingsStore,
    /// The code that the first user shows; none: there is a user, or no login.
    first_code: Mutex<Option<String>>,
}

impl AccessPolicy {
    /// Of a workbench's own folder.
    ///
    /// # Errors
    /// Files that cannot be read, hosts that are none.
    pub fn open(
        folder: &Path,
        door: &PolicyDoor,
        allows: Vec<ServerAllows>,
        allow_hosts: Vec<String>,
    ) -> Result<Self, Message> {
        let people = PeopleBook::open(folder).map_err(|error| error.message())?;
        Reach::parse(allow_hosts.iter().map(String::as_str))
            .map_err(|wrong| Message::new("server-bad-host").with("host", wrong))?;
        let login = door.login || door.is_behind_proxy || !door.listen.ip().is_loopback();
        let is_empty = people.persons().is_ok_and(|persons| persons.is_empty());
        let code = match login && is_empty {
            true => Some(first_code()?),
            false => None,
        };
        Ok(Self {
            login,
            secure: door.secure,
            is_behind_proxy: door.is_behind_proxy,
            allows,
            own_files: door.own_files.clone(),
            allow_hosts: (!allow_hosts.is_empty()).then_some(allow_hosts),
            people,
            sessions: SessionBook::default(),
            logins: LoginTries::default(),
            passwords: PasswordDesk::new()?,
            audit: AuditLog::open(folder),
            settings: SettingsStore::open(folder)?,
            first_code: Mutex::new(code),
        })
    }

    /// The code that the first user shows.
    pub fn first_code(&self) -> Option<String> {
        let code = self
            .first_code
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        code.clone()
    }

    /// Whether a text is that code; the time that takes says nothing of it.
    pub fn is_first_code(&self, text: &str) -> bool {
        let hash = |text: &str| digest::digest(&digest::SHA256, text.trim().as_bytes());
        let code = self.first_code();
        code.is_some_and(|code| hash(&code).as_ref() == hash(text).as_ref())
    }

    /// There is a user now.
    pub fn forget_first_code(&self) {
        *self
            .first_code
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What the command line allows, by name.
    pub fn allowed_names(&self) -> Vec<String> {
        let names = self.allows.iter().map(|allows| allows.name().to_owned());
        names.collect()
    }

    /// The hosts that may be loaded as they are written; none: any.
    pub fn hosts(&self) -> Option<Vec<String>> {
        let set = self.settings.now().hosts;
        let known = set.or_else(|| self.allow_hosts.clone());
        known.or_else(|| self.login.then(Vec::new))
    }

    /// What runs may do now.
    pub fn bounds(&self) -> RunBounds {
        let settings = self.settings.now();
        // What was read once is read again; a list that cannot be is none that allows anything.
        let reach = self.hosts().map(|hosts| {
            Reach::parse(hosts.iter().map(String::as_str)).unwrap_or_else(|_| Reach::nothing())
        });
        RunBounds {
            is_own_host: !self.login,
            reach,
            rights: self
                .allows
                .iter()
                .filter_map(|allows| allows.right())
                .collect(),
            withheld: self.own_files.clone(),
            limits: settings.limits,
            outputs: settings.outputs,
            watchable: settings.monitor,
        }
    }
}

/// 60 random bits that a person can type.
fn first_code() -> Result<String, Message> {
    // Without letters that look alike.
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let bytes = random_bytes::<12>().map_err(|error| error.message())?;
    let letters: Vec<char> = bytes
        .iter()
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    let groups: Vec<String> = letters
        .chunks(4)
        .map(|group| group.iter().collect())
        .collect();
    Ok(groups.join("-"))
}
