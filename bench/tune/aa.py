#!/usr/bin/env python3
"""Studies of knobs that do nothing, on a real server: does `plimsoll tune` keep any?

aa.py [--studies 5] [--time 5m]

nginx serves a file of 4 kB. The three knobs are environment variables that it does not read, so that every difference is
the machine's doing; each trial starts it anew. A line of aa-live.jsonl is a study that is done; the script goes on
with the next seed.

environment: PLIMSOLL (the binary; default target/release/plimsoll)
"""

import argparse
import json
import os
import shlex
import signal
import sys
import tempfile
from pathlib import Path

from surface import HERE, PLIMSOLL, free_port, nginx_command, studied, whole_lines

DATA = HERE / "aa-live.jsonl"
KNOBS = {
    "color": {"env": "COLOR", "values": ["red", "green", "blue"]},
    "number": {"env": "NUMBER", "range": "1..64", "by-ratio": True},
    "word": {"env": "WORD", "values": ["yes", "no"]},
}
FOUND = {"COLOR": "red", "NUMBER": "8", "WORD": "yes"}


def study(command: list[str], port: int, most: str, seed: int) -> dict:
    return {
        "name": f"nothing-{seed}",
        "plan": f"http://127.0.0.1:{port}/file",
        "users": 16,
        "objective": "maximise throughput",
        "measure": "3s",
        "warm-up": "3s",
        "components": {
            "nginx": {
                "start": shlex.join(command),
                "environment": FOUND,
                "ready": f"http://127.0.0.1:{port}/file",
            }
        },
        "knobs": KNOBS,
        "trials": 40,
        "time": most,
        "seed": seed,
    }


def run(args, seed: int) -> dict:
    with tempfile.TemporaryDirectory() as place:
        folder, port = Path(place), free_port()
        folder.chmod(0o755)
        (folder / "file").write_bytes(os.urandom(4096))
        served = f"server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}; }}"
        command = nginx_command(folder, "nginx", 1, f"keepalive_requests 1000000; {served}")
        told = studied(args.plimsoll, study(command, port, args.time, seed), folder)
    return {
        "seed": seed,
        "end": told["end"],
        "kept": told["kept"] or {},
        "trials": len(told["trials"]),
        "noise": told["noise"],
        "seconds": round(told["seconds"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=5)
    parser.add_argument("--time", default="5m")
    parser.add_argument("--plimsoll", default=PLIMSOLL)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    done = len(whole_lines(DATA))
    for seed in range(done + 1, args.studies + 1):
        line = run(args, seed)
        print(line, file=sys.stderr)
        with DATA.open("a") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
