#!/usr/bin/env python3
"""What settings alone bring MariaDB with Debian's defaults, on a data set larger than its buffer pool.

mariadb.py [--time 18m] [--trials N] [--rows N] [--keep DIR]

A server of its own in a folder of its own gets ROWS rows (about 300 bytes each) and is tuned by `plimsoll tune` under a
load of point reads and updates by key. Nothing that gives up durability is allowed. Writes bench/TUNE-MARIADB.md.

environment: PLIMSOLL (the binary; default target/release/plimsoll)
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from surface import PLIMSOLL, ROOT, free_port, wait_for

# What Debian's /etc/mysql/mariadb.conf.d/50-server.cnf sets, but for folders and addresses.
DEBIAN = "[mysqld]\nexpire_logs_days = 10\ncharacter-set-server = utf8mb4\ncollation-server = utf8mb4_general_ci\n"
USERS = 16
KNOBS = """knobs:
  mysql.buffer-pool-size: {file: my.cnf, range: 64m..2g, by-ratio: true}
  mysql.log-file-size: {file: my.cnf, values: [24m, 96m, 512m]}
  mysql.io-capacity: {file: my.cnf, values: ['200', '2000']}
  mysql.table-open-cache: {file: my.cnf, values: ['400', '2000', '4000']}
  mysql.thread-cache-size: {file: my.cnf, values: ['0', '100']}
"""


def sampler(name: str, kind: str, sql: str) -> str:
    return f"""<JDBCSampler guiclass='TestBeanGUI' testclass='JDBCSampler' testname='{name}'>
<stringProp name='dataSource'>db</stringProp><stringProp name='queryType'>{kind} Statement</stringProp>
<stringProp name='query'>{sql}</stringProp>
<stringProp name='resultSetHandler'>Store as String</stringProp></JDBCSampler><hashTree/>"""


def plan(port: int, rows: int) -> str:
    read = f"select name, text from items where id = ${{__Random(1,{rows})}}"
    write = f"update items set price = price + 1 where id = ${{__Random(1,{rows})}}"
    samplers = "".join(sampler(f"read {n}", "Select", read) for n in range(4)) + sampler("write", "Update", write)
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<jmeterTestPlan version='1.2' properties='5.0' jmeter='5.6.3'><hashTree>
<TestPlan guiclass='TestPlanGui' testclass='TestPlan' testname='statements'/><hashTree>
<ThreadGroup guiclass='ThreadGroupGui' testclass='ThreadGroup' testname='users'>
<stringProp name='ThreadGroup.num_threads'>{USERS}</stringProp><stringProp name='ThreadGroup.ramp_time'>0</stringProp>
<elementProp name='ThreadGroup.main_controller' elementType='LoopController' guiclass='LoopControlPanel'
 testclass='LoopController'><stringProp name='LoopController.loops'>-1</stringProp></elementProp></ThreadGroup><hashTree>
<JDBCDataSource guiclass='TestBeanGUI' testclass='JDBCDataSource' testname='db'>
<stringProp name='dataSource'>db</stringProp><stringProp name='poolMax'>{USERS}</stringProp>
<stringProp name='timeout'>10000</stringProp><boolProp name='autocommit'>true</boolProp>
<stringProp name='transactionIsolation'>DEFAULT</stringProp>
<stringProp name='dbUrl'>jdbc:mariadb://127.0.0.1:{port}/shop</stringProp>
<stringProp name='driver'>org.mariadb.jdbc.Driver</stringProp>
<stringProp name='username'>shop</stringProp><stringProp name='password'>shop</stringProp></JDBCDataSource><hashTree/>
{samplers}</hashTree></hashTree></hashTree></jmeterTestPlan>"""


def client(folder: Path, statements: str) -> None:
    subprocess.run(["mariadb", "--no-defaults", "-uroot", f"--socket={folder}/s"], input=statements, text=True, check=True)


