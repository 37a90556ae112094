//! The companion's process: many users, its end, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::time::{Duration, Instant};

use common::{Tester, groovy, options, run, shared, site, start};
use plimsoll_companion::{CallError, Companion, StartError, TestStart, Work, WorkOutcome, find_in};

#[test]
fn fifty_users_work_at_the_same_time() {
    let Some(companion) = shared() else { return };
    let local = tokio::task::LocalSet::new();
    run(local.run_until(async {
        // Each waits until all have come: they only get on if all are at work at once.
        let meet = "def all = props.computeIfAbsent('meeting', \
                    { new java.util.concurrent.CyclicBarrier(50) }); \
                    all.await(60, java.util.concurrent.TimeUnit.SECONDS); \
                    vars.put('me', ctx.getThread().getThreadName()); vars.put('x', vars.get('n'))";
        let tasks: Vec<_> = (0..50)
            .map(|number| {
                let mut user = Tester::new(&companion, &format!("group 1-{}", number + 1));
                tokio::task::spawn_local(async move {
                    let pre = groovy("JSR223PreProcessor", meet);
                    for round in 0..3 {
                        user.variables
                            .insert("n".into(), format!("{number}/{round}"));
                        let done = user.call(&Work::Pre(site(1, &pre))).await;
                        assert_eq!(done.outcome, WorkOutcome::Done);
                        assert_eq!(user.variables["x"], format!("{number}/{round}"));
                    }
                    assert_eq!(user.variables["me"], format!("group 1-{}", number + 1));
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }));
}

#[test]
fn system_properties_are_there_but_not_on_the_command_line() {
    let Some(mut options) = options(&[]) else {
        return;
    };
    options.system = vec![("shop.password".into(), "s3cret 值".into())];
    let companion = Companion::start(options).unwrap();
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let script = "System.getProperty('shop.password')";
        assert_eq!(user.function("__groovy", 1, &[script]).await, "s3cret 值");
        let line = format!("/proc/{}/cmdline", companion.process_id());
        let line = String::from_utf8_lossy(&std::fs::read(line).unwrap()).into_owned();
        assert!(line.contains("org.plimsoll.companion.Main"), "{line}");
        assert!(!line.contains("shop.password") && !line.contains("s3cret"));
    });
}

#[test]
fn a_killed_companion_is_told_to_who_waits_and_who_asks_later() {
    let Some(companion) = start(&[]) else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let mut other = Tester::new(&companion, "group 1-2");
        assert_eq!(user.function("__groovy", 1, &["1"]).await, "1");
        let waits = groovy("JSR223PreProcessor", "Thread.sleep(600000)");
        let process = companion.process_id().to_string();
        let kill = async {
            other.function("__groovy", 1, &["1"]).await;
            let killed = std::process::Command::new("kill")
                .args(["-9", &process])
                .status();
            assert!(killed.unwrap().success());
        };
        let wait = Work::Pre(site(2, &waits));
        let (response, ()) = tokio::join!(user.try_call(&wait, None), kill);
        let Err(CallError::Ended(why)) = response else {
            panic!("it cannot have responded");
        };
        assert!(why.contains("signal: 9"), "{why}");
        let begun = Instant::now();
        let later = user.try_call(&Work::Pre(site(2, &waits)), None).await;
        assert!(matches!(later, Err(CallError::Ended(_))));
        assert!(matches!(
            companion.begin(&TestStart::default()),
            Err(CallError::Ended(_))
        ));
        assert!(begun.elapsed() < Duration::from_secs(10), "told at once");
        assert!(companion.dead().is_some());
    });
}

#[test]
fn the_process_ends_with_its_last_handle() {
    let Some(companion) = start(&[]) else { return };
    let process = format!("/proc/{}", companion.process_id());
    run(async {
        // Somebody still works in it: it ends all the same.
        let mut user = Tester::new(&companion, "group 1-1");
        let waits = groovy(
            "JSR223PreProcessor",
            "while (true) try { sleep(1000) } catch (e) {}",
        );
        let waits = Work::Pre(site(2, &waits));
        let call = user.try_call(&waits, None);
        assert!(
            tokio::time::timeout(Duration::from_millis(300), call)
                .await
                .is_err()
        );
    });
    assert!(std::path::Path::new(&process).exists());
    drop(companion);
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::path::Path::new(&process).exists() {
        assert!(Instant::now() < deadline, "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_dropped_call_leaves_nothing_unsaid() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.variables.insert("a".into(), "engine".into());
        let slow = groovy(
            "JSR223PreProcessor",
            "Thread.sleep(300); vars.put('a', 'script')",
        );
        let work = Work::Pre(site(1, &slow));
        let call = user.try_call(&work, None);
        assert!(
            tokio::time::timeout(Duration::from_millis(50), call)
                .await
                .is_err()
        );
        // The engine never heard of the script's value: its own counts.
        assert_eq!(
            user.function("__groovy", 2, &["vars.get('a')"]).await,
            "engine"
        );
    });
}

#[test]
fn what_is_missing_is_said() {
    let Some(mut options) = options(&[]) else {
        return;
    };
    let good = options.installed.clone();
    let nowhere = std::path::Path::new("/nowhere");
    let missing = find_in(nowhere).unwrap_err();
    assert_eq!(missing, StartError::NotThere(nowhere.to_owned()));
    options.installed.java = "/nowhere/bin/java".into();
    let error = Companion::start(options.clone()).unwrap_err();
    assert!(matches!(error, StartError::System { .. }), "{error}");
    options.installed.java = good.java.clone();
    options.jvm_arguments = vec!["-XX:NoSuchThing".into()];
    let error = Companion::start(options.clone()).unwrap_err();
    let StartError::Ended(said) = &error else {
        panic!("{error}");
    };
    assert!(said.contains("NoSuchThing"), "{said}");
    options.jvm_arguments = Vec::new();
    options.start_timeout = Duration::from_millis(1);
    let error = Companion::start(options.clone()).unwrap_err();
    assert!(matches!(error, StartError::Slow { .. }), "{error}");
    let text = plimsoll_text::render(plimsoll_text::Lang::En, &error.message());
    assert!(!text.contains("jmeter-companion"), "{text}");
}

#[test]
fn users_end_and_the_test_ends() {
    let Some(companion) = start(&[]) else { return };
    run(async {
        for number in 0..20 {
            let mut user = Tester::new(&companion, &format!("group 1-{number}"));
            assert_eq!(user.function("__groovy", 1, &["'v'"]).await, "v");
        }
        let mut last = Tester::new(&companion, "last");
        let count = "Thread.sleep(200); \
                     Thread.getAllStackTraces().keySet().count { it.name.startsWith('group 1-') }";
        let mut left = String::new();
        for _ in 0..50 {
            left = last.function("__groovy", 2, &[count]).await;
            if left == "0" {
                break;
            }
        }
        assert_eq!(left, "0");
    });
    companion.end().unwrap();
}
