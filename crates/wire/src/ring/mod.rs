//! The kernel's ring of packets (packet(7), `PACKET_RX_RING`): shared memory into which it writes what
//! crosses the interfaces of a network namespace, so that reading takes no call for each packet.

mod block;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::datagram::SeenPacket;
use crate::ends::FollowedShare;
use crate::filter;
use crate::packet::WirePacket;

/// The ring consists of blocks, which change hands whole.
const BLOCK_BYTES: usize = 512 << 10;
/// The kernel wants it told, though packets take the room they need.
const FRAME_BYTES: usize = 2 << 10;
/// A block that is not full changes hands after that.
const HANDED_OVER_AFTER: Duration = Duration::from_millis(50);
/// Where in a block its state is.
const STATE_AT: usize = 8;

/// How much room a ring has: the reader may be away for as long as it takes to fill it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingSize {
    blocks: usize,
}

impl RingSize {
    /// 16 MiB: for all that crosses a busy host.
    pub const LARGE: Self = Self { blocks: 32 };
    /// 4 MiB: for one of many network namespaces.
    pub const SMALL: Self = Self { blocks: 8 };
    /// 1 MiB, the least that works.
    pub const LEAST: Self = Self { blocks: 2 };
}

/// What the kernel counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RingCounts {
    /// Packets that passed the filter.
    pub packets: u64,
    /// Those of them for which there was no room.
    pub dropped: u64,
}

/// A ring of the TCP packets of all interfaces of the network namespace in which it was opened; it
/// stays there.
pub struct Ring {
    socket: OwnedFd,
    memory: RingMemory,
    next: usize,
    counts: RingCounts,
    space: u32,
}

/// The memory that is shared with the kernel.
struct RingMemory {
    address: NonNull<u8>,
    blocks: usize,
}

// SAFETY: the mapping belongs to no thread; whoever has it may use it, and unmaps it once.
unsafe impl Send for RingMemory {}

impl Drop for RingMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping has that address and length, and nothing borrows from it any more,
        // since all that does borrows from `self`.
        unsafe { libc::munmap(self.address.as_ptr().cast(), BLOCK_BYTES * self.blocks) };
    }
}

impl RingMemory {
    fn map(socket: &OwnedFd, blocks: usize) -> io::Result<Self> {
        // SAFETY: a new mapping at a place of the kernel's choice; its address is looked at below.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                BLOCK_BYTES * blocks,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                socket.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(address.cast())
            .map(|address| Self { address, blocks })
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Whose a block is.
    fn state(&self, block: usize) -> &AtomicU32 {
        let at = (block % self.blocks) * BLOCK_BYTES + STATE_AT;
        // SAFETY: the place is inside the mapping, aligned to 4, and as long as the mapping is; the
        // kernel writes it in one piece, and we do so only through this.
        unsafe { AtomicU32::from_ptr(self.address.as_ptr().add(at).cast()) }
    }

    /// The block, if it is ours.
    fn ours(&self, block: usize) -> Option<&[u8]> {
        if self.state(block).load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        let at = (block % self.blocks) * BLOCK_BYTES;
        // SAFETY: the range is inside the mapping. The kernel writes nothing to a block that is
        // ours; it is given back only when what is borrowed here is gone (`Ring::read`).
        Some(unsafe { std::slice::from_raw_parts(self.address.as_ptr().add(at), BLOCK_BYTES) })
    }
}

impl Ring {
    /// Opens one for the packets of a share of all connections. It takes `CAP_NET_RAW`, the memory of
    /// its size, and interrupts nobody. Its packets will say that they were seen in `space`, whatever
    /// number the caller gives the network namespace in which this thread is now.
    ///
    /// # Errors
    /// The kernel refuses (`PermissionDenied` without the right), or has no such rings.
    pub fn open(share: FollowedShare, size: RingSize, space: u32) -> io::Result<Self> {
        // SAFETY: makes a descriptor, or says -1. Without a protocol nothing comes in yet.
        let socket = unsafe {
            let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
            let socket = done(libc::socket(libc::AF_PACKET, kind, 0))?;
            OwnedFd::from_raw_fd(socket)
        };
        filter_with(&socket, share)?;
        let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
        set(&socket, libc::SOL_PACKET, libc::PACKET_VERSION, &version)?;
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: size.blocks as u32,
            tp_frame_size: FRAME_BYTES as u32,
            tp_frame_nr: (BLOCK_BYTES / FRAME_BYTES * size.blocks) as u32,
            tp_retire_blk_tov: HANDED_OVER_AFTER.as_millis() as u32,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set(&socket, libc::SOL_PACKET, libc::PACKET_RX_RING, &request)?;
        let memory = RingMemory::map(&socket, size.blocks)?;
        bind(&socket)?;
        Ok(Self {
            socket,
            memory,
            next: 0,
            counts: RingCounts::default(),
            space,
        })
    }

