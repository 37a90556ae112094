"""nginx, with the Lua module where a case asks for it.

Settings: upstream (host:port, several by blanks), workers, worker_connections, keepalive (idle
connections kept to the upstream; 0: a new one for each request), gzip, access_log, lua (a file in
lab/nginx), extra (lines of the server block).
"""

import os
import re
import signal
from pathlib import Path

from .. import paths, process
from ..errors import LabError
from .base import Kind, answers, find_program, program

_LUA = "ngx_http_lua_module.so"
_MODULES = ("/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/lib/nginx/modules")
_SETTINGS = {
    "upstream": "",
    "workers": 1,
    "worker_connections": 4096,
    "keepalive": 64,
    "gzip": False,
    "access_log": True,
    "lua": "",
    "extra": "",
}


def lua_module() -> Path | None:
    """Where the Lua module is, if it is installed."""
    return next((Path(each, _LUA) for each in _MODULES if Path(each, _LUA).is_file()), None)


class Nginx(Kind):
    """A proxy in front of the upstream."""

    programs = ("nginx",)

    def prepare(self) -> None:
        place = self.place
        unknown = place.settings.keys() - _SETTINGS.keys()
        if unknown:
            raise LabError(
                f"nginx has no setting {', '.join(sorted(unknown))}; it has: {', '.join(_SETTINGS)}"
            )
        settings = {**_SETTINGS, **place.settings}
        for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
            (place.directory / name).mkdir(exist_ok=True)
        values = {
            "user": "user root;" if os.geteuid() == 0 else "",
            "dir": place.directory,
            "host": place.host,
            "port": place.ports["http"],
            "modules": _modules(settings["lua"]),
            "workers": settings["workers"],
            "worker_connections": settings["worker_connections"],
            "servers": "\n".join(
                f"        server {each} max_fails=0;" for each in str(settings["upstream"]).split()
            ),
            "keepalive": f"keepalive {settings['keepalive']};" if settings["keepalive"] else "",
            "connection": '""' if settings["keepalive"] else "close",
            "version": "1.1" if settings["keepalive"] else "1.0",
            "gzip": "on" if settings["gzip"] else "off",
            "access_log": (
                f'"{place.directory}/access.log" timed' if settings["access_log"] else "off"
            ),
            "lua_data": "lua_shared_dict known_callers 1m;" if settings["lua"] else "",
            "lua": _lua_lines(settings["lua"]),
            "extra": settings["extra"],
        }
        text = (paths.LAB / "nginx" / "nginx.conf.tmpl").read_text()
        text = re.sub(r"@([a-z_]+)@", lambda found: str(values[found[1]]), text)
        (place.directory / "nginx.conf").write_text(text)

    def command(self) -> list[str]:
        conf = self.place.directory / "nginx.conf"
        return [program("nginx"), "-p", str(self.place.directory), "-c", str(conf)]

    def is_ready(self) -> bool:
        return answers(self.place.host, self.place.ports["http"], "/nginx_status")

    def switch_live(self, before: dict[str, object]) -> bool:
        if before.get("upstream") != self.place.settings.get("upstream"):
            return False
        self.prepare()
        pid = int((self.place.directory / "nginx.pid").read_text())
        master = process.identify(pid)
        if master is None:
            return False
        workers = [each for each in map(process.identify, process.with_children(master)) if each]
        process.send(master, signal.SIGHUP)
        # Old workers go when their connections do; until then both settings serve.
        left = process.wait_until_gone([each for each in workers if each.pid != pid], 10)
        return not left and self.is_ready()

    def facts(self) -> dict[str, object]:
        url = f"http://{self.place.host}:{self.place.ports['http']}"
        return {
            "url": url,
            "status_url": f"{url}/nginx_status",
            "access_log": str(self.place.directory / "access.log"),
            "error_log": str(self.place.directory / "error.log"),
            "configuration": str(self.place.directory / "nginx.conf"),
        }

    def logs(self) -> list[Path]:
        return [self.place.directory / "log", self.place.directory / "error.log"]


def _modules(lua: object) -> str:
    if not lua:
        return ""
    module = lua_module()
    if module is None:
        raise LabError("nginx's Lua module is not installed: run tools/setup.sh lab")
    kit = module.with_name("ndk_http_module.so")  # the Lua module needs it, where it is apart
    return "".join(f"load_module {each};\n" for each in (kit, module) if each.is_file())


def _lua_lines(lua: object) -> str:
    if not lua:
        return ""
    file = paths.LAB / "nginx" / str(lua)
    if not file.is_file():
        raise LabError(f"there is no lab/nginx/{lua}")
    return f'access_by_lua_file "{file}";'


def has_lua() -> bool:
    """Whether this machine's nginx can run Lua."""
    return bool(find_program("nginx")) and lua_module() is not None
