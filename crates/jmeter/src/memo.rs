//! Values that another process computes, while they are waited for.
//!
//! Leaves and operations work without waiting. One that meets a call for the companion gives
//! up; the engine asks the companion and lets it work again. So that what came before the
//! call does not happen twice, the values of all calls are kept in their order until the work
//! succeeds. Texts that are known to hold such a call are computed ahead and kept by the site
//! of that call, which is the same in every copy of the text.

use std::collections::HashMap;

use plimsoll_plan::program::SiteId;

/// A call that waits for the companion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCall {
    /// JMeter's name of the function.
    pub function: String,
    /// Where it is called.
    pub site: SiteId,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is known so far.
#[derive(Debug, Default)]
pub struct Memo {
    /// Texts computed ahead, by the site of their first call for the companion.
    texts: HashMap<SiteId, String>,
    /// Values of the calls of the work at hand, in the order in which they begin; with each
    /// the number of calls that it comprises.
    calls: Vec<Option<(String, usize)>>,
    /// The number of the next call.
    next: usize,
    /// Values are kept: the work may be done again.
    pub on: bool,
    /// What the work waits for.
    pub asked: Option<AskedCall>,
    /// The response of the companion to it.
    response: Option<(AskedCall, Result<String, String>)>,
}

impl Memo {
    /// Begins work that may be done again; values of an earlier try are used.
    pub fn begin(&mut self) {
        self.on = true;
        self.next = 0;
        self.asked = None;
    }

    /// The work is done: what was kept for it is forgotten.
    pub fn end(&mut self) {
        self.on = false;
        self.calls.clear();
        self.response = None;
    }

    /// A call begins: its value, or its number.
    pub fn call_begins(&mut self) -> Result<String, usize> {
        let number = self.next;
        if let Some(Some((value, comprises))) = self.calls.get(number) {
            self.next += comprises;
            return Ok(value.clone());
        }
        self.next += 1;
        Err(number)
    }

    /// A call has a value.
    pub fn call_ends(&mut self, number: usize, value: &str) {
        if self.calls.len() <= number {
            self.calls.resize(number + 1, None);
        }
        self.calls[number] = Some((value.to_owned(), self.next - number));
    }

    /// The companion's response to this question, if it has come; else the question is put.
    pub fn ask(&mut self, question: AskedCall) -> Option<Result<String, String>> {
        match self.response.take() {
            Some((asked, response)) if asked == question => Some(response),
            _ => {
                self.asked = Some(question);
                None
            }
        }
    }

    /// The companion has responded.
    pub fn responded(&mut self, question: AskedCall, response: Result<String, String>) {
        self.response = Some((question, response));
    }

    /// Keeps a text that was computed ahead.
    pub fn keep_text(&mut self, site: SiteId, text: String) {
        self.texts.insert(site, text);
    }

    /// A text that was computed ahead.
    pub fn text(&self, site: SiteId) -> Option<&str> {
        self.texts.get(&site).map(String::as_str)
    }

    /// Whether texts were computed ahead.
    pub fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Forgets one text.
    pub fn forget_text(&mut self, site: SiteId) {
        self.texts.remove(&site);
    }

    /// Forgets the texts.
    pub fn forget_texts(&mut self) {
        self.texts.clear();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn calls_before_the_one_that_waits_are_not_made_again() {
        let mut memo = Memo::default();
        memo.begin();
        let outer = memo.call_begins().unwrap_err();
        let inner = memo.call_begins().unwrap_err();
        memo.call_ends(inner, "a");
        memo.call_ends(outer, "A");
        let waits = memo.call_begins().unwrap_err();
        assert_eq!((outer, inner, waits), (0, 1, 2));
        let question = AskedCall {
            function: "__groovy".into(),
            site: SiteId(7),
            args: vec!["1+1".into()],
        };
        assert_eq!(memo.ask(question.clone()), None);
        let asked = memo.asked.take().unwrap();
        memo.responded(asked, Ok("2".into()));
        memo.begin();
        assert_eq!(memo.call_begins(), Ok("A".into()));
        assert_eq!(memo.call_begins(), Err(2), "the number that it had");
        assert_eq!(memo.ask(question), Some(Ok("2".into())));
        memo.end();
        assert!(memo.calls.is_empty());
    }
}
