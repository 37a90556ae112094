// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Tells of each call that sends or receives bytes at a connected stream socket of the file system: when, at which
 * end, how many bytes, by which process. Of the bytes themselves nothing is read. What is here of the kernel's own
 * structures is what is used of them; the loader finds out where it is in the running kernel (CO-RE).
 */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define IN_KERNEL __attribute__((preserve_access_index))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define MAP_NUMBER(name, value) int (*name)[value]
#define MAP_TYPE(name, type) typeof(type) *name

/* Of linux/bpf.h. */
enum { MAP_HASH = 1, MAP_ARRAY = 2, MAP_PER_CPU_ARRAY = 6, MAP_LRU_HASH = 9, MAP_RING = 27 };
enum { ANY = 0, NO_WAKEUP = 1 };
static void *(*const map_lookup)(void *map, const void *key) = (void *)1;
static long (*const map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*const monotonic_ns)(void) = (void *)5;
static u64 (*const current_pid)(void) = (void *)14;
static long (*const read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static void *(*const ring_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*const ring_submit)(void *record, u64 flags) = (void *)132;
struct task_struct;
static struct task_struct *(*const current_task)(void) = (void *)158;
struct unix_sock;
static struct unix_sock *(*const as_unix)(void *sk) = (void *)178;

/* Of the kernel's sockets. */
enum { AF_UNIX = 1, SOCK_STREAM = 1, MSG_PEEK = 2, EPIPE = 32, ECONNRESET = 104 };

struct sock_common {
	u16 skc_family;
} IN_KERNEL;

struct sk_buff_head {
	u32 qlen;
} IN_KERNEL;

struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	struct socket *sk_socket;
	u16 sk_type;
} IN_KERNEL;

struct socket {
	struct sock *sk;
} IN_KERNEL;

struct inode {
	unsigned long i_ino;
} IN_KERNEL;

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
} IN_KERNEL;

typedef struct {
	s32 counter;
} IN_KERNEL atomic_t;

typedef struct refcount_struct {
	atomic_t refs;
} IN_KERNEL refcount_t;

struct sockaddr_un {
	u16 sun_family;
} IN_KERNEL;

struct unix_address {
	refcount_t refcnt;
	s32 len;
	struct sockaddr_un name[0];
} IN_KERNEL;

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
} IN_KERNEL;

enum { PROGRAM_BYTES = 16 };

struct task_struct {
	struct task_struct *group_leader;
	char comm[PROGRAM_BYTES];
} IN_KERNEL;

/* What is told; `crates/wire/src/probe/record.rs` reads the same. */
enum { BY_SERVER = 1, RECEIVED = 2, UNREAD = 4 };

struct call {
	u64 at_ns;
	u64 client;
	u64 server;
	u64 name;
	u32 client_inode;
	u32 pid;
	s32 result;
	u32 flags;
};

enum { NAME_BYTES = 108, FAMILY_BYTES = 2 };

struct name {
	u32 length;
	char text[NAME_BYTES];
};

struct {
	MAP_NUMBER(type, MAP_RING);
	MAP_NUMBER(max_entries, 8 << 20);
} calls SEC(".maps");

/* The name of each address at which a server listens. */
struct {
	MAP_NUMBER(type, MAP_HASH);
	MAP_NUMBER(max_entries, 4096);
	MAP_TYPE(key, u64);
	MAP_TYPE(value, struct name);
} names SEC(".maps");

struct program {
	char name[PROGRAM_BYTES];
};

/* What each process that calls runs: it may be gone before anybody can look at it. */
struct {
	MAP_NUMBER(type, MAP_LRU_HASH);
	MAP_NUMBER(max_entries, 8192);
	MAP_TYPE(key, u32);
	MAP_TYPE(value, struct program);
} programs SEC(".maps");

/* Calls for which there was no room. */
struct {
	MAP_NUMBER(type, MAP_PER_CPU_ARRAY);
	MAP_NUMBER(max_entries, 1);
	MAP_TYPE(key, u32);
	MAP_TYPE(value, u64);
} lost SEC(".maps");

enum { ALL_PARTS = 256 };

/* So many of all parts of the connections are told of. */
struct {
	MAP_NUMBER(type, MAP_ARRAY);
	MAP_NUMBER(max_entries, 1);
	MAP_TYPE(key, u32);
	MAP_TYPE(value, u32);
} share SEC(".maps");

