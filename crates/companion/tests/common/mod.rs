//! A built companion for tests, or a clear word that there is none.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use plimsoll_access::Access;
use plimsoll_companion::{
    CallError, CallMoment, CallResult, Companion, CompanionOptions, CompanionSession,
    CompanionUser, Site, Work, WorkOutcome, find_in,
};
use plimsoll_elements::{Evaluated, EvaluatedValue, Properties, SampleResult};
use plimsoll_plan::program::SiteId;

/// The built companion's folder; none (and a word why) when it is not built and not needed.
pub fn home() -> Option<PathBuf> {
    let built = std::env::var_os("PLIMSOLL_COMPANION").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/companion"),
        PathBuf::from,
    );
    if built.join("companion.jar").is_file() {
        return Some(built.canonicalize().unwrap());
    }
    let needed = std::env::var_os("PLIMSOLL_NEED_COMPANION").is_some_and(|value| value == "1");
    assert!(
        !needed,
        "the companion is needed but not built: `make companion` builds it"
    );
    eprintln!("skipped: the companion is not built; `make companion` builds it");
    None
}

pub fn options(properties: &[(&str, &str)]) -> Option<CompanionOptions> {
    let installed = find_in(&home()?).unwrap();
    let texts = properties
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut options = CompanionOptions::new(installed, Properties::new(texts), Access::of_user());
    options.max_heap_mb = Some(512);
    Some(options)
}

pub fn start(properties: &[(&str, &str)]) -> Option<Companion> {
    Some(Companion::start(options(properties)?).unwrap())
}

static SHARED: OnceLock<Option<Companion>> = OnceLock::new();
static TESTS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static FIRST_SITE: Cell<u32> = const { Cell::new(0) };
}

/// The one companion of this file's tests; the sites of this test are its own.
pub fn shared() -> Option<Companion> {
    FIRST_SITE.set(TESTS.fetch_add(1, Ordering::Relaxed) * 1_000);
    SHARED.get_or_init(|| start(&[])).clone()
}

fn number(site: u32) -> SiteId {
    SiteId(FIRST_SITE.get() + site)
}

pub fn element(class: &str, name: &str, properties: &[(&str, &str)]) -> Evaluated {
    let text = |(key, value): &(&str, &str)| {
        ((*key).to_owned(), EvaluatedValue::Text((*value).to_owned()))
    };
    Evaluated {
        class: class.to_owned(),
        name: name.to_owned(),
        properties: properties.iter().map(text).collect(),
    }
}

/// A JSR223 element with a Groovy script.
pub fn groovy(class: &str, script: &str) -> Evaluated {
    let properties = [
        ("scriptLanguage", "groovy"),
        ("cacheKey", "true"),
        ("script", script),
    ];
    element(class, class, &properties)
}

pub fn user(name: &str) -> CompanionUser {
    CompanionUser {
        thread_name: name.to_owned(),
        group: "group".to_owned(),
        number: 0,
        group_size: 1,
        same_user: true,
    }
}

/// One user with its variables, as the engine would keep them.
pub struct Tester {
    session: CompanionSession,
    pub variables: BTreeMap<String, String>,
    pub previous: Option<SampleResult>,
    pub iteration: u64,
}

impl Tester {
    pub fn new(companion: &Companion, name: &str) -> Self {
        Self {
            session: CompanionSession::new(companion, user(name)),
            variables: BTreeMap::new(),
            previous: None,
            iteration: 1,
        }
    }

    /// The sample is over whose sampler was changed.
    pub fn forget_sampler(&mut self, site: u32) {
        self.session.forget_sampler(number(site));
    }

    pub async fn try_call(
        &mut self,
        work: &Work<'_>,
        sampler: Option<Site<'_>>,
    ) -> Result<CallResult, CallError> {
        let variables = &self.variables;
        let each = |take: &mut dyn FnMut(&str, &str)| {
            for (name, value) in variables {
                take(name, value);
            }
        };
        let moment = CallMoment {
            iteration: self.iteration,
            group_threads: 1,
            all_threads: 1,
            end_unix_ms: None,
            variables: Some(&each),
            previous: self.previous.as_ref(),
            sampler,
            configs: &[],
        };
        let mut result = self.session.call(work, &moment).await?;
        for (name, value) in &result.variables {
            match value {
                Some(value) => self.variables.insert(name.clone(), value.clone()),
                None => self.variables.remove(name),
            };
        }
        if let (Some(changes), Some(previous)) = (result.result.take(), &mut self.previous) {
            changes.apply(previous);
        }
        Ok(result)
    }

    pub async fn call(&mut self, work: &Work<'_>) -> CallResult {
        self.try_call(work, None).await.unwrap()
    }

    /// A function's value.
    pub async fn function(&mut self, name: &str, site: u32, args: &[&str]) -> String {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let work = Work::Function {
            name,
            site: number(site),
            args: &args,
        };
        match self.call(&work).await.outcome {
            WorkOutcome::Text(text) => text,
            other => panic!("{name} gave {other:?}"),
        }
    }
}

pub fn site(at: u32, element: &Evaluated) -> Site<'_> {
    Site {
        site: number(at),
        element,
    }
}

/// Runs on a current-thread runtime, as the engine does.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}
