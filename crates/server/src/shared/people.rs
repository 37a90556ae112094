//! Who may log in: users and their programs' tokens, in a file beside the runs that the server and
//! `plimsoll serve user` share.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use plimsoll_store::private;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use super::passwords::checked_hash;
use super::role::UserRole;
use super::tokens::ProgramToken;
use crate::library::{FileStamp, file_stamp};
use crate::now::now_s;
use crate::problem::ApiError;

/// The form of the file.
const VERSION: u32 = 1;
/// A longer file is not ours.
const MOST_BYTES: u64 = 16 << 20;
/// Users, and tokens of all of them.
const MOST_USERS: usize = 1_000;
const MOST_TOKENS: usize = 5_000;

/// A user.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Person {
    /// The name.
    pub user: String,
    /// What he may do.
    pub role: UserRole,
    /// The password, hashed: a PHC string.
    pub password: String,
    /// When he was added, Unix seconds.
    pub added_s: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct People {
    version: u32,
    users: Vec<Person>,
    tokens: Vec<ProgramToken>,
}

/// The users and tokens there are.
pub(crate) struct PeopleBook {
    folder: PathBuf,
    known: Mutex<(FileStamp, People)>,
}

/// Whether a text can be a user's name: 1 to 64 letters, digits, dots, hyphens, underscores or `@`.
pub(crate) fn is_user_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "._-@".contains(c);
    (1..=64).contains(&name.chars().count())
        && name.chars().all(allowed)
        && name.chars().any(char::is_alphanumeric)
}

