//! What a thread does, read off its stack: names of the JDK, of servers, drivers and clients
//! that practice meets. What is in no table counts as the application's own code.

use plimsoll_watch::threads::{State, Thread, WaitKind};

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Waits for work: it serves nobody.
    Idle,
    /// Computes, or wants to.
    Cpu,
    /// Waits for a monitor or a lock.
    Lock,
    /// Waits for a connection of a pool of database connections.
    DatabasePool,
    /// Waits for a connection of another client's pool.
    ClientPool,
    /// Waits for an answer, or talks to the peer.
    Peer(Peer),
    /// Reads or writes files.
    File,
    /// Sleeps.
    Sleep,
    /// Waits for something else: a latch, a future, a condition.
    Wait,
}

/// Whom a thread talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// A database, through its driver.
    Database,
    /// A cache such as Redis.
    Cache,
    /// Another service over HTTP.
    Service,
    /// The client that was served.
    Client,
    /// Something else.
    Other,
}

/// Prefixes of classes that belong to the platform, servers, frameworks, drivers and clients.
const LIBRARIES: &[&str] = &[
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "org.apache.",
    "org.springframework.",
    "org.eclipse.",
    "io.undertow.",
    "org.xnio.",
    "org.jboss.",
    "io.netty.",
    "reactor.",
    "io.projectreactor.",
    "io.vertx.",
    "io.micrometer.",
    "io.prometheus.",
    "io.opentelemetry.",
    "ch.qos.logback.",
    "org.slf4j.",
    "com.zaxxer.",
    "com.alibaba.druid.",
    "com.mchange.",
    "org.mariadb.",
    "com.mysql.",
    "org.postgresql.",
    "oracle.",
    "com.microsoft.sqlserver.",
    "org.h2.",
    "io.lettuce.",
    "redis.clients.",
    "org.redisson.",
    "org.hibernate.",
    "org.ibatis.",
    "com.baomidou.",
    "net.bytebuddy.",
    "net.sf.cglib.",
    "org.aspectj.",
    "com.fasterxml.",
    "com.google.",
    "okhttp3.",
    "okio.",
    "feign.",
    "com.netflix.",
    "io.grpc.",
    "com.rabbitmq.",
    "brave.",
    "org.jolokia.",
];

/// Frames that only a thread which serves a request has.
const SERVING: &[&str] = &[
    "org.apache.catalina.core.StandardWrapperValve.",
    "org.apache.catalina.connector.CoyoteAdapter.",
    "io.undertow.server.Connectors.",
    "io.undertow.servlet.",
    "org.eclipse.jetty.server.Server.handle",
    "org.eclipse.jetty.server.HttpChannel",
    "org.eclipse.jetty.server.internal.HttpChannel",
    "org.eclipse.jetty.ee",
    "jakarta.servlet.http.HttpServlet.",
    "javax.servlet.http.HttpServlet.",
    "org.springframework.web.servlet.",
    "org.springframework.web.reactive.",
    "com.sun.net.httpserver.",
    "sun.net.httpserver.",
];

const DATABASES: &[&str] = &[
    "org.mariadb.",
    "com.mysql.",
    "org.postgresql.",
    "oracle.jdbc.",
    "com.microsoft.sqlserver.",
    "com.ibm.db2.",
    "dm.jdbc.",
    "com.kingbase8.",
    "org.h2.",
    "com.clickhouse.",
];
const CACHES: &[&str] = &[
    "io.lettuce.",
    "redis.clients.",
    "org.redisson.",
    "net.spy.memcached.",
    "net.rubyeye.xmemcached.",
];
const SERVICES: &[&str] = &[
    "org.apache.http.",
    "org.apache.hc.",
    "java.net.http.",
    "jdk.internal.net.http.",
    "sun.net.www.protocol.http",
    "okhttp3.",
    "feign.",
    "org.springframework.web.client.",
    "org.springframework.http.client.",
    "reactor.netty.http.client.",
    "io.grpc.",
    "org.apache.dubbo.",
    "com.alibaba.dubbo.",
    "org.asynchttpclient.",
];

/// Waiting in these is waiting for a database connection of a pool.
const DATABASE_POOLS: &[&str] = &[
    "com.zaxxer.hikari.pool.HikariPool.getConnection",
    "com.alibaba.druid.pool.DruidDataSource.pollLast",
    "com.alibaba.druid.pool.DruidDataSource.takeLast",
    "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection",
    "org.apache.commons.dbcp2.PoolingDataSource.getConnection",
    "org.apache.commons.dbcp.PoolingDataSource.getConnection",
    "com.mchange.v2.resourcepool.BasicResourcePool.",
    "oracle.ucp.",
];
/// Waiting in these is waiting for a connection of another client's pool.
const CLIENT_POOLS: &[&str] = &[
    "org.apache.http.pool.AbstractConnPool.",
    "org.apache.http.impl.conn.PoolingHttpClientConnectionManager.leaseConnection",
    "org.apache.hc.core5.pool.",
    "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$",
    "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
    "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
    "org.apache.commons.pool.impl.GenericObjectPool.borrowObject",
];

