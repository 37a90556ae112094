//! Sentences of findings: none has an empty place, and none is without its text.

use plimsoll_text::{Lang, Message, render};

use crate::model::Finding;

/// Marks of a place that was left empty, in a rendered sentence.
const EMPTY: [&str; 6] = [" .", " ,", "  ", "“”", " ()", "由调用"];

/// Renders all that a finding says in both languages, and panics at an empty place.
pub fn check(finding: &Finding) {
    let own = ["", "-means", "-experiment"].map(|part| finding.text(part));
    let shown = finding.evidence.iter().map(|exhibit| exhibit.text.clone());
    let advice = finding.advice.iter().map(|advice| advice.why.clone());
    for message in own.into_iter().chain(shown).chain(advice) {
        for lang in [Lang::En, Lang::Zh] {
            said(lang, &message);
        }
    }
}

fn said(lang: Lang, message: &Message) {
    let text = render(lang, message);
    assert_ne!(text, message.id, "no text in {lang:?}");
    for empty in EMPTY {
        assert!(
            !text.contains(empty),
            "an empty place in {}: {text}",
            message.id
        );
    }
}
