//! What is done with responses: values saved, processors, checks.

use plimsoll_text::Message;

use super::compiler::Compiler;
use crate::model::{
    Action, Check, CheckOf, Comparison, Extract, Extractor, HttpRequest, OnError, Processor, Span,
    Test, Text, Which,
};
use crate::patterns;
use crate::program::{
    After, CheckOfProgram, CheckProgram, ExtractProgram, ExtractorProgram, Keep, Template,
    TestProgram,
};

impl<'p> Compiler<'p> {
    /// What is done with the response before the checks: the scope's processors, the request's
    /// values to save, the request's processors.
    pub(super) fn after(
        &mut self,
        of_scope: &[&'p Processor],
        request: &'p HttpRequest,
        keep: &mut Keep,
    ) -> (Vec<After>, Option<Action>) {
        let mut after = Vec::new();
        let mut on_failure = None;
        for processor in of_scope {
            self.processor_after(processor, keep, &mut after, &mut on_failure);
        }
        for save in &request.save {
            after.push(After::Extract(self.extract(save, keep)));
        }
        for processor in &request.after {
            self.processor_after(processor, keep, &mut after, &mut on_failure);
        }
        (after, on_failure)
    }

    pub(super) fn processor_after(
        &mut self,
        processor: &'p Processor,
        keep: &mut Keep,
        after: &mut Vec<After>,
        on_failure: &mut Option<Action>,
    ) {
        match processor {
            Processor::Extract(extract) => after.push(After::Extract(self.extract(extract, keep))),
            Processor::Script(script) => {
                (keep.head, keep.body) = (true, true);
                after.push(After::Script(self.script(&script.source, false, script.at)));
            }
            Processor::Set(variable) => {
                let value = self.template(&variable.value);
                let slot = self.slot_to_set(&variable.name);
                self.mark_secret(slot, variable);
                after.push(After::Set(slot, value));
            }
            Processor::OnError(rule) => {
                // Operations after the request do it.
                if let OnError::Act(action) = rule {
                    *on_failure = Some(*action);
                }
            }
            Processor::Element(element) => {
                let message = Message::new("compile-element").with("class", element.class.as_str());
                self.error(element.at, message);
            }
        }
    }

    pub(super) fn extract(&mut self, extract: &'p Extract, keep: &mut Keep) -> ExtractProgram {
        let name = &extract.variable;
        if extract.which == Which::All {
            self.facts.set_all_matches(name);
        }
        // All matches set the name itself only when there is a default to set it to.
        let variable = if extract.which == Which::All && extract.default.is_none() {
            self.slot(name)
        } else {
            self.slot_to_set(name)
        };
        ExtractProgram {
            how: self.extractor(&extract.how, keep, extract.at),
            which: extract.which,
            variable,
            name: name.as_str().into(),
            default: extract.default.as_ref().map(|text| self.template(text)),
            at: extract.at,
        }
    }

    pub(super) fn extractor(
        &mut self,
        how: &Extractor,
        keep: &mut Keep,
        at: Span,
    ) -> ExtractorProgram {
        match how {
            Extractor::Header(_) | Extractor::Cookie(_) => keep.head = true,
            Extractor::Regex {
                in_headers: true, ..
            } => keep.head = true,
            Extractor::Status | Extractor::Url => {}
            _ => keep.body = true,
        }
        match how {
            Extractor::JsonPath(path) => ExtractorProgram::JsonPath(path.clone()),
            Extractor::Regex {
                pattern,
                group,
                in_headers,
            } => {
                self.check_regex(pattern, *group, at);
                let (pattern, group, in_headers) = (pattern.clone(), *group, *in_headers);
                ExtractorProgram::Regex {
                    pattern,
                    group,
                    in_headers,
                }
            }
            Extractor::Css {
                selector,
                attribute,
            } => ExtractorProgram::Css {
                selector: selector.clone(),
                attribute: attribute.clone(),
            },
            Extractor::XPath(path) => ExtractorProgram::XPath(path.clone()),
            Extractor::Header(name) => ExtractorProgram::Header(name.clone()),
            Extractor::Cookie(name) => ExtractorProgram::Cookie(name.clone()),
            Extractor::Boundary { left, right } => {
                ExtractorProgram::Boundary(self.template(left), self.template(right))
            }
            Extractor::Body => ExtractorProgram::Body,
            Extractor::Status => ExtractorProgram::Status,
            Extractor::Url => ExtractorProgram::Url,
        }
    }

    pub(super) fn check_regex(&mut self, pattern: &str, group: u32, at: Span) {
        match patterns::groups(pattern) {
            Ok(groups) if group <= groups => {}
            Ok(groups) => {
                let message = Message::new("compile-regex-group")
                    .with("group", group)
                    .with("groups", groups);
                self.error(at, message);
            }
            Err(reason) => {
                let reason = reason.lines().last().unwrap_or_default().to_owned();
                let message = Message::new("compile-regex")
                    .with("pattern", pattern)
                    .with("reason", reason);
                self.error(at, message);
            }
        }
    }

    pub(super) fn check(&mut self, check: &'p Check, keep: &mut Keep) -> CheckProgram {
        let of = match &check.of {
            CheckOf::Status => CheckOfProgram::Status,
            CheckOf::Value(how) => CheckOfProgram::Value(self.extractor(how, keep, check.at)),
            CheckOf::Count(how) => CheckOfProgram::Count(self.extractor(how, keep, check.at)),
            CheckOf::SizeBytes => {
                // That of the decoded body.
                keep.body = true;
                CheckOfProgram::SizeBytes
            }
            CheckOf::TimeMs => CheckOfProgram::TimeMs,
            CheckOf::Script(script) => {
                (keep.head, keep.body) = (true, true);
                CheckOfProgram::Script(self.script(&script.source, true, script.at))
            }
            CheckOf::Element(element) => {
                let message = Message::new("compile-element").with("class", element.class.as_str());
                self.error(element.at, message);
                CheckOfProgram::Status
            }
        };
        CheckProgram {
            of,
            test: self.test(&check.test),
            at: check.at,
        }
    }

    pub(super) fn test(&mut self, test: &Test) -> TestProgram {
        match test {
            Test::StatusIn(ranges) => TestProgram::StatusIn(ranges.clone()),
            Test::Compare { op, with } => TestProgram::Compare(*op, self.template_for(*op, with)),
            Test::Exists => TestProgram::Exists,
            Test::Not(inner) => TestProgram::Not(Box::new(self.test(inner))),
            Test::Truthy => TestProgram::Truthy,
        }
    }

    /// The right side of a comparison; a regular expression that is known is checked.
    pub(super) fn template_for(&mut self, op: Comparison, text: &Text) -> Template {
        let template = self.template(text);
        if let (Comparison::Matches, Some(pattern)) = (op, template.as_text()) {
            self.check_regex(pattern, 0, text.at);
        }
        template
    }
}
