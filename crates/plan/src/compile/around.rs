//! What comes before a sampler: processors, then pauses; samplers that are not HTTP.

use plimsoll_text::Message;

use super::flow::Flow;
use super::scope;
use crate::model::{Element, PauseTime, Processor, Sampler, SamplerKind, ScopePause, Span};
use crate::program::{Op, PauseTemplate};

impl<'p> Flow<'_, 'p> {
    pub(super) fn processors_before(&mut self, before: &[&'p Processor]) {
        for processor in before {
            match processor {
                Processor::Script(script) => self.script(script),
                Processor::Set(variable) => self.set(variable),
                Processor::Element(element) => self.element(element),
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
                ScopePause::Element(element) => self.element(element),
            }
        }
    }

    pub(super) fn element(&mut self, element: &'p Element) {
        let message = Message::new("compile-element").with("class", element.class.as_str());
        self.compiler.error(element.at, message);
    }

    pub(super) fn sampler(&mut self, sampler: &'p Sampler) {
        let holds = scope::resolve(&self.scopes, None);
        match &sampler.kind {
            SamplerKind::Flow { pause_ms, action } => {
                self.check_runtimes();
                self.processors_before(&holds.before);
                self.processors_before(&sampler.before.iter().collect::<Vec<_>>());
                self.pauses(&holds.pauses);
                if let Some(text) = pause_ms {
                    let template_ms = Some(self.compiler.template(text));
                    let time = PauseTime::Fixed(std::time::Duration::ZERO);
                    self.code.op(Op::Think(PauseTemplate { time, template_ms }));
                }
                if let Some(action) = action {
                    self.act(*action);
                }
            }
            SamplerKind::Element(element) => self.element(element),
            SamplerKind::Script(script) => {
                self.compiler
                    .error(script.at, Message::new("compile-script-sampler"));
            }
        }
    }
}
