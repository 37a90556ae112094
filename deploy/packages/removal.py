#!/usr/bin/env python3
"""Installs the packages in an empty Debian root and takes them off again:
deploy/packages/removal.py DEB RPM CACHE (as root)

What lies in the root is listed before and after. Removing may leave settings, runs and the user; purging the
user alone. RPM runs its scripts in the same root, and may leave settings that were changed, runs and the user.
CACHE is the folder of first_steps.py. Exit code: 0 all holds, 1 something is left or lost, 2 no root can be made.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from first_steps import base, run

# What package managers and useradd keep about what they did.
BOOKS = ("var/lib/dpkg", "var/lib/rpm", "usr/lib/sysimage/rpm", "var/log", "var/cache", "var/lib/apt", "etc/.pwd.lock", "root/.rpmdb")
ACCOUNTS = {f"etc/{name}{end}" for name in ("passwd", "group", "shadow", "gshadow", "subuid", "subgid") for end in ("", "-")}
RUN = "var/lib/plimsoll/runs/kept/run.sqlite"
TOKEN = "etc/plimsoll/agent.token"
SETTINGS = "etc/plimsoll/agent.env"
LINK = "etc/systemd/system/multi-user.target.wants/plimsoll-worker.service"


def listed(root: Path) -> dict[str, tuple]:
    """Each file, folder and link, with what would show that it was changed."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder) / name
            inside = str(path.relative_to(root))
            if inside.startswith(("proc/", *BOOKS)) or inside in ACCOUNTS:
                continue
            seen = path.lstat()
            # A folder's length and time are its file system's.
            found[inside] = (seen.st_mode, seen.st_uid, seen.st_gid) + (() if path.is_dir() else (seen.st_size, seen.st_mtime_ns))
    return found


def changed(before: dict, after: dict) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def say(ok: bool, what: str, details: object = "") -> bool:
    print(("holds: " if ok else "WRONG: ") + what + ("" if ok else f"\n    {details}"))
    return ok


def use(root: Path) -> None:
    """What a host gathers while the package is used."""
    (root / RUN).parent.mkdir(parents=True)
    (root / RUN).write_text("a run")
    (root / TOKEN).write_text("a token")
    with (root / SETTINGS).open("a") as file:
        file.write("AGENT_OPTIONS=--listen 127.0.0.1:7078\n")
    (root / LINK).parent.mkdir(parents=True, exist_ok=True)
    (root / LINK).symlink_to("/usr/lib/systemd/system/plimsoll-worker.service")


def has_user(root: Path) -> bool:
    names = {line.split(":")[0] for line in (root / "etc/passwd").read_text().splitlines()}
    return {"plimsoll", "plimsoll-agent"} <= names


def inside(root: Path, *words: str):
    return run("chroot", str(root), *words, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})


def debian(root: Path, deb: Path) -> bool:
    shutil.copy(deb, root / "package.deb")
    before = listed(root)
    # apt where the root has it: what users call.
    apt = ["apt-get", "-y", "-o", "APT::Sandbox::User=root"]
    done = inside(root, "dpkg", "-i", "/package.deb")
    right = say(done.returncode == 0 and has_user(root), "the .deb is installed", done.stderr)
    use(root)
    done = inside(root, *apt, "remove", "plimsoll")
    left = {name for name in changed(before, listed(root)) if not name.startswith(("etc/plimsoll", "var/lib/plimsoll"))}
    # The link to a service that is gone does no harm, and comes back with it.
    right &= say(done.returncode == 0 and left <= {LINK}, "apt remove leaves settings and runs alone", (done.stderr, sorted(left)))
    kept = [name for name in (RUN, TOKEN, SETTINGS) if not (root / name).is_file()]
    right &= say(not kept, "they are all there", kept)
    done = inside(root, *apt, "purge", "plimsoll")
    left = changed(before, listed(root))
    # Folders that `use` made for systemd are not the package's.
    left -= {str(folder) for folder in Path(LINK).parents}
    right &= say(done.returncode == 0 and not left, "apt purge leaves nothing", (done.stderr, sorted(left)))
    right &= say(has_user(root), "but the user, so that no other one is given its number")
    again = inside(root, "dpkg", "-i", "/package.deb")
    right &= say(again.returncode == 0, "the .deb can be installed again", again.stderr)
    done = inside(root, *apt, "purge", "plimsoll")
    left = changed(before, listed(root)) - {str(folder) for folder in Path(LINK).parents}
    return right & say(done.returncode == 0 and not left, "and purged at once", (done.stderr, sorted(left)))


def redhat(root: Path, rpm: Path) -> bool:
    # The database is kept outside of what is listed.
    rpm_words = ["rpm", "--root", str(root), "--dbpath", "/root/.rpmdb"]
    run(*rpm_words, "--initdb")
    before = listed(root)
    done = run(*rpm_words, "-i", "--nodeps", "--nosignature", str(rpm))
    right = say(done.returncode == 0 and has_user(root), "the .rpm is installed, its scripts ran", done.stderr)
    use(root)
    (root / LINK).unlink()
    done = run(*rpm_words, "-e", "plimsoll")
    left = changed(before, listed(root)) - {str(folder) for folder in Path(LINK).parents}
    wanted = {SETTINGS + ".rpmsave", TOKEN, RUN} | {str(folder) for name in (RUN, TOKEN) for folder in Path(name).parents}
    right &= say(done.returncode == 0 and left <= wanted, "rpm -e leaves changed settings and runs alone", (done.stderr, sorted(left - wanted)))
    lost = [name for name in (RUN, TOKEN, SETTINGS + ".rpmsave") if not (root / name).is_file()]
    return right & say(not lost, "they are all there", lost)


def main() -> int:
    if len(sys.argv) != 4 or os.geteuid() != 0:
        print(__doc__, file=sys.stderr)
        return 2
    deb, rpm, cache = (Path(word).resolve() for word in sys.argv[1:])
    archive = base(cache)
    if archive is None:
        print("not looked at: removal (an empty Debian is needed: debootstrap and a mirror)")
        return 0
    right = True
    with tempfile.TemporaryDirectory(dir=cache) as work:
        for name, package, trial in (("deb", deb, debian), ("rpm", rpm, redhat)):
            if not package.is_file() or (name == "rpm" and not shutil.which("rpm")):
                print(f"not looked at: removal of the .{name}")
                continue
            root = Path(work) / name
            root.mkdir()
            run("tar", "-C", str(root), "-xf", str(archive), check=True)
            right &= trial(root, package)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
