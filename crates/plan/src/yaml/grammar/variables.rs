//! Where the values of variables come from: the plan, the environment, files, counters.

use super::base::*;
use crate::model::{AtEnd, Counter, CsvData, DataOrder, SharedBy, Text, Variable};

object! { impl Variable = "variable", {
    ["default" => value: Given, "variable-default"]
    ["env" => env: Maybe<AnyString>, "variable-env"]
    ["secret" => secret: Flag = "false", "variable-secret"]
    ["once-per-run" => once_per_run: Flag = "false", "variable-once-per-run"]
} }

shortened! {
    Variable = AnyText, "default";
    Counter = Integer, "start";
    CsvData = PathText, "csv";
}

/// A text that is nowhere when there is none: the variable has no value but what the environment gives.
struct Given;

impl KeyField for Given {
    type Field = Text;
    const REQUIRED: bool = false;

    fn takes() -> Kind {
        AnyText::kind()
    }

    fn get(decoder: &mut Decoder<'_>, node: &Node, key: &str, usual: &str) -> Option<Text> {
        Maybe::<AnyText>::get(decoder, node, key, usual).flatten()
    }

    fn put(text: &Text, _: &str) -> Option<Yaml> {
        (!text.raw.is_empty() || text.at.line > 0).then(|| text.into())
    }
}

/// Variables by their names. Written, the last of one name counts, as it does for the compiler, and what was secret
/// once stays so.
pub(crate) struct VariableKeys;

impl Form for VariableKeys {
    type Of = Vec<Variable>;

    fn kind() -> Kind {
        Kind::Map(OrShort::<Variable>::kind)
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Variable>> {
        let entries = node.map()?.iter();
        let read = entries.filter_map(|(name, value)| variable(decoder, name, value));
        Some(read.collect())
    }

    fn write(variables: &Vec<Variable>) -> Yaml {
        let mut map = Map::default();
        for each in Variable::last_of_each_name(variables) {
            let mut same = variables.iter().filter(|other| other.name == each.name);
            let secret = same.any(|other| other.secret);
            let each = Variable {
                secret,
                ..each.clone()
            };
            map.put(each.name.as_str(), written(&each));
        }
        map.into()
    }
}

fn variable(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<Variable> {
    decoder.check_name(&name.name, name.at);
    let variable = OrShort::<Variable>::read(decoder, node)?;
    let has_value = node.map().is_none() || node.get("default").and_then(Node::scalar).is_some();
    if !has_value && variable.env.is_none() {
        decoder.error(node.at, "plan-variable-without-value");
    }
    Some(Variable {
        name: name.name.clone(),
        at: name.at,
        ..variable
    })
}

/// A variable's value, or all that there is to say.
pub(super) fn written(variable: &Variable) -> Yaml {
    if variable.env.is_some() {
        return Variable::write(variable);
    }
    if !variable.secret && !variable.once_per_run {
        return (&variable.value).into();
    }
    // Without the environment even an empty value is one.
    let mut given = variable.clone();
    given.value.at.line = 1;
    Variable::write(&given)
}

object! { impl CsvData = "data", {
    ["csv" @0 => path: AnyText, "data-csv"]
    ["columns" => columns: Filled<List<VariableName>>, "data-columns"]
    ["header" => has_header: Flag = (|data| data.columns.is_empty()), "data-header"]
    ["delimiter" => delimiter: OneCharacter = ",", "data-delimiter"]
    ["encoding" => encoding: AnyString = "utf-8", "data-encoding"]
    ["order" => order: DataOrder = "sequential", "data-order"]
    ["at-end" => at_end: AtEnd = "recycle", "data-at-end"]
    ["shared-by" => shared_by: Always<SharedBy> = "all", "shared-by"]
    ["name" @0 => name: AnyString = (|data| data.path.raw.clone()), "data-name"]
    ["group" => group: Maybe<AnyString>, "data-group"]
    ["quoted" => quoted: Flag = "true", "data-quoted"]
    ["elements-behind" => elements_behind: LongCountOrZero = "0", "data-elements-behind"]
    [at]
} then has_names; }

fn has_names(decoder: &mut Decoder<'_>, node: &Node, data: &mut CsvData) {
    if data.columns.is_empty() && !data.has_header {
        decoder.error(node.at, "plan-data-without-names");
    }
}

words! { impl DataOrder {
    "sequential" = DataOrder::Sequential,
    "random" = DataOrder::Random,
    "shuffled" = DataOrder::Shuffled,
    "unique" = DataOrder::UniquePerUser,
} }

words! { impl AtEnd {
    "recycle" = AtEnd::Recycle,
    "stop" = AtEnd::StopUser,
    "marker" = AtEnd::Marker,
} }

form_as! {
    /// One file of data, or several.
    DataFiles = List<OrShort<CsvData>>, Kind::OneOf(&[PathText::kind, CsvData::kind, List::<OrShort<CsvData>>::kind]);
}

object! { impl Counter = "counter", {
    ["start" => start: Always<Integer> = "1", "counter-start"]
    ["step" => step: Always<Integer> = "1", "counter-step"]
    ["end" => end: Maybe<Integer>, "counter-end"]
    ["digits" => digits: Digits = "0", "counter-digits"]
    ["format" => format: Maybe<AnyString>, "counter-format"]
    ["reset-each-iteration" => reset_each_iteration: Flag = "false", "counter-reset"]
    ["shared-by" => shared_by: Always<SharedBy> = "all", "shared-by"]
} }

impl MapEntry for Counter {
    type Of = Self;

    fn entry_kind() -> Kind {
        OrShort::<Self>::kind()
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<Self> {
        decoder.check_name(&name.name, name.at);
        let counter = OrShort::<Self>::read(decoder, node)?;
        Some(Self {
            variable: name.name.clone(),
            at: name.at,
            ..counter
        })
    }

    fn write_entry(counter: &Self) -> (String, Yaml) {
        (counter.variable.clone(), Self::write(counter))
    }
}
