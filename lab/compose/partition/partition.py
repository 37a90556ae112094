"""Mounts a file system in memory, and takes it away at its end: partition.py FOLDER MB."""

import signal
import subprocess
import sys


def main() -> None:
    folder, mb = sys.argv[1:]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mb}m,mode=0777", "plimsoll-lab", folder], check=True)
    try:
        print("ready", flush=True)
        while True:
            signal.pause()
    finally:
        # What still has a file open there does not keep it.
        subprocess.run(["umount", "--lazy", folder], check=True)


if __name__ == "__main__":
    main()
