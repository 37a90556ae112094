//! Listening sockets: who waits to be accepted, and who was not.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::area::{Area, Out};
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::host as names;
use crate::proc::file::unreadable;
use crate::sockets::{NetSpace, Sockets, TcpSocket, TcpState};

/// What is known of the sockets that listen at one port.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Port {
    length: f64,
    limit: f64,
    drops: f64,
}

/// The listening sockets of one network namespace.
pub(crate) struct ListenQueues {
    sockets: Sockets,
    ports: BTreeMap<u16, Port>,
}

impl ListenQueues {
    pub(crate) fn new(space: NetSpace) -> Self {
        Self {
            sockets: Sockets::new(space),
            ports: BTreeMap::new(),
        }
    }
}

impl Area for ListenQueues {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        self.ports.clear();
        let ports = &mut self.ports;
        let mut visit = |socket: TcpSocket| add(ports, &socket);
        let done = self.sockets.each(TcpState::Listen.bit(), &mut visit);
        done.map_err(|error| unreadable("/proc/net/tcp".as_ref(), &error))?;
        tell(&self.ports, out);
        if self.sockets.by_text() {
            let message = Message::new("watch-host-no-netlink");
            out.look.missing(out.entity, message);
        }
        Ok(())
    }
}

fn add(ports: &mut BTreeMap<u16, Port>, socket: &TcpSocket) {
    let port = ports.entry(socket.local.port()).or_default();
    port.length += f64::from(socket.receive_queue);
    port.limit += f64::from(socket.send_queue);
    port.drops += socket.drops.map_or(f64::NAN, f64::from);
}

fn tell(ports: &BTreeMap<u16, Port>, out: &mut Out<'_>) {
    for (number, port) in ports {
        let number = number.to_string();
        let attributes = [("server.port", number.as_str())];
        out.value(&names::LISTEN_QUEUE, &attributes, port.length);
        if port.limit > 0.0 {
            out.value(&names::LISTEN_QUEUE_LIMIT, &attributes, port.limit);
        }
        out.value(&names::LISTEN_SOCKET_DROPS, &attributes, port.drops);
    }
}

/// Looks at the listening sockets every second: a queue overflows in no time.
pub(super) struct ListeningSockets {
    entity: Arc<Entity>,
    queues: ListenQueues,
}

impl ListeningSockets {
    pub(super) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            queues: ListenQueues::new(NetSpace::own()),
        }
    }
}

impl Collector for ListeningSockets {
    fn about(&self) -> String {
        format!("listening sockets of {}", self.entity)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let entity = &self.entity;
            self.queues.look(&mut Out { look, entity })
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;

    #[test]
    fn sockets_that_share_a_port_are_summed() {
        let mut ports = BTreeMap::new();
        let socket = |queue, drops| TcpSocket {
            state: TcpState::Listen,
            local: "0.0.0.0:80".parse().unwrap(),
            remote: "0.0.0.0:0".parse().unwrap(),
            receive_queue: queue,
            send_queue: 128,
            inode: 1,
            drops,
        };
        add(&mut ports, &socket(3, Some(10)));
        add(&mut ports, &socket(4, Some(5)));
        let known = told(|out| tell(&ports, out));
        let of = |name: &str| {
            value(
                &known,
                &format!("system.tcp.listen.{name}{{server.port=80}}"),
            )
        };
        assert_eq!(of("queue.length"), Some(7.0));
        assert_eq!(of("queue.limit"), Some(256.0));
        assert_eq!(of("socket.drops"), Some(15.0));
        // Text does not tell all: what is not told is a gap.
        add(&mut ports, &socket(1, None));
        let known = told(|out| tell(&ports, out));
        assert_eq!(
            value(&known, "system.tcp.listen.socket.drops{server.port=80}"),
            None
        );
    }
}
