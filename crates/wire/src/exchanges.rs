//! Requests of one connection and their responses, as they were seen.

use std::collections::{HashMap, HashSet};

use crate::cached::{CacheSaid, CacheTally};
use crate::table_names::TableNames;
use crate::tries::TryTally;

/// How much of an exchange was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HowSeen {
    /// All of it.
    Whole,
    /// It began before anybody looked.
    End,
    /// Its response was not complete when the looking ended, or when the connection did.
    Beginning,
    /// Sight of it was lost: nobody knows whether it has its response.
    Lost,
}

impl HowSeen {
    /// Whether its response was seen to its end.
    pub(crate) const fn has_ended(self) -> bool {
        matches!(self, Self::Whole | Self::End)
    }
}

/// A request and its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WireExchange {
    pub(crate) seen: HowSeen,
    /// The first packet of the request, or where the looking began, Unix nanoseconds.
    pub(crate) asked_ns: u64,
    /// The first packet of the response, if it came.
    pub(crate) began_ns: Option<u64>,
    /// The last packet of the response, or where the looking ended.
    pub(crate) done_ns: u64,
    /// The response says that the request failed.
    pub(crate) failed: bool,
    /// Whom it waits for, or whom it lets go on.
    pub(crate) mark: Option<WireMark>,
}

/// What a request has to do with those of other connections, by a hash of what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireMark {
    /// It has its response when somebody gives that.
    Waits(u64),
    /// It gives that.
    Gives(u64),
    /// A transaction begins.
    Begins,
    /// From now on each statement is in a transaction.
    Keeps,
    /// It writes to the table of that number; `begins`: the transaction begins with it.
    Writes { table: u16, begins: bool },
    /// The transaction ends.
    Ends,
    /// It looks for so many keys in a cache; `key`: the hash of the only one, else 0.
    Looks { keys: u16, key: u64 },
    /// It puts something into a cache; `key`: the hash of its only key, else 0.
    Stores { key: u64 },
    /// It takes that if nobody has it.
    Tries(u64),
}

impl WireMark {
    /// What both are together, of one request.
    fn with(self, next: Self) -> Self {
        match (self, next) {
            (Self::Begins, Self::Writes { table, .. }) => Self::Writes {
                table,
                begins: true,
            },
            (Self::Writes { .. }, _) => self,
            _ => next,
        }
    }
}

/// A response: its first packet, and its last so far.
#[derive(Clone, Copy)]
struct SeenResponse {
    began_ns: u64,
    last_ns: u64,
    failed: bool,
    said: CacheSaid,
}

/// Where requests and responses begin and end, as a protocol tells it. Responses come in the order of
/// their requests, or both carry a number.
pub(crate) struct Exchanges {
    /// Since when nothing was lost of what is not yet in `done`.
    from_ns: u64,
    asked: Vec<u64>,
    /// Marks by places in `asked`, in their order.
    marks: Vec<(usize, WireMark)>,
    /// The tables that marks name.
    pub(crate) tables: TableNames,
    responses: Vec<SeenResponse>,
    /// The last response may go on.
    open: bool,
    /// So many of the first responses are to requests from before.
    earlier: usize,
    /// No response to a request from before can come any more.
    settled: bool,
    numbered: HashMap<u32, (u64, Option<u64>)>,
    /// The first number that was asked with: those of requests from before are lower.
    first_number: Option<u32>,
    /// Requests from before that were given up: what comes yet was on its way.
    given_up: HashSet<u32>,
    done: Vec<WireExchange>,
    /// Responses that nobody asked for are left out.
    unasked: bool,
    commits: u64,
    cached: CacheTally,
    tries: TryTally,
}

impl Exchanges {
    /// Those of a connection that is looked at from then on; `whole`: from its own beginning.
    pub(crate) fn new(from_ns: u64, whole: bool) -> Self {
        Self {
            from_ns,
            asked: Vec::new(),
            marks: Vec::new(),
            tables: TableNames::default(),
            responses: Vec::new(),
            open: false,
            earlier: 0,
            settled: whole,
            numbered: HashMap::new(),
            first_number: None,
            given_up: HashSet::new(),
            done: Vec::new(),
            unasked: false,
            commits: 0,
            cached: CacheTally::default(),
            tries: TryTally::default(),
        }
    }

    /// What the response that began last says of keys.
    pub(crate) fn said(&mut self, more: CacheSaid) {
        if let Some(last) = self.responses.last_mut()
            && !self.unasked
        {
            last.said.add(more);
        }
    }

    /// What was written is committed.
    pub(crate) fn committed(&mut self) {
        self.commits += 1;
    }

