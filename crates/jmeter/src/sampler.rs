//! The sampler of a package, bound once for the run.

use plimsoll_elements::Properties;
use plimsoll_plan::program::{ElementId, ElementProgram, Package, Program};
use plimsoll_text::Message;

use super::http::access_log::{AccessLog, is_access_log};
use super::http::{HttpSampler, is_http};
use super::jdbc::{Query, is_all_native, is_jdbc};
use super::needs::Needs;
use super::samplers;

/// A sampler, bound once for the run.
pub enum BoundSampler {
    /// None: only the pre-processors and timers of its package work.
    None,
    /// HTTP.
    Http(Box<HttpSampler>),
    /// A query to a database.
    Jdbc(Box<Query>),
    /// Another native one.
    Native(Box<samplers::Native>),
    /// The lines of a server's log.
    AccessLog(Box<AccessLog>),
    /// The companion's.
    Remote(ElementId),
}

impl BoundSampler {
    /// Binds the sampler of a package.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(
        program: &Program,
        package: &Package,
        needs: Needs,
        properties: &Properties,
    ) -> Result<Self, Message> {
        let Some(id) = package.sampler else {
            return Ok(Self::None);
        };
        let element = &program.elements[id.0 as usize];
        Ok(match element.class.as_str() {
            class if is_http(class) => {
                Self::Http(Box::new(HttpSampler::bind(program, package, needs)?))
            }
            _ if is_access_log(element) => {
                Self::AccessLog(Box::new(AccessLog::bind(program, package, needs)?))
            }
            class if is_jdbc(class) && is_all_native(program) => {
                Self::Jdbc(Box::new(Query::bind(program, element)))
            }
            _ => match native(program, package, element, properties) {
                Some(native) => Self::Native(Box::new(native)),
                None => Self::Remote(id),
            },
        })
    }
}

/// Whether the sampler of a package, if it has one, is native.
#[must_use]
pub fn is_native(program: &Program, package: &Package, properties: &Properties) -> bool {
    let Some(id) = package.sampler else {
        return true;
    };
    let element = &program.elements[id.0 as usize];
    is_http(&element.class)
        || is_access_log(element)
        || is_jdbc(&element.class) && is_all_native(program)
        || native(program, package, element, properties).is_some()
}

fn native(
    program: &Program,
    package: &Package,
    element: &ElementProgram,
    properties: &Properties,
) -> Option<samplers::Native> {
    let configs = package.configs.iter();
    let configs: Vec<_> = configs
        .map(|id| program.elements[id.0 as usize].as_ref())
        .collect();
    samplers::bind(element, &configs, properties)
}
