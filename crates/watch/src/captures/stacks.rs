//! Stacks with names of any process: which functions use its CPU time.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_profile::Interpreter;
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::process::subject::{Current, Subject};
use crate::stacks::{FamilyCode, FamilyLook, StackSampling, ToldStacks};

/// Sampling lasts as long as a profile; files are read before, and names after.
const LIMIT: Duration = Duration::from_secs(15);

/// Samples the stacks of a process and its workers for a few seconds.
pub(crate) struct StacksCapture {
    subject: Rc<RefCell<Subject>>,
    /// What was read of a process, by its number and start.
    opened: Option<((u32, u64), Box<FamilyCode>)>,
    /// The processes that cannot be looked at: why is told once.
    refused: Option<(u32, u64)>,
}

/// What came of it.
enum StacksTaken {
    /// The code, the stacks if there were any, and what of them cannot be told.
    Code(Box<FamilyCode>, Option<String>, Option<Trouble>),
    /// It is nothing for this capture, and what is to be told of that.
    Nothing(Option<Trouble>),
}

impl StacksCapture {
    pub(crate) fn new(subject: Rc<RefCell<Subject>>) -> Self {
        Self {
            subject,
            opened: None,
            refused: None,
        }
    }

    async fn at_moment(&mut self, moment: Moment) -> Result<Vec<Artifact>, Trouble> {
        // Who is away is told of by the collector that looks for it.
        let Some(current) = self.subject.borrow().current() else {
            return Ok(Vec::new());
        };
        let process = (current.pid, current.start_ticks);
        if self.refused == Some(process) {
            return Ok(Vec::new());
        }
        let known = self.opened.take().filter(|(of, _)| *of == process);
        let from_unix_ns = now_unix_ns();
        let asked = current.clone();
        let work = tokio::task::spawn_blocking(move || match known {
            Some((_, code)) => sample(&asked, code, moment, from_unix_ns, None),
            None => open(&asked, moment, from_unix_ns),
        });
        // Otherwise it was ended with the watcher.
        let Ok(taken) = work.await else {
            return Ok(Vec::new());
        };
        match taken {
            StacksTaken::Nothing(trouble) => {
                self.refused = Some(process);
                trouble.map_or_else(|| Ok(Vec::new()), Err)
            }
            StacksTaken::Code(code, text, trouble) => {
                self.opened = Some((process, code));
                let artifact = |text| Artifact::json(current.entity, "stacks", from_unix_ns, text);
                match (text.map(artifact), trouble) {
                    (Some(artifact), _) => Ok(vec![artifact]),
                    (None, Some(trouble)) => Err(trouble),
                    (None, None) => Ok(Vec::new()),
                }
            }
        }
    }
}

fn open(current: &Current, moment: Moment, from_unix_ns: u64) -> StacksTaken {
    let mut code = Box::<FamilyCode>::default();
    match code.open(current.pid) {
        Some(look) if look.is_jvm => StacksTaken::Nothing(None),
        Some(look) => sample(current, code, moment, from_unix_ns, untold(current, &look)),
        None => StacksTaken::Nothing(Some(trouble("watch-stacks-unreadable", current))),
    }
}

/// What of the stacks will have no names, and what to do about it.
fn untold(current: &Current, look: &FamilyLook) -> Option<Trouble> {
    let message = match &look.refused {
        Some(refused) => Message::new("watch-stacks-version")
            .with("found", refused.to_string())
            .with("known", Interpreter::KNOWN),
        None if look.lacks_map => Message::new("watch-stacks-no-map"),
        None => return None,
    };
    Some(Trouble::new(
        message.with("name", current.entity.name.as_str()),
    ))
}

fn sample(
    current: &Current,
    code: Box<FamilyCode>,
    moment: Moment,
    from_unix_ns: u64,
    untold: Option<Trouble>,
) -> StacksTaken {
    let lasts = match moment {
        Moment::Start => Duration::ZERO,
        _ => PROFILE_LASTS,
    };
    match StackSampling::begin(current.pid, code, lasts) {
        Ok(mut sampling) => {
            sampling.run();
            let (told, code) = sampling.finish();
            let told = ToldStacks {
                from_unix_ns,
                ..told
            };
            let text = serde_json::to_string(&told).ok();
            let text = text.filter(|_| !told.stacks.is_empty());
            StacksTaken::Code(code, text, untold)
        }
        Err(error) => {
            let refused = Message::new("watch-stacks-refused")
                .with("name", current.entity.name.as_str())
                .with("reason", error.to_string());
            StacksTaken::Nothing(Some(Trouble::new(refused)))
        }
    }
}

fn trouble(id: &'static str, current: &Current) -> Trouble {
    Trouble::new(Message::new(id).with("name", current.entity.name.as_str()))
}

impl Capture for StacksCapture {
    fn kind(&self) -> &'static str {
        "stacks"
    }

    fn entity(&self) -> Arc<Entity> {
        self.subject.borrow().entity()
    }

    fn level(&self) -> Level {
        Level::Observe
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(
            moment,
            Moment::Start | Moment::Steady | Moment::Worst | Moment::Request
        )
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.at_moment(asked.moment))
    }
}
