"""A name server that takes its time: names.py ADDRESS PORT DELAY_MS

Each name has the address 127.0.0.1, for 0 s. Says `ready` once it listens.
"""

import asyncio
import sys

_ANSWER = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01"
"""The name of the question, type A, class IN, 0 s, 127.0.0.1 (RFC 1035, 4.1.3)."""
_HEADER = 12
_TYPE_A = b"\x00\x01"


def answered(asked: bytes) -> bytes | None:
    """The response to a message with one question; none if it has no question."""
    end = _HEADER
    while end < len(asked) and asked[end]:
        end += 1 + asked[end]
    question = asked[_HEADER : end + 5]
    if len(asked) < end + 5:
        return None
    answers = _ANSWER if question[-4:-2] == _TYPE_A else b""
    counts = bytes([0, 1, 0, len(answers) and 1, 0, 0, 0, 0])
    return asked[:2] + b"\x81\x80" + counts + question + answers


class Names(asyncio.DatagramProtocol):
    """Responds to each question after a while."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s = delay_s

    def connection_made(self, transport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr) -> None:
        if response := answered(data):
            loop = asyncio.get_running_loop()
            loop.call_later(self.delay_s, self.transport.sendto, response, addr)


async def main(address: str, port: int, delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: Names(delay_s), local_addr=(address, port))
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1e3))
