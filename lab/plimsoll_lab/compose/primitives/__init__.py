"""The primitives; adding one takes a file here and a line below."""

from .base import Primitive
from .cpu import Compute, Quota
from .database import HotRow, Lookups, Scan, Statements
from .disk import Sync
from .gate import Gate
from .hand import HAND_WRITTEN, HandWritten
from .lock import Lock
from .loop import Block
from .memory import Allocation, Leak, SmallHeap
from .pools import CallPool, StorePool
from .remote import Again, Remote
from .workers import Workers

ALL: tuple[Primitive, ...] = (
    Gate(),
    Workers(),
    StorePool(),
    CallPool(),
    Lock(),
    Block(),
    Compute(),
    Quota(),
    Scan(),
    HotRow(),
    Statements(),
    Lookups(),
    Sync(),
    Remote(),
    Again(),
    Allocation(),
    SmallHeap(),
    Leak(),
)


def find(name: str) -> Primitive | HandWritten:
    """The primitive of that id, or what only systems written by hand have."""
    return next(each for each in (*ALL, *HAND_WRITTEN) if each.id == name)
