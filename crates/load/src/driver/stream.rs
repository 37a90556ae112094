//! A connected byte stream: TCP or a Unix socket, with the kernel's receive times on request; in
//! tests also one of a simulated network.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

use super::inbox::Received;
#[cfg(test)]
use super::simulated::SimulatedStream;

/// A connected stream.
#[derive(Debug)]
pub enum Stream {
    /// TCP.
    Tcp(TcpStream),
    /// A Unix socket.
    Unix(UnixStream),
    /// A connection in memory.
    #[cfg(test)]
    Simulated(SimulatedStream),
}

/// On the socket of the stream, whichever it is; a simulated one may do something of its own.
macro_rules! on {
    ($self:expr, $stream:ident => $body:expr) => {
        on!($self, $stream => $body, $body)
    };
    ($self:expr, $stream:ident => $body:expr, $simulated:expr) => {
        match $self {
            Stream::Tcp($stream) => $body,
            Stream::Unix($stream) => $body,
            #[cfg(test)]
            Stream::Simulated($stream) => $simulated,
        }
    };
}

impl Stream {
    /// Writes what fits now.
    ///
    /// # Errors
    /// `WouldBlock` when nothing fits; else as the system says.
    #[inline]
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        on!(self, stream => stream.try_write(bytes))
    }

    /// The stream as something to write to, as far as it takes bytes now.
    pub fn writer(&self) -> impl io::Write + '_ {
        StreamWriter(self)
    }

    /// Reads what is there now.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is; else as the system says.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        on!(self, stream => stream.try_read(buffer))
    }

    /// Whether there may be something to read, the end included; costs no system call.
    pub fn is_readable(&self) -> bool {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        on!(self, stream => stream.poll_read_ready(&mut cx)).is_ready()
    }

    /// Ready when something can be written.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on!(self, stream => stream.poll_write_ready(cx))
    }

    /// Reads into `buffer` when there is something. A read that does not fill the buffer
    /// tells the runtime that the socket is empty, so that no read ends in `EAGAIN`.
    #[inline]
    pub fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        on!(self, stream => {
            let mut into = ReadBuf::new(buffer);
            ready!(Pin::new(stream).poll_read(cx, &mut into))?;
            Poll::Ready(Ok(into.filled().len()))
        }, stream.poll_receive(cx, buffer).map_ok(|received| received.bytes))
    }

    /// As [`Stream::poll_read`], with the kernel's own receive time.
    pub fn poll_read_timed(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<Received>> {
        on!(self, stream => loop {
            ready!(stream.poll_read_ready(cx))?;
            let mut emptied = None;
            let receive = || {
                let received = receive_timed(stream.as_raw_fd(), buffer)?;
                if (1..buffer.len()).contains(&received.bytes) {
                    // The socket is empty; "would block" tells the runtime so.
                    emptied = Some(received);
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                Ok(received)
            };
            let read = stream.try_io(Interest::READABLE, receive);
            match (emptied, read) {
                (Some(received), _) => return Poll::Ready(Ok(received)),
                (None, Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
                (None, result) => return Poll::Ready(result),
            }
        }, stream.poll_receive(cx, buffer))
    }

    /// Waits for something to read; gives how many bytes, 0 at the end. May be dropped at any
    /// time: nothing is lost.
    ///
    /// # Errors
    /// As the system says.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_read(cx, buffer)).await
    }

    /// Writes all of the bytes.
    ///
    /// # Errors
    /// As the system says; how much was written is not known then.
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.try_write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll_fn(|cx| self.poll_write_ready(cx)).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether small pieces are sent at once, where that can be said of a stream.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_nodelay(nodelay),
            _ => Ok(()),
        }
    }

    /// Closes a stream that was opened with [`TcpOptions::linger`](super::TcpOptions::linger): the
    /// system may wait for what is not sent yet, but not on this thread.
    pub fn close_lingering(self) {
        if let Self::Tcp(stream) = self {
            tokio::task::spawn_blocking(move || drop(stream.into_std()));
        }
    }

    /// Whether the other side closed, or sent what nobody asked for, while nothing was
    /// expected; costs no system call while neither happened.
    pub fn is_stale(&self) -> bool {
        self.is_readable()
            && !matches!(self.try_read(&mut [0]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Asks the kernel for receive times on this socket.
    pub fn enable_timestamps(&self) {
        on!(self, stream => ask_for_timestamps(stream.as_raw_fd()), {
            let _ = stream;
        });
    }
}

fn ask_for_timestamps(fd: RawFd) {
    let flags: libc::c_uint = libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    // SAFETY: `flags` lives through the call and its size is given. A kernel without
    // time stamps refuses, and reads then bring none.
    unsafe {
        libc::setsockopt(
            fd,
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            (&raw const flags).cast(),
            size_of_val(&flags) as libc::socklen_t,
        )
    };
}

struct StreamWriter<'a>(&'a Stream);

impl io::Write for StreamWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        on!(self.0, stream => stream.try_write_vectored(pieces))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Room for one `SCM_TIMESTAMPING` message: its header and three times.
#[repr(C, align(8))]
struct Control([u8; 128]);

fn receive_timed(fd: RawFd, buffer: &mut [u8]) -> io::Result<Received> {
    let mut control = Control([0; 128]);
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: an all-zero msghdr is valid: no name, no pieces, no control.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = &raw mut piece;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    // Its type differs between C libraries.
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: all pointers of `message` are valid for the lengths given with them.
    let read = unsafe { libc::recvmsg(fd, &raw mut message, 0) };
    let Ok(bytes) = usize::try_from(read) else {
        return Err(io::Error::last_os_error());
    };
    Ok(Received {
        bytes,
        kernel_lag_ns: kernel_lag(&message),
    })
}

/// Now minus the software receive time among the control messages.
fn kernel_lag(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: the kernel filled `message`'s control buffer, which the caller still holds;
    // the CMSG functions stay inside msg_controllen.
    let stamp = unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        loop {
            if header.is_null() {
                return None;
            }
            let is_stamp = (*header).cmsg_level == libc::SOL_SOCKET
                && (*header).cmsg_type == libc::SO_TIMESTAMPING;
            if is_stamp {
                break libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    };
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid timespec; receive times are on CLOCK_REALTIME.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    let ns = |time: libc::timespec| time.tv_sec * 1_000_000_000 + time.tv_nsec;
    (stamp.tv_sec != 0).then(|| u64::try_from(ns(now) - ns(stamp)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    async fn pair() -> (Stream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
        (Stream::Tcp(client.unwrap()), server.unwrap().0)
    }

    #[tokio::test]
    async fn a_timed_read_brings_the_bytes_and_the_kernels_lag() {
        let (mut client, mut server) = pair().await;
        client.enable_timestamps();
        // The kernel switches time stamps on in the background: the first packets have none.
        for _ in 0..1_000 {
            server.write_all(b"hello").await.unwrap();
            let mut buffer = [0; 64];
            let read = poll_fn(|cx| client.poll_read_timed(cx, &mut buffer)).await;
            let received = read.unwrap();
            assert_eq!(&buffer[..received.bytes], b"hello");
            if received.kernel_lag_ns.is_some() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("no receive time in a thousand packets");
    }

    #[tokio::test]
    async fn a_stream_is_stale_once_the_server_closed_it() {
        let (client, server) = pair().await;
        assert!(!client.is_stale());
        drop(server);
        poll_fn(|cx| on!(&client, stream => stream.poll_read_ready(cx)))
            .await
            .unwrap();
        assert!(client.is_stale());
    }
}
