"""Servers of other runtimes for what the account costs: PHP-FPM behind nginx, and Node. Each on the server's
core alone, with a count of its own."""

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

from . import proc
from .context import Context, RunFailed
from .nginx import free_ports
from .watched import LOAD_WARM_S, get

READY_S = 30

FPM = """\
[global]
error_log = {dir}/fpm.log
daemonize = no
[www]
listen = 127.0.0.1:{fpm}
listen.backlog = 4096
pm = static
pm.max_children = 16
pm.status_path = /status
pm.status_listen = 127.0.0.1:{own}
{user}
"""

FRONT = """\
daemon off;
worker_processes 1;
pid {dir}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        listen 127.0.0.1:{http} backlog=4096;
        location = / {{
            fastcgi_param SCRIPT_FILENAME {dir}/hello.php; fastcgi_param REQUEST_METHOD GET;
            fastcgi_pass 127.0.0.1:{fpm};
        }}
        location = /slow {{
            fastcgi_param SCRIPT_FILENAME {dir}/slow.php; fastcgi_param REQUEST_METHOD GET;
            fastcgi_pass 127.0.0.1:{fpm};
        }}
    }}
    server {{
        listen 127.0.0.1:{status};
        location / {{
            fastcgi_param SCRIPT_NAME /status; fastcgi_param SCRIPT_FILENAME /status;
            fastcgi_param REQUEST_METHOD GET; fastcgi_param QUERY_STRING json;
            fastcgi_pass 127.0.0.1:{own};
        }}
    }}
}}
"""

NODE = """\
const http = require('http');
let count = 0;
http.createServer((request, response) => { count++; response.end('x'.repeat(200)); })
  .listen(+process.argv[1], '127.0.0.1');
http.createServer((request, response) => response.end(String(count))).listen(+process.argv[2], '127.0.0.1');
"""


def php_fpm() -> str | None:
    """The newest PHP-FPM that is installed."""
    found = sorted(Path("/usr/sbin").glob("php-fpm*"))
    return str(found[-1]) if found else None


class _Served:
    """What starts on the server's core and is ended with the measurement."""

    warm_s = LOAD_WARM_S

    def __init__(self, ctx: Context):
        self._core = ctx.server_core
        self._running: list[proc.Running] = []
        self._dir = Path(tempfile.mkdtemp(prefix="plimsoll-bench-account-"))
        self._dir.chmod(0o755)
        self.url = ""
        self.sources: dict[str, list[str]] = {}

    def _start(self, name: str, argv: list[str]) -> None:
        self._running.append(proc.Running(name, argv, self._core, cwd=self._dir))

    def _wait(self, url: str) -> None:
        deadline = time.monotonic() + READY_S
        while True:
            try:
                get(url)
                return
            except OSError as error:
                if time.monotonic() > deadline:
                    self.__exit__()
                    raise RunFailed(f"{url} does not respond: {error}") from error
                time.sleep(0.05)

    def __exit__(self, *_) -> None:
        for running in reversed(self._running):
            running.signal(15)
            running.ended_within(10)
            running.wait(0)
        shutil.rmtree(self._dir, ignore_errors=True)


class PhpTarget(_Served):
    """PHP-FPM behind nginx, both on one core."""

    name = "PHP-FPM"

    def __enter__(self) -> "PhpTarget":
        program = php_fpm()
        if program is None:
            raise RunFailed("PHP-FPM is not installed")
        http, self.fpm, own, status = free_ports(4)
        user = "user = nobody\ngroup = nogroup" if os.geteuid() == 0 else ""
        fill = {"dir": self._dir, "http": http, "fpm": self.fpm, "own": own, "status": status,
                "user": user}
        (self._dir / "fpm.conf").write_text(FPM.format(**fill))
        (self._dir / "nginx.conf").write_text(FRONT.format(**fill))
        (self._dir / "hello.php").write_text("<?php echo str_repeat('x', 200);")
        (self._dir / "slow.php").write_text("<?php usleep(5000); echo str_repeat('x', 200);")
        self._start("php-fpm", [program, "-n", "-F", "-y", str(self._dir / "fpm.conf")])
        self._start("nginx", ["nginx", "-p", str(self._dir), "-c", str(self._dir / "nginx.conf")])
        self.url = f"http://127.0.0.1:{http}/"
        self._status = f"http://127.0.0.1:{status}/"
        self._wait(self.url)
        self._wait(self._status)
        self.sources = {"host": ["host"], "process": [f"process={http}", f"process={self.fpm}"]}
        return self

    def status(self) -> dict:
        """What PHP-FPM says of its pool, by a process that is not of the pool."""
        return json.loads(get(self._status))

    def requests(self) -> int:
        """Requests so far, by its own count."""
        return int(self.status()["accepted conn"])


class NodeTarget(_Served):
    """Node's own HTTP server on one core."""

    name = "Node"

    def __enter__(self) -> "NodeTarget":
        if shutil.which("node") is None:
            raise RunFailed("Node is not installed")
        port, count = free_ports(2)
        self._start("node", ["node", "-e", NODE, "--", str(port), str(count)])
        self.url = f"http://127.0.0.1:{port}/"
        self._count = f"http://127.0.0.1:{count}/"
        self._wait(self.url)
        self._wait(self._count)
        self.sources = {"host": ["host"], "process": [f"process={port}"]}
        return self

    def requests(self) -> int:
        """Requests so far, by its own count."""
        return int(get(self._count))