/// Calls that are on the stack of a thread that waits for work.
const IDLE: &[&str] = &[
    "java.util.concurrent.ThreadPoolExecutor.getTask",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    "org.apache.tomcat.util.net.JIoEndpoint$Acceptor",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor",
    "org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy.tryProduce",
    "org.jboss.threads.EnhancedQueueExecutor$ThreadBody.run",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    "java.util.concurrent.ForkJoinPool.runWorker",
    // The thread that hands references over waits in the JVM, where it counts as runnable.
    "java.lang.ref.Reference.waitForReferencePendingList",
];

/// The innermost calls of a thread in a system call of a socket.
const SOCKET: &[&str] = &[
    "sun.nio.ch.SocketDispatcher.",
    "sun.nio.ch.UnixDispatcher.",
    "sun.nio.ch.Net.",
    "sun.nio.ch.EPoll.",
    "sun.nio.ch.EPollArrayWrapper.",
    "sun.nio.ch.IOUtil.",
    "sun.nio.ch.SocketChannelImpl.",
    "sun.nio.ch.NioSocketImpl.",
    "java.net.SocketInputStream.socketRead",
    "java.net.SocketOutputStream.socketWrite",
    "java.net.PlainSocketImpl.",
    "io.netty.channel.epoll.Native.",
    "org.apache.tomcat.jni.",
];
const FILES: &[&str] = &[
    "java.io.FileOutputStream.write",
    "java.io.FileInputStream.read",
    "java.io.RandomAccessFile.",
    "sun.nio.ch.FileDispatcherImpl.",
    "sun.nio.ch.UnixFileDispatcherImpl.",
    "sun.nio.ch.FileChannelImpl.",
    "sun.nio.fs.UnixNativeDispatcher.",
    "java.io.FileDescriptor.sync",
    "java.io.UnixFileSystem.",
];

/// Whether a class or method belongs to the platform or a well-known library.
#[must_use]
pub fn is_library(method: &str) -> bool {
    starts_with_any(method, LIBRARIES) || is_generated(method)
}

fn starts_with_any(method: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| method.starts_with(prefix))
}

/// Proxies and lambdas that were made while running.
fn is_generated(method: &str) -> bool {
    let marks = [
        "$$SpringCGLIB$$",
        "$$EnhancerBy",
        "$$FastClass",
        "$Proxy",
        "$$Lambda",
        "LambdaForm$",
    ];
    // Hidden classes are called by their address.
    method.starts_with("0x") || marks.iter().any(|mark| method.contains(mark))
}

/// Whether a thread has taken up a request. Those that answer whoever watches do not count.
#[must_use]
pub fn serves(thread: &Thread) -> bool {
    if on_stack(
        thread,
        &["org.springframework.boot.actuate.endpoint.", "org.jolokia."],
    ) {
        return false;
    }
    on_stack(thread, SERVING)
        || thread.is_virtual && thread.frames.iter().any(|f| !is_library(&f.method))
}

