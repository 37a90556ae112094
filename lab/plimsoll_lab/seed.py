"""What comes from the seed: a case's numbers, and believable names that say nothing of the fault.

The same seed, case and key give the same value, whatever else the case holds.
"""

import random
import secrets

_NOUNS = [
    "Order",
    "Stock",
    "Price",
    "Invoice",
    "Customer",
    "Basket",
    "Delivery",
    "Voucher",
    "Catalog",
    "Payment",
    "Shipment",
    "Tariff",
    "Account",
    "Review",
    "Offer",
    "Supplier",
    "Parcel",
    "Booking",
    "Contract",
    "Refund",
    "Warranty",
    "Coupon",
    "Branch",
    "Quota",
]
_ROLES = ["Service", "Desk", "Registry", "Ledger", "Manager", "Directory", "Office", "Book"]
_VERBS = [
    "find",
    "list",
    "read",
    "fetch",
    "collect",
    "prepare",
    "compute",
    "describe",
    "resolve",
    "combine",
    "check",
    "assemble",
]
_FIELDS = [
    "current",
    "known",
    "recent",
    "entries",
    "values",
    "items",
    "details",
    "rows",
    "parts",
    "state",
    "records",
    "content",
]
_COMPANIES = [
    "northwind",
    "bluefin",
    "harbour",
    "mistral",
    "lodestar",
    "tidewater",
    "brightside",
    "clearway",
    "oakridge",
    "silverline",
]
_AREAS = ["sales", "logistics", "billing", "store", "crm", "inventory", "fulfilment", "trade"]

_CLASS_KEYS = ("Class", "Other", "Third", "Fourth")
_METHOD_KEYS = ("method", "helper", "inner", "step")
_FIELD_KEYS = ("field", "field2", "field3")
NAME_KEYS = (
    *_CLASS_KEYS,
    *_METHOD_KEYS,
    *_FIELD_KEYS,
    "package",
    "path",
    "table",
    "column",
    "noun",
)
"""The names each case has, for templates of faults and for placeholders."""


def draw() -> int:
    """A seed nobody chose."""
    return secrets.randbelow(2**31)


def _random(seed: int, case: str, key: str) -> random.Random:
    return random.Random(f"{seed}/{case}/{key}")


def names(seed: int, case: str) -> dict[str, str]:
    """All names of NAME_KEYS."""
    nouns = _random(seed, case, "nouns").sample(_NOUNS, len(_NOUNS))
    roles = _random(seed, case, "roles").sample(_ROLES, len(_ROLES))
    verbs = _random(seed, case, "verbs").sample(_VERBS, len(_VERBS))
    fields = _random(seed, case, "fields").sample(_FIELDS, len(_FIELDS))
    place = _random(seed, case, "package")
    found = {key: nouns[index] + roles[index] for index, key in enumerate(_CLASS_KEYS)}
    found |= {key: verbs[index] + nouns[index + 4] for index, key in enumerate(_METHOD_KEYS)}
    found |= {key: fields[index] for index, key in enumerate(_FIELD_KEYS)}
    found["package"] = f"com.{place.choice(_COMPANIES)}.{place.choice(_AREAS)}"
    found["path"] = f"/{nouns[8].lower()}s"
    found["table"] = f"{nouns[9].lower()}_{place.choice(['log', 'book', 'entry', 'item', 'line'])}"
    found["column"] = place.choice(["region", "channel", "stage", "grade", "class_code"])
    found["noun"] = nouns[10].lower()
    return found


def numbers(seed: int, case: str, seeded: dict[str, list]) -> dict[str, object]:
    """A value for each entry of [seeded]: two whole numbers are a range, else one of the list."""
    return {key: _draw(_random(seed, case, key), choices) for key, choices in seeded.items()}


def _draw(source: random.Random, choices: list) -> object:
    if len(choices) == 2 and all(isinstance(each, int) for each in choices):
        return source.randint(*choices)
    return source.choice(choices)


def sample(seed: int, of: list[str], wanted: int) -> list[str]:
    """So many of them, or all if they are fewer."""
    return sorted(_random(seed, "", "cases").sample(sorted(of), min(wanted, len(of))))


def ports(seed: int, case: str) -> random.Random:
    """The order in which ports are tried."""
    return _random(seed, case, "ports")
