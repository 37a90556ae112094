//! Steps of protocols: their fields, and what holds for them.

use super::compiler::Compiler;
use super::scope::Holds;
use crate::model::{Exchange, ExchangeField, HttpRequest};
use crate::program::{ExchangeProgram, FieldProgram, Keep};

/// What scopes check and take of responses is meant for those of HTTP: an exchange has its own
/// alone.
pub(super) fn own_only<'p>(holds: &mut Holds<'p>, request: &'p HttpRequest) {
    holds.after.clear();
    holds.checks = request.checks.iter().collect();
}

impl<'p> Compiler<'p> {
    /// What the step says beside its request.
    pub(super) fn exchange(&mut self, exchange: &'p Exchange) -> Box<ExchangeProgram> {
        let fields = exchange.fields.iter();
        let fields = fields.map(|(name, field)| (*name, self.field(field)));
        Box::new(ExchangeProgram {
            step: exchange.step,
            has_url: exchange.has_url,
            fields: fields.collect(),
        })
    }

    fn field(&mut self, field: &'p ExchangeField) -> FieldProgram {
        match field {
            ExchangeField::Text(text) => FieldProgram::Text(self.template(text)),
            ExchangeField::Texts(texts) => {
                FieldProgram::Texts(texts.iter().map(|text| self.template(text)).collect())
            }
            ExchangeField::Word(word) => FieldProgram::Word(word.clone()),
            ExchangeField::Flag(flag) => FieldProgram::Flag(*flag),
            ExchangeField::Count(count) => FieldProgram::Count(*count),
            ExchangeField::Time(time) => FieldProgram::Time(*time),
            ExchangeField::Rate(rate) => FieldProgram::Rate(*rate),
            ExchangeField::Checks(checks) => {
                // Protocols keep what they check by themselves.
                let mut keep = Keep::default();
                let checks = checks.iter().map(|check| self.check(check, &mut keep));
                FieldProgram::Checks(checks.collect())
            }
        }
    }
}
