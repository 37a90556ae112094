//! Samplers as scripts left them.

use std::rc::Rc;

use crate::bound::BoundPackage;
use crate::element_user::ElementUser;
use crate::sampler::BoundSampler;
use crate::{http, jdbc, samplers};

impl ElementUser<'_> {
    /// A package begins: what scripts changed of the sampler before is over.
    pub(crate) fn forget_changes(&mut self) {
        let Some(changed) = self.jm().changed_sampler.take() else {
            return;
        };
        if let (Some((site, _)), Some(session)) = (changed.was.first(), &mut self.jm().session) {
            session.forget_sampler(*site);
        }
    }

    /// The name that a script gave the sampler.
    pub(crate) fn changed_name(&mut self) -> Option<Rc<str>> {
        let changed = self.jm().changed_sampler.as_ref()?;
        changed.new_name().map(Rc::from)
    }

    /// The package's sampler as a script left it; none when no script changed it, or when it is
    /// the companion's, which knows.
    pub(crate) fn changed_sampler(&mut self, package: &BoundPackage) -> Option<BoundSampler> {
        let changed = self.jm().changed_sampler.take()?;
        let thread = Rc::clone(&self.thread);
        let program = &thread.program;
        let own = &program.packages[package.id.0 as usize];
        let left = self.jm().http.all_left().to_vec();
        let element = || changed.element(program, own, &left);
        let sampler = match &package.sampler {
            BoundSampler::None | BoundSampler::Remote(_) | BoundSampler::AccessLog(_) => None,
            BoundSampler::Http(sampler) => {
                let element = element();
                for (site, manager) in changed.managers(&element) {
                    self.jm().http.leave(site, manager);
                }
                let sampler = http::HttpSampler::changed(sampler, &element, program);
                Some(BoundSampler::Http(Box::new(sampler)))
            }
            BoundSampler::Jdbc(_) => {
                let query = jdbc::Query::bind(program, &element());
                Some(BoundSampler::Jdbc(Box::new(query)))
            }
            BoundSampler::Native(_) => samplers::bind(&element(), &[], &thread.jmeter.properties)
                .map(|native| BoundSampler::Native(Box::new(native))),
        };
        // Scripts behind the sampler see it too.
        self.jm().changed_sampler = Some(changed);
        sampler
    }
}