def fill(folder: Path, command: list[str], port: int, rows: int) -> None:
    """A data set that the server's files hold from then on."""
    server = subprocess.Popen([*command, "--innodb-buffer-pool-size=1g"], stderr=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        client(
            folder,
            f"""create database shop; use shop;
            create table items (id int primary key, price int not null, name varchar(60), text varchar(300));
            insert into items select seq, seq % 1000, concat('item ', seq), repeat(md5(seq), 7) from seq_1_to_{rows};
            create user shop@'127.0.0.1' identified by 'shop'; grant all on shop.* to shop@'127.0.0.1';
            create user watch@'127.0.0.1'; grant process on *.* to watch@'127.0.0.1';""",
        )
    finally:
        end_gently(server)


def end_gently(server: subprocess.Popen) -> None:
    server.send_signal(signal.SIGTERM)
    server.wait(120)


def study(command: list[str], port: int, args) -> str:
    return f"""name: mariadb-defaults
plan: plan.jmx
measure: 6s
warm-up: 20s
objective: maximise throughput
constraints: [errors < 1 %]
components:
  db:
    start: {" ".join(command)}
    ready: 127.0.0.1:{port}
    ready-within: 2m
    watch: ['mysql=mysql://127.0.0.1:{port},user=watch']
{KNOBS}smallest-gain: 5%
trials: {args.trials}
time: {args.time}
"""


def make(folder: Path, args) -> dict:
    port = free_port()
    data = folder / "data"
    (folder / "my.cnf").write_text(DEBIAN)
    user = ["--user=root"] if os.geteuid() == 0 else []
    # A server that starts removes the temporary tables of all others in the same folder.
    temporary = f"--tmpdir={folder}"
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", "--skip-test-db", *user, "--auth-root-authentication-method=normal",
         f"--datadir={data}", temporary],
        check=True, stdout=subprocess.DEVNULL,
    )
    program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
    command = [program, f"--defaults-file={folder}/my.cnf", f"--datadir={data}", temporary, f"--socket={folder}/s", f"--port={port}",
               "--bind-address=127.0.0.1", "--skip-name-resolve", *user]
    fill(folder, command, port, args.rows)
    (folder / "plan.jmx").write_text(plan(port, args.rows))
    (folder / "study.yaml").write_text(study(command, port, args))
    done = subprocess.run([args.plimsoll, "tune", "study.yaml", "--output", "tune.json", "--report", "story.md"], cwd=folder)
    if done.returncode not in (0, 1, 4, 5):
        raise SystemExit(f"the study ended with code {done.returncode}")
    size = sum(file.stat().st_size for file in (data / "shop").iterdir())
    return {"result": json.loads((folder / "tune.json").read_text()), "story": (folder / "story.md").read_text(), "bytes": size}


def written(made: dict, args) -> str:
    version = subprocess.run([args.plimsoll, "--version"], capture_output=True, text=True, check=True).stdout
    version = ", ".join(version.splitlines()[:2])
    server = subprocess.run(["mariadbd", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    result = made["result"]
    story = made["story"].replace("\n# ", "\n## ").removeprefix("# ")
    return f"""# What settings alone bring MariaDB with Debian's defaults

Made by `bench/tune/mariadb.py` with {version}, on {time.strftime("%Y-%m-%d")}, {os.cpu_count()} CPUs, which server and load
generator share. {server}

The table has {args.rows:,} rows, {made["bytes"] / 1e6:,.0f} MB in the server's files; its buffer pool has 128 MB as it
comes. {USERS} users without a pause: four reads of a row by its key and one update. Nothing that gives up durability is
allowed: each update is flushed to the disk. InnoDB reads past the machine's page cache (`O_DIRECT`, its default): a read
that misses the buffer pool is one of the disk's, here a fast virtual one.

A figure of others, for another load, machine and version and a search over far more settings: BestConfig (SoCC 2017)
reports +430 % for MySQL over its defaults.

The study took {result["seconds"] / 60:.0f} minutes and {len(result["trials"])} trials.

## {story}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", default="18m")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--rows", type=int, default=2_500_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--plimsoll", default=PLIMSOLL)
    args = parser.parse_args()
    args.plimsoll = str(Path(args.plimsoll).resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as own:
        folder = args.keep or Path(own)
        folder.mkdir(exist_ok=True)
        made = make(folder.resolve(), args)
    (ROOT / "bench" / "TUNE-MARIADB.md").write_text(written(made, args))


if __name__ == "__main__":
    main()
