//! Names of the JDK, of servers, drivers and clients, by what a thread does that is in them.

/// Prefixes of classes that belong to the platform, servers and frameworks; drivers and clients
/// have tables of their own below.
pub(super) const LIBRARIES: &[&str] = &[
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
    "io.micronaut.",
    "io.ktor.",
    "io.helidon.",
    "io.quarkus.",
    "io.smallrye.",
    "io.javalin.",
    "com.linecorp.armeria.",
    "play.",
    "akka.",
    "io.micrometer.",
    "io.prometheus.",
    "io.opentelemetry.",
    "ch.qos.logback.",
    "org.slf4j.",
    "com.zaxxer.",
    "com.alibaba.druid.",
    "com.mchange.",
    "oracle.",
    "org.hibernate.",
    "org.ibatis.",
    "com.baomidou.",
    "net.bytebuddy.",
    "net.sf.cglib.",
    "org.aspectj.",
    "com.fasterxml.",
    "com.google.",
    "okio.",
    "com.netflix.",
    "brave.",
    "org.jolokia.",
    "org.mybatis.",
    "org.glassfish.",
    "org.thymeleaf.",
    "freemarker.",
    "weblogic.",
    "com.caucho.",
    "com.ibm.ws.",
    "com.p6spy.",
    "com.alibaba.cloud.",
    "com.alibaba.csp.sentinel.",
    "com.alibaba.fastjson",
    "cn.hutool.",
    "com.github.pagehelper.",
    "io.seata.",
];

/// Frames that only a thread which serves a request has.
pub(super) const SERVING: &[&str] = &[
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
    "io.vertx.ext.web.impl.Route",
    "io.micronaut.web.router.",
    "io.ktor.server.routing.",
    "io.helidon.webserver.http.",
    "org.jboss.resteasy.",
    "com.linecorp.armeria.server.annotation.",
    "play.api.mvc.",
    "akka.http.scaladsl.server.",
    // Not the dispatcher, which hands exchanges out.
    "com.sun.net.httpserver.Filter$Chain.",
    "sun.net.httpserver.ServerImpl$Exchange.",
    "org.apache.dubbo.remoting.transport.dispatcher.ChannelEventRunnable.",
    "com.alibaba.dubbo.remoting.transport.dispatcher.ChannelEventRunnable.",
    "io.grpc.internal.ServerImpl$",
    "io.grpc.stub.ServerCalls$",
];

pub(super) const DATABASES: &[&str] = &[
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
    "com.mongodb.",
    "com.oceanbase.jdbc.",
    "org.opengauss.",
    "com.gbase.",
    "net.sourceforge.jtds.",
    "com.datastax.",
];
pub(super) const CACHES: &[&str] = &[
    "io.lettuce.",
    "redis.clients.",
    "org.redisson.",
    "net.spy.memcached.",
    "net.rubyeye.xmemcached.",
];
pub(super) const SERVICES: &[&str] = &[
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
    "org.apache.thrift.",
    "com.alipay.sofa.rpc.",
    "org.elasticsearch.client.",
];
/// Clients of queues and registries, and what others are built on.
pub(super) const OTHERS: &[&str] = &[
    "org.apache.kafka.",
    "org.apache.rocketmq.",
    "org.apache.pulsar.",
    "org.apache.activemq.",
    "org.apache.zookeeper.",
    "org.apache.curator.",
    "com.alibaba.nacos.",
    "com.rabbitmq.",
    "io.nats.",
    "io.netty.",
    "reactor.",
];
/// Where the platform asks a name server, or waits for another thread that asks it the same.
pub(super) const NAME_SERVERS: &[&str] = &[
    "java.net.Inet4AddressImpl.lookupAllHostAddr",
    "java.net.Inet6AddressImpl.lookupAllHostAddr",
    "java.net.Inet4AddressImpl.getHostByAddr",
    "java.net.Inet6AddressImpl.getHostByAddr",
    "java.net.InetAddress$NameServiceAddresses.get",
    "com.sun.jndi.dns.DnsClient.",
];
/// The side of a server that talks to the client which is served.
pub(super) const SERVERS: &[&str] = &[
    "org.apache.coyote.",
    "org.apache.tomcat.util.net.",
    "io.undertow.",
    "org.eclipse.jetty.",
    "sun.net.httpserver.",
];

/// Locks that all servers of a service share: packages, how their classes end, and the calls that
/// wait for one.
pub(super) const SHARED_LOCKS: &[&str] = &[
    "org.redisson.",
    "org.apache.curator.framework.recipes.locks.",
];
pub(super) const LOCK_CLASSES: &[&str] = &["Lock", "Mutex"];
pub(super) const TAKE_LOCK: &[&str] = &["lock", "tryLock", "lockInterruptibly", "acquire"];

