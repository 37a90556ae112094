//! Local processes, by port, number or name: found again after a restart.

mod facts;
mod files;
mod filesystems;
pub(crate) mod subject;
mod threads;
mod totals;
mod usage;

use plimsoll_text::Message;

use crate::captures::stacks::StacksCapture;
use crate::captures::thread_states::ThreadStatesCapture;
use crate::collector::Trouble;
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};

use subject::{Subject, SubjectTarget};

/// Opens a local process: `8080`, `pid:123` or a program's name.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let target = SubjectTarget::parse(&spec.address).ok_or_else(|| {
        Trouble::new(Message::new("watch-process-address").with("address", spec.address.as_str()))
    })?;
    let host = spec.host.clone().unwrap_or_else(hostname);
    let subject = Subject::shared(target, host);
    Ok(Opened {
        collectors: vec![
            Box::new(usage::UsageCollector::new(subject.clone())),
            Box::new(threads::Threads::new(subject.clone())),
            Box::new(files::ProcessFiles::new(subject.clone())),
        ],
        captures: vec![
            Box::new(ThreadStatesCapture::new(subject.clone())),
            Box::new(StacksCapture::new(subject)),
        ],
    })
}
