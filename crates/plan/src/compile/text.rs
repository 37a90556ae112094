//! Texts → templates: names become slots, what never changes becomes text.

use plimsoll_text::Message;

use super::compiler::Compiler;
use super::facts::near_names;
use super::jmeter;
use super::parse::{ParseError, ParseFault, TextPiece, parse};
use crate::functions::{FUNCTIONS, Function, FunctionDef, Saves, jmeter_function, json_inside};
use crate::model::{Pause, Span, Text};
use crate::program::{Call, Label, Part, PauseTemplate, Slot, Template};

/// A template while its pieces are put together.
#[derive(Default)]
struct TemplateBuilder {
    parts: Vec<Part>,
    text: String,
}

impl TemplateBuilder {
    fn part(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts
                .push(Part::Text(std::mem::take(&mut self.text).into()));
        }
    }

    fn finish(mut self) -> Template {
        self.flush();
        Template { parts: self.parts }
    }
}

/// Where a text stands and which names it may use.
#[derive(Clone, Copy)]
struct TextPlace<'a> {
    text: &'a Text,
    /// Only these variables (values of the plan's variables use those before them).
    only: Option<&'a [&'a str]>,
    /// Secret variables stay as they are written: labels reach every report.
    hide_secrets: bool,
}

impl TextPlace<'_> {
    /// The place of a character: exact when the text stands on one line.
    fn at(self, character: usize) -> Span {
        let mut at = self.text.at;
        let before = self.text.raw.chars().take(character);
        if at.line > 0 && !before.clone().any(|c| c == '\n') {
            at.column += u32::try_from(character).unwrap_or(0);
        }
        at
    }
}