/// Whether any of these calls is on the stack.
fn on_stack(thread: &Thread, prefixes: &[&str]) -> bool {
    let mut frames = thread.frames.iter();
    frames.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// Whether one of these is among the innermost calls.
fn on_top(thread: &Thread, prefixes: &[&str]) -> bool {
    let mut top = thread.frames.iter().take(4);
    top.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// Where a thread is.
#[must_use]
pub fn place(thread: &Thread) -> Place {
    let serving = serves(thread);
    if !serving && on_stack(thread, IDLE) {
        return Place::Idle;
    }
    if waits_for_lock(thread) {
        // Pools have locks of their own; who waits there waits for a connection.
        return pool(thread).unwrap_or(Place::Lock);
    }
    if on_top(thread, &["java.lang.Thread.sleep"]) {
        return Place::Sleep;
    }
    let parked = is_parked(thread);
    if parked && let Some(pool) = pool(thread) {
        return pool;
    }
    if on_top(thread, SOCKET) || parked {
        return match peer(thread) {
            Some(peer) => Place::Peer(peer),
            None if parked => Place::Wait,
            None if serving => Place::Peer(Peer::Client),
            None => Place::Idle,
        };
    }
    if on_top(thread, FILES) {
        return Place::File;
    }
    match thread.state {
        None | Some(State::Runnable) => Place::Cpu,
        _ => Place::Wait,
    }
}

fn pool(thread: &Thread) -> Option<Place> {
    if on_stack(thread, DATABASE_POOLS) && !on_stack(thread, &["com.zaxxer.hikari.pool.PoolBase."])
    {
        return Some(Place::DatabasePool);
    }
    on_stack(thread, CLIENT_POOLS).then_some(Place::ClientPool)
}

/// Whether the stack is in a pool of connections.
pub(crate) fn is_pool(thread: &Thread) -> bool {
    pool(thread).is_some()
}

fn waits_for_lock(thread: &Thread) -> bool {
    if thread.state == Some(State::Blocked) {
        return true;
    }
    match &thread.wait {
        Some(wait) => match wait.kind {
            WaitKind::Monitor => true,
            WaitKind::Park => is_lock_class(&wait.lock.class),
            WaitKind::Notify => false,
        },
        // JSON without what it waits for: the call tells.
        None => {
            is_parked(thread)
                && thread.frames.iter().take(8).any(|frame| {
                    frame
                        .method
                        .starts_with("java.util.concurrent.locks.Reentrant")
                        && (frame.method.ends_with(".lock") || frame.method.contains("Lock."))
                })
        }
    }
}

fn is_lock_class(class: &str) -> bool {
    class.starts_with("java.util.concurrent.locks.") && !class.ends_with("ConditionObject")
}

fn is_parked(thread: &Thread) -> bool {
    matches!(thread.state, Some(State::Waiting | State::TimedWaiting))
        || on_top(
            thread,
            &[
                "jdk.internal.misc.Unsafe.park",
                "sun.misc.Unsafe.park",
                "java.util.concurrent.locks.LockSupport.park",
                "java.lang.VirtualThread.park",
                "java.lang.System$2.parkVirtualThread",
                "java.lang.Object.wait",
            ],
        )
}

/// The innermost client on the stack.
fn peer(thread: &Thread) -> Option<Peer> {
    let tables = [
        (DATABASES, Peer::Database),
        (CACHES, Peer::Cache),
        (SERVICES, Peer::Service),
        (
            &[
                "org.apache.kafka.",
                "com.rabbitmq.",
                "io.netty.",
                "reactor.",
            ][..],
            Peer::Other,
        ),
        (
            &[
                "org.apache.coyote.",
                "org.apache.tomcat.util.net.",
                "io.undertow.",
                "org.eclipse.jetty.",
            ][..],
            Peer::Client,
        ),
    ];
    thread.frames.iter().find_map(|frame| {
        let mut tables = tables.iter();
        let hit = tables.find(|(prefixes, _)| starts_with_any(&frame.method, prefixes));
        hit.map(|(_, peer)| *peer)
    })
}

const LOGGING: &[&str] = &[
    "ch.qos.logback.",
    "org.apache.logging.log4j.",
    "org.apache.log4j.",
    "java.util.logging.",
    "org.apache.juli.",
];
/// What stands between a logging framework and who logs: facades, and what hides a facade.
const LOGGING_FACADES: &[&str] = &[
    "org.slf4j.",
    "org.apache.commons.logging.",
    "org.jboss.logging.",
    "org.springframework.core.log.",
    "io.netty.util.internal.logging.",
    "java.",
    "jdk.",
];

/// Whether the stack is in a logging framework.
#[must_use]
pub fn is_logging(thread: &Thread) -> bool {
    on_stack(thread, LOGGING)
}

/// The call that logs: the innermost one below the logging framework and its facades, of a
/// library or of the application. Loggers are called after the class that uses them (the habit of
/// all frameworks).
#[must_use]
pub fn logs(thread: &Thread) -> Option<&str> {
    let mut frames = thread.frames.iter().map(|frame| frame.method.as_str());
    frames.find(|method| starts_with_any(method, LOGGING))?;
    frames.find(|method| {
        !starts_with_any(method, LOGGING)
            && !starts_with_any(method, LOGGING_FACADES)
            && !is_generated(method)
    })
}

/// Whether the stack has a call into that kind of peer's client, waiting or not.
#[must_use]
pub fn calls(thread: &Thread, peer: Peer) -> bool {
    let (tables, frameworks): (&[&str], &[&str]) = match peer {
        Peer::Database => (
            DATABASES,
            &[
                "org.springframework.jdbc.core.JdbcTemplate.",
                "com.zaxxer.hikari.",
                "org.hibernate.",
                "org.apache.ibatis.",
            ],
        ),
        Peer::Cache => (CACHES, &["org.springframework.data.redis."]),
        Peer::Service => (SERVICES, &[]),
        Peer::Client | Peer::Other => (&[], &[]),
    };
    on_stack(thread, tables) || on_stack(thread, frameworks)
}
