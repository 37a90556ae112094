//! What counts and adds: `__counter`, `__intSum`, `__longSum`, `__doubleSum`.

use std::sync::atomic::{AtomicU64, Ordering};

use plimsoll_plan::program::Call;

use super::args::{count, save, text, trimmed};
use super::keep::{own, shared};
use super::numbers::{double, int, java_double, long};
use crate::context::{Context, Fault};

/// `__counter(per user[, variable])`: 1, 2, … of the user or of all users; each call in the
/// plan counts by itself.
pub(super) fn counter(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let per_user = text(call, 0, cx)?.eq_ignore_ascii_case("true");
    let value = if per_user {
        let counter = own(cx, call.site, || 0_i32);
        *counter = counter.wrapping_add(1);
        *counter
    } else {
        let counter = shared(cx, call.site, || AtomicU64::new(0));
        let number = cx
            .thread()
            .share
            .number(counter.fetch_add(1, Ordering::Relaxed));
        #[expect(clippy::cast_possible_truncation)] // Java's int wraps around, too.
        let number = number as i32;
        number.wrapping_add(1)
    };
    let value = value.to_string();
    save(call, 1, &value, cx)?;
    Ok(value)
}

/// `__intSum(a, b, …[, variable])`: 32-bit, overflowing as Java's.
pub(super) fn int_sum(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    // Even a variable without a name is set, as in JMeter.
    sum(call, cx, (int, i32::wrapping_add), |_| true)
}

/// `__longSum(a, b, …[, variable])`: 64-bit, overflowing as Java's.
pub(super) fn long_sum(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    sum(call, cx, (long, i64::wrapping_add), |name| !name.is_empty())
}

/// `__doubleSum(a, b, …[, variable])` (jpgc-functions).
pub(super) fn double_sum(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let read = |text: &str| {
        double(text).map(DoubleSum).ok_or_else(|| {
            Fault::new(format!(
                "java.lang.NumberFormatException: For input string: \"{text}\""
            ))
        })
    };
    sum(call, cx, (read, |a, b| DoubleSum(a.0 + b.0)), |name| {
        !name.is_empty()
    })
}

/// A sum of doubles, as Java writes it.
#[derive(Default)]
struct DoubleSum(f64);

impl std::fmt::Display for DoubleSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&java_double(self.0))
    }
}

/// How a kind of number is read and added.
type Numbers<N> = (fn(&str) -> Result<N, Fault>, fn(N, N) -> N);

/// The sum of the arguments; the last one, if it is no number, names the variable for it.
fn sum<N: Default + ToString>(
    call: &Call,
    cx: &mut dyn Context,
    (read, add): Numbers<N>,
    is_set: fn(&str) -> bool,
) -> Result<String, Fault> {
    let last = count(call).saturating_sub(1);
    let mut sum = N::default();
    let name = trimmed(call, last, cx)?;
    for at in 0..last {
        sum = add(sum, read(&text(call, at, cx)?)?);
    }
    if let Ok(number) = read(&name) {
        return Ok(add(sum, number).to_string());
    }
    let sum = sum.to_string();
    if is_set(&name) {
        cx.set(&name, &sum);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::{call, fault, run};

    #[test]
    fn a_counter_counts_for_its_call() {
        let mut cx = TestContext::with(&[]);
        let (mut mine, mut all) = (call("__counter", &["TRUE", "v"]), call("__counter", &[""]));
        mine.site.0 = 1;
        all.site.0 = 2;
        for expected in ["1", "2", "3"] {
            assert_eq!(
                crate::functions::call(&mine, &mut cx).as_deref(),
                Ok(expected)
            );
            assert_eq!(
                crate::functions::call(&all, &mut cx).as_deref(),
                Ok(expected)
            );
        }
        assert_eq!(*cx.vars["v"], *"3");
    }

    #[test]
    fn sums_take_a_variable_or_a_last_number() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__intSum", &["1", "2", "-4"], &mut cx), "-1");
        assert_eq!(run("__intSum", &["1", "2", " v "], &mut cx), "3");
        assert_eq!(*cx.vars["v"], *"3");
        assert_eq!(
            run("__intSum", &["2147483647", "1"], &mut cx),
            "-2147483648"
        );
        assert!(fault("__intSum", &["1", "x", "2"], &mut cx).contains("\"x\""));
        assert_eq!(
            run("__longSum", &["2147483647", "1", "w"], &mut cx),
            "2147483648"
        );
        assert_eq!(*cx.vars["w"], *"2147483648");
        assert_eq!(run("__doubleSum", &["0.1", " 2e2 ", "d"], &mut cx), "200.1");
        assert_eq!(*cx.vars["d"], *"200.1");
        assert_eq!(run("__doubleSum", &["1", "2"], &mut cx), "3.0");
        assert_eq!(
            run("__doubleSum", &["0.1", "0.2"], &mut cx),
            "0.30000000000000004"
        );
        assert!(fault("__doubleSum", &["x", "2"], &mut cx).contains("\"x\""));
        assert_eq!(run("__longSum", &["1", "2", ""], &mut cx), "3");
        assert!(!cx.vars.contains_key(""));
    }
}
