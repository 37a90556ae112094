//! Steps of protocols beside plain HTTP: a request that carries the exchange, and the protocol's own keys, which
//! reach the program as typed fields under their names. Nothing of the plan's code beside the protocol's table
//! knows them.

use std::time::Duration;

use super::base::*;
use super::request::{Around, Enabled, check_url};
use super::settings::TargetKey;
use super::texts::Texts;
use crate::model::{
    Check, Exchange, ExchangeField, HttpRequest, HttpSettings, OnError, Rate, StepKind, Text,
};

/// A step of a protocol.
#[derive(Debug)]
pub(crate) struct ProtocolStepKeys {
    /// The key that begins it.
    pub id: &'static str,
    /// Its first value is the URL of the request that carries the exchange.
    pub has_url: bool,
    /// Its own fields.
    pub fields: &'static [FieldKey],
    /// The keys of the request that carries it.
    pub carrier: CarrierKeys,
}

/// How a field is read and written.
#[derive(Debug)]
pub(crate) struct FieldKey {
    pub name: &'static str,
    pub read: fn(&mut Decoder<'_>, &Node) -> Option<ExchangeField>,
    pub write: fn(&ExchangeField) -> Option<Yaml>,
}

/// How the keys of the request are read and written.
#[derive(Debug)]
pub(crate) struct CarrierKeys {
    pub read: fn(&mut Decoder<'_>, &Node, &mut HttpRequest),
    pub write: fn(&HttpRequest, &mut Map),
}

keys! {
    /// The keys of a request with an address.
    struct WithUrl: HttpRequest, {
        ["label" => label: Maybe<AnyText>, "label"]
        [..TargetKey => settings]
        ["query" => query: Filled<Texts>, "query"]
        ["headers" => headers: Filled<Texts>, "headers"]
        [..Around => *]
        ["discard" => discard: Flag = "false", "discard"]
        ["on-error": Maybe<OnError>, "on-error-request"]
        [..HttpSettings => settings]
        [..Enabled]
    }
}

keys! {
    /// The keys of an exchange on a connection that is open.
    struct OnConnection: HttpRequest, {
        ["label" => label: Maybe<AnyText>, "label"]
        ["timeout" => settings.timeout: Maybe<TimeOut> = "30s", "timeout"]
        [..Around => *]
        ["discard" => discard: Flag = "false", "discard"]
        ["on-error": Maybe<OnError>, "on-error-request"]
        [..Enabled]
    }
}

/// What a field may be in the model.
pub(crate) trait FieldValue: Sized {
    fn into_field(self) -> ExchangeField;
    fn of_field(field: &ExchangeField) -> Option<&Self>;
}

macro_rules! field_values {
    ($($of:ty = $variant:ident;)*) => {$(
        impl FieldValue for $of {
            fn into_field(self) -> ExchangeField {
                ExchangeField::$variant(self)
            }

            fn of_field(field: &ExchangeField) -> Option<&Self> {
                match field {
                    ExchangeField::$variant(value) => Some(value),
                    _ => None,
                }
            }
        }
    )*};
}
field_values! {
    Text = Text;
    Vec<Text> = Texts;
    String = Word;
    bool = Flag;
    u64 = Count;
    Duration = Time;
    Rate = Rate;
    Vec<Check> = Checks;
}

impl FieldKey {
    pub const fn of<F: Form<Of: FieldValue>>(name: &'static str) -> Self {
        Self {
            name,
            read: |decoder, node| decoder.value::<F>(node).map(FieldValue::into_field),
            write: |field| FieldValue::of_field(field).map(F::write),
        }
    }
}

impl CarrierKeys {
    pub const fn of<K: Keys<Of = HttpRequest>>() -> Self {
        Self {
            read: K::read_keys,
            write: K::write_keys,
        }
    }
}

/// The steps of a protocol. A line of `url` begins with the address of the request, one of `on` with a field.
/// `may` and `must` say whether a field has to be there; `and` names other keys of the request than the usual ones.
macro_rules! protocol_steps {
    ($($carrier:ident $id:literal: $form:ty, $doc:literal, {
        $([$need:ident $key:literal: $field:ty $(= $usual:literal)?, $field_doc:literal])*
    } $(and $more:ident)? $(exclude $groups:expr)?;)*) => {
        pub(crate) const CASES: &[Case] = &[$(Case {
            tags: &[$id],
            object: &Object {
                id: $id,
                parts: &[
                    part!($id: $form, $doc),
                    $(protocol_steps!(@$need $key: $field $(= $usual)?, $field_doc),)*
                    protocol_steps!(@shared $carrier $($more)?),
                ],
                groups: protocol_steps!(@groups $($groups)?),
            },
        }),*];
        pub(crate) const STEPS: &[ProtocolStepKeys] = &[$(ProtocolStepKeys {
            id: $id,
            has_url: protocol_steps!(@has_url $carrier),
            fields: &[
                FieldKey::of::<$form>($id),
                $(FieldKey::of::<$field>($key),)*
            ],
            carrier: protocol_steps!(@reads $carrier $($more)?),
        }),*];
    };
    (@may $key:literal: $field:ty $(= $usual:literal)?, $doc:literal) => { part!($key: Maybe<$field> $(= $usual)?, $doc) };
    (@must $key:literal: $field:ty, $doc:literal) => { part!($key: $field, $doc) };
    (@shared $carrier:ident) => { Part::Shared("", <protocol_steps!(@$carrier) as Keys>::PARTS) };
    (@shared $carrier:ident $more:ident) => { Part::Shared("", <$more as Keys>::PARTS) };
    (@url) => { WithUrl };
    (@on) => { OnConnection };
    (@has_url url) => { true };
    (@has_url on) => { false };
    (@groups) => { &[] };
    (@groups $groups:expr) => { $groups };
    (@reads $carrier:ident) => { CarrierKeys::of::<protocol_steps!(@$carrier)>() };
    (@reads $carrier:ident $more:ident) => { CarrierKeys::of::<$more>() };
}
pub(super) use protocol_steps;

impl ProtocolStepKeys {
    /// Reads the step.
    pub fn read(&self, decoder: &mut Decoder<'_>, node: &Node) -> StepKind {
        let mut request = HttpRequest::new(Text::of("GET"), Text::default(), node.at);
        (self.carrier.read)(decoder, node, &mut request);
        if self.has_url {
            let mut url = present::<AnyText>(decoder, node, self.id).unwrap_or_default();
            // A WebSocket begins as a request of HTTP (RFC 6455, 4.1).
            if url.raw.starts_with("ws://") || url.raw.starts_with("wss://") {
                url.raw.replace_range(..2, "http");
            }
            check_url(decoder, &url);
            request.url = url;
        }
        let own = self.fields.iter().skip(usize::from(self.has_url));
        let fields =
            own.filter_map(|key| Some((key.name, (key.read)(decoder, node.get(key.name)?)?)));
        request.exchange = Some(Exchange {
            step: self.id,
            has_url: self.has_url,
            fields: fields.collect(),
        });
        StepKind::Http(Box::new(request))
    }

    /// Writes the step.
    pub fn write(&self, request: &HttpRequest, exchange: &Exchange, map: &mut Map) {
        if self.has_url {
            map.put(self.id, &request.url);
        }
        for key in self.fields {
            let found = exchange.fields.iter().find(|(name, _)| *name == key.name);
            map.put_some(key.name, found.and_then(|(_, field)| (key.write)(field)));
        }
        (self.carrier.write)(request, map);
    }
}
