//! A rendezvous: users wait until enough of them are there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::Waited;

/// How a user waits for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as somebody may come.
    WhileOthersMayCome,
    /// For the whole number, also when some will never come: its wait has an end.
    ToTheEnd,
}

/// A rendezvous. When it is for "all users of the scenario", each scenario meets apart.
#[derive(Debug)]
pub struct Meeting {
    groups: Vec<MeetingGroup>,
    /// Users to wait for; 0: all.
    users: u32,
}

/// Users who wait for each other.
#[derive(Debug)]
struct MeetingGroup {
    /// The scenarios whose users come here.
    scenarios: Vec<u32>,
    state: Mutex<MeetingState>,
    /// The number of meetings that are over, with how the last one ended.
    meetings: watch::Sender<(u64, Waited)>,
}

#[derive(Debug, Default)]
struct MeetingState {
    /// Users waiting now.
    here: u64,
    /// Users among them whose wait has no end of its own.
    endless: u64,
    /// Users that are there or will come, if anybody ever said how many.
    left: Option<i64>,
    /// The most that ever were.
    most: i64,
}

impl Meeting {
    /// A place where so many users meet; 0: all of their scenario.
    #[must_use]
    pub fn new(users: u32, scenarios: Vec<u32>) -> Self {
        let groups = if users == 0 {
            scenarios
                .into_iter()
                .map(|scenario| MeetingGroup::new(vec![scenario]))
                .collect()
        } else {
            vec![MeetingGroup::new(scenarios)]
        };
        Self { groups, users }
    }

    /// So many users of a scenario more or, below 0, less may still come.
    pub fn users(&self, scenario: u32, change: i64) {
        for group in self
            .groups
            .iter()
            .filter(|group| group.scenarios.contains(&scenario))
        {
            let mut state = group.state();
            let left = state.left.unwrap_or(0) + change;
            state.left = Some(left);
            state.most = state.most.max(left);
            group.meet_if_enough(&mut state, self.users);
        }
    }

    /// Waits for the others, or until the time of whoever waits is `over`, which ends it for all.
    pub async fn wait(
        &self,
        scenario: u32,
        over: Option<impl Future<Output = ()>>,
        patience: Patience,
    ) -> Waited {
        let Some(group) = self
            .groups
            .iter()
            .find(|group| group.scenarios.contains(&scenario))
        else {
            return Waited::Done;
        };
        let mut meetings = group.meetings.subscribe();
        let mut waiter = Waiter {
            group,
            meeting: 0,
            is_endless: patience == Patience::WhileOthersMayCome,
        };
        {
            let mut state = group.state();
            // Read under the lock: the meeting that this user counts for.
            waiter.meeting = meetings.borrow_and_update().0;
            state.here += 1;
            state.endless += u64::from(waiter.is_endless);
            group.meet_if_enough(&mut state, self.users);
        }
        let meeting = waiter.meeting;
        let met = async {
            match meetings.wait_for(|(number, _)| *number > meeting).await {
                Ok(held) => held.1,
                // The sender lives as long as the group, which is borrowed.
                Err(_) => Waited::Done,
            }
        };
        let Some(over) = over else {
            return met.await;
        };
        tokio::select! {
            biased;
            waited = met => waited,
            () = over => {
                let mut state = group.state();
                if waiter.is_waiting() {
                    group.end_meeting(&mut state, Waited::TimedOut);
                }
                Waited::TimedOut
            }
        }
    }
}

impl MeetingGroup {
    fn new(scenarios: Vec<u32>) -> Self {
        let meetings = watch::Sender::new((0, Waited::Done));
        Self {
            scenarios,
            state: Mutex::default(),
            meetings,
        }
    }

    /// The state is whole wherever a panic could poison the lock.
    fn state(&self) -> MutexGuard<'_, MeetingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn meet_if_enough(&self, state: &mut MeetingState, users: u32) {
        let count = |users: i64| u64::try_from(users).unwrap_or(0);
        let wanted = match (u64::from(users), state.left) {
            (0, Some(_)) if state.endless == 0 => count(state.most),
            (users, Some(_)) if state.endless == 0 => users,
            // Nobody said how many there are: whoever is there is all.
            (0, None) => 1,
            (0, Some(left)) => count(left),
            (users, None) => users,
            (users, Some(left)) => users.min(count(left)),
        };
        if state.here > 0 && state.here >= wanted {
            self.end_meeting(state, Waited::Done);
        }
    }

    fn end_meeting(&self, state: &mut MeetingState, how: Waited) {
        (state.here, state.endless) = (0, 0);
        self.meetings.send_modify(|held| *held = (held.0 + 1, how));
    }
}

/// A user at the rendezvous; leaving early counts it out.
struct Waiter<'a> {
    group: &'a MeetingGroup,
    meeting: u64,
    is_endless: bool,
}

impl Waiter<'_> {
    /// Whether its meeting is still to come. Ask with the state locked.
    fn is_waiting(&self) -> bool {
        self.group.meetings.borrow().0 == self.meeting
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut state = self.group.state();
        if self.is_waiting() {
            state.here = state.here.saturating_sub(1);
            state.endless -= u64::from(self.is_endless).min(state.endless);
        }
    }
}
