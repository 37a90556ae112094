//! A sampler's properties with those that it takes from configuration (JMeter 5.6.3,
//! `AbstractTestElement.addProperty`).

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::ElementProgram;

/// What says which form an element was made with.
const FORM: &str = "TestElement.gui_class";

/// A sampler and its defaults.
pub struct FieldSources<'e>(Vec<Fields<'e>>);

impl<'e> FieldSources<'e> {
    /// A sampler and the defaults of these forms, of which the nearest counts.
    pub fn new(sampler: Fields<'e>, configs: &[&'e ElementProgram], forms: &[&str]) -> Self {
        let applies = |config: &&&'e ElementProgram| {
            let form = Fields(config).fixed_text(FORM);
            let simple = form.rsplit('.').next().unwrap_or(form);
            config.class == "ConfigTestElement" && forms.contains(&simple)
        };
        let defaults = configs.iter().filter(applies);
        let defaults = defaults.map(|config| Fields(config));
        Self(std::iter::once(sampler).chain(defaults).collect())
    }

    /// A property. An empty text takes the default's place only where there is none.
    pub fn field(&self, name: &str) -> Field {
        let fields = || self.0.iter().map(|source| source.field(name));
        let says = |field: &Field| field.is_there() && field.fixed() != Some("");
        let found = fields().find(says);
        found
            .or_else(|| fields().find(Field::is_there))
            .unwrap_or_default()
    }

    /// The names and values of a list of arguments.
    pub fn arguments(&self, name: &str) -> Vec<(Field, Field)> {
        let list = self.0.iter().find_map(|source| source.element(name));
        let pairs = list.map(|list| list.elements("Arguments.arguments"));
        let pair = |it: Fields<'_>| (it.field("Argument.name"), it.field("Argument.value"));
        pairs.unwrap_or_default().into_iter().map(pair).collect()
    }
}
