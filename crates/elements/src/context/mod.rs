//! What a leaf sees of the user it works for.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use plimsoll_access::Access;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{SiteId, Template};
use plimsoll_plan::share::Share;

use crate::result::SampleResult;

/// What a site keeps for one user.
pub type Own = Option<Box<dyn Any>>;

/// What a site keeps for all users of a run.
pub type Shared = OnceLock<Box<dyn Any + Send + Sync>>;

/// The site of what is kept for the whole run or a user's whole life, not for a place in the
/// plan. No element and no call has it.
pub const EVERYWHERE: SiteId = SiteId(u32::MAX);

/// Why a leaf or a function has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// It cannot work; the text is for people, as JMeter's log would have it.
    #[error("{0}")]
    Failed(String),
    /// Another process must compute this call first; the engine does so and asks again.
    #[error("waits for the JVM companion")]
    Remote,
}

impl Fault {
    /// A failure with its reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}

/// JMeter's properties: one set for the whole run, which scripts may change.
#[derive(Debug, Clone, Default)]
pub struct Properties {
    values: Arc<RwLock<BTreeMap<String, String>>>,
    changes: Arc<AtomicU64>,
    /// What is read where nothing is set: Java's system properties.
    beneath: Arc<BTreeMap<String, String>>,
}

impl Properties {
    /// Properties with these values.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let values = values.into_iter().collect();
        Self {
            values: Arc::new(RwLock::new(values)),
            ..Self::default()
        }
    }

    /// The same, with what is read where nothing is set. It is not among all of them.
    #[must_use]
    pub fn above(self, beneath: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            beneath: Arc::new(beneath.into_iter().collect()),
            ..self
        }
    }

    /// Properties of their own with the same values.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self {
            beneath: Arc::clone(&self.beneath),
            ..Self::new(self.all())
        }
    }

    /// A property's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let value = values.get(name).or_else(|| self.beneath.get(name));
        value.cloned()
    }

    /// Sets a property; gives the value it had.
    pub fn set(&self, name: &str, value: &str) -> Option<String> {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        self.changes.fetch_add(1, Ordering::Release);
        values.insert(name.to_owned(), value.to_owned())
    }

    /// Takes a property away; gives the value it had.
    pub fn remove(&self, name: &str) -> Option<String> {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        self.changes.fetch_add(1, Ordering::Release);
        values.remove(name)
    }

    /// A number that grows with each change: who saw it knows whether there was one since.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> BTreeMap<String, String> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.clone()
    }
}

/// Which user a leaf works for.
#[derive(Debug, Clone)]
pub struct ThreadInfo {
    /// The thread group's name.
    pub group: Rc<str>,
    /// JMeter's thread name: `group 1-7`.
    pub name: Rc<str>,
    /// Number within the group, from 0.
    pub number: u32,
    /// Users that the group has by the plan.
    pub group_size: u32,
    /// The user's iteration, from 1; 0 before the first.
    pub iteration: u64,
    /// When the run began: milliseconds since 1970-01-01 UTC.
    pub run_start_unix_ms: u64,
    /// When no new sample may begin, as far as the plan's schedule says.
    pub end_unix_ms: Option<u64>,
    /// Users of the group at work now.
    pub group_threads: u32,
    /// All users at work now.
    pub all_threads: u32,
    /// The plan's file name; empty when it has none.
    pub plan_file: Rc<str>,
    /// The folder of the plan, where relative files are looked for first.
    pub plan_folder: Rc<std::path::Path>,
    /// Which of the things that all users take in turn this process has: the share of the load
    /// among those with users.
    pub share: Share,
    /// What the run draws its randomness from; the same in all processes of a run.
    pub run_seed: u64,
    /// What was due before that and has not begun is not made up for: milliseconds since
    /// 1970-01-01 UTC; 0: everything is.
    pub due_from_unix_ms: u64,
    /// Parts of a result are named after it and numbered, as JMeter does unless the plan runs in
    /// functional mode or `subresults.disable_renaming` is set.
    pub renames_parts: bool,
}

impl ThreadInfo {
    /// The share of the load among those that have users of this group.
    #[must_use]
    pub fn group_share(&self) -> Share {
        let among = self.share.among(u64::from(self.group_size));
        among.unwrap_or_default()
    }
}

impl Default for ThreadInfo {
    fn default() -> Self {
        Self {
            group: "".into(),
            name: "".into(),
            number: 0,
            group_size: 1,
            iteration: 0,
            run_start_unix_ms: 0,
            end_unix_ms: None,
            group_threads: 1,
            all_threads: 1,
            plan_file: "".into(),
            plan_folder: std::path::Path::new("").into(),
            share: Share::WHOLE,
            run_seed: 0,
            due_from_unix_ms: 0,
            renames_parts: true,
        }
    }
}

