"""What limits in the systems that are written by hand: it cannot be drawn into any service."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HandWritten:
    """What it is called, how it keeps time, and the findings of which each names it rightly."""

    id: str
    keeping: tuple[str, ...]
    findings: tuple[str, ...]

    def candidate(self, keepers: list[str], service: str, cure: dict) -> dict:
        """What a composition says of it."""
        return {
            "id": f"{self.id}@{keepers[0]}",
            "primitive": self.id,
            "service": service,
            "keepers": keepers,
            "name": "",
            "keeping": list(self.keeping),
            "findings": list(self.findings),
            "intended": True,
            "cure": cure,
        }


HAND_WRITTEN = (
    HandWritten("proxy-places", ("waiting_inside",), ("concurrency_limit", "outgoing_pool", "full_queue")),
    HandWritten(
        "proxy-workers",
        ("waiting_inside", "accept_queue"),
        ("concurrency_limit", "worker_threads", "accept_queue", "listen_queue", "max_connections"),
    ),
    HandWritten(
        "pooler-places",
        ("waiting_inside",),
        ("concurrency_limit", "outgoing_pool", "connection_pool", "max_connections", "full_queue"),
    ),
    HandWritten("lost-packets", ("network",), ("network_delay", "packet_loss")),
    HandWritten("late-packets", ("network",), ("network_delay",)),
    HandWritten("slow-names", ("waiting_inside", "waiting_for"), ("name_lookups", "slow_dependency")),
    HandWritten("refused-entries", ("waiting_inside", "waiting_for"), ("cache_refuses",)),
    HandWritten("full-partition", ("waiting_inside", "disk"), ("disk_full", "logged_errors")),
    HandWritten("narrow-link", ("network",), ("network_full", "network_delay")),
    HandWritten("few-descriptors", ("accept_queue", "waiting_inside"), ("file_descriptors", "listen_queue")),
    HandWritten("cold-start", ("running", "cpu_wait"), ("cold_start", "warm_up")),
    HandWritten("neighbour", ("cpu_wait",), ("cpu_taken", "host_cpu", "cpu")),
)
