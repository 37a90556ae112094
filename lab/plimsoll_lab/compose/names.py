"""Names that a composition gives its parts: believable, and silent about what they do."""

import random

_NOUNS = (
    "order stock price invoice customer basket delivery voucher catalog payment shipment tariff "
    "account review offer supplier parcel booking contract refund warranty coupon branch harvest "
    "ledger depot harbour courier meadow lantern saddle orchard compass anchor bramble cedar"
).split()
_ENDS = ("", "-desk", "-book", "-hall", "-line", "-east")


class Names:
    """Gives each name once."""

    def __init__(self, source: random.Random):
        self._left = self.every()
        source.shuffle(self._left)

    def next(self) -> str:
        """A name nobody else has here."""
        return self._left.pop()

    def word(self) -> str:
        """One without a hyphen, for tables and paths."""
        at = next(at for at, name in enumerate(self._left) if "-" not in name)
        return self._left.pop(at)

    @staticmethod
    def every() -> list[str]:
        """All names there are."""
        return [noun + end for noun in _NOUNS for end in _ENDS]
