//! Attributes that tell series of one name apart, as those ask who look for such series.

/// An attribute's name: a type of its own, so that none is taken for a value or a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeName(pub &'static str);

/// What a firewall could not track: packet, insert, early.
pub const CONNTRACK_DROP: AttributeName = AttributeName("conntrack.drop");
/// What a CPU was used for: user, system, idle, iowait …
pub const CPU_MODE: AttributeName = AttributeName("cpu.mode");
/// A pool of connections.
pub const DB_CLIENT_CONNECTION_POOL_NAME: AttributeName =
    AttributeName("db.client.connection.pool.name");
/// Of a pool's connection: used, idle.
pub const DB_CLIENT_CONNECTION_STATE: AttributeName = AttributeName("db.client.connection.state");
/// A command or kind of statement.
pub const DB_OPERATION_NAME: AttributeName = AttributeName("db.operation.name");
/// A database's product.
pub const DB_SYSTEM_NAME: AttributeName = AttributeName("db.system.name");
/// read, write.
pub const DISK_IO_DIRECTION: AttributeName = AttributeName("disk.io.direction");
/// What a descriptor is of: file, socket, pipe, other.
pub const FILE_DESCRIPTOR_KIND: AttributeName = AttributeName("file_descriptor.kind");
/// A frontend or backend of HAProxy.
pub const HAPROXY_PROXY_NAME: AttributeName = AttributeName("haproxy.proxy_name");
/// FRONTEND, BACKEND, or a server of HAProxy.
pub const HAPROXY_SERVICE_NAME: AttributeName = AttributeName("haproxy.service_name");
/// A response's status.
pub const HTTP_RESPONSE_STATUS_CODE: AttributeName = AttributeName("http.response.status_code");
/// A collection as the JVM calls it: end of minor GC, end of major GC.
pub const JVM_GC_ACTION: AttributeName = AttributeName("jvm.gc.action");
/// Why a collection began.
pub const JVM_GC_CAUSE: AttributeName = AttributeName("jvm.gc.cause");
/// A pool of a JVM's memory.
pub const JVM_MEMORY_POOL_NAME: AttributeName = AttributeName("jvm.memory.pool.name");
/// heap, non_heap.
pub const JVM_MEMORY_TYPE: AttributeName = AttributeName("jvm.memory.type");
/// A thread's state.
pub const JVM_THREAD_STATE: AttributeName = AttributeName("jvm.thread.state");
/// A logged event's level.
pub const LOG_LEVEL: AttributeName = AttributeName("log.level");
/// Why a connection failed: aborted_connect, max_connections …
pub const MYSQL_CONNECTION_ERROR: AttributeName = AttributeName("mysql.connection.error");
/// A statement's digest.
pub const MYSQL_DIGEST: AttributeName = AttributeName("mysql.digest");
/// A call to a storage engine.
pub const MYSQL_HANDLER: AttributeName = AttributeName("mysql.handler");
/// A way of reading or joining tables.
pub const MYSQL_SCAN: AttributeName = AttributeName("mysql.scan");
/// What a connection's thread does.
pub const MYSQL_THREAD_COMMAND: AttributeName = AttributeName("mysql.thread.command");
/// Of a server's thread: connected, running, cached.
pub const MYSQL_THREAD_KIND: AttributeName = AttributeName("mysql.thread.kind");
/// What a connection's thread waits for.
pub const MYSQL_THREAD_STATE: AttributeName = AttributeName("mysql.thread.state");
/// A TCP connection's state.
pub const NETWORK_CONNECTION_STATE: AttributeName = AttributeName("network.connection.state");
/// A network interface.
pub const NETWORK_INTERFACE_NAME: AttributeName = AttributeName("network.interface.name");
/// transmit, receive.
pub const NETWORK_IO_DIRECTION: AttributeName = AttributeName("network.io.direction");
/// What a client's connection does.
pub const NGINX_CONNECTION_STATE: AttributeName = AttributeName("nginx.connection.state");
/// A class of events of the error log.
pub const NGINX_ERROR: AttributeName = AttributeName("nginx.error");
/// Where a block was found: hit, read.
pub const POSTGRESQL_BLOCK_SOURCE: AttributeName = AttributeName("postgresql.block.source");
/// Whose statement holds a lock.
pub const POSTGRESQL_HOLDER: AttributeName = AttributeName("postgresql.holder");
/// A statement's number.
pub const POSTGRESQL_QUERY_ID: AttributeName = AttributeName("postgresql.query_id");
/// What a connection does: active, idle …
pub const POSTGRESQL_STATE: AttributeName = AttributeName("postgresql.state");
/// What kind of thing a connection waits for.
pub const POSTGRESQL_WAIT_EVENT_TYPE: AttributeName = AttributeName("postgresql.wait_event_type");
/// What tasks stood still for: cpu, memory, io.
pub const PRESSURE_RESOURCE: AttributeName = AttributeName("pressure.resource");
/// some, full: whether all tasks stood still.
pub const PRESSURE_STALL: AttributeName = AttributeName("pressure.stall");
/// voluntary, involuntary.
pub const PROCESS_CONTEXT_SWITCH_TYPE: AttributeName = AttributeName("process.context_switch.type");
/// A command.
pub const REDIS_CMD: AttributeName = AttributeName("redis.cmd");
/// The other side's address.
pub const SERVER_ADDRESS: AttributeName = AttributeName("server.address");
/// The port that is listened on, or the other side's.
pub const SERVER_PORT: AttributeName = AttributeName("server.port");
/// A disk.
pub const SYSTEM_DEVICE: AttributeName = AttributeName("system.device");
/// Where a file system is mounted.
pub const SYSTEM_FILESYSTEM_MOUNTPOINT: AttributeName =
    AttributeName("system.filesystem.mountpoint");
/// Of space: used, free, reserved.
pub const SYSTEM_FILESYSTEM_STATE: AttributeName = AttributeName("system.filesystem.state");
/// in, out.
pub const SYSTEM_PAGING_DIRECTION: AttributeName = AttributeName("system.paging.direction");
/// Of swap: used, free.
pub const SYSTEM_PAGING_STATE: AttributeName = AttributeName("system.paging.state");
/// Who opened a connection: active, passive.
pub const TCP_OPEN: AttributeName = AttributeName("tcp.open");
/// A thread's name with `*` for its numbers.
pub const THREAD_GROUP: AttributeName = AttributeName("thread.group");
/// A thread's number.
pub const THREAD_ID: AttributeName = AttributeName("thread.id");
/// A thread's name.
pub const THREAD_NAME: AttributeName = AttributeName("thread.name");
/// A connector of Tomcat, by the name of its threads.
pub const TOMCAT_THREAD_POOL_NAME: AttributeName = AttributeName("tomcat.thread.pool.name");