    /// Takes in another share of all connections from now on.
    ///
    /// # Errors
    /// The kernel refuses; then it stays as it was.
    pub fn set_share(&mut self, share: FollowedShare) -> io::Result<()> {
        filter_with(&self.socket, share)
    }

    /// Hands on the segments of TCP there are, at most as many as there is room for; if there are none, waits for them so
    /// long.
    ///
    /// # Errors
    /// The socket fails: an interface went down is none.
    pub fn read(
        &mut self,
        patience: Duration,
        mut each: impl FnMut(&WirePacket<'_>),
    ) -> io::Result<()> {
        self.read_all(patience, |packet| {
            if let SeenPacket::Segment(packet) = packet {
                each(&packet);
            }
        })
    }

    /// The same with the datagrams of UDP.
    ///
    /// # Errors
    /// As [`Ring::read`].
    pub fn read_all(
        &mut self,
        patience: Duration,
        mut each: impl FnMut(SeenPacket<'_>),
    ) -> io::Result<()> {
        if self.memory.ours(self.next).is_none() {
            self.wait(patience)?;
        }
        // Packets may come as fast as they are read: the reader has other things to do, too.
        for _ in 0..self.memory.blocks {
            let Some(block) = self.memory.ours(self.next) else {
                break;
            };
            block::packets(block, self.space, &mut each);
            let state = self.memory.state(self.next);
            state.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % self.memory.blocks;
        }
        Ok(())
    }

    /// How long what comes in may lie before it can be read.
    #[must_use]
    pub fn delay(&self) -> Duration {
        HANDED_OVER_AFTER * 2
    }

    fn wait(&self, patience: Duration) -> io::Result<()> {
        let mut wanted = libc::pollfd {
            fd: self.socket.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let patience_ms = libc::c_int::try_from(patience.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: one entry, which outlives the call.
        match done(unsafe { libc::poll(&raw mut wanted, 1, patience_ms) }) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// What the kernel counted since the ring was opened.
    pub fn counts(&mut self) -> RingCounts {
        let mut new = libc::tpacket_stats_v3 {
            tp_packets: 0,
            tp_drops: 0,
            tp_freeze_q_cnt: 0,
        };
        let mut length = size_of_val(&new) as libc::socklen_t;
        // SAFETY: the place has the length that is told.
        let told = done(unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut new).cast(),
                &raw mut length,
            )
        });
        // Each question begins a new count.
        if told.is_ok() {
            self.counts.packets += u64::from(new.tp_packets);
            self.counts.dropped += u64::from(new.tp_drops);
        }
        self.counts
    }
}

fn done(result: libc::c_int) -> io::Result<libc::c_int> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

fn set<T>(socket: &OwnedFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the value lives as long as the call and has that length; the callers give each option
    // the type that the kernel expects.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    done(result).map(|_| ())
}

fn filter_with(socket: &OwnedFd, share: FollowedShare) -> io::Result<()> {
    let mut program = filter::program(share);
    let told = libc::sock_fprog {
        len: program.len() as u16,
        // The kernel copies it during the call.
        filter: program.as_mut_ptr(),
    };
    set(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &told)
}

/// From now on all protocols of all interfaces come in.
fn bind(socket: &OwnedFd) -> io::Result<()> {
    let all = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: 0,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    // SAFETY: the address lives as long as the call and has that length.
    let result = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const all).cast(),
            size_of_val(&all) as libc::socklen_t,
        )
    };
    done(result).map(|_| ())
}
