"""A service with settings in a file, in arguments and in its environment, and with faults on demand.

service.py --port N --file FILE [--delay MS] [--name NAME --order FILE] [--needs PORT]

`workers` requests are at work at once, each for `delay` ms (40): few enough that many studies at once leave the
machine idle most of the time. Some values of `workers` are faults. A HUP has it read
its settings again. It writes into the order file when it starts and ends, and does not start without what it needs.
"""

import os
import signal
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def argument(name, usual):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else usual


def settings():
    pairs = {}
    with open(argument("--file", ""), encoding="utf-8") as file:
        for line in file:
            name, sign, value = line.partition("=")
            if sign and not line.startswith("#"):
                pairs[name.strip()] = value.strip()
    return pairs


def told(what):
    order = argument("--order", "")
    if order:
        with open(order, "a", encoding="utf-8") as file:
            file.write(what + " " + argument("--name", "") + "\n")


needed = argument("--needs", "")
if needed:
    socket.create_connection(("127.0.0.1", int(needed))).close()
workers = int(settings()["workers"])
delay_s = float(argument("--delay", os.environ.get("DELAY", "40"))) / 1000
if workers == 99:
    sys.exit("workers=99: no memory; nobody logs in as app with hunter2hunter2")
if workers == 98:
    time.sleep(600)
if workers == 95:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
shown = 2 if workers == 96 else workers
places = threading.Semaphore(shown)
served = 0
broken = False


def reload(*_):
    global shown, places, broken
    shown = int(settings()["workers"])
    broken = broken or shown == 93
    places = threading.Semaphore(shown)


ends = ["once"]


def end(*_):
    """Its process and its group are asked: the second signal may come while the first is told."""
    if not ends:
        return
    ends.pop()
    told("stop")
    os._exit(0)


def freeze(*_):
    """In a group that is frozen not even SIGKILL ends a process (cgroups, version 1)."""
    group = argument("--freezer", "")
    with open(group + "/tasks", "w") as file:
        file.write(str(os.getpid()))
    with open(group + "/freezer.state", "w") as file:
        file.write("FROZEN")


signal.signal(signal.SIGHUP, reload)
if argument("--order", ""):
    signal.signal(signal.SIGTERM, end)
if workers == 94:
    signal.signal(signal.SIGTERM, freeze)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        global served
        body = b"ok"
        if self.path == "/settings":
            body = b'{"workers": %d, "delay": %g}' % (shown, delay_s * 1000)
        elif self.path == "/work":
            with places:
                time.sleep(delay_s)
            served += 1
            if workers == 97 and served > 40:
                os._exit(137)
        self.send_response(503 if broken and self.path == "/work" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


# Before it can be seen to be ready.
told("start")
Server(("127.0.0.1", int(argument("--port", "0"))), Handler).serve_forever()
