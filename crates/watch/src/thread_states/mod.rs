//! What the threads of a process do, by the kernel: on a CPU, waiting for one, or waiting in which
//! system call and for whom. Read from `/proc/PID/task` again and again for a few seconds; nothing
//! is attached to and nothing is stopped.

mod account;
pub(crate) mod call;
mod event_loop;
mod fds;
mod files;
mod neighbours;
mod peers;
mod result;
mod sampling;
mod seen;
mod socket_waits;
mod titles;
mod wait;

pub(crate) use sampling::Sampling;
pub(crate) use socket_waits::SocketWaiters;
pub(crate) use titles::ServerTitles;
