"""The primitives; adding one takes a file here and a line below."""

from .base import Primitive
from .cpu import Compute, Quota
from .database import HotRow, Lookups, Scan, Statements
from .disk import Sync
from .gate import Gate
from .lock import Lock
from .loop import Block
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
)


def find(name: str) -> Primitive:
    """The primitive of that id."""
    return next(each for each in ALL if each.id == name)