impl PeopleBook {
    /// Those of a workbench's own folder.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(folder: &Path) -> Result<Self, ApiError> {
        let book = Self {
            folder: folder.to_owned(),
            known: Mutex::default(),
        };
        book.read()?;
        Ok(book)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("people.json")
    }

    /// What the file says; it is read again once somebody has changed it. What cannot be read lets nobody in.
    fn read(&self) -> Result<People, ApiError> {
        let path = self.path();
        let stamp = file_stamp(&path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != stamp {
            let people = read_people(&path, stamp)?;
            *known = (stamp, people);
        }
        Ok(known.1.clone())
    }

    /// Changes the file: whole or not at all, and no two at once.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut People) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let cannot = |error: io::Error| ApiError::cannot_keep(&error);
        private::folders(&self.folder).map_err(cannot)?;
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.folder.join("people.lock"))
            .map_err(cannot)?;
        lock.lock().map_err(cannot)?;
        let path = self.path();
        let mut people = read_people(&path, file_stamp(&path))?;
        let done = change(&mut people)?;
        people.version = VERSION;
        let written = serde_json::to_vec_pretty(&people)
            .map_err(io::Error::from)
            .and_then(|json| private::replace(&path, &json));
        written.map_err(cannot)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = (file_stamp(&path), people);
        Ok(done)
    }

    /// All users, by name.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn persons(&self) -> Result<Vec<Person>, ApiError> {
        Ok(self.read()?.users)
    }

    /// A user by his name.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn person(&self, name: &str) -> Result<Option<Person>, ApiError> {
        let users = self.read()?.users.into_iter();
        Ok(users.into_iter().find(|person| person.user == name))
    }

    /// Adds a user with a password that was hashed already.
    ///
    /// # Errors
    /// A name that is none or taken; too many users.
    pub fn add(&self, user: &str, role: UserRole, password: String) -> Result<Person, ApiError> {
        self.add_if(user, role, password, |_| Ok(()))
    }

    /// The first user, an administrator: only while there is none.
    ///
    /// # Errors
    /// As [`add`](Self::add); somebody was quicker.
    pub fn add_first(&self, user: &str, password: String) -> Result<Person, ApiError> {
        self.add_if(
            user,
            UserRole::Administer,
            password,
            |people| match people.users.is_empty() {
                true => Ok(()),
                false => Err(ApiError::conflict(Message::new("server-not-first"))),
            },
        )
    }

    fn add_if(
        &self,
        user: &str,
        role: UserRole,
        password: String,
        may: impl FnOnce(&People) -> Result<(), ApiError>,
    ) -> Result<Person, ApiError> {
        if !is_user_name(user) {
            return Err(ApiError::bad(
                Message::new("server-bad-user").with("user", user),
            ));
        }
        self.change(|people| {
            may(people)?;
            if people.users.iter().any(|known| known.user == user) {
                let message = Message::new("server-user-there").with("user", user);
                return Err(ApiError::conflict(message));
            }
            if people.users.len() >= MOST_USERS {
                let message = Message::new("server-too-many").with("most", MOST_USERS);
                return Err(ApiError::conflict(message));
            }
            let person = Person {
                user: user.to_owned(),
                role,
                password,
                added_s: now_s(),
            };
            people.users.push(person.clone());
            people.users.sort_by(|a, b| a.user.cmp(&b.user));
            Ok(person)
        })
    }

    /// Gives a user another role or password. A password that somebody else sets ends his tokens: who had the one
    /// before may have made some.
    ///
    /// # Errors
    /// No such user; the last administrator.
    pub fn alter(
        &self,
        user: &str,
        role: Option<UserRole>,
        password: Option<String>,
    ) -> Result<Person, ApiError> {
        self.change(|people| {
            let is_last = is_last_administrator(people, user);
            let person = people.users.iter_mut().find(|known| known.user == user);
            let person = person.ok_or_else(|| no_user(user))?;
            if let Some(role) = role {
                if is_last && role != UserRole::Administer {
                    return Err(ApiError::conflict(Message::new(
                        "server-last-administrator",
                    )));
                }
                person.role = role;
            }
            if let Some(password) = password {
                person.password = password;
                people.tokens.retain(|token| token.user != user);
            }
            Ok(person.clone())
        })
    }

    /// Gives a user the password that he has chosen; his tokens stay.
    ///
    /// # Errors
    /// No such user.
    pub fn alter_own(&self, user: &str, password: String) -> Result<Person, ApiError> {
        self.change(|people| {
            let person = people.users.iter_mut().find(|known| known.user == user);
            let person = person.ok_or_else(|| no_user(user))?;
            person.password = password;
            Ok(person.clone())
        })
    }

    /// Takes a user out, and his tokens.
    ///
    /// # Errors
    /// No such user; the last administrator.
    pub fn remove(&self, user: &str) -> Result<(), ApiError> {
        self.change(|people| {
            if is_last_administrator(people, user) {
                return Err(ApiError::conflict(Message::new(
                    "server-last-administrator",
                )));
            }
            let before = people.users.len();
            people.users.retain(|known| known.user != user);
            people.tokens.retain(|token| token.user != user);
            (people.users.len() < before)
                .then_some(())
                .ok_or_else(|| no_user(user))
        })
    }

    /// All tokens.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn tokens(&self) -> Result<Vec<ProgramToken>, ApiError> {
        Ok(self.read()?.tokens)
    }

    /// Keeps a token; those that have ended go.
    ///
    /// # Errors
    /// Too many.
    pub fn add_token(&self, token: ProgramToken) -> Result<(), ApiError> {
        self.change(|people| {
            let now = now_s();
            people.tokens.retain(|known| known.ends_s > now);
            if people.tokens.len() >= MOST_TOKENS {
                let message = Message::new("server-too-many").with("most", MOST_TOKENS);
                return Err(ApiError::conflict(message));
            }
            people.tokens.push(token);
            Ok(())
        })
    }

    /// Takes a token out, of this user alone unless none is named.
    ///
    /// # Errors
    /// No such token.
    pub fn remove_token(&self, token: &str, of: Option<&str>) -> Result<(), ApiError> {
        self.change(|people| {
            let before = people.tokens.len();
            people
                .tokens
                .retain(|known| known.token != token || of.is_some_and(|of| of != known.user));
            let missing =
                || ApiError::not_found(Message::new("server-no-token").with("token", token));
            (people.tokens.len() < before)
                .then_some(())
                .ok_or_else(missing)
        })
    }
}

fn no_user(user: &str) -> ApiError {
    ApiError::not_found(Message::new("server-no-user").with("user", user))
}

fn is_last_administrator(people: &People, user: &str) -> bool {
    let is = |person: &&Person| person.role == UserRole::Administer;
    let mut administrators = people.users.iter().filter(is);
    administrators.next().is_some_and(|only| only.user == user) && administrators.next().is_none()
}

