//! One pass over the whole plan: its variables, its scenarios, its hosts and its goals.

use plimsoll_text::Message;

use super::code::ScenarioCode;
use super::compiler::Compiler;
use super::facts::{Facts, near_names};
use super::flow;
use crate::error::{Problem, Severity, sort_problems};
use crate::model::{Scenario, Span};
use crate::program::{Program, ScenarioProgram};

impl<'p> Compiler<'p> {
    pub(super) fn plan(&mut self) {
        let plan = self.plan;
        self.program.name.clone_from(&plan.name);
        self.program.order = plan.order;
        self.program.goals.clone_from(&plan.goals);
        self.program.guards.clone_from(&plan.guards);
        self.program.seed = plan.seed;
        self.program.warm_up = plan.warm_up;
        self.program.undefined = plan.undefined;
        self.program.recorded_setup = self.lenient();
        self.program.skip_teardown_when_stopped = plan.skip_teardown_when_stopped;
        self.program.functional = plan.functional;
        self.program.folder.clone_from(&self.options.folder);
        self.variables(&plan.variables);
        for together in [&plan.setup, &plan.scenarios, &plan.teardown] {
            self.check_loads(together);
        }
        self.program.setup = self.scenarios(&plan.setup);
        self.program.scenarios = self.scenarios(&plan.scenarios);
        self.program.teardown = self.scenarios(&plan.teardown);
        if plan.scenarios.is_empty() {
            self.error(Span::default(), Message::new("compile-no-scenario"));
        }
        self.check_warm_up();
        self.check_rendezvous();
        self.check_goals();
        self.hosts();
        self.hosts_of_elements();
        self.hosts_of_listeners();
    }

    /// Goals of labels that no step has: they would never be met or missed.
    fn check_goals(&mut self) {
        if self.makes_labels {
            return;
        }
        let mut problems = Vec::new();
        for spec in &self.plan.goals {
            let Some(label) = &spec.goal.label else {
                continue;
            };
            let names = || self.program.labels.iter().map(|known| known.name.as_str());
            // What is timed within an exchange is named behind its label.
            let whole = label.rsplit_once(": ").map(|(whole, _)| whole);
            if names().any(|name| name == label || Some(name) == whole) {
                continue;
            }
            let near = near_names(label, names());
            let (id, names) = if near.is_empty() {
                ("compile-known-labels", names().collect())
            } else {
                ("compile-did-you-mean", near)
            };
            let message = Message::new("compile-goal-label").with("label", label.as_str());
            let remedy = Message::new(id).with("names", names.join(", "));
            problems.push((spec.at, message, remedy));
        }
        for (at, message, remedy) in problems {
            self.warn_with(at, message, remedy);
        }
    }

    fn scenarios(&mut self, scenarios: &'p [Scenario]) -> Vec<ScenarioProgram> {
        scenarios
            .iter()
            .map(|scenario| self.scenario(scenario))
            .collect()
    }

    fn scenario(&mut self, scenario: &'p Scenario) -> ScenarioProgram {
        self.shared.begin_scenario();
        let pace = scenario.pace.as_ref().map(|pace| self.pause(pace));
        let code = flow::scenario(self, scenario);
        let (ops, registers) = code.finish().unwrap_or_else(|| {
            self.error(scenario.at, Message::new("compile-too-big"));
            ScenarioCode::default().finish().unwrap_or_default()
        });
        ScenarioProgram {
            name: scenario.name.clone(),
            load: scenario.load.clone(),
            start_delay: scenario.start_delay,
            end_after: scenario.end_after,
            grace: scenario.grace,
            pace,
            same_user_each_iteration: scenario.same_user_each_iteration,
            left_out_before: scenario.left_out_before,
            named_by_starter: scenario.named_by_starter,
            ops,
            registers,
            on_error: scenario.on_error,
        }
    }

    pub(super) fn into_facts(mut self) -> Facts {
        let scripts = self
            .program
            .scripts
            .iter()
            .map(|script| script.source.as_str());
        let texts: Vec<&str> = scripts.collect();
        self.facts.scripts = texts.join("\n");
        self.facts
    }

    pub(super) fn finish(mut self) -> Result<Program, Vec<Problem>> {
        for problem in &mut self.problems {
            problem.file.clone_from(&self.options.file);
        }
        sort_problems(&mut self.problems);
        self.problems.dedup();
        if self.problems.iter().any(|p| p.severity == Severity::Error) {
            return Err(self.problems);
        }
        self.program.warnings = self.problems;
        Ok(self.program)
    }
}