/// What a leaf sees of the user it works for, and how it works on it. The engine implements
/// this; tests have [`crate::context::testing::TestContext`].
pub trait Context {
    /// A template's text.
    ///
    /// # Errors
    /// When a function in it cannot be computed.
    fn text<'t>(&mut self, template: &'t Template) -> Result<Cow<'t, str>, Fault>;

    /// Evaluates a text of the run in JMeter's grammar (`${__eval(…)}`). A text that the
    /// grammar refuses is empty, as in JMeter; the calls in it keep nothing between uses.
    ///
    /// # Errors
    /// When a function in it cannot be computed.
    fn evaluate(&mut self, text: &str) -> Result<String, Fault>;

    /// A variable's value.
    fn get(&self, name: &str) -> Option<Rc<str>>;
    /// Sets a variable.
    fn set(&mut self, name: &str, value: &str);
    /// Takes a variable's value away.
    fn remove(&mut self, name: &str);
    /// Sets a variable to nothing (Java's null): it has no value, and yet is listed.
    fn set_null(&mut self, name: &str) {
        self.remove(name);
    }
    /// The names of all variables that have values, in no order.
    fn names(&self) -> Vec<String>;
    /// The names of variables that were set to nothing.
    fn nulls(&self) -> Vec<String> {
        Vec::new()
    }
    /// All variables as a Debug Sampler lists them, in no order.
    fn listed(&self) -> Vec<(String, String)> {
        let names = self.names().into_iter();
        let with_value = |name: String| self.get(&name).map(|value| (name, value.to_string()));
        let nulls = self.nulls().into_iter();
        let null = |name: String| (name, "null".to_owned());
        names
            .filter_map(with_value)
            .chain(nulls.map(null))
            .collect()
    }

    /// What the plan may do on this host.
    fn access(&self) -> &Access;
    /// JMeter's properties.
    fn properties(&self) -> &Properties;
    /// 64 random bits of this user's own stream.
    fn random_bits(&mut self) -> u64;
    /// Milliseconds since 1970-01-01 UTC.
    fn unix_ms(&self) -> u64;
    /// Which user this is.
    fn thread(&self) -> ThreadInfo;

    /// What this site ([`EVERYWHERE`] too) keeps for this user; empty at first.
    fn own(&mut self, site: SiteId) -> &mut Own;
    /// What this site ([`EVERYWHERE`] too) keeps for all users of the run; empty at first.
    fn shared(&self, site: SiteId) -> &Shared;

    /// The label of the sampler at work; none outside of samples.
    fn sampler_name(&self) -> Option<Rc<str>>;
    /// The properties of the sampler at work, as texts.
    ///
    /// # Errors
    /// As [`Context::text`].
    fn sampler_properties(&mut self) -> Result<Vec<(String, String)>, Fault> {
        Ok(Vec::new())
    }
    /// The last result of this user. While post-processors and assertions run it is the one
    /// they are given as well.
    fn previous(&self) -> Option<&SampleResult>;

    /// Asks for a change of flow, once the package is done. The last one asked for counts.
    fn ask(&mut self, action: Action);

    /// Runs JavaScript (QuickJS), with `bindings` as global texts, and gives its value as
    /// text.
    ///
    /// # Errors
    /// When the script fails.
    fn javascript(&mut self, source: &str, bindings: &[(&str, &str)]) -> Result<String, Fault>;

    /// Asks the JVM companion for a function's value. The first time it is not known yet.
    ///
    /// # Errors
    /// [`Fault::Remote`] until the engine has asked the companion; a failure if the companion
    /// failed or is not there.
    fn remote(&mut self, function: &str, site: SiteId, args: &[String]) -> Result<String, Fault>;

    /// Something that JMeter would write to its log.
    fn log(&mut self, text: &str);
}

/// 64 random bits as a number from `least` to `most`, both in.
#[must_use]
pub fn between(bits: u64, least: i64, most: i64) -> i64 {
    let span = i128::from(most) - i128::from(least) + 1;
    if span <= 0 {
        return least;
    }
    // The high half of the product is evenly spread (Lemire 2019, without the rejection: the
    // bias is below 2^-32 for spans below 2^32).
    let product = u128::from(bits) * u128::try_from(span).unwrap_or(1);
    let offset = i128::try_from(product >> 64).unwrap_or(0);
    i64::try_from(i128::from(least) + offset).unwrap_or(most)
}

/// 64 random bits as a number in [0, 1).
#[must_use]
#[expect(clippy::cast_precision_loss)] // 53 bits fit.
pub fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

pub(crate) mod nobody;
pub mod testing;
