//! Profiles by async-profiler: "collapsed" stacks, a line each, outermost call first, with how
//! often they were seen or how long they waited (github.com/async-profiler/async-profiler).
//!
//! ```text
//! java/lang/Thread.run;shop/Page.show;shop/Cart.add 17
//! ```
//!
//! Calls of the JVM itself, of libraries and of the kernel stand between those of Java code; they
//! are left out, and with them the threads that have no other: collectors, compilers.

use crate::samples::{LockWait, MAX_FRAMES, SamplesReading, StackSamples};

/// Reads a profile of CPUs that began at that moment, ms from the run's start. Lines that are
/// none are passed over.
#[must_use]
pub fn cpu(text: &str, at_ms: i64) -> StackSamples {
    let mut reading = SamplesReading::default();
    for (stack, count) in lines(text) {
        let calls = calls(stack);
        if calls.is_empty() {
            continue;
        }
        let stack = reading.stack(calls);
        reading.on_cpu(at_ms, stack, usize::try_from(count).unwrap_or(usize::MAX));
    }
    reading.done(None)
}

/// Reads a profile of locks whose counts are nanoseconds, taken over so long: the innermost
/// name of a line is the lock's class.
#[must_use]
pub fn locks(text: &str, at_ms: i64, lasted_ms: f64) -> StackSamples {
    let mut reading = SamplesReading::default();
    for (stack, waited_ns) in lines(text) {
        let Some((callers, class)) = stack.rsplit_once(';') else {
            continue;
        };
        let calls = calls(callers);
        if calls.is_empty() {
            continue;
        }
        let stack = reading.stack(calls);
        #[expect(clippy::cast_precision_loss, reason = "waits of a few seconds")]
        let waited_ms = waited_ns as f64 / 1e6;
        reading.waited(LockWait {
            at_ms,
            lasted_ms: waited_ms,
            class: without_mark(class).0.replace('/', "."),
            stack,
        });
    }
    reading.done(Some(lasted_ms))
}

/// Stacks with their counts, outermost call first with `;` between them. What is no such line is passed over.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().filter_map(|line| {
        let (stack, count) = line.trim_end().rsplit_once(' ')?;
        let count = count.parse::<u64>().ok().filter(|count| *count > 0)?;
        Some((stack, count))
    })
}

/// The calls of Java code, innermost first.
fn calls(stack: &str) -> Vec<String> {
    let frames = stack.rsplit(';');
    frames.filter_map(java_call).take(MAX_FRAMES).collect()
}

/// `shop.Cart.add` of `shop/Cart.add`; none of what is no Java method.
fn java_call(frame: &str) -> Option<String> {
    let (name, mark) = without_mark(frame);
    let (class, method) = name.rsplit_once('.')?;
    let simple = class.rsplit(['/', '.']).next()?;
    let in_class = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '$' | '_' | '-' | '+');
    let in_method = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '<' | '>' | '-');
    // Symbols of native code have dots too: `libc.so`, `copy.part.0`, `clear.cold`.
    let has_package = class.contains('/');
    let is_class = has_package || simple.starts_with(char::is_uppercase);
    let is_java = mark != Some("k")
        && is_class
        && class.chars().all(in_class)
        && !method.is_empty()
        && !method.starts_with(|c: char| c.is_ascii_digit())
        && method.chars().all(in_method)
        && !name.contains(".so");
    is_java.then(|| format!("{}.{method}", class.replace('/', ".")))
}

/// A name without what is put behind it: `_[j]` compiled, `_[i]` inlined, `_[k]` kernel …
fn without_mark(name: &str) -> (&str, Option<&str>) {
    let marked = name
        .strip_suffix(']')
        .and_then(|inside| inside.rsplit_once("_["));
    match marked {
        Some((plain, mark)) if mark.len() == 1 => (plain, Some(mark)),
        _ => (name, None),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn java_calls_are_told_from_those_of_the_jvm_and_the_kernel() {
        let java = [
            ("java/lang/Thread.run", "java.lang.Thread.run"),
            ("shop/Cart.<init>_[j]", "shop.Cart.<init>"),
            ("shop/Page$1.show_[i]", "shop.Page$1.show"),
            ("Subject.crunch", "Subject.crunch"),
            ("店/购物车.添加", "店.购物车.添加"),
            (
                "shop/Page$$Lambda.0x00007f2a9c0c1400.run",
                "shop.Page$$Lambda.0x00007f2a9c0c1400.run",
            ),
            (
                "shop/Page$$Lambda$14/0x0000000800c8.run_[0]",
                "shop.Page$$Lambda$14.0x0000000800c8.run",
            ),
        ];
        for (frame, call) in java {
            assert_eq!(java_call(frame).as_deref(), Some(call));
        }
        for frame in [
            "start_thread",
            "libc.so.6",
            "JavaThread::thread_main_inner",
            "[unknown]",
            "clear_page_erms_[k]",
            "copy.part.0",
            "PhaseIdealLoop::build (.cold)",
            "clear.cold",
            "vtable stub",
            "",
            ".",
            "shop/Cart.",
        ] {
            assert_eq!(java_call(frame), None, "{frame}");
        }
    }

    #[test]
    fn lines_count_and_what_is_none_is_passed_over() {
        let text = "[libjvm.so];GangWorker::loop 90\n\
                    start_thread;java/lang/Thread.run;shop/Page.show;shop/Cart.add 3\n\
                    java/lang/Thread.run;shop/Page.show;shop/Cart.add;memcpy 2\n\
                    java/lang/Thread.run;shop/Page.show\nno count\nshop/Page.show 0\n\n";
        let profile = cpu(text, 7);
        assert_eq!(profile.stacks.len(), 1);
        let calls = ["shop.Cart.add", "shop.Page.show", "java.lang.Thread.run"];
        assert_eq!(profile.stacks[0], calls);
        assert_eq!(profile.cpu.len(), 5);
        assert!(profile.cpu.iter().all(|sample| sample.at_ms == 7));
        assert_eq!(profile.thread(0).frames[0].place, "");
        assert_eq!(cpu("shop/Page.show 99999999999999", 0).cpu.len(), 200_000);
        assert_eq!(
            cpu("shop/Page.show 99999999999999999999999", 0).cpu.len(),
            0
        );
    }

    #[test]
    fn waits_are_by_the_class_of_their_lock() {
        let text = "java/lang/Thread.run;shop/Page.show;shop/Stock_[i] 1500000000\n\
                    java/lang/Thread.run;shop/Page.show;java.util.concurrent.locks.ReentrantLock$NonfairSync 250000\n\
                    only.Lock 7\n";
        let profile = locks(text, 7, 3_000.0);
        assert_eq!(profile.waits.len(), 2);
        assert_eq!(profile.waits[0].class, "shop.Stock");
        assert_eq!(profile.waits[0].lasted_ms, 1_500.0);
        let class = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
        assert_eq!(
            (profile.waits[1].class.as_str(), profile.waits[1].lasted_ms),
            (class, 0.25)
        );
        assert_eq!(profile.waits[0].stack, profile.waits[1].stack);
        assert_eq!(profile.lasted_ms, Some(3_000.0));
    }
}