/* Reads a field of something whose type the verifier does not know. */
#define READ(field)                                                                                                    \
	({                                                                                                                 \
		typeof(field) value_ = 0;                                                                                      \
		read_kernel(&value_, sizeof(value_), &(field));                                                                \
		value_;                                                                                                        \
	})

/* The number of an end's file; none: it is closed, or not accepted yet. */
ALWAYS_INLINE u32 inode_of(struct sock *sk)
{
	struct socket_alloc *file = (void *)sk->sk_socket;

	return file ? READ(file->vfs_inode.i_ino) : 0;
}

/* How many ends share an address; none: it has no name, as most clients. */
ALWAYS_INLINE s32 ends_at(struct unix_address *address)
{
	return address && address->len > FAMILY_BYTES ? address->refcnt.refs.counter : 0;
}

/* Whole connections, whichever end calls, by where both ends are. */
ALWAYS_INLINE int is_followed(struct unix_sock *own, struct sock *sk)
{
	u32 none = 0, sum, *parts = map_lookup(&share, &none);

	if (!parts || *parts == ALL_PARTS)
		return parts != 0;
	/* These may be computed with, unlike what is known to be of that type. */
	sum = (u32)((u64)READ(own->peer) >> 6) + (u32)((u64)READ(sk->sk_socket->sk) >> 6);
	return (sum * 0x9e3779b1) >> 24 < *parts;
}

ALWAYS_INLINE void keep_name(struct unix_address *address)
{
	struct name name = {};
	u64 key, length;

	key = (u64)address;
	if (map_lookup(&names, &key))
		return;
	/* No name is longer; the verifier wants to see it. */
	length = (address->len - FAMILY_BYTES) & 127;
	if (length > NAME_BYTES)
		return;
	name.length = length;
	read_kernel(name.text, length, (char *)&address->name + FAMILY_BYTES);
	map_update(&names, &key, &name, ANY);
}

ALWAYS_INLINE void keep_program(u32 pid)
{
	struct program program = {};

	if (map_lookup(&programs, &pid))
		return;
	read_kernel(program.name, sizeof(program.name), &current_task()->group_leader->comm);
	map_update(&programs, &pid, &program, ANY);
}

ALWAYS_INLINE void count_lost(void)
{
	u32 none = 0;
	u64 *count = map_lookup(&lost, &none);

	if (count)
		*count += 1;
}

ALWAYS_INLINE int tell(struct sock *sk, s32 result, u32 flags)
{
	struct unix_sock *own, *other;
	struct unix_address *address;
	s32 own_ends, other_ends;
	struct call *call;
	int by_server;
	u32 pid;

	if (sk->__sk_common.skc_family != AF_UNIX || sk->sk_type != SOCK_STREAM)
		return 0;
	if (result < 0 && result != -EPIPE && result != -ECONNRESET)
		return 0;
	own = as_unix(sk);
	if (!own || !is_followed(own, sk))
		return 0;
	other = as_unix(own->peer);
	if (!other)
		return 0;
	own_ends = ends_at(own->addr);
	other_ends = ends_at(other->addr);
	/* A pair of sockets that nobody listened for. */
	if (!own_ends && !other_ends)
		return 0;
	/* Who accepted a connection has the address of who listens. */
	by_server = own_ends > other_ends;
	address = by_server ? own->addr : other->addr;
	keep_name(address);
	pid = current_pid() >> 32;
	keep_program(pid);
	call = ring_reserve(&calls, sizeof(*call), 0);
	if (!call) {
		count_lost();
		return 0;
	}
	call->at_ns = monotonic_ns();
	call->client = (u64)(by_server ? own->peer : sk);
	call->server = (u64)(by_server ? sk : own->peer);
	call->name = (u64)address;
	call->client_inode = inode_of(by_server ? own->peer : sk);
	call->pid = pid;
	call->result = result;
	call->flags = flags | (by_server ? BY_SERVER : 0) | (sk->sk_receive_queue.qlen ? UNREAD : 0);
	ring_submit(call, NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sock_send_length")
int sent(u64 *told)
{
	return tell((struct sock *)told[0], (s32)told[1], 0);
}

SEC("tp_btf/sock_recv_length")
int received(u64 *told)
{
	return told[2] & MSG_PEEK ? 0 : tell((struct sock *)told[0], (s32)told[1], RECEIVED);
}

char terms[] SEC("license") = "Dual MIT/GPL";
