//! A context for tests: variables in a map, a clock that stands, a stream of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use plimsoll_access::Access;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{Part, SiteId, Template};

use super::{Context, Fault, Own, Properties, Shared, ThreadInfo};
use crate::result::SampleResult;

/// A user that exists only in a test.
#[derive(Default)]
pub struct TestContext {
    /// Its variables.
    pub vars: BTreeMap<String, Rc<str>>,
    /// Variables that were set to nothing.
    pub nulls: Vec<String>,
    /// What it may do; everything, when it is made with variables.
    pub access: Access,
    /// Its properties.
    pub properties: Properties,
    /// Its clock.
    pub unix_ms: u64,
    /// Who it is.
    pub thread: ThreadInfo,
    /// Its last result.
    pub previous: Option<SampleResult>,
    /// Label of the sampler at work.
    pub sampler: Option<Rc<str>>,
    /// What was asked for.
    pub asked: Option<Action>,
    /// What was logged.
    pub logged: Vec<String>,
    /// What JavaScript gives.
    pub script_value: Option<String>,
    /// The JavaScript that was asked for.
    pub scripts: Vec<String>,
    random: u64,
    own: HashMap<SiteId, Own>,
    shared: Vec<Shared>,
    everywhere: Shared,
}

impl TestContext {
    /// A user with these variables.
    #[must_use]
    pub fn with(vars: &[(&str, &str)]) -> Self {
        let mut context = Self {
            access: Access::of_user(),
            ..Self::default()
        };
        for (name, value) in vars {
            context.set(name, value);
        }
        context.shared.resize_with(64, Shared::default);
        context
    }

    /// A site that nobody has used.
    pub fn fresh_site(&mut self) -> SiteId {
        self.shared.push(Shared::default());
        SiteId(u32::try_from(self.shared.len()).map_or(0, |len| len - 1))
    }
}

impl Context for TestContext {
    fn text<'t>(&mut self, template: &'t Template) -> Result<Cow<'t, str>, Fault> {
        if let Some(text) = template.as_text() {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Text(piece) => text.push_str(piece),
                // Slots have no names here: the literal says which variable it is.
                Part::Slot { literal, .. } => {
                    let name = literal.trim_start_matches("${").trim_end_matches('}');
                    match self.vars.get(name) {
                        Some(value) => text.push_str(value),
                        None => text.push_str(literal),
                    }
                }
                Part::Call(call) => text.push_str(&crate::functions::call(call, self)?),
                Part::Script(_) => return Err(Fault::new("no scripts in tests")),
            }
        }
        Ok(Cow::Owned(text))
    }

    fn evaluate(&mut self, text: &str) -> Result<String, Fault> {
        // Variables only: the grammar is the plan's.
        let mut rest = text;
        let mut value = String::new();
        while let Some((before, after)) = rest.split_once("${") {
            value.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                return Ok(String::new());
            };
            match self.vars.get(name) {
                Some(text) => value.push_str(text),
                None => value.push_str(&format!("${{{name}}}")),
            }
            rest = after;
        }
        value.push_str(rest);
        Ok(value)
    }

    fn get(&self, name: &str) -> Option<Rc<str>> {
        self.vars.get(name).cloned()
    }

    fn set(&mut self, name: &str, value: &str) {
        self.vars.insert(name.to_owned(), value.into());
    }

    fn remove(&mut self, name: &str) {
        self.vars.remove(name);
    }

    fn set_null(&mut self, name: &str) {
        self.vars.remove(name);
        self.nulls.push(name.to_owned());
    }

    fn nulls(&self) -> Vec<String> {
        self.nulls.clone()
    }

    fn names(&self) -> Vec<String> {
        self.vars.keys().cloned().collect()
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn random_bits(&mut self) -> u64 {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unix_ms(&self) -> u64 {
        self.unix_ms
    }

    fn thread(&self) -> ThreadInfo {
        self.thread.clone()
    }

    fn own(&mut self, site: SiteId) -> &mut Own {
        self.own.entry(site).or_default()
    }

    fn shared(&self, site: SiteId) -> &Shared {
        if site == super::EVERYWHERE {
            return &self.everywhere;
        }
        &self.shared[site.0 as usize]
    }

    fn sampler_name(&self) -> Option<Rc<str>> {
        self.sampler.clone()
    }

    fn previous(&self) -> Option<&SampleResult> {
        self.previous.as_ref()
    }

    fn ask(&mut self, action: Action) {
        self.asked = Some(action);
    }

    fn javascript(&mut self, source: &str, _bindings: &[(&str, &str)]) -> Result<String, Fault> {
        let value = self.script_value.clone();
        let value = value.ok_or_else(|| Fault::new("no JavaScript in tests"))?;
        self.scripts.push(source.to_owned());
        Ok(value)
    }

    fn remote(
        &mut self,
        _function: &str,
        _site: SiteId,
        _args: &[String],
    ) -> Result<String, Fault> {
        Err(Fault::Remote)
    }

    fn log(&mut self, text: &str) {
        self.logged.push(text.to_owned());
    }
}
