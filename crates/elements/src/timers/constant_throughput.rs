//! `ConstantThroughputTimer`: so many samples a minute, for each user or for all.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use plimsoll_plan::program::SiteId;

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::functions::numbers::{double_or_zero, int};
use crate::leaf::{Bound, Timer};

/// Whose throughput it is: JMeter's numbers 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    ThisUser,
    AllUsers,
    Group,
    AllUsersShared,
    GroupShared,
}

const MODES: [Mode; 5] = [
    Mode::ThisUser,
    Mode::AllUsers,
    Mode::Group,
    Mode::AllUsersShared,
    Mode::GroupShared,
];

/// What JMeter 2 wrote for them, in the languages of its users (JMeter 5.6.3,
/// `ConstantThroughputTimerResources`).
const WORDS: [[&str; 5]; 9] = [
    [
        "this thread only",
        "all active threads",
        "all active threads in current thread group",
        "all active threads (shared)",
        "all active threads in current thread group (shared)",
    ],
    [
        "Nur dieser Thread",
        "Alle aktiven Threads",
        "Alle aktiven Threads in der aktuellen Thread-Gruppe",
        "Alle aktiven Threads (Gemeinsam)",
        "Alle aktiven Threads in der aktuellen Thread-Gruppe (gemeinsam)",
    ],
    [
        "solamente este hilo",
        "todos los hilos activos",
        "todos los hilos activos en el grupo de hilos actual",
        "",
        "",
    ],
    [
        "cette unité seulement",
        "toutes les unités actives",
        "toutes les unités actives dans le groupe d'unités courant",
        "toutes les unités actives (partagé)",
        "toutes les unités actives dans le groupe d'unités courant (partagé)",
    ],
    [
        "현 쓰레드만",
        "모든 활성화된 쓰레드들",
        "현 쓰레드 그룹 내의 모든 활성화된 쓰레드들",
        "모드 활성화된 쓰레드들 (공유)",
        "현 쓰레드 그룹 내의 모든 활성화된 쓰레드들 (공유)",
    ],
    [
        "este usuário virtual (thread) somente",
        "todos usuários virtuais (threads) ativos",
        "todos usuários virtuais ativos no grupo de usuários corrente",
        "todos usuários virtuais ativos (compartilhado)",
        "todos usuários virtuais no grupo de usuários atual (compartillhado)",
    ],
    [
        "sadece bu iş parçacığı",
        "bütün aktif iş parçacıkları",
        "bu iş parçacığı grubundaki tüm aktif iş parçacıkları",
        "tüm iş parçacıkları (paylaşımlı)",
        "bu iş paçacığı grubundaki tüm aktif iş parçacıkları (paylaşımlı)",
    ],
    [
        "只有此线程",
        "所有活动线程",
        "当前线程组中的所有活动线程",
        "所有活动线程（共享）",
        "当前线程组中的所有活动线程（共享）",
    ],
    ["", "", "", "", ""],
];

struct ConstantThroughput {
    throughput: Field,
    mode: Field,
    site: SiteId,
}

/// When the last sample is due that was let through, of all users and of each group.
#[derive(Default)]
struct LastDue {
    all_ms: Mutex<u64>,
    groups_ms: Mutex<HashMap<Box<str>, u64>>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Timer(Box::new(ConstantThroughput {
        throughput: fields.field("throughput"),
        mode: fields.field("calcMode"),
        site: fields.0.site,
    }))
}

impl Timer for ConstantThroughput {
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault> {
        let now_ms = cx.unix_ms();
        let spacing_ms = self.spacing_ms(now_ms, cx)?;
        let due_ms = keep::own(cx, self.site, || 0_u64);
        let target_ms = due_ms.saturating_add(spacing_ms);
        if now_ms > target_ms {
            // Behind: at once, and what was missed is not made up for.
            *due_ms = now_ms;
            return Ok(0);
        }
        *due_ms = target_ms;
        Ok(target_ms - now_ms)
    }
}

impl ConstantThroughput {
    /// The time between this user's samples.
    fn spacing_ms(&self, now_ms: u64, cx: &mut dyn Context) -> Result<u64, Fault> {
        let one_ms = 60_000.0 / double_or_zero(&self.throughput.text(cx)?);
        let (mode, thread) = (self.mode(cx)?, cx.thread());
        // Of what users have in common each share of the load that has users has its part.
        let shares = match mode {
            Mode::ThisUser => 1,
            Mode::AllUsers | Mode::AllUsersShared => thread.share.count(),
            Mode::Group | Mode::GroupShared => thread.group_share().count(),
        };
        let one_ms = one_ms * f64::from(shares);
        Ok(match mode {
            Mode::ThisUser => whole(one_ms),
            Mode::AllUsers => whole(one_ms * f64::from(thread.all_threads)),
            Mode::Group => whole(one_ms * f64::from(thread.group_threads)),
            Mode::AllUsersShared => {
                let due = keep::for_run::<LastDue>(cx);
                let mut due_ms = due.all_ms.lock().unwrap_or_else(PoisonError::into_inner);
                turn(&mut due_ms, now_ms, whole(one_ms))
            }
            Mode::GroupShared => {
                let due = keep::for_run::<LastDue>(cx);
                let mut groups = due.groups_ms.lock().unwrap_or_else(PoisonError::into_inner);
                let due_ms = groups.entry((*thread.group).into()).or_default();
                turn(due_ms, now_ms, whole(one_ms))
            }
        })
    }

