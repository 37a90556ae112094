//! One user's talk with the companion.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use plimsoll_plan::program::SiteId;
use tokio::sync::oneshot;

use crate::call::{CallMoment, CompanionUser, Site, Work};
use crate::changes::{ResultChanges, build};
use crate::companion::Companion;
use crate::error::CallError;
use crate::known::KnownToCompanion;
use crate::link::Response;
use crate::outcome::{CallResult, WorkOutcome};
use crate::protocol::{ask, read_action, read_changes, read_element, read_result};
use crate::wire::{FrameReader, FrameWriter, MalformedFrame};

/// One user's talk with the companion. It keeps the user's Java objects (one for each site),
/// its variables that are no texts, and its Java thread, until it is dropped.
#[derive(Debug)]
pub struct CompanionSession {
    companion: Companion,
    id: u64,
    user: Option<CompanionUser>,
    known: Rc<RefCell<KnownToCompanion>>,
}

impl CompanionSession {
    /// For a new user. Nothing is sent before the first call.
    #[must_use]
    pub fn new(companion: &Companion, user: CompanionUser) -> Self {
        Self {
            companion: companion.clone(),
            id: companion.next_user(),
            user: Some(user),
            known: Rc::default(),
        }
    }

    /// Asks for a piece of work. Everything needed is sent at once; the future only waits for
    /// the response. A user has one call at a time: a call that is dropped still runs to its
    /// end, and the next one waits for it.
    pub fn call(&mut self, work: &Work<'_>, moment: &CallMoment<'_>) -> PendingCall {
        self.companion.send_properties();
        let link = self.companion.link();
        let id = link.next_id();
        let mut known = self.known.borrow_mut();
        let reset = known.open;
        if reset {
            *known = KnownToCompanion::default();
        }
        known.open = true;
        let mut frame = FrameWriter::frame(ask::CALL);
        frame.u32(id);
        frame.u64(self.id);
        frame.flag(reset);
        write_user(&mut frame, self.user.take());
        frame.u64(moment.iteration);
        frame.u32(moment.group_threads);
        frame.u32(moment.all_threads);
        frame.u64(moment.end_unix_ms.unwrap_or(0));
        known.write_variables(&mut frame, moment.variables);
        known.write_previous(&mut frame, moment.previous);
        frame.flag(moment.sampler.is_some());
        if let Some(sampler) = moment.sampler {
            known.write_site(&mut frame, sampler);
        }
        frame.count(moment.configs.len());
        for config in moment.configs {
            known.write_site(&mut frame, *config);
        }
        write_work(&mut frame, work, &mut known);
        drop(known);
        PendingCall {
            response: link.ask(id, frame.finish()),
            known: Rc::clone(&self.known),
        }
    }
}

impl CompanionSession {
    /// The sample is over whose sampler ([`CallMoment::sampler`]) a script has changed: the next one
    /// begins with the sampler as it is sent. Until then scripts see what others changed.
    pub fn forget_sampler(&mut self, site: SiteId) {
        self.known.borrow_mut().forget_site(site);
    }
}

impl Drop for CompanionSession {
    fn drop(&mut self) {
        if self.user.is_none() {
            let mut frame = FrameWriter::frame(ask::USER_ENDS);
            frame.u64(self.id);
            self.companion.link().send(frame.finish());
        }
    }
}

fn write_user(to: &mut FrameWriter, user: Option<CompanionUser>) {
    to.flag(user.is_some());
    if let Some(user) = user {
        to.text(&user.thread_name);
        to.text(&user.group);
        to.u32(user.number);
        to.u32(user.group_size);
        to.flag(user.same_user);
    }
}

fn write_work(to: &mut FrameWriter, work: &Work<'_>, known: &mut KnownToCompanion) {
    let mut site = |kind: u8, site: &Site<'_>| {
        to.u8(kind);
        known.write_site(to, *site);
    };
    match work {
        Work::Pre(element) => site(2, element),
        Work::Timer(element) => site(3, element),
        Work::Post(element) => site(5, element),
        Work::Assertion(element) => site(6, element),
        Work::Listener(element) => site(7, element),
        Work::Pass(element) => site(8, element),
        Work::Sample => to.u8(4),
        Work::Function { name, site, args } => {
            to.u8(1);
            to.text(name);
            to.u32(site.0);
            to.count(args.len());
            for arg in *args {
                to.text(arg);
            }
        }
    }
}

/// A call on its way. Dropping it gives up waiting.
#[derive(Debug)]
pub struct PendingCall {
    response: oneshot::Receiver<Response>,
    known: Rc<RefCell<KnownToCompanion>>,
}

impl Future for PendingCall {
    type Output = Result<CallResult, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let response = std::task::ready!(Pin::new(&mut self.response).poll(cx));
        // The sender is only gone without a response when its thread is.
        let response = response.unwrap_or_else(|_| Err(CallError::Ended(String::new())));
        Poll::Ready(response.and_then(|payload| self.read(&payload)))
    }
}

impl PendingCall {
    fn read(&self, payload: &[u8]) -> Result<CallResult, CallError> {
        let result = read_call_result(&mut FrameReader::new(payload), &self.known);
        let result = result.map_err(|MalformedFrame(why)| CallError::Unreadable(why.to_owned()))?;
        let mut known = self.known.borrow_mut();
        known.changed(&result.variables);
        known.open = false;
        if let WorkOutcome::Sample(Some(result)) = &result.outcome {
            // If the engine works on it as it is, Java's own object is meant.
            known.agreed(result);
        }
        Ok(result)
    }
}

fn read_call_result(
    from: &mut FrameReader<'_>,
    known: &Rc<RefCell<KnownToCompanion>>,
) -> Result<CallResult, MalformedFrame> {
    let outcome = match from.u8()? {
        1 => WorkOutcome::Text(from.text()?),
        2 => WorkOutcome::Done,
        3 => WorkOutcome::DelayMs(from.u64()?),
        4 => WorkOutcome::Sample(None),
        5 => {
            let node = read_result(from, 0)?;
            WorkOutcome::Sample(Some(Box::new(build(node, &mut []))))
        }
        6 => WorkOutcome::Failed(from.text()?),
        _ => return Err(MalformedFrame("unknown outcome")),
    };
    let variables = read_changes(from)?;
    let result = if from.flag()? {
        Some(ResultChanges {
            node: read_result(from, 0)?,
            known: Rc::clone(known),
        })
    } else {
        None
    };
    let sampler = if from.flag()? {
        Some(read_element(from, 0)?)
    } else {
        None
    };
    let actions = from.list(read_action)?;
    Ok(CallResult {
        outcome,
        variables,
        result,
        sampler,
        actions,
    })
}