fn read_people(path: &Path, stamp: FileStamp) -> Result<People, ApiError> {
    let Some((_, length)) = stamp else {
        return Ok(People::default());
    };
    let broken = |reason: String| {
        ApiError::internal(
            Message::new("run-file-failed")
                .with("path", path.display().to_string())
                .with("reason", reason),
        )
    };
    if length > MOST_BYTES {
        return Err(broken(format!("{length} B")));
    }
    let bytes = std::fs::read(path).map_err(|error| broken(error.to_string()))?;
    let people: People =
        serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
    match people.version {
        0..=VERSION => Ok(people),
        newer => Err(broken(format!("version {newer}"))),
    }
}

/// Manages the users of a folder of runs from the command line, also while a server has it.
pub struct UserDesk(PeopleBook);

impl UserDesk {
    /// Of a folder of runs.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(runs: &Path) -> Result<Self, Message> {
        let book = PeopleBook::open(&runs.join(crate::desk::WORKBENCH_FOLDER));
        Ok(Self(book.map_err(|error| error.message())?))
    }

    /// Names and roles.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn list(&self) -> Result<Vec<(String, UserRole)>, Message> {
        let persons = self.0.persons().map_err(|error| error.message())?;
        Ok(persons
            .into_iter()
            .map(|person| (person.user, person.role))
            .collect())
    }

    /// Adds a user.
    ///
    /// # Errors
    /// A name that is none or taken; a password that is too short or too long.
    pub fn add(&self, user: &str, role: UserRole, password: &str) -> Result<(), Message> {
        let added = checked_hash(password).and_then(|kept| self.0.add(user, role, kept));
        added.map(drop).map_err(|error| error.message())
    }

    /// Gives a user another password or role.
    ///
    /// # Errors
    /// No such user; a password that is too short or too long; the last administrator.
    pub fn alter(
        &self,
        user: &str,
        role: Option<UserRole>,
        password: Option<&str>,
    ) -> Result<(), Message> {
        let kept = password.map(checked_hash).transpose();
        let altered = kept.and_then(|kept| self.0.alter(user, role, kept));
        altered.map(drop).map_err(|error| error.message())
    }

    /// Takes a user out.
    ///
    /// # Errors
    /// No such user; the last administrator.
    pub fn remove(&self, user: &str) -> Result<(), Message> {
        self.0.remove(user).map_err(|error| error.message())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn two_books_of_a_folder_see_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (
            PeopleBook::open(dir.path()).unwrap(),
            PeopleBook::open(dir.path()).unwrap(),
        );
        a.add_first("li", "x".to_owned()).unwrap();
        assert!(b.add_first("wang", "x".to_owned()).is_err());
        assert_eq!(b.person("li").unwrap().unwrap().role, UserRole::Administer);
        assert!(b.remove("li").is_err(), "the last administrator");
        assert!(b.alter("li", Some(UserRole::Run), None).is_err());
        b.add("王芳", UserRole::Administer, "y".to_owned()).unwrap();
        a.remove("li").unwrap();
        assert_eq!(b.persons().unwrap().len(), 1);
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(dir.path().join("people.json"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_cannot_be_read_lets_nobody_in() {
        let dir = tempfile::tempdir().unwrap();
        let book = PeopleBook::open(dir.path()).unwrap();
        book.add_first("li", "x".to_owned()).unwrap();
        std::fs::write(dir.path().join("people.json"), "{").unwrap();
        assert!(book.person("li").is_err() && book.add_first("evil", "x".to_owned()).is_err());
        std::fs::write(
            dir.path().join("people.json"),
            r#"{"version": 9, "users": [], "tokens": []}"#,
        )
        .unwrap();
        assert!(PeopleBook::open(dir.path()).is_err());
    }

    #[test]
    fn names_of_users() {
        for name in ["li", "li.wei", "王芳", "a@b.cn", "x_1-2"] {
            assert!(is_user_name(name), "{name}");
        }
        for name in ["", ".", "..", "a b", "a/b", "a\n", "<b>", "\u{202e}x", "-"] {
            assert!(!is_user_name(name), "{name:?}");
        }
        assert!(!is_user_name(&"x".repeat(65)));
    }
}
