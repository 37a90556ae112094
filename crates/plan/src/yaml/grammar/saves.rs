//! What is taken from responses.

use plimsoll_text::Message;

use super::base::*;
use crate::model::{Extract, Extractor, Span, Text, Which};
use crate::patterns;

/// The ways to find a value: to save it or to check it, which the names of the objects tell.
macro_rules! extractors {
    ($(#[$doc:meta])* struct $name:ident = $id:literal ..$more:ty,
        [$json:literal, $regex:literal, $css:literal, $xpath:literal, $header:literal, $cookie:literal, $boundary:literal, $part:literal]
    ) => { tagged! { $(#[$doc])* struct $name: Extractor = $id ..$more, {
        $json => (Extractor::JsonPath(path)), { ["json" => path: AnyString, "extract-json"] }
        $regex => (Extractor::Regex { pattern, group, in_headers }), {
            ["regex" => pattern: PatternForm, "extract-regex"]
            ["group" => group: RegexGroup = "1", "extract-group"]
            ["in" => in_headers: InHeaders = "body", "extract-in"]
        }
        $css => (Extractor::Css { selector, attribute }), {
            ["css" => selector: AnyString, "extract-css"]
            ["attribute" => attribute: Maybe<AnyString>, "extract-attribute"]
        }
        $xpath => (Extractor::XPath(path)), { ["xpath" => path: AnyString, "extract-xpath"] }
        $header => (Extractor::Header(name)), { ["header" => name: AnyString, "extract-header"] }
        $cookie => (Extractor::Cookie(name)), { ["cookie" => name: AnyString, "extract-cookie"] }
        $boundary => (Extractor::Boundary { left, right }), { ["boundary" => (left, right): TwoTexts, "extract-boundary"] }
        $part => (part), { ["part" => part: SavedPart, "extract-part"] }
    } } };
}
pub(super) use extractors;

extractors! {
    /// A value to save.
    struct SavedValue = "save" ..SaveMore,
    ["save-json", "save-regex", "save-css", "save-xpath", "save-header", "save-cookie", "save-boundary", "save-part"]
}

keys! {
    /// Which match is saved, and what else.
    struct SaveMore: Extract, {
        ["which" => which: WhichMatch = "1", "which"]
        ["default" => default: Maybe<AnyText>, "save-default"]
    }
}

words! {
    /// Where an expression looks.
    struct InHeaders: bool { "body" = false, "headers" = true, }
}

words! {
    /// A part of the response as a whole.
    struct SavedPart: Extractor {
        "body" = Extractor::Body,
        "status" = Extractor::Status,
        "url" = Extractor::Url,
    }
}

/// Variables with how their values are found.
pub(crate) type Saves = MapEntries<Extract>;

impl MapEntry for Extract {
    type Of = Self;

    fn entry_kind() -> Kind {
        Kind::OneOf(&[ExtractorText::kind, SavedValue::kind])
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<Self> {
        decoder.check_name(&name.name, name.at);
        let how = match node.scalar() {
            None => SavedValue::read(decoder, node)?,
            Some(text) => match SavedPart::read(decoder, node) {
                Some(part) => part,
                None => Extractor::JsonPath(text.to_owned()),
            },
        };
        let mut extract = Self {
            variable: name.name.clone(),
            how,
            which: Which::Nth(1),
            default: None,
            at: name.at,
        };
        SaveMore::read_keys(decoder, node, &mut extract);
        Some(extract)
    }

    fn write_entry(extract: &Self) -> (String, Yaml) {
        let mut map = Map::default();
        <SavedValue as Cases>::write_case(&extract.how, &mut map);
        SaveMore::write_keys(extract, &mut map);
        (extract.variable.clone(), map.into())
    }
}

/// The texts before and after a value.
pub(crate) struct TwoTexts;

impl Form for TwoTexts {
    type Of = (Text, Text);

    fn kind() -> Kind {
        List::<AnyText>::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<(Text, Text)> {
        match <[Text; 2]>::try_from(List::<AnyText>::read(decoder, node)?) {
            Ok([left, right]) => Some((left, right)),
            Err(_) => {
                decoder.error(node.at, "plan-two-bounds");
                None
            }
        }
    }

    fn write((left, right): &(Text, Text)) -> Yaml {
        Yaml::List(vec![left.into(), right.into()])
    }
}

/// A regular expression.
pub(crate) struct PatternForm;

impl Form for PatternForm {
    type Of = String;

    fn kind() -> Kind {
        AnyText::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<String> {
        let pattern = node.scalar()?;
        check_pattern(decoder, pattern, node.at);
        Some(pattern.to_owned())
    }

    fn write(pattern: &String) -> Yaml {
        pattern.into()
    }
}

/// Checks a regular expression that holds no variables; its number of groups.
pub(super) fn check_pattern(decoder: &mut Decoder<'_>, pattern: &str, at: Span) -> Option<u32> {
    if is_template(pattern) {
        return None;
    }
    match patterns::groups(pattern) {
        Ok(groups) => Some(groups),
        Err(detail) => {
            let detail = detail.lines().last().unwrap_or_default().trim();
            let detail = detail.trim_start_matches("error: ");
            decoder.tell(at, Message::new("plan-bad-regex").with("detail", detail));
            None
        }
    }
}

/// The group that is saved: the first where there is one. With variables in it, the expression is known only
/// later: its look is trusted.
pub(super) struct RegexGroup;

impl RegexGroup {
    pub fn of(decoder: &mut Decoder<'_>, node: &Node, pattern: &Text, groups: Option<u32>) -> u32 {
        let has_group = groups.map_or(pattern.raw.contains('('), |groups| groups > 0);
        let group = Maybe::<CountOrZero>::get(decoder, node, "group", "").flatten();
        let group = group.unwrap_or(u32::from(has_group));
        if groups.is_some_and(|groups| group > groups) {
            let message = Message::new("plan-regex-no-group").with("group", group);
            decoder.tell(pattern.at, message);
        }
        group
    }
}

impl KeyField for RegexGroup {
    type Field = u32;
    const REQUIRED: bool = false;

    fn takes() -> Kind {
        CountOrZero::kind()
    }

    fn get(decoder: &mut Decoder<'_>, node: &Node, _: &str, _: &str) -> Option<u32> {
        let pattern = node.get("regex")?.text()?;
        let is_known = !is_template(&pattern.raw);
        let groups = is_known.then(|| patterns::groups(&pattern.raw).ok());
        Some(Self::of(decoder, node, &pattern, groups.flatten()))
    }

    fn put(group: &u32, _: &str) -> Option<Yaml> {
        Some(plain(group))
    }
}
