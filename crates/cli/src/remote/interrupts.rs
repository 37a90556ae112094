//! Ctrl-C here, for a run on a workbench elsewhere.

use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_server::client::ServerLink;
use plimsoll_text::{Lang, render};
use serde_json::json;

use crate::interrupt::INTERRUPTED;

/// Ends the run there: first gracefully, then at once; the third time it is left alone. It is heard before the
/// run is ordered, so that none of them ends this process while the run goes on there.
pub struct RemoteInterrupts {
    link: Arc<ServerLink>,
    lang: Lang,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    count: u32,
    /// The run there, once its name is known.
    ticket: Option<String>,
}

impl RemoteInterrupts {
    /// Hears them from now on.
    pub fn hear(link: &Arc<ServerLink>, lang: Lang) -> Arc<Self> {
        let interrupts = Arc::new(Self {
            link: Arc::clone(link),
            lang,
            heard: Mutex::default(),
        });
        let hearing = Arc::clone(&interrupts);
        // Refused only when another handler is there, which nobody installs.
        let _ = ctrlc::set_handler(move || hearing.count_one());
        interrupts
    }

    /// The run that they are for; one that was heard before ends it.
    pub fn are_for(&self, ticket: &str) {
        let count = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.ticket = Some(ticket.to_owned());
            heard.count
        };
        if count > 0 {
            self.end(ticket, count);
        }
    }

    /// Whether there was any.
    pub fn any(&self) -> bool {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.count > 0
    }

    fn count_one(&self) {
        let (count, ticket) = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.count += 1;
            (heard.count, heard.ticket.clone())
        };
        if count > 2 {
            std::process::exit(INTERRUPTED.into());
        }
        if let Some(ticket) = ticket {
            self.end(&ticket, count);
        }
    }

    fn end(&self, ticket: &str, count: u32) {
        let how = if count == 1 { "graceful" } else { "at_once" };
        let path = format!("/runs/{ticket}/stop");
        let body = json!({"how": how});
        if let Err(error) = self.link.call("POST", &path, Some(&body)) {
            crate::say::err(&render(self.lang, &error.message()));
        }
    }
}