    /// How often something that was written was committed.
    pub(crate) fn commits(&self) -> u64 {
        self.commits
    }

    /// A request begins.
    pub(crate) fn asked(&mut self, at_ns: u64) {
        self.asked.push(at_ns);
    }

    /// The request that began last is one that has no response.
    pub(crate) fn withdrawn(&mut self) {
        self.asked.pop();
        let left = self.asked.len();
        self.marks.pop_if(|(at, _)| *at >= left);
    }

    /// What the request that began last has to do with others.
    pub(crate) fn marked(&mut self, mark: WireMark) {
        let Some(last) = self.asked.len().checked_sub(1) else {
            return;
        };
        match self.marks.last_mut() {
            // Several statements may be asked for at once.
            Some((at, known)) if *at == last => *known = known.with(mark),
            _ => self.marks.push((last, mark)),
        }
    }

    /// The mark of a request.
    fn mark(&self, at: usize) -> Option<WireMark> {
        let found = self.marks.binary_search_by_key(&at, |(at, _)| *at);
        found.ok().map(|found| self.marks[found].1)
    }

    /// What comes before the next request belongs to requests that were seen.
    pub(crate) fn settle(&mut self) {
        self.settled = true;
    }

    /// Requests without a response, and those whose response goes on.
    pub(crate) fn outstanding(&self) -> usize {
        let open = usize::from(self.open);
        (self.asked.len() + self.earlier + open).saturating_sub(self.responses.len())
    }

    /// The response to the oldest request without one begins.
    pub(crate) fn began(&mut self, at_ns: u64) {
        self.unasked = false;
        if self.responses.len() >= self.asked.len() + self.earlier {
            if self.settled {
                self.unasked = true;
                return;
            }
            self.earlier += 1;
        }
        self.responses.push(SeenResponse {
            began_ns: at_ns,
            last_ns: at_ns,
            failed: false,
            said: CacheSaid::NO_VALUE,
        });
        self.open = true;
    }

    /// More of the response that began last.
    pub(crate) fn more(&mut self, at_ns: u64) {
        if let Some(last) = self.responses.last_mut()
            && !self.unasked
        {
            last.last_ns = last.last_ns.max(at_ns);
        }
    }

    /// The response that began last says that its request failed.
    pub(crate) fn failed(&mut self) {
        if let Some(last) = self.responses.last_mut()
            && !self.unasked
        {
            last.failed = true;
        }
    }

    /// Whether the only request without a complete response is one whose response has begun.
    pub(crate) fn only_one_goes_on(&self) -> bool {
        self.open && self.outstanding() == 1
    }

    /// The response that began last is complete, for all that is known.
    pub(crate) fn ended(&mut self, at_ns: u64) {
        self.more(at_ns);
        if !self.unasked {
            self.open = false;
        }
    }

    /// The same, with the last packet there was.
    pub(crate) fn completed(&mut self) {
        self.open = false;
    }

    /// A request with a number begins.
    pub(crate) fn asked_as(&mut self, number: u32, at_ns: u64) {
        self.first_number.get_or_insert(number);
        self.numbered.entry(number).or_insert((at_ns, None));
    }

    /// Whether a number may be of a request from before.
    fn may_be_earlier(&self, number: u32) -> bool {
        !self.settled && self.first_number.is_none_or(|first| number < first)
    }

    /// The response to it begins, if it has not; not before its request, though a clock may be set back meanwhile.
    pub(crate) fn began_as(&mut self, number: u32, at_ns: u64) {
        let from_ns = self.from_ns;
        if let Some((asked_ns, began)) = self.numbered.get_mut(&number) {
            began.get_or_insert(at_ns.max(*asked_ns));
        } else if self.may_be_earlier(number) && !self.given_up.contains(&number) {
            let began_ns = at_ns.max(from_ns);
            self.numbered.insert(number, (from_ns, Some(began_ns)));
        }
    }

    /// The response to it is complete.
    pub(crate) fn ended_as(&mut self, number: u32, at_ns: u64) {
        self.began_as(number, at_ns);
        if let Some((asked_ns, began_ns)) = self.numbered.remove(&number) {
            let earlier = !self.settled && asked_ns == self.from_ns;
            self.done.push(WireExchange {
                seen: if earlier {
                    HowSeen::End
                } else {
                    HowSeen::Whole
                },
                asked_ns,
                began_ns,
                done_ns: at_ns.max(began_ns.unwrap_or(asked_ns)),
                failed: false,
                mark: None,
            });
        }
    }