    fn mode(&self, cx: &mut dyn Context) -> Result<Mode, Fault> {
        let text = self.mode.text(cx)?;
        let number = match int(&text) {
            Ok(number) => usize::try_from(number).ok(),
            Err(_) if text.is_empty() => Some(0),
            Err(_) => WORDS
                .iter()
                .find_map(|words| words.iter().position(|word| *word == text)),
        };
        let mode = number.and_then(|number| MODES.get(number));
        mode.copied().ok_or_else(|| {
            Fault::new(format!(
                "Constant Throughput Timer: calcMode {text} is not one of 0 to 4"
            ))
        })
    }
}

/// The next turn among several users, from now.
fn turn(due_ms: &mut u64, now_ms: u64, spacing_ms: u64) -> u64 {
    *due_ms = due_ms.saturating_add(spacing_ms).max(now_ms);
    *due_ms - now_ms
}

/// Java's `Math.round`, for a time: half goes up; less than none is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates, as Java's.
fn whole(time_ms: f64) -> u64 {
    (time_ms + 0.5).floor() as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use plimsoll_plan::share::Share;

    use crate::context::Fault;
    use crate::context::testing::TestContext;
    use crate::leaf::Timer;
    use crate::timers::testing::timer;

    fn of(throughput: &str, mode: &str) -> Box<dyn Timer> {
        timer(
            "ConstantThroughputTimer",
            &[("throughput", throughput), ("calcMode", mode)],
        )
    }

    fn user() -> TestContext {
        let mut cx = TestContext::with(&[]);
        cx.unix_ms = 1_000_000;
        cx.thread.group = "g".into();
        cx
    }

    #[test]
    fn a_user_keeps_its_pace_and_does_not_make_up_for_lost_time() {
        let timer = of("60.0", "0");
        let mut cx = user();
        assert_eq!(timer.delay_ms(&mut cx), Ok(0));
        assert_eq!(timer.delay_ms(&mut cx), Ok(1000));
        cx.unix_ms += 1300;
        assert_eq!(timer.delay_ms(&mut cx), Ok(700));
        cx.unix_ms += 5000;
        assert_eq!(timer.delay_ms(&mut cx), Ok(0));
        assert_eq!(timer.delay_ms(&mut cx), Ok(1000));
    }

    #[test]
    fn users_at_work_share_a_pace() {
        for (mode, expected) in [
            ("1", 8000),
            ("all active threads", 8000),
            ("2", 3000),
            ("当前线程组中的所有活动线程", 3000),
        ] {
            let timer = of("60", mode);
            let mut cx = user();
            (cx.thread.all_threads, cx.thread.group_threads) = (8, 3);
            assert_eq!(timer.delay_ms(&mut cx), Ok(0), "{mode}");
            assert_eq!(timer.delay_ms(&mut cx), Ok(expected), "{mode}");
        }
    }

    #[test]
    fn shares_of_the_load_have_their_part_of_a_pace() {
        for (mode, expected) in [("0", 1000), ("1", 24_000), ("2", 6000)] {
            let timer = of("60", mode);
            let mut cx = user();
            (cx.thread.all_threads, cx.thread.group_threads) = (8, 3);
            // The group has users on two of the three.
            (cx.thread.share, cx.thread.group_size) = (Share::new(1, 3).unwrap(), 2);
            assert_eq!(timer.delay_ms(&mut cx), Ok(0), "{mode}");
            assert_eq!(timer.delay_ms(&mut cx), Ok(expected), "{mode}");
        }
        let mut cx = user();
        cx.thread.share = Share::new(1, 3).unwrap();
        let (one, other) = (of("600", "3"), of("600", "3"));
        assert_eq!(one.delay_ms(&mut cx), Ok(0));
        assert_eq!(other.delay_ms(&mut cx), Ok(300));
    }

    /// The delay of the first use is from the time 0, so it is lost; from the second on the
    /// turns of all users count.
    #[test]
    fn turns_are_shared_by_all_timers_of_the_run_or_the_group() {
        for mode in ["3", "4"] {
            let (one, other) = (of("600", mode), of("600", mode));
            let mut cx = user();
            assert_eq!(one.delay_ms(&mut cx), Ok(0));
            assert_eq!(other.delay_ms(&mut cx), Ok(100), "{mode}");
            cx.thread.group = "another".into();
            cx.unix_ms += 100;
            let expected = if mode == "3" { 100 } else { 0 };
            assert_eq!(one.delay_ms(&mut cx), Ok(expected), "{mode}");
        }
    }

    #[test]
    fn odd_values_do_no_harm() {
        let mut cx = user();
        let never = of("0", "0");
        assert!(never.delay_ms(&mut cx).unwrap() > 1 << 60);
        assert!(never.delay_ms(&mut cx).is_ok());
        assert!(of("x", "3").delay_ms(&mut cx).is_ok());
        assert_eq!(of("-5", "").delay_ms(&mut user()), Ok(0));
        assert!(matches!(
            of("5", "7").delay_ms(&mut cx),
            Err(Fault::Failed(_))
        ));
    }
}
