#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;

const JDK_8: &str = r#"2024-03-05 10:20:30
Full thread dump OpenJDK 64-Bit Server VM (25.402-b06 mixed mode):

"http-nio-8080-exec-2" #25 daemon prio=5 os_prio=0 tid=0x00007f1c2c0f2000 nid=0x1a2b waiting for monitor entry [0x00007f1c0c5fe000]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at com.shop.Stock.take(Stock.java:31)
	- waiting to lock <0x00000000e0a1b2c8> (a com.shop.Stock)
	at com.shop.Order.place(Order.java:12)
	- locked <0x00000000e0a1b300> (a com.shop.Order)

   Locked ownable synchronizers:
	- <0x00000000e0000010> (a java.util.concurrent.ThreadPoolExecutor$Worker)

"odd "name" #1" #26 prio=5 os_prio=0 tid=0x00007f1c2c0f3000 nid=0x1a2c in Object.wait() [0x00007f1c0c4fe000]
   java.lang.Thread.State: WAITING (on object monitor)
	at java.lang.Object.wait(Native Method)
	- waiting on <0x00000000e0a1b2c8> (a com.shop.Stock)
	at com.shop.Stock.await(Stock.java:40)
	- locked <0x00000000e0a1b2c8> (a com.shop.Stock)
	- eliminated <owner is scalar replaced> (a java.lang.Object)

"VM Thread" os_prio=0 tid=0x00007f1c2c0a1000 nid=0x1a10 runnable 

JNI global references: 300


Found one Java-level deadlock:
=============================
"Thread-1":
  waiting to lock monitor 0x00007f1c1c004e28 (object 0x00000000e0a1b2c8, a java.lang.Object),
  which is held by "Thread-0"
"Thread-0":
  waiting to lock monitor 0x00007f1c1c004e29 (object 0x00000000e0a1b2d8, a java.lang.Object),
  which is held by "Thread-1"

Java stack information for the threads listed above:
===================================================
"Thread-1":
	at Dead.run(Dead.java:5)
	- waiting to lock <0x00000000e0a1b2c8> (a java.lang.Object)

Found 1 deadlock.
"#;

#[test]
fn a_dump_of_jdk_8() {
    let dump = ThreadDump::read(JDK_8);
    assert_eq!(dump.jvm, "OpenJDK 64-Bit Server VM (25.402-b06 mixed mode)");
    let names: Vec<_> = dump
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["http-nio-8080-exec-2", "odd \"name\" #1", "VM Thread"]
    );
    let blocked = &dump.threads[0];
    assert_eq!(
        (blocked.number, blocked.native_id),
        (Some(25), Some(0x1a2b))
    );
    assert!(blocked.daemon && !blocked.is_virtual);
    assert_eq!(blocked.state, Some(JavaThreadState::Blocked));
    let wait = blocked.wait.as_ref().unwrap();
    assert_eq!(wait.kind, WaitKind::Monitor);
    assert_eq!(
        (wait.lock.id.as_str(), wait.lock.class.as_str()),
        ("0x00000000e0a1b2c8", "com.shop.Stock")
    );
    let classes: Vec<_> = blocked
        .holds
        .iter()
        .map(|lock| lock.class.as_str())
        .collect();
    assert_eq!(
        classes,
        [
            "com.shop.Order",
            "java.util.concurrent.ThreadPoolExecutor$Worker"
        ]
    );
    assert_eq!(blocked.frames[0].method, "com.shop.Stock.take");
    assert_eq!(blocked.frames[0].place, "Stock.java:31");
    let waiting = &dump.threads[1];
    assert_eq!(waiting.wait.as_ref().unwrap().kind, WaitKind::Notify);
    // It has let go of the monitor that it waits at, so nobody holds it.
    assert!(waiting.holds.is_empty());
    assert_eq!(dump.owner(wait), None);
    assert_eq!(dump.threads[2].number, None);
    assert_eq!(dump.deadlocks, [["Thread-1", "Thread-0"]]);
}

