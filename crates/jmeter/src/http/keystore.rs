//! Client certificates, from the keystore that Java's system properties name and by what the
//! Keystore Configuration says of it (JMeter 5.6.3, `SSLManager`, `JmeterKeyStore`).

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plimsoll_access::{Access, reason};
use plimsoll_elements::Evaluated;
use plimsoll_text::Message;
use rustls::client::{ClientSessionMemoryCache, ResolvesClientCert, Resumption};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, SignatureScheme};

use crate::keystore::{KeyEntry, KeystoreError, read};

/// The system property that names the store.
const STORE: &str = "javax.net.ssl.keyStore";

/// TLS sessions that a user keeps.
const SESSIONS: usize = 8;

/// Where the store is, and which of its keys are used.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeystoreSettings {
    /// The file; empty: none.
    file: String,
    /// The kind of store, if it is said.
    kind: Option<String>,
    /// Its password.
    password: Option<String>,
    /// The first key that is used, from 0.
    first: i64,
    /// The last key that is used; -1: all from the first on.
    last: i64,
    /// The variable that holds the alias; empty: the keys are used in turn.
    pub(super) variable: String,
}

impl KeystoreSettings {
    /// What the system properties and the Keystore Configurations say; none when the run has
    /// no client certificates.
    ///
    /// # Errors
    /// Indices that cannot be.
    pub fn of(
        system: &[(String, String)],
        configs: &[Evaluated],
        properties: &plimsoll_elements::Properties,
    ) -> Result<Option<Self>, Message> {
        let of_system = |name: &str| {
            let mut found = system.iter().rev().filter(|(own, _)| own == name);
            found.next().map(|(_, value)| value.clone())
        };
        let file = of_system(STORE).unwrap_or_default();
        if file.is_empty() && configs.is_empty() {
            return Ok(None);
        }
        let mut settings = Self {
            file,
            kind: of_system("javax.net.ssl.keyStoreType"),
            password: of_system("javax.net.ssl.keyStorePassword"),
            // Without a Keystore Configuration it is the first key.
            ..Self::default()
        };
        // One that loads the store at once decides; else the last.
        let loads = |config: &&Evaluated| config.text("preload").eq_ignore_ascii_case("true");
        if let Some(config) = configs.iter().find(loads).or(configs.last()) {
            let whole = |own: &str, property: &str, default: i64| {
                let property = properties.get(property);
                let default = property
                    .and_then(|text| text.trim().parse().ok())
                    .unwrap_or(default);
                config.text(own).parse().unwrap_or(default)
            };
            settings.first = whole("startIndex", "https.keyStoreStartIndex", 0);
            settings.last = whole("endIndex", "https.keyStoreEndIndex", -1);
            config
                .text("clientCertAliasVarName")
                .clone_into(&mut settings.variable);
        }
        let (first, last) = (settings.first, settings.last);
        if first < 0 || last < -1 || last != -1 && last < first {
            let message = Message::new("jmeter-keystore-indices");
            return Err(message.with("first", first).with("last", last));
        }
        Ok(Some(settings))
    }

    /// Reads the keys; relative names start from the current folder, as Java's do.
    ///
    /// # Errors
    /// A store that is not there or cannot be read, a key that TLS cannot use.
    pub fn keys(&self, access: &Access) -> Result<ClientKeys, Message> {
        let mut keys = ClientKeys {
            variable: self.variable.clone(),
            ..ClientKeys::default()
        };
        if self.file.is_empty() {
            keys.warnings.push(Message::new("jmeter-keystore-none"));
            return Ok(keys);
        }
        let about = |id: &str| Message::new(id).with("path", self.file.as_str());
        let kind = self.kind.as_deref().unwrap_or("JKS");
        let known = ["JKS", "PKCS12"]
            .iter()
            .any(|it| it.eq_ignore_ascii_case(kind));
        if !known || self.file.eq_ignore_ascii_case("NONE") {
            return Err(about("jmeter-keystore-kind").with("kind", kind));
        }
        let bytes = access
            .read(Path::new(&self.file))
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => about("jmeter-keystore-missing"),
                _ => about("jmeter-keystore-damaged").with("reason", reason(&error)),
            })?;
        let Some(password) = &self.password else {
            return Err(about("jmeter-keystore-no-password"));
        };
        let entries = read(&bytes, password).map_err(|error| match error {
            KeystoreError::Password => about("jmeter-keystore-password"),
            KeystoreError::Kind(kind) => about("jmeter-keystore-kind").with("kind", kind),
            KeystoreError::Damaged(reason) => {
                about("jmeter-keystore-damaged").with("reason", reason)
            }
        })?;
        let all = entries.len();
        for entry in (0..).zip(entries).filter(|(at, _)| self.uses(*at)) {
            keys.add(entry.1)?;
        }
        if keys.keys.is_empty() {
            let message = about("jmeter-keystore-empty").with("keys", all);
            return Err(message.with("first", self.first).with("last", self.last));
        }
        Ok(keys)
    }

    fn uses(&self, at: i64) -> bool {
        at >= self.first && (self.last == -1 || at <= self.last)
    }
}

