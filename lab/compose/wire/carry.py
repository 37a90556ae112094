"""Carries packets between this network namespace and one in the middle, each after a while, from where a link leads
to a third: `carry.py MIDDLE FAR MIDDLE_ADDRESS FAR_ADDRESS DELAY_MS LOSS_PERCENT` (the addresses are those of the
link). Each side has a TUN device; what is lost is dropped by nftables in the middle, so that who sends it has sent it.
Prints `ready`, and ends when it is ended."""

import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
_DEVICE = "plwire"
_LARGEST = 65_536
_OF = 10_000
_NEAR, _MIDDLE = "10.127.0.1", "10.127.0.2"
_NOTHING = "table inet plimsoll_lab\ndelete table inet plimsoll_lab\n"
_LOSS = """table inet plimsoll_lab {{
  chain through {{
    type filter hook forward priority 0;
    numgen random mod {of} < {lost} counter drop
  }}
}}
"""


def _enter(namespace: str) -> None:
    handle = os.open(namespace, os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"{namespace} cannot be entered")
    os.close(handle)


def _ip(line: str) -> None:
    subprocess.run(["ip", *line.split()], check=True)


def _device(own: str, peer: str) -> int:
    """A TUN device of this namespace."""
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH22x", _DEVICE.encode(), _IFF_TUN | _IFF_NO_PI))
    _ip(f"addr add {own} peer {peer} dev {_DEVICE}")
    _ip(f"link set {_DEVICE} up")
    return tun


def _lose(percent: float) -> None:
    """So much of what passes through this namespace is lost from now on."""
    lost = round(percent / 100 * _OF)
    rules = _NOTHING + (_LOSS.format(of=_OF, lost=lost) if lost else "")
    subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)


def _carry(ends: tuple[int, int], delay_s: float) -> None:
    """For ever. What came first goes first: all packets wait equally long."""
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    waiting: collections.deque[tuple[float, int, bytes]] = collections.deque()
    while True:
        left = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        readable, _, _ = select.select(ends, (), (), left)
        for end in readable:
            waiting.append((time.monotonic() + delay_s, other[end], os.read(end, _LARGEST)))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.popleft()
            os.write(end, packet)


def main() -> None:
    """Makes the ends and carries."""
    middle, far, middle_address, far_address = sys.argv[1:5]
    delay_ms, loss_percent = map(float, sys.argv[5:7])
    near_end = _device(_NEAR, _MIDDLE)
    _ip(f"route replace {far_address} via {_MIDDLE}")
    _enter(middle)
    middle_end = _device(_MIDDLE, _NEAR)
    _lose(loss_percent)
    _enter(far)
    _ip(f"route replace {_NEAR} via {middle_address}")
    print("ready", flush=True)
    _carry((near_end, middle_end), delay_ms / 1000)


if __name__ == "__main__":
    main()