/// Waiting in these is waiting for a database connection of a pool.
pub(super) const DATABASE_POOLS: &[&str] = &[
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
pub(super) const CLIENT_POOLS: &[&str] = &[
    "org.apache.http.pool.AbstractConnPool.",
    "org.apache.http.impl.conn.PoolingHttpClientConnectionManager.leaseConnection",
    "org.apache.hc.core5.pool.",
    "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$",
    "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
    "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
    "org.apache.commons.pool.impl.GenericObjectPool.borrowObject",
];

/// Calls that are on the stack of a thread that waits for work.
pub(super) const IDLE: &[&str] = &[
    "java.util.concurrent.ThreadPoolExecutor.getTask",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    "org.apache.tomcat.util.net.JIoEndpoint$Acceptor",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor",
    "org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy.tryProduce",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    // The thread that hands references over waits in the JVM, where it counts as runnable.
    "java.lang.ref.Reference.waitForReferencePendingList",
];
/// Of these, calls of threads that a server keeps in its pool for something else than what waits in the pool's queue: Jetty's
/// that looks at connections, and those it keeps to take that over.
pub(super) const KEPT_APART: &[&str] = &[
    "org.eclipse.jetty.util.thread.ReservedThreadExecutor",
    "org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy.tryProduce",
];

/// The innermost calls of a thread in a system call of a socket.
pub(super) const SOCKET: &[&str] = &[
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
pub(super) const FILES: &[&str] = &[
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

/// Calls in which a thread waits for a task that others run.
pub(super) const AWAIT_TASK: &[&str] = &[
    "java.util.concurrent.FutureTask.get",
    "java.util.concurrent.FutureTask.awaitDone",
    "java.util.concurrent.CompletableFuture.get",
    "java.util.concurrent.CompletableFuture.join",
    "java.util.concurrent.CompletableFuture.waitingGet",
    "java.util.concurrent.CompletableFuture.timedGet",
    "java.util.concurrent.CountDownLatch.await",
    "java.util.concurrent.ForkJoinTask.get",
    "java.util.concurrent.ForkJoinTask.join",
    "java.util.concurrent.ForkJoinTask.awaitDone",
    "java.util.concurrent.ForkJoinTask.externalAwaitDone",
    "java.util.concurrent.AbstractExecutorService.invokeAll",
];
/// Calls below which a thread of a pool runs what was handed to it.
pub(super) const RUN_TASK: &[&str] = &[
    "java.util.concurrent.ThreadPoolExecutor.runWorker",
    "java.util.concurrent.ForkJoinTask.doExec",
    "java.util.concurrent.ForkJoinPool.runWorker",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker",
    "org.jboss.threads.",
];
/// Queues whose consumers are idle while they wait there.
pub(super) const QUEUES: &[&str] = &[
    "java.util.concurrent.LinkedBlockingQueue.",
    "java.util.concurrent.LinkedBlockingDeque.",
    "java.util.concurrent.ArrayBlockingQueue.",
    "java.util.concurrent.PriorityBlockingQueue.",
    "java.util.concurrent.SynchronousQueue.",
    "java.util.concurrent.LinkedTransferQueue.",
    "java.util.concurrent.DelayQueue.",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.",
];

/// Libraries that are below all others, and interpreters: that code is in them says nothing.
const BASE: &[&str] = &[
    "libc.so",
    "libc-",
    "libc.musl",
    "ld-",
    "libpthread",
    "libstdc++",
    "libgcc_s",
    "[",
    "kernel",
    "runtime",
    "std",
    "libpython",
    "python",
    "php",
    "php-fpm",
    "libphp",
    "node",
    "ext/Core",
    "ext/standard",
    "importlib",
    "threading",
    "socketserver",
];

/// Whether a library is below all others.
pub(super) fn is_base(library: &str) -> bool {
    let is_one = |begin: &&str| {
        let Some(rest) = library.strip_prefix(begin) else {
            return false;
        };
        // `python3.11`, `importlib._bootstrap`, `node:fs`; not `node-fetch`, nor `phpoffice/phpspreadsheet`.
        let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
        is_version(rest) || rest.starts_with(['.', '/', ':']) || is_open(begin)
    };
    BASE.iter().any(is_one)
}

/// Whether more of a name may follow: that of a shared library, and what is in brackets.
fn is_open(begin: &str) -> bool {
    begin.starts_with("lib") || begin.ends_with(['-', '['])
}
