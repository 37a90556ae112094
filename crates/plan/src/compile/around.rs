//! What comes before a sampler: processors, then pauses.

use plimsoll_text::Message;

use super::flow::ScenarioFlow;
use crate::model::{Element, Processor, ScopePause, Span};
use crate::program::Op;

impl<'p> ScenarioFlow<'_, 'p> {
    pub(super) fn processors_before(&mut self, before: &[&'p Processor]) {
        for processor in before {
            match processor {
                Processor::Script(script) => self.script(script),
                Processor::Set(variable) => self.set(variable),
                Processor::Element(element) => self.stray_element(element),
                Processor::Extract(extract) => {
                    self.compiler
                        .error(extract.at, Message::new("compile-extract-before"));
                }
                Processor::OnError(_) => {
                    let message = Message::new("compile-on-error-before");
                    self.compiler.error(Span::default(), message);
                }
            }
        }
    }

    pub(super) fn pauses(&mut self, pauses: &[&'p ScopePause]) {
        for pause in pauses {
            match pause {
                ScopePause::Think(pause) => {
                    let pause = self.compiler.pause(pause);
                    self.code.op(Op::Think(pause));
                }
                ScopePause::Rendezvous(meeting) => {
                    let meeting = self.compiler.rendezvous(meeting);
                    self.code.op(Op::Rendezvous(meeting));
                }
                ScopePause::Throughput {
                    per_minute,
                    shared_by,
                } => {
                    let per_minute = self.compiler.template(per_minute);
                    let shared = self.compiler.throughput(*pause, *shared_by);
                    let code = &mut self.code;
                    let last = self.compiler.shared.register(*pause, || code.register());
                    self.code.op(Op::PaceThroughput {
                        per_minute,
                        shared,
                        last,
                    });
                }
                ScopePause::Element(element) => self.stray_element(element),
            }
        }
    }

    /// An element where there is no package for it to work in.
    pub(super) fn stray_element(&mut self, element: &'p Element) {
        let message = Message::new("compile-element").with("class", element.class.as_str());
        self.compiler.error(element.at, message);
    }
}
