use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::LabelId;
use crate::histogram::HistogramReader;

const HTTP_503: Code = Code::Http(503);

fn kept(at_ms: u64) -> KeptSample {
    KeptSample {
        at_ms,
        detail: format!("at {at_ms}"),
        request: "GET / HTTP/1.1\r\n".to_owned(),
        response: "HTTP/1.1 503 \r\n".to_owned(),
    }
}

fn one(message: &str, at_ms: u64) -> Failures {
    let mut failures = Failures::default();
    let key = (ErrorKind::CheckFailed, HTTP_503, Some(message));
    failures.add(key, at_ms);
    failures.keep(key, kept(at_ms));
    failures
}

fn read(failures: &Failures, detail: Detail) -> Failures {
    let mut bytes = Vec::new();
    failures.encode(detail, &mut bytes);
    let mut reader = HistogramReader::new(&bytes);
    let read = Failures::read(&mut reader).unwrap();
    reader.end().unwrap();
    read
}

#[test]
fn a_group_has_its_count_its_times_and_its_earliest_samples() {
    let mut all = Failures::default();
    for at_ms in [700, 300, 100, 900, 500, 200, 800] {
        all.merge(&one("", at_ms));
    }
    let groups: Vec<&Failed> = all.iter().collect();
    assert_eq!(groups.len(), 1);
    let group = groups[0];
    assert_eq!((group.count, group.first_ms, group.last_ms), (7, 100, 900));
    let at: Vec<u64> = group.samples.iter().map(|sample| sample.at_ms).collect();
    assert_eq!(at, [100, 200, 300, 500, 700]);
    assert_eq!(read(&all, Detail::All), all);
}

#[test]
fn too_many_messages_count_under_their_kind() {
    let mut all = Failures::default();
    for n in 0..1_000 {
        let message = format!("message {n}");
        all.add((ErrorKind::CheckFailed, HTTP_503, Some(&message)), n);
        all.add((ErrorKind::ReadTimeout, Code::None, Some("")), n);
    }
    assert_eq!(all.total(), 2_000);
    let other = all.iter().find(|group| group.message.is_none()).unwrap();
    assert_eq!(
        (other.kind, other.code),
        (ErrorKind::CheckFailed, Code::None)
    );
    assert_eq!((other.count, other.last_ms), (1_000 - 19, 999));
    let timeouts = all
        .iter()
        .find(|group| group.kind == ErrorKind::ReadTimeout);
    assert_eq!(timeouts.unwrap().count, 1_000);
    assert_eq!(read(&all, Detail::All), all);
}

#[test]
fn of_many_groups_together_the_frequent_ones_stay() {
    let mut all = Failures::default();
    for n in 0..500 {
        all.merge(&one(&format!("once {n}"), n));
    }
    for n in 0..2 {
        all.merge(&one("often", n));
        let mut twice = one("often", n);
        twice.merge(&one("often", n + 9));
        all.merge(&twice);
    }
    assert_eq!(all.total(), 506);
    assert!(all.iter().len() <= MAX_MERGED + 1);
    let often = all
        .iter()
        .find(|group| group.message.as_deref() == Some("often"));
    assert!(often.unwrap().count >= 3);
}

#[test]
fn less_detail_has_the_same_counts() {
    let mut all = one("a", 5);
    all.merge(&one("b", 7));
    let groups = read(&all, Detail::Groups);
    assert_eq!(groups.iter().len(), 2);
    assert!(groups.iter().all(|group| group.samples.is_empty()));
    let kinds = read(&all, Detail::Kinds);
    let only = kinds.iter().next().unwrap();
    assert_eq!((kinds.iter().len(), only.message.as_deref()), (1, None));
    assert_eq!((only.count, only.first_ms, only.last_ms), (2, 5, 7));
}

#[test]
fn a_ledger_wants_five_samples_of_a_group_and_masks_a_message_once() {
    let mut ledger = Ledger::default();
    let label = LabelId(2);
    let mut masked = 0;
    let mut copied = 0;
    assert!(ledger.lacks(label, HTTP_503));
    for at_ms in 0..100 {
        let failure = (ErrorKind::CheckFailed, HTTP_503, "token=abc");
        let note = ledger.note(label, failure, |_| {
            masked += 1;
            "token=***".to_owned()
        });
        assert_eq!(ledger.key(note).2, Some("token=***"));
        if note.wanted {
            copied += 1;
            ledger.kept(note, &kept(at_ms));
        }
    }
    assert_eq!((masked, copied), (1, MAX_SAMPLES));
    assert!(!ledger.lacks(label, HTTP_503));
    assert!(ledger.lacks(label, Code::Http(404)));
    assert!(ledger.lacks(LabelId(0), HTTP_503));
}

#[test]
fn a_ledger_is_bounded() {
    let mut ledger = Ledger::default();
    let mut wanted = 0;
    for n in 0..10_000 {
        let message = format!("{n}");
        let failure = (ErrorKind::CheckFailed, Code::Http(200 + n % 300), &*message);
        let note = ledger.note(LabelId(0), failure, str::to_owned);
        if note.wanted {
            wanted += 1;
            ledger.kept(note, &kept(0));
        }
    }
    assert_eq!(wanted, MAX_GROUPS + MAX_SAMPLES);
    assert!(!ledger.lacks(LabelId(0), Code::Http(599)));
    let note = ledger.note(
        LabelId(0),
        (ErrorKind::ReadTimeout, Code::None, ""),
        str::to_owned,
    );
    assert_eq!(ledger.key(note), folded(ErrorKind::ReadTimeout));
}

#[test]
fn messages_are_cut_at_a_character() {
    assert_eq!(cut("错误", 4), "错");
    assert_eq!(cut("short", 300), "short");
}

proptest! {
    #[test]
    fn counts_and_times_are_exact_in_whatever_order_parts_come(
        failed in vec((0_u8..4, "[a-c]{0,1}", 0_u64..10_000, 0_usize..4), 0..60),
    ) {
        let mut parts: Vec<Failures> = vec![Failures::default(); 4];
        let mut truth: BTreeMap<(u8, u64, &str), (u64, u64, u64)> = BTreeMap::new();
        for (kind, message, at_ms, part) in &failed {
            // Each part has at most 16 groups: 4 kinds, one code, 4 messages.
            let code = 500 + (*part % 2) as u64;
            let key = (
                ErrorKind::from_number(*kind),
                Code::Http(code as u16),
                Some(message.as_str()),
            );
            parts[*part].add(key, *at_ms);
            parts[*part].keep(key, kept(*at_ms));
            let seen = truth.entry((*kind, code, message)).or_insert((0, u64::MAX, 0));
            *seen = (seen.0 + 1, seen.1.min(*at_ms), seen.2.max(*at_ms));
        }
        let mut forth = Failures::default();
        parts.iter().for_each(|part| forth.merge(&read(part, Detail::All)));
        prop_assert_eq!(forth.total(), failed.len() as u64);
        for group in forth.iter() {
            let Code::Http(code) = group.code else { panic!("{group:?}") };
            let key = (group.kind as u8, u64::from(code), group.message.as_deref().unwrap());
            prop_assert_eq!((group.count, group.first_ms, group.last_ms), truth[&key]);
        }
        let mut back = Failures::default();
        parts.iter().rev().for_each(|part| back.merge(part));
        prop_assert_eq!(&back, &forth);
    }
}
