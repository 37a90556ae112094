//! Who has logged in with a browser. Sessions are in memory: who comes after this process asks anew.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::secret::{digest, random_text};
use crate::problem::ApiError;

/// The cookie's name.
pub(crate) const SESSION_COOKIE: &str = "plimsoll-session";
/// A session that nobody uses ends, and any ends at last.
const IDLE: Duration = Duration::from_secs(12 * 3_600);
const LONGEST: Duration = Duration::from_secs(7 * 86_400);
/// Sessions at once.
const MOST_SESSIONS: usize = 10_000;

/// A session.
#[derive(Debug, Clone)]
pub(crate) struct LoginSession {
    /// Whose it is.
    pub user: String,
    /// What changes must bring along, so that no other site can make them.
    pub csrf: String,
    /// What was kept of the password at the login: a new password ends the session.
    pub password: String,
    begun: Instant,
    seen: Instant,
}

/// The sessions, by the digest of what the browser has.
#[derive(Default)]
pub(crate) struct SessionBook(Mutex<HashMap<String, LoginSession>>);

impl SessionBook {
    /// Begins one; gives what the browser is to have, and the session.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn begin(&self, user: &str, password: &str) -> Result<(String, LoginSession), ApiError> {
        let (secret, now) = (random_text()?, Instant::now());
        let session = LoginSession {
            user: user.to_owned(),
            csrf: random_text()?,
            password: password.to_owned(),
            begun: now,
            seen: now,
        };
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= MOST_SESSIONS {
            sessions.retain(|_, session| session.is_alive(now));
        }
        if sessions.len() >= MOST_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.seen);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                sessions.remove(&key);
            }
        }
        sessions.insert(digest(&secret), session.clone());
        Ok((secret, session))
    }

    /// The session of what a browser has.
    pub fn find(&self, secret: &str) -> Option<LoginSession> {
        let (key, now) = (digest(secret), Instant::now());
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get_mut(&key)?;
        if !session.is_alive(now) {
            sessions.remove(&key);
            return None;
        }
        session.seen = now;
        Some(session.clone())
    }

    /// Ends one.
    pub fn end(&self, secret: &str) {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.remove(&digest(secret));
    }
}

impl LoginSession {
    fn is_alive(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.seen) < IDLE
            && now.saturating_duration_since(self.begun) < LONGEST
    }
}
