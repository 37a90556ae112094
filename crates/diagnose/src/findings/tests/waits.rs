//! Whom or what threads of a server wait for, told by their stacks.

use plimsoll_stats::series::EntityKind;

use super::{COMPUTES, JVM, with};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

/// Ten requests in work: nine threads with these lines, one that computes.
fn made(state: &str, lines: &str) -> Made {
    let made = Made::load(100.0, 100.0).process(JVM, 0.2, 2.0);
    with(made, &[(9, (state, lines)), (1, COMPUTES)])
}

fn parked(lines: &str) -> Made {
    let lines = format!(
        "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
         \tat java.util.concurrent.locks.LockSupport.park(L.java:1)\n{lines}"
    );
    made("WAITING (parking)", &lines)
}

fn in_socket(lines: &str) -> Made {
    let lines = format!(
        "\tat sun.nio.ch.Net.poll(Native Method)\n\
         \tat sun.nio.ch.NioSocketImpl.park(N.java:1)\n{lines}"
    );
    made("RUNNABLE", &lines)
}

fn dependency(made: &Made) -> Option<(Layer, String)> {
    let finding = made.find("slow_dependency")?;
    Some((finding.layer, finding.object.name))
}

#[test]
fn a_system_takes_no_more_of_the_time_than_threads_wait_for_it() {
    let asks = "\tat sun.nio.ch.Net.poll(Native Method)\n\tat sun.nio.ch.NioSocketImpl.park(N.java:1)\n\
                \tat shop.Price.ask(Price.java:9)\n\
                \tat jakarta.servlet.http.HttpServlet.service(H.java:1)\n";
    let share = |response_ms: f64| {
        let made = Made::load(100.0, response_ms).process(JVM, 0.2, 2.0);
        let made = with(made, &[(9, ("RUNNABLE", asks)), (1, COMPUTES)]);
        made.find("slow_dependency").unwrap().explains.share
    };
    assert!((share(100.0) - 0.9).abs() < 0.01);
    // The other 90 requests that are in flight wait before those ten threads.
    assert!((share(1_000.0) - 0.09).abs() < 0.01);
}

#[test]
fn what_the_code_waits_for_itself_is_no_client_of_the_server() {
    let made = parked(
        "\tat java.util.concurrent.CompletableFuture.get(C.java:1)\n\
         \tat shop.Price.await(Price.java:7)\n",
    );
    assert_eq!(
        made.find("own_wait").unwrap().object.name,
        "shop.Price.await"
    );
    assert_eq!(dependency(&made), None);
    // A page that a slow client takes its time to read.
    let writes = in_socket(
        "\tat org.apache.tomcat.util.net.NioEndpoint$NioSocketWrapper.doWrite(N.java:1)\n\
         \tat org.apache.catalina.connector.OutputBuffer.realWriteBytes(O.java:1)\n\
         \tat shop.Page.show(Page.java:9)\n",
    );
    assert_eq!(writes.find("own_wait"), None);
    assert_eq!(dependency(&writes), None);
}

#[test]
fn a_queue_is_named_by_its_client() {
    let made = parked(
        "\tat org.apache.kafka.clients.producer.internals.FutureRecordMetadata.get(F.java:1)\n\
         \tat shop.Events.send(Events.java:7)\n",
    );
    let named = (Layer::Cause, "org.apache.kafka".to_owned());
    assert_eq!(dependency(&made), Some(named));
}

#[test]
fn a_system_with_a_protocol_of_its_own_is_named_by_its_port() {
    let made = || in_socket("\tat shop.Ledger.ask(Ledger.java:7)\n");
    let named = (Layer::Cause, "shop.Ledger.ask".to_owned());
    assert_eq!(dependency(&made()), Some(named));
    let host = thing(EntityKind::Host, "");
    let with = [
        ("network.connection.state", "established"),
        ("server.address", "10.0.0.9"),
        ("server.port", "7001"),
    ];
    let open = made().gauge(&host, "system.network.peer.connection.count", &with, 10.0);
    let named = (Layer::Cause, "10.0.0.9:7001".to_owned());
    assert_eq!(dependency(&open), Some(named));
}

#[test]
fn a_cache_that_nobody_watches_is_a_system_like_others() {
    let made = parked(
        "\tat io.lettuce.core.protocol.AsyncCommand.await(A.java:1)\n\
         \tat shop.Cart.load(Cart.java:7)\n",
    );
    let named = (Layer::Cause, "io.lettuce.core".to_owned());
    assert_eq!(dependency(&made), Some(named));
    let cache = thing(EntityKind::Cache, "redis[6379]");
    let watched = made.gauge(&cache, "redis.clients.connected", &[], 10.0);
    assert_eq!(dependency(&watched), None);
}