    /// The request with that number is given up.
    pub(crate) fn dropped(&mut self, number: u32, at_ns: u64) {
        if self.may_be_earlier(number) {
            self.given_up.insert(number);
        }
        if let Some((asked_ns, began_ns)) = self.numbered.remove(&number) {
            self.done.push(unfinished(asked_ns, began_ns, at_ns));
        }
    }

    /// The connection ends: what is under way gets no response any more.
    pub(crate) fn cut(&mut self, at_ns: u64) {
        self.gather(at_ns, HowSeen::Beginning);
        self.from_ns = at_ns;
        self.settled = false;
    }

    /// Something was lost: what is under way cannot be followed any further, and what comes may
    /// belong to requests that were not seen.
    pub(crate) fn lose(&mut self, at_ns: u64) {
        self.gather(at_ns, HowSeen::Lost);
        self.from_ns = at_ns;
        self.settled = false;
    }

    /// So many are kept.
    pub(crate) fn len(&self) -> usize {
        let numbers = self.numbered.len() + self.given_up.len();
        self.asked.len() + self.responses.len() + numbers + self.done.len()
    }

    /// What a cache said in all of them, and to those who tried to take a key, when the looking ends.
    pub(crate) fn cached(&mut self, at_ns: u64) -> (CacheTally, TryTally) {
        self.gather(at_ns, HowSeen::Beginning);
        (
            std::mem::take(&mut self.cached),
            std::mem::take(&mut self.tries),
        )
    }

    /// All of them, when the looking ends.
    pub(crate) fn finish(mut self, at_ns: u64) -> Vec<WireExchange> {
        self.gather(at_ns, HowSeen::Beginning);
        self.done
    }

    /// Takes together what was seen so far; `open`: what is to be said of what has no complete response.
    fn gather(&mut self, at_ns: u64, open: HowSeen) {
        let (from_ns, earlier) = (self.from_ns, self.earlier);
        let last_open = self.open.then(|| self.responses.len().wrapping_sub(1));
        for (at, response) in self.responses.iter().enumerate() {
            let place = at.checked_sub(earlier);
            let own = place.and_then(|at| self.asked.get(at));
            let mark = place.and_then(|at| self.mark(at));
            let asked_ns = own.copied().unwrap_or(from_ns);
            // A response before its request: they were told apart wrongly.
            if response.began_ns < asked_ns {
                continue;
            }
            if last_open != Some(at) {
                note_keys(&mut self.cached, &mut self.tries, mark, response);
            }
            let began_ns = Some(response.began_ns);
            self.done.push(match last_open == Some(at) {
                true => WireExchange {
                    mark,
                    seen: open,
                    ..unfinished(asked_ns, began_ns, at_ns.max(response.last_ns))
                },
                false => WireExchange {
                    seen: if own.is_some() {
                        HowSeen::Whole
                    } else {
                        HowSeen::End
                    },
                    asked_ns,
                    began_ns,
                    done_ns: response.last_ns,
                    failed: response.failed,
                    mark,
                },
            });
        }
        let without = self.responses.len().saturating_sub(earlier);
        for (at, asked_ns) in self.asked.iter().enumerate().skip(without) {
            self.done.push(WireExchange {
                mark: self.mark(at),
                seen: open,
                ..unfinished(*asked_ns, None, at_ns)
            });
        }
        for (_, (asked_ns, began_ns)) in self.numbered.drain() {
            self.done.push(WireExchange {
                seen: open,
                ..unfinished(asked_ns, began_ns, at_ns)
            });
        }
        self.first_number = None;
        self.given_up.clear();
        self.asked.clear();
        self.marks.clear();
        self.responses.clear();
        (self.open, self.earlier, self.unasked) = (false, 0, false);
    }
}

/// What a whole exchange tells of a cache's keys.
fn note_keys(
    cached: &mut CacheTally,
    tries: &mut TryTally,
    mark: Option<WireMark>,
    response: &SeenResponse,
) {
    if response.said.nothing {
        return;
    }
    match mark {
        Some(WireMark::Looks { keys, key }) => {
            cached.looked(response.last_ns, keys, key, response.said);
        }
        Some(WireMark::Stores { key }) => cached.stored(response.last_ns, key, response.said),
        Some(WireMark::Tries(key)) => match response.said {
            said if said.refused.is_some() => cached.stored(response.last_ns, 0, said),
            said => tries.tried(key, said.is_new()),
        },
        _ => {}
    }
}

fn unfinished(asked_ns: u64, began_ns: Option<u64>, at_ns: u64) -> WireExchange {
    WireExchange {
        seen: HowSeen::Beginning,
        asked_ns,
        began_ns,
        done_ns: at_ns.max(asked_ns),
        failed: false,
        mark: None,
    }
}