/// The client certificates of a run.
#[derive(Debug, Default)]
pub struct ClientKeys {
    keys: Vec<(String, Arc<CertifiedKey>)>,
    pub(super) variable: String,
    /// The turn of the next handshake.
    next: AtomicUsize,
    /// What should be known before the run.
    pub warnings: Vec<Message>,
}

impl ClientKeys {
    fn add(&mut self, entry: KeyEntry) -> Result<(), Message> {
        if let Some(ended) = entry.not_after_unix_s().and_then(past) {
            let message = Message::new("jmeter-keystore-expired");
            let message = message.with("alias", entry.alias.as_str());
            self.warnings.push(message.with("date", ended));
        }
        let key = any_supported_type(&entry.key).map_err(|error| {
            let message = Message::new("jmeter-keystore-key");
            let message = message.with("alias", entry.alias.as_str());
            message.with("reason", error.to_string())
        })?;
        let key = CertifiedKey::new(entry.chain, key);
        self.keys.push((entry.alias, Arc::new(key)));
        Ok(())
    }

    fn of_alias(&self, alias: &str) -> Option<Arc<CertifiedKey>> {
        let mut found = self.keys.iter().filter(|(own, _)| own == alias);
        found.next().map(|(_, key)| Arc::clone(key))
    }
}

/// The day of a moment that is past.
fn past(unix_s: i64) -> Option<String> {
    let moment = jiff::Timestamp::from_second(unix_s).ok()?;
    (moment < jiff::Timestamp::now()).then(|| moment.strftime("%Y-%m-%d").to_string())
}

/// How a user shows who it is, until it changes its alias.
#[derive(Debug)]
pub(super) struct Identity {
    pub alias: Option<String>,
    choice: Arc<KeyChoice>,
    /// With sessions of its own: a session that is taken up again has the certificate that it
    /// began with.
    pub config: Arc<ClientConfig>,
}

impl Identity {
    /// Of these keys, for the user's alias.
    pub fn new(keys: &Arc<ClientKeys>, alias: Option<String>, plain: &ClientConfig) -> Self {
        let choice = Arc::new(choose(keys, alias.as_deref()));
        let mut config = plain.clone();
        config.client_auth_cert_resolver = Arc::clone(&choice) as Arc<dyn ResolvesClientCert>;
        config.resumption = Resumption::store(Arc::new(ClientSessionMemoryCache::new(SESSIONS)));
        Self {
            alias,
            choice,
            config: Arc::new(config),
        }
    }

    /// Why there is no certificate, if the server has asked for one.
    pub fn missing(&self) -> Option<String> {
        match &*self.choice {
            KeyChoice::None { asked, why } => asked.load(Ordering::Relaxed).then(|| why.clone()),
            _ => None,
        }
    }
}

/// What is shown to a server that asks for a certificate.
#[derive(Debug)]
enum KeyChoice {
    /// The keys in turn.
    InTurn(Arc<ClientKeys>),
    /// Always this key.
    One(Arc<CertifiedKey>),
    /// There is none.
    None {
        /// A server has asked.
        asked: AtomicBool,
        /// Why, in JMeter's words.
        why: String,
    },
}

impl ResolvesClientCert for KeyChoice {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        match self {
            Self::InTurn(keys) if keys.keys.is_empty() => None,
            Self::InTurn(keys) => {
                let turn = keys.next.fetch_add(1, Ordering::Relaxed) % keys.keys.len();
                Some(Arc::clone(&keys.keys[turn].1))
            }
            Self::One(key) => Some(Arc::clone(key)),
            Self::None { asked, .. } => {
                asked.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    fn has_certs(&self) -> bool {
        true
    }
}

fn choose(keys: &Arc<ClientKeys>, alias: Option<&str>) -> KeyChoice {
    let none = |why: String| KeyChoice::None {
        asked: AtomicBool::new(false),
        why,
    };
    match alias {
        None => KeyChoice::InTurn(Arc::clone(keys)),
        Some("") => none(format!("No var called '{}' found", keys.variable)),
        Some(alias) => match keys.of_alias(alias) {
            Some(key) => KeyChoice::One(key),
            None => none(format!("No PrivateKey found for alias:'{alias}'")),
        },
    }
}