#[test]
fn a_lock_of_all_servers_is_a_lock_and_no_permit() {
    let lock = |call: &str| -> Option<Finding> {
        let lines = format!(
            "\tat java.util.concurrent.Semaphore.tryAcquire(Semaphore.java:415)\n\
             \tat {call}(R.java:1)\n\tat shop.Stock.take(Stock.java:12)\n"
        );
        let made = parked(&lines);
        assert_eq!(made.find("semaphore"), None);
        made.find("lock")
    };
    for call in [
        "org.redisson.RedissonLock.lock",
        "org.redisson.RedissonMultiLock.tryLock",
        "org.apache.curator.framework.recipes.locks.InterProcessMutex.acquire",
    ] {
        let finding = lock(call).unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        let about = (finding.object.kind, finding.object.name.as_str());
        assert_eq!(about, ("shared_lock", "shop.Stock"), "{call}");
        assert_eq!(finding.advice[0].why.id, "advice-lock-shared");
    }
    let unlock = parked(
        "\tat org.redisson.command.CommandAsyncService.get(C.java:1)\n\
         \tat org.redisson.RedissonBaseLock.unlock(R.java:1)\n\
         \tat shop.Stock.take(Stock.java:14)\n",
    );
    assert_eq!(unlock.find("lock"), None, "the holder gives it back");
    assert_eq!(dependency(&unlock).unwrap().1, "org.redisson.command");
}

#[test]
fn threads_that_serve_remote_calls_are_no_callers() {
    let provider = |lines: &str| {
        let thread = |number: usize| {
            format!(
                "\"DubboServerHandler-10.0.0.7:20880-thread-{number}\" #{number} daemon prio=5 \
                 os_prio=0 cpu=1.00ms elapsed=9.00s tid=0x{number:016x} nid=0x{number:x} waiting \
                 [0x{number:016x}]\n   java.lang.Thread.State: WAITING (parking)\n\
                 \tat jdk.internal.misc.Unsafe.park(Native Method)\n{lines}\
                 \tat shop.Remote.take(Remote.java:7)\n\
                 \tat org.apache.dubbo.rpc.proxy.AbstractProxyInvoker.invoke(A.java:1)\n\
                 \tat org.apache.dubbo.remoting.transport.dispatcher.ChannelEventRunnable.run(C.java:1)\n\n"
            )
        };
        let threads: String = (1..=10).map(thread).collect();
        let text =
            format!("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n{threads}");
        let jvm = thing(EntityKind::Jvm, JVM);
        let made = Made::load(100.0, 100.0).process(JVM, 0.2, 2.0);
        made.capture(&jvm, "thread_dump", "steady", &text)
    };
    let own = provider("\tat java.util.concurrent.CountDownLatch.await(C.java:1)\n");
    assert!(own.find("own_wait").is_some());
    assert_eq!(dependency(&own), None);
    let asks = provider(
        "\tat org.apache.dubbo.rpc.AppResponse.get(A.java:1)\n\
         \tat shop.PriceClient.ask(PriceClient.java:3)\n",
    );
    assert_eq!(dependency(&asks).unwrap().0, Layer::Cause);
}

#[test]
fn name_servers_are_waited_for_and_no_work() {
    let asks = "\tat java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)\n\
        \tat java.net.InetAddress$NameServiceAddresses.get(I.java:8)\n\
        \tat java.net.InetAddress.getByName(I.java:9)\n";
    let waits = "\tat java.net.InetAddress$NameServiceAddresses.get(I.java:7)\n\
        \t- waiting to lock <0x00000000e0000010> (a java.net.InetAddress$NameServiceAddresses)\n\
        \tat java.net.InetAddress.getByName(I.java:9)\n";
    // One of them asks for all that want the same name; a client of another service is above it.
    let own = "\tat shop.Peers.find(Peers.java:7)\n";
    let client =
        format!("\tat sun.net.www.protocol.http.HttpURLConnection.connect(H.java:1)\n{own}");
    let load = Made::load(100.0, 100.0).process(JVM, 0.2, 2.0);
    let several = with(
        load,
        &[
            (1, ("RUNNABLE", &format!("{asks}{client}"))),
            (
                8,
                ("BLOCKED (on object monitor)", &format!("{waits}{client}")),
            ),
            (1, COMPUTES),
        ],
    );
    let named = (Layer::Cause, "DNS".to_owned());
    assert_eq!(dependency(&several), Some(named));
    assert_eq!(several.find("lock"), None);
    let alone = made("RUNNABLE", &format!("{asks}{own}"));
    let finding = alone.find("slow_dependency").unwrap();
    assert_eq!(finding.advice[0].why.id, "advice-slow-names");
}
