//! What the parts of a host share: each is looked at, and says what it saw.

use std::sync::Arc;

use plimsoll_stats::series::Entity;

use crate::collector::{Look, Trouble};
use crate::names::SeriesName;

/// Where an area says what it saw.
pub(crate) struct Out<'a> {
    pub(crate) look: &'a mut Look,
    pub(crate) entity: &'a Arc<Entity>,
}

impl Out<'_> {
    pub(crate) fn value(
        &mut self,
        metric: &SeriesName,
        attributes: &[(&'static str, &str)],
        value: f64,
    ) {
        self.look.value(self.entity, metric, attributes, value);
    }
}

/// A part of a host that is looked at together.
pub(crate) trait Area {
    /// Looks. A part that fails is told of once; the others go on.
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble>;
}

/// Looks at each area; fails if none could be seen.
pub(crate) fn look_at(
    areas: &mut [Box<dyn Area>],
    entity: &Arc<Entity>,
    look: &mut Look,
) -> Result<(), Trouble> {
    let count = areas.len();
    let mut troubles = Vec::new();
    for area in areas {
        if let Err(trouble) = area.look(&mut Out { look, entity }) {
            troubles.push(trouble);
        }
    }
    if troubles.len() == count
        && let Some(first) = troubles.pop()
    {
        return Err(first);
    }
    for trouble in troubles {
        look.missing(entity, trouble.message);
    }
    Ok(())
}

/// For tests: what an area says, by name, attributes and value.
#[cfg(test)]
pub(crate) mod testing {
    use plimsoll_stats::series::{Entity, EntityKind};

    use super::Out;
    use crate::collector::Look;

    /// Runs an area and gives its points as `name{attribute=value,…}` with values.
    pub(crate) fn told(run: impl FnOnce(&mut Out<'_>)) -> Vec<(String, f64)> {
        let entity = Entity::new(EntityKind::Host, "", "test");
        let mut look = Look::at(0);
        run(&mut Out {
            look: &mut look,
            entity: &entity,
        });
        let points = look.points().map(|(key, value)| {
            let attributes: Vec<_> = key
                .attributes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            (format!("{}{{{}}}", key.name, attributes.join(",")), *value)
        });
        points.collect()
    }

    /// The value told under that name.
    pub(crate) fn value(told: &[(String, f64)], name: &str) -> Option<f64> {
        let found = told.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| *value)
    }
}