#[test]
fn frames_lose_their_modules_and_lambdas_their_numbers() {
    let frame = |text| {
        let frame = text::frame(text).unwrap();
        (frame.method, frame.place)
    };
    let pair = |method: &str, place: &str| (method.to_owned(), place.to_owned());
    assert_eq!(
        frame("java.lang.Thread.sleep(java.base@25.0.3/Thread.java:540)"),
        pair("java.lang.Thread.sleep", "Thread.java:540")
    );
    assert_eq!(
        frame("java.base/java.lang.Object.wait0(Native Method)"),
        pair("java.lang.Object.wait0", "Native Method")
    );
    assert_eq!(
        frame("Subject$$Lambda/0x0000000091040210.run(Unknown Source)"),
        pair("Subject$$Lambda.run", "Unknown Source")
    );
    assert_eq!(
        frame("com.shop.A$$Lambda$14/0x0000000800c03000.apply(Unknown Source)"),
        pair("com.shop.A$$Lambda.apply", "Unknown Source")
    );
    assert_eq!(text::frame("nothing"), None);
}

#[test]
fn virtual_threads_and_owners_in_json() {
    let dump = ThreadDump::read(
        r#"{"threadDump":{"runtimeVersion":"25.0.3+9-LTS","threadContainers":[
        {"container":"<root>","threads":[
          {"tid":"7","name":"holder","state":"TIMED_WAITING","stack":["java.base/java.lang.Thread.sleep(Thread.java:540)"],
           "monitorsOwned":[{"depth":4,"locks":["java.lang.Object@55405d5f",null]}]},
          {"tid":"8","name":"","virtual":true,"state":"BLOCKED","blockedOn":"java.lang.Object@55405d5f","stack":[]},
          {"tid":9,"name":"v","virtual":true,"state":"WAITING","parkBlocker":{"object":"Lock$Sync@2c","owner":"7"},"stack":["A.b(A.java:1)"]}]},
        {"container":"Pool@1","threads":[{"tid":"10","name":"p","stack":["A.c(A.java:2)"]}]}]}}"#,
    );
    assert_eq!(dump.threads.len(), 4);
    let [holder, blocked, parked, pooled] = &dump.threads[..] else {
        panic!()
    };
    assert!(blocked.is_virtual && !holder.is_virtual);
    assert_eq!(dump.owner(blocked.wait.as_ref().unwrap()), Some(holder));
    assert_eq!(parked.wait.as_ref().unwrap().kind, WaitKind::Park);
    assert_eq!(dump.owner(parked.wait.as_ref().unwrap()), Some(holder));
    assert_eq!(
        (pooled.state, pooled.container.as_deref()),
        (None, Some("Pool@1"))
    );
}

proptest! {
    #[test]
    fn texts_never_panic(text in "\\PC{0,200}", at in 0_usize..3000, piece in "[\"<>()/$# a:\\n\\t-]{0,12}") {
        let _ = ThreadDump::read(&text);
        let _ = text::frame(&text);
        let mut changed = JDK_8.to_owned();
        changed.insert_str(at.min(JDK_8.len()), &piece);
        let _ = ThreadDump::read(&changed);
        let cut: String = changed.chars().take(at).collect();
        let _ = ThreadDump::read(&cut);
        let _ = ThreadDump::read(&format!("{{{text}"));
    }
}

/// Without a reference to what it waits on, HotSpot of 9 to 11 says that it will lock it again, and later ones show it as
/// locked.
#[test]
fn who_waits_to_be_notified_has_let_go_of_the_monitor() {
    let dump = |lines: &str| {
        let text = format!(
            "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n\"worker-1\" #12 prio=5 os_prio=0 \
             cpu=1.00ms elapsed=9.00s tid=0x0000000000000012 nid=0x12 in Object.wait()  [0x0000000000000012]\n   \
             java.lang.Thread.State: WAITING (on object monitor)\n\tat java.lang.Object.wait(Native Method)\n\
             \t- waiting on <no object reference available>\n\tat java.lang.Object.wait(Object.java:328)\n\
             \tat shop.Queue.take(Queue.java:7)\n{lines}\tat shop.Worker.run(Worker.java:3)\n\
             \t- locked <0x00000000e0a1b2d0> (a shop.Worker)\n\n"
        );
        ThreadDump::read(&text).threads.remove(0)
    };
    for line in ["waiting to re-lock in wait() ", "locked "] {
        let thread = dump(&format!("\t- {line}<0x00000000e0a1b2c8> (a shop.Queue)\n"));
        let wait = thread.wait.unwrap();
        assert_eq!(
            (wait.kind, wait.lock.class.as_str()),
            (WaitKind::Notify, "shop.Queue"),
            "{line}"
        );
        let held: Vec<&str> = thread
            .holds
            .iter()
            .map(|lock| lock.class.as_str())
            .collect();
        assert_eq!(held, ["shop.Worker"], "{line}");
    }
}
