//! Why a run made no request: what of that can be seen in its plan.

use plimsoll_plan::model::{Block, Load, Plan, Span, Step, StepKind};
use plimsoll_text::Message;

/// Most steps that are named.
const NAMED: usize = 5;

/// Why a plan that ran made no request.
#[must_use]
pub fn why(plan: &Plan) -> Message {
    let mut around = Vec::new();
    let mut sends = false;
    for scenario in &plan.scenarios {
        sends |= look(&scenario.body, None, &mut around);
    }
    let reason = if !sends {
        Message::new("no-request-no-step")
    } else if plan
        .scenarios
        .iter()
        .all(|scenario| is_empty(&scenario.load))
    {
        Message::new("no-request-no-load")
    } else if around.contains(&None) || around.is_empty() {
        Message::new("no-request-ended")
    } else {
        around.dedup();
        let steps = around.into_iter().flatten().collect::<Vec<_>>();
        Message::new("no-request-not-reached").with("steps", named(&steps))
    };
    Message::new("event-no-request").with("reason", reason)
}

/// The run's warm-up was as long as its load.
#[must_use]
pub fn in_warm_up(seconds: f64) -> Message {
    let reason = Message::new("no-request-warm-up").with("seconds", seconds);
    Message::new("event-no-request").with("reason", reason)
}

fn is_empty(load: &Load) -> bool {
    match load {
        Load::Users(load) => {
            load.stages.iter().all(|stage| stage.users == 0)
                || load.iterations_per_user == Some(0)
                || load.iterations_total == Some(0)
        }
        Load::Arrivals(load) => load.stages.is_empty() || load.arrivals_total == Some(0),
    }
}

/// Something whose steps may be left out: its kind and its place.
type Around = Option<(&'static str, Span)>;

/// Looks for steps that send; notes of each the innermost that may keep the flow from it.
fn look(block: &Block, inside: Around, around: &mut Vec<Around>) -> bool {
    let mut sends = false;
    for step in block.steps.iter().filter(|step| step.enabled) {
        sends |= match &step.kind {
            StepKind::Http(_) | StepKind::Sample(_) => {
                around.push(inside);
                true
            }
            _ => look_into(step, inside, around),
        };
    }
    sends
}

fn look_into(step: &Step, inside: Around, around: &mut Vec<Around>) -> bool {
    let kind = match &step.kind {
        StepKind::If { .. } => Some("if"),
        StepKind::While { .. } => Some("while"),
        StepKind::Repeat { .. } => Some("repeat"),
        StepKind::ForEach { .. } => Some("for-each"),
        StepKind::FirstTimes { .. } | StepKind::Percent { .. } => Some("share"),
        StepKind::Runtime { .. } => Some("runtime"),
        StepKind::Choose { .. } => Some("choose"),
        // Nothing keeps the flow from the others.
        _ => None,
    };
    let inside = kind.map(|kind| (kind, step.at)).or(inside);
    let mut sends = false;
    for body in step.kind.blocks() {
        sends |= look(body, inside, around);
    }
    sends
}

fn named(steps: &[(&'static str, Span)]) -> Message {
    let one = |(kind, at): &(&'static str, Span)| {
        Message::new("no-request-step")
            .with("kind", Message::new(format!("no-request-kind-{kind}")))
            .with("line", at.line)
    };
    let shown = steps.iter().take(NAMED).map(one);
    let joined = shown.reduce(|first, next| {
        Message::new("no-request-steps")
            .with("first", first)
            .with("next", next)
    });
    let joined = joined.unwrap_or_else(|| Message::new("event-step-unnamed"));
    match steps.len().checked_sub(NAMED).filter(|more| *more > 0) {
        Some(more) => Message::new("no-request-more")
            .with("steps", joined)
            .with("more", more),
        None => joined,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::parse_yaml;
    use plimsoll_text::{Lang, render};

    use super::*;

    fn said(steps: &str) -> String {
        let text = format!("target: http://127.0.0.1:1\nusers: 1\niterations: 1\n{steps}");
        let plan = parse_yaml(&text, "plan.yaml")
            .unwrap_or_else(|p| panic!("{p:?}"))
            .0;
        render(Lang::En, &why(&plan))
    }

    #[test]
    fn the_steps_around_requests_are_named() {
        let text =
            said("steps:\n  - if: '${a} == 1'\n    then:\n      - get: /\nvariables: {a: 2}\n");
        assert!(text.contains("if (line 5)"), "{text}");
        let text = said("steps:\n  - think: 1s\n");
        assert!(text.contains("no enabled step"), "{text}");
        let text = said("steps:\n  - get: /\n");
        assert!(text.contains("before the load ended"), "{text}");
    }
}
