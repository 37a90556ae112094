//! What the findings of a run advise for the knobs of a study.

use plimsoll_diagnose::{Advice, Diagnosis, Evidence, Finding, Layer, diagnose};
use plimsoll_store::Run;
use plimsoll_text::{Lang, render};

use super::domains::in_domain;
use super::place::{Place, TargetKnob};
use crate::space::{Domain, Space};
use crate::trial::{Advised, Limits};

/// What limited a run, and what is advised. Nothing where the run was not watched or cannot be read.
#[must_use]
pub fn of_run(run: &Run, space: &Space, knobs: &[TargetKnob]) -> (Option<Limits>, Vec<Advised>) {
    match Evidence::of_run(run) {
        Ok(evidence) => of_diagnosis(&diagnose(&evidence), space, knobs),
        Err(_) => (None, Vec::new()),
    }
}

/// What limited by a diagnosis, and what is advised.
#[must_use]
pub fn of_diagnosis(
    diagnosis: &Diagnosis,
    space: &Space,
    knobs: &[TargetKnob],
) -> (Option<Limits>, Vec<Advised>) {
    let mut findings = diagnosis.findings.iter();
    let first = findings.find(|finding| finding.layer != Layer::Hint);
    let limits = first.map(|finding| Limits {
        finding: finding.id.to_owned(),
        object: plimsoll_secrets::text(&finding.object.name).into_owned(),
        title: title(finding, Lang::En),
        title_zh: title(finding, Lang::Zh),
        healthy: finding.healthy,
    });
    let mut advised = Vec::new();
    for finding in &diagnosis.findings {
        for advice in &finding.advice {
            for (at, knob) in knobs.iter().enumerate() {
                let domain = &space.knobs[at].domain;
                let value = advised_value(advice, knob, domain);
                if let Some(value) = value.and_then(|value| domain.allowed(&value)) {
                    advised.push(Advised {
                        knob: at,
                        value,
                        finding: finding.id.to_owned(),
                    });
                }
            }
        }
    }
    (limits, advised)
}

fn title(finding: &Finding, lang: Lang) -> String {
    plimsoll_secrets::text(&render(lang, &finding.text(""))).into_owned()
}

/// The value that an advice has for a knob of the study, in the study's words; none where it is of another.
fn advised_value(advice: &Advice, knob: &TargetKnob, domain: &Domain) -> Option<String> {
    let (setting, value) = (advice.setting.as_ref()?, advice.proposed.as_ref()?);
    match &knob.setting {
        Some(named) => {
            let (id, value) = advice.knob()?;
            (id == named.knob.id).then(|| in_domain(named.knob, &value, domain))
        }
        None => is_of(knob, setting).then(|| value.clone()),
    }
}

/// Whether a setting, as a finding calls it, is a knob of the study.
fn is_of(knob: &TargetKnob, setting: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-'], "");
    let setting = plain(setting);
    let written = match &knob.place {
        Place::File { address, .. } => plain(&address.path),
        Place::Argument(template) => plain(template.split("{}").next().unwrap_or_default())
            .trim_end_matches(['=', ' '])
            .trim_start_matches("xx:")
            .to_owned(),
        Place::Environment(name) => plain(name).replace('.', ""),
        Place::Option(_)
        | Place::Value(_)
        | Place::Command(_)
        | Place::Sql(_)
        | Place::Agent(_) => String::new(),
    };
    let by_variable =
        matches!(knob.place, Place::Environment(_)) && written == setting.replace('.', "");
    plain(&knob.name) == setting || (!written.is_empty() && written == setting) || by_variable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knob(name: &str, place: Place) -> TargetKnob {
        TargetKnob {
            name: name.to_owned(),
            place,
            component: 0,
            by_reload: false,
            read_back: None,
            setting: None,
            gives: None,
        }
    }

    #[test]
    fn settings_are_found_where_they_are_written() {
        let setting = "server.tomcat.threads.max";
        let spelled = [
            Place::Environment("SERVER_TOMCAT_THREADS_MAX".to_owned()),
            Place::Argument("--server.tomcat.threads.max={}".to_owned()),
        ];
        for place in spelled {
            assert!(is_of(&knob("t", place.clone()), setting), "{place:?}");
        }
        let other = Place::Argument("--server.tomcat.threads.min-spare={}".to_owned());
        assert!(!is_of(&knob("t", other), setting));
        assert!(is_of(
            &knob("-Xmx", Place::Argument("-Xmx{}m".to_owned())),
            "-Xmx"
        ));
    }
}
