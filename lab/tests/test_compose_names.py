"""The name server of drawn systems responds to what it is asked, and to nothing else."""

import importlib.util
import random
import struct
import unittest

from plimsoll_lab import paths

_FILE = paths.LAB / "compose" / "names" / "names.py"
_SPEC = importlib.util.spec_from_file_location("names", _FILE)
names = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(names)


def question(labels: list[bytes], kind: int) -> bytes:
    name = b"".join(bytes([len(each)]) + each for each in labels) + b"\0"
    return name + struct.pack(">HH", kind, 1)


class Responses(unittest.TestCase):
    def test_drawn_questions(self):
        source = random.Random(1)
        for _ in range(200):
            labels = [source.randbytes(source.randint(1, 63)) for _ in range(source.randint(1, 3))]
            kind, number = source.choice([1, 28]), source.randrange(1 << 16)
            asked = struct.pack(">6H", number, 0x0100, 1, 0, 0, 1) + question(labels, kind)
            # What stands behind the question (EDNS) is not repeated.
            response = names.answered(asked + source.randbytes(11))
            answers = 1 if kind == 1 else 0
            self.assertEqual(struct.unpack(">6H", response[:12]), (number, 0x8180, 1, answers, 0, 0))
            self.assertTrue(response[12:].startswith(question(labels, kind)))
            self.assertEqual(response[-4:] == b"\x7f\0\0\x01", bool(answers))

    def test_what_is_no_question(self):
        source = random.Random(2)
        for length in range(300):
            names.answered(source.randbytes(length))
        self.assertIsNone(names.answered(b""))
        self.assertIsNone(names.answered(bytes(12) + b"\x05abc"))


if __name__ == "__main__":
    unittest.main()