impl Compiler<'_> {
    /// A text as a template. Mistakes are noted; what is left of the text is returned.
    pub(super) fn template(&mut self, text: &Text) -> Template {
        self.resolve(TextPlace {
            text,
            only: None,
            hide_secrets: false,
        })
    }

    /// The value of a plan's variable, which may use those before it.
    pub(super) fn initial(&mut self, text: &Text, before: &[&str]) -> Template {
        self.resolve(TextPlace {
            text,
            only: Some(before),
            hide_secrets: false,
        })
    }

    pub(super) fn pairs(&mut self, pairs: &[(Text, Text)]) -> Vec<(Template, Template)> {
        pairs
            .iter()
            .map(|(name, value)| (self.template(name), self.template(value)))
            .collect()
    }

    /// A text that must be known before the run.
    pub(super) fn fixed(&mut self, text: &Text, what: &str) -> Option<String> {
        let template = self.template(text);
        // The first pass knows no values.
        if let (None, Some(_)) = (template.as_text(), &self.known) {
            let message = Message::new("compile-not-fixed").with("what", what);
            self.mistake(text.at, message.with("text", text.raw.as_str()));
        }
        template.as_text().map(str::to_owned)
    }

    pub(super) fn label_of(&mut self, text: &Text, kind: plimsoll_stats::LabelKind) -> Label {
        let template = self.resolve(TextPlace {
            text,
            only: None,
            hide_secrets: true,
        });
        match template.as_text() {
            Some(name) => Label::Fixed(self.label(name, kind)),
            None => {
                self.makes_labels = true;
                Label::Made(template)
            }
        }
    }

    pub(super) fn pause(&mut self, pause: &Pause) -> PauseTemplate {
        let template_ms = pause.template_ms.as_ref().map(|text| self.template(text));
        PauseTemplate {
            time: pause.time,
            template_ms,
        }
    }

    /// The text as written, but with the values of what never changes: for default labels.
    /// Says of each byte whether it stands outside of `${…}`.
    pub(super) fn half_resolved(&mut self, text: &Text) -> (String, Vec<bool>) {
        let mut shown = String::new();
        let mut plain = Vec::new();
        for piece in self.pieces(text).unwrap_or_default() {
            let (part, is_plain) = match piece {
                TextPiece::Text(part) => (part, true),
                TextPiece::Variable { name, raw, .. } => match self.constants.get(&name) {
                    Some(value) if !self.is_secret(&name) => (value.clone(), true),
                    _ => (raw, false),
                },
                TextPiece::Call { raw, .. } | TextPiece::Script { raw, .. } => (raw, false),
            };
            shown.push_str(&part);
            plain.resize(shown.len(), is_plain);
        }
        (shown, plain)
    }

    /// The pieces of a text, by the plan's grammar.
    fn pieces(&self, text: &Text) -> Result<Vec<TextPiece>, ParseError> {
        match self.lenient() {
            true => jmeter::parse(&text.raw),
            false => parse(&text.raw),
        }
    }

    fn resolve(&mut self, place: TextPlace<'_>) -> Template {
        match self.pieces(place.text) {
            Ok(pieces) => self.resolve_pieces(pieces, place),
            Err(error) => {
                self.syntax_error(error, place);
                // As it is, so that no further mistakes follow from this one.
                Template::text(place.text.raw.as_str())
            }
        }
    }

    fn syntax_error(&mut self, error: ParseError, place: TextPlace<'_>) {
        let id = match error.fault {
            ParseFault::Unclosed => "compile-unclosed",
            ParseFault::BadName => "compile-bad-name",
            ParseFault::BadArguments if self.lenient() => "compile-jmeter-unclosed",
            ParseFault::BadArguments | ParseFault::TooDeep => "compile-bad-arguments",
        };
        let shown: String = place.text.raw.chars().skip(error.at).take(40).collect();
        let message = Message::new(id)
            .with("text", shown)
            .with("character", error.at + 1);
        match error.fault {
            // JMeter reads it; it stays text here.
            ParseFault::TooDeep if self.lenient() => self.caution(place.at(error.at), message),
            _ => self.mistake(place.at(error.at), message),
        }
    }

    fn resolve_pieces(&mut self, pieces: Vec<TextPiece>, place: TextPlace<'_>) -> Template {
        let mut out = TemplateBuilder::default();
        for piece in pieces {
            match piece {
                TextPiece::Text(text) => out.text.push_str(&text),
                TextPiece::Variable { name, raw, at } => {
                    self.variable(&name, raw, at, place, &mut out)
                }
                TextPiece::Call {
                    name,
                    args,
                    raw,
                    at,
                } => {
                    self.call(&name, args, &raw, at, place, &mut out);
                }
                TextPiece::Script { source, .. } => {
                    out.part(Part::Script(self.script(&source, true, place.text.at)));
                }
            }
        }
        out.finish()
    }

    fn variable(
        &mut self,
        name: &str,
        raw: String,
        at: usize,
        place: TextPlace<'_>,
        out: &mut TemplateBuilder,
    ) {
        self.facts.look_at(name);
        if place.hide_secrets && self.is_secret(name) {
            out.text.push_str(&raw);
            return;
        }
        if let Some(value) = self.constants.get(name) {
            out.text.push_str(value);
            return;
        }
        if !self.check_defined(name, place.at(at), place.only) {
            out.text.push_str(&raw);
            return;
        }
        let slot = self.slot(name);
        out.part(Part::Slot {
            slot,
            literal: raw.into(),
        });
    }

    /// Whether a name is known to be secret.
    fn is_secret(&self, name: &str) -> bool {
        let slot = self.slots.get(name);
        slot.is_some_and(|slot| self.program.slots[slot.0 as usize].secret)
    }

    /// Whether a text uses a secret variable: then what it is the value of is secret too.
    pub(super) fn uses_secret(&self, text: &Text) -> bool {
        let pieces = self.pieces(text).unwrap_or_default();
        pieces.iter().any(|piece| self.piece_is_secret(piece))
    }

    fn piece_is_secret(&self, piece: &TextPiece) -> bool {
        match piece {
            TextPiece::Text(_) | TextPiece::Script { .. } => false,
            TextPiece::Variable { name, .. } => self.is_secret(name),
            TextPiece::Call { args, .. } => args
                .iter()
                .flatten()
                .any(|piece| self.piece_is_secret(piece)),
        }
    }

    /// The slot of a name that is looked at.
    pub(super) fn slot_to_get(&mut self, name: &str, at: Span) -> Slot {
        self.facts.look_at(name);
        self.check_defined(name, at, None);
        self.slot(name)
    }

    /// Whether a name may have a value; notes an error when it has none and must.
    fn check_defined(&mut self, name: &str, at: Span, only: Option<&[&str]>) -> bool {
        let Some(facts) = &self.known else {
            return true;
        };
        let of_plan = |name: &str| match only {
            Some(only) => only.contains(&name),
            None => self.plan.variables.iter().any(|v| v.name == name),
        };
        let by_option = self.options.set.iter().any(|(set, _)| set == name);
        if of_plan(name)
            || by_option
            || (only.is_none() && (facts.defines(name) || facts.unknown_columns))
        {
            return true;
        }
        if self.lenient() {
            // An element, a script or a function may set it: it is looked up at run time.
            return true;
        }
        let remedy = match only {
            Some(_) if self.plan.variables.iter().any(|v| v.name == name) => {
                Message::new("compile-variable-later").with("name", name)
            }
            _ => self.name_remedy(name),
        };
        self.error_with(
            at,
            Message::new("compile-undefined").with("name", name),
            remedy,
        );
        false
    }

    /// "did you mean …", or all the names there are.
    pub(super) fn name_remedy(&self, wrong: &str) -> Message {
        let of_plan = self.plan.variables.iter().map(|v| v.name.as_str());
        let set = self.known.iter().flat_map(super::facts::Facts::names);
        let mut names: Vec<&str> = of_plan.chain(set).collect();
        let near = near_names(wrong, names.iter().copied());
        if !near.is_empty() {
            return Message::new("compile-did-you-mean").with("names", near.join(", "));
        }
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Message::new("compile-no-variables");
        }
        Message::new("compile-known-variables").with("names", names.join(", "))
    }

    fn call(
        &mut self,
        name: &str,
        args: Vec<Vec<TextPiece>>,
        raw: &str,
        at: usize,
        place: TextPlace<'_>,
        out: &mut TemplateBuilder,
    ) {
        if self.lenient() {
            self.jmeter_call(name, args, raw, at, place, out);
            return;
        }
        let Some(def) = FUNCTIONS.iter().find(|def| def.name == name) else {
            let near = near_names(name, FUNCTIONS.iter().map(|def| def.name));
            let all = || {
                FUNCTIONS
                    .iter()
                    .map(|def| def.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let remedy = match near.is_empty() {
                true => Message::new("compile-known-functions").with("names", all()),
                false => Message::new("compile-did-you-mean").with("names", near.join(", ")),
            };
            out.text.push_str(raw);
            let message = Message::new("compile-unknown-function").with("name", name);
            self.error_with(place.at(at), message, remedy);
            return;
        };
        let args: Vec<Template> = args
            .into_iter()
            .map(|arg| self.resolve_pieces(arg, place))
            .collect();
        self.known_call(def, args, raw, place.at(at), out);
    }

    /// A call of JMeter's; with a wrong number of arguments JMeter does not start the plan (5.6.3,
    /// "Error occurred compiling the tree").
    fn jmeter_call(
        &mut self,
        name: &str,
        args: Vec<Vec<TextPiece>>,
        raw: &str,
        at: usize,
        place: TextPlace<'_>,
        out: &mut TemplateBuilder,
    ) {
        let Some(def) = jmeter_function(name) else {
            out.text.push_str(raw);
            return;
        };
        if args.len() < def.args.0 || args.len() > def.args.1 {
            let message = Message::new("compile-jmeter-argument-count")
                .with("text", raw)
                .with("name", def.name)
                .with("count", args.len());
            let usage = Message::new("compile-usage").with("usage", def.usage);
            self.error_with(place.at(at), message, usage);
            out.text.push_str(raw);
            return;
        }
        let args: Vec<Template> = args
            .into_iter()
            .map(|arg| self.resolve_pieces(arg, place))
            .collect();
        let saved = match def.saves {
            Saves::Nothing => None,
            Saves::Argument(index) => args.get(index),
            Saves::LastArgument => args.last(),
            Saves::Anything => {
                self.facts.anything_is_set = true;
                None
            }
        };
        match saved.map(Template::as_text) {
            Some(Some(name)) => self.facts.set(name.trim()),
            Some(None) => self.facts.anything_is_set = true,
            None => {}
        }
        out.part(Part::Call(Box::new(Call {
            function: Function::JMeter(def.name),
            args,
            shared: None,
            site: self.site(),
            raw: raw.into(),
        })));
    }

    fn known_call(
        &mut self,
        def: &FunctionDef,
        args: Vec<Template>,
        raw: &str,
        at: Span,
        out: &mut TemplateBuilder,
    ) {
        let usage = || Message::new("compile-usage").with("usage", def.usage);
        if args.len() < def.args.0 || args.len() > def.args.1 {
            let message = Message::new("compile-argument-count")
                .with("name", def.name)
                .with("count", args.len());
            self.error_with(at, message, usage());
            return;
        }
        if let Some(wrong) = wrong_argument(def.function, &args) {
            let message = Message::new("compile-wrong-argument")
                .with("name", def.name)
                .with("argument", wrong);
            self.error_with(at, message, usage());
            return;
        }
        let shared = match def.function {
            Function::Env => match self.environment(&args, at) {
                Some(value) => {
                    out.text.push_str(&value);
                    return;
                }
                None => None,
            },
            Function::Counter => self.shared_counter(&args, at),
            Function::Json => match args.first().and_then(Template::as_text) {
                Some(text) => {
                    out.text.push_str(&json_inside(text));
                    return;
                }
                None => None,
            },
            _ => None,
        };
        out.part(Part::Call(Box::new(Call {
            function: def.function,
            args,
            shared,
            site: crate::program::SiteId(0),
            raw: raw.into(),
        })));
    }

    /// `env(NAME[, default])`, known now when its arguments are.
    fn environment(&mut self, args: &[Template], at: Span) -> Option<String> {
        let name = args.first()?.as_text()?;
        if let Some(value) = self.options.env.get(name) {
            return Some(value.clone());
        }
        match args.get(1) {
            Some(default) => default.as_text().map(str::to_owned),
            None => {
                let message = Message::new("compile-no-environment").with("name", name);
                self.mistake(at, message);
                Some(String::new())
            }
        }
    }
}

/// The first argument that is known now and wrong.
fn wrong_argument(function: Function, args: &[Template]) -> Option<String> {
    let text = |index: usize| args.get(index).and_then(Template::as_text);
    let not_a_number = |index: usize| {
        let text = text(index)?;
        text.trim().parse::<i64>().is_err().then(|| text.to_owned())
    };
    let not_one_of = |index: usize, allowed: &[&str]| {
        let text = text(index)?;
        (!allowed.contains(&text)).then(|| text.to_owned())
    };
    match function {
        Function::Random => not_a_number(0).or_else(|| not_a_number(1)).or_else(|| {
            let (min, max) = (text(0)?.trim(), text(1)?.trim());
            let swapped = min.parse::<i64>().ok()? > max.parse::<i64>().ok()?;
            swapped.then(|| format!("{min}, {max}"))
        }),
        Function::RandomText => not_a_number(0),
        Function::Counter => not_a_number(1).or_else(|| not_a_number(2)),
        Function::Timestamp => not_one_of(0, &["ms", "s", "us", "ns"]),
        Function::Now => not_one_of(1, &["utc", "local"]),
        _ => None,
    }
}
