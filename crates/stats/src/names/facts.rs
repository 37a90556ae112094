//! Facts that are known of a thing of the target, as those ask who look for them. They are plain
//! text: settings have the names that their program gives them, and some are put together.

/// Bytes that a JVM's heap may grow to.
pub const JVM_HEAP_MAX: &str = "jvm.heap.max";
/// Bytes of InnoDB's buffer pool.
pub const MYSQL_INNODB_BUFFER_POOL_SIZE: &str = "mysql.innodb_buffer_pool_size";
/// Connections that MySQL or MariaDB takes at once.
pub const MYSQL_MAX_CONNECTIONS: &str = "mysql.max_connections";
/// Connections that a worker of nginx may have open.
pub const NGINX_EVENTS_WORKER_CONNECTIONS: &str = "nginx.events.worker_connections";
/// Whether nginx compresses.
pub const NGINX_HTTP_GZIP: &str = "nginx.http.gzip";
/// Workers of nginx, as set.
pub const NGINX_WORKER_PROCESSES: &str = "nginx.worker_processes";
/// A process's command line.
pub const PROCESS_COMMAND_LINE: &str = "process.command_line";
/// Ports that a process listens on.
pub const PROCESS_LISTENING_PORTS: &str = "process.listening.ports";
/// Clients that Redis takes at once.
pub const REDIS_MAXCLIENTS: &str = "redis.maxclients";
/// Bytes that Redis may keep.
pub const REDIS_MAXMEMORY: &str = "redis.maxmemory";
/// Whether a Spring Boot application compresses.
pub const SERVER_COMPRESSION_ENABLED: &str = "server.compression.enabled";
/// How long a Spring Boot application keeps a session.
pub const SERVER_SERVLET_SESSION_TIMEOUT: &str = "server.servlet.session.timeout";
/// Threads of Tomcat, as set.
pub const SERVER_TOMCAT_THREADS_MAX: &str = "server.tomcat.threads.max";
/// Threads of Jetty, as set.
pub const SERVER_JETTY_THREADS_MAX: &str = "server.jetty.threads.max";
/// Worker threads of Undertow, as set.
pub const SERVER_UNDERTOW_THREADS_WORKER: &str = "server.undertow.threads.worker";
/// Threads of a Dubbo provider, as set.
pub const DUBBO_PROTOCOL_THREADS: &str = "dubbo.protocol.threads";
