"""The command line of plimsoll-lab. Exit codes: 0 done, 1 it could not be done, 2 wrong arguments,
3 a proof or a score came out otherwise than expected."""

import argparse
import json
import os
import shlex
import signal
import sys
from pathlib import Path

from . import (
    casefile,
    catalogue,
    engine,
    evidence,
    fixtures,
    load,
    needs,
    paths,
    prove,
    score,
    seed,
)
from .compose import draw, record
from .compose import levels as compose_levels
from .compose import score as compose_score
from .errors import LabError
from .instance import Instance, check_name, locked, names
from .instance import load as load_instance

NOT_AS_EXPECTED = 3


def _say(text: str) -> None:
    print(f"lab: {text}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="plimsoll-lab",
        description=__doc__.split(". Exit")[0] + ".",
        epilog="State: PLIMSOLL_LAB_STATE (default lab/.state). The load generator: PLIMSOLL "
        "(default target/release/plimsoll).",
    )
    parser.add_argument("--state", type=Path, metavar="DIR", help="folder of the instances")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="the cases, and whether they can run here")
    listing.add_argument("--json", action="store_true")
    listing.add_argument("--markdown", action="store_true", help="the text of lab/CASES.md")
    listing.add_argument("--lang", choices=("en", "zh"), default=_language())

    up = commands.add_parser("up", help="start the tiers of a case")
    up.add_argument("case", metavar="CASE")
    _starting(up)
    up.add_argument("--cured", action="store_true", help="without the fault")

    for name, what in (("cure", "take the fault away"), ("fault", "bring the fault back")):
        switch = commands.add_parser(name, help=what)
        switch.add_argument("name", metavar="NAME")

    loading = commands.add_parser(
        "load",
        help="run the case's load in its share of the CPUs; what "
        "stands behind -- goes to plimsoll run",
    )
    loading.add_argument("name", metavar="NAME")
    loading.add_argument("--tier", metavar="TIER", help="load this tier of a chain alone")
    loading.add_argument("more", nargs="*", metavar="ARGUMENT")

    down = commands.add_parser("down", help="end an instance and remove all it made")
    down.add_argument("name", nargs="?", metavar="NAME")
    down.add_argument("--all", action="store_true")

    show = commands.add_parser("ps", help="what runs")
    show.add_argument("--json", action="store_true")

    proving = commands.add_parser(
        "prove", help="load it faulty and cured; does the effect come out?"
    )
    proving.add_argument("case", metavar="CASE")
    _starting(proving)
    proving.add_argument("--pairs", type=int, default=1, metavar="N", help="so often (default 1)")
    proving.add_argument("--json", action="store_true")
    proving.add_argument("--record", action="store_true", help="write [shown] of the case's file")
    recording = commands.add_parser(
        "evidence", help="record watched runs of cases, faulty and cured, for the diagnosis"
    )
    recording.add_argument("cases", metavar="CASE", nargs="*")
    recording.add_argument("--all", action="store_true", help="all cases that can run here")
    recording.add_argument(
        "--some", type=int, metavar="N", help="so many of those that can be shown here, by the seed"
    )
    recording.add_argument("--seed", type=int, metavar="N", help="of names, numbers and ports")
    recording.add_argument("--out", type=Path, metavar="DIR", required=True)
    recording.add_argument(
        "--repeat", action="store_true", help="again, what DIR has already of this seed"
    )
    scoring = commands.add_parser(
        "score", help="diagnose what evidence recorded, and judge it by the cases' truths"
    )
    scoring.add_argument("folder", type=Path, metavar="DIR", nargs="?")
    scoring.add_argument(
        "--fixtures", action="store_true", help="what tests/diagnose holds, in the place of DIR"
    )
    scoring.add_argument("--json", action="store_true")
    scoring.add_argument(
        "--strict", action="store_true", help="exit code 3 unless every case comes out right"
    )
    scoring.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    composing = commands.add_parser(
        "compose", help="draw systems from seeds, and record what limits them, measured"
    )
    composing.add_argument("--seeds", metavar="LIST", required=True, help="such as 1-20,1003,haproxy")
    composing.add_argument("--out", type=Path, metavar="DIR", required=True)
    composing.add_argument(
        "--beside", action="store_true", help="with another service under load on the same machine"
    )
    composing.add_argument("--show", action="store_true", help="print what is drawn, and run nothing")
    judging = commands.add_parser(
        "compose-score", help="diagnose what compose recorded, and judge it by what was measured"
    )
    judging.add_argument("folder", type=Path, metavar="DIR")
    judging.add_argument("--json", action="store_true")
    judging.add_argument("--strict", action="store_true", help="exit code 3 unless none is wrong; a line for each")
    judging.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    judging.add_argument("--levels", action="store_true", help="also by what lower levels see of them")
    fixing = commands.add_parser(
        "fixtures", help="turn what evidence or compose recorded into fixtures of the tests"
    )
    fixing.add_argument("folder", type=Path, metavar="DIR")
    fixing.add_argument(
        "--out", type=Path, metavar="DIR", default=fixtures.FOLDER, help="(tests/diagnose)"
    )
    # --state may stand behind the command, too.
    for each in commands.choices.values():
        each.add_argument(
            "--state", type=Path, metavar="DIR", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser.parse_args()


def _starting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, metavar="N", help="of names, numbers and ports")
    parser.add_argument("--name", metavar="NAME", help="of the instance (default: the case's id)")


def _language() -> str:
    wanted = (
        os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    )
    return "zh" if wanted.startswith("zh") else "en"


def main() -> int:
    """Does what is asked."""
    given = _arguments()
    state = (given.state or paths.state()).absolute()
    # So that a terminated start, too, ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return _COMMANDS[given.command](given, state)
    except LabError as error:
        _say(str(error))
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


def _list(given: argparse.Namespace, _state: Path) -> int:
    if given.json:
        print(json.dumps(catalogue.entries(), indent=1, ensure_ascii=False))
    elif given.markdown:
        print(catalogue.markdown(), end="")
    else:
        print(catalogue.table(given.lang))
    return 0


def _bring_up(
    given: argparse.Namespace, state: Path, cured: bool
) -> tuple[casefile.Case, Instance]:
    case = casefile.find(given.case)
    number = seed.draw() if given.seed is None else given.seed
    _say(f"{case.id}, seed {number}")
    return case, engine.up(case, check_name(given.name or case.id), state, number, cured, _say)


def _up(given: argparse.Namespace, state: Path) -> int:
    with locked(given.name or given.case, state):
        _, running = _bring_up(given, state, given.cured)
    for key, value in environment(running).items():
        print(f"{key}={shlex.quote(str(value))}")
    return 0


def environment(running: Instance) -> dict[str, object]:
    """What `eval "$(plimsoll-lab up CASE)"` sets."""
    facts = running.facts
    found: dict[str, object] = {
        "NAME": facts["name"],
        "SEED": facts["seed"],
        "INSTANCE": running.directory / "instance.json",
        "PLAN": running.directory / "plan.yaml",
        "URL": running.tier(facts["load"]["tier"])["url"],
    }
    for tier in facts["tiers"]:
        name = tier["name"].upper()
        found[f"{name}_PID"] = tier["pid"]
        found |= {f"{name}_{port.upper()}_PORT": number for port, number in tier["ports"].items()}
        if "management_url" in tier:
            found.setdefault("MANAGEMENT_URL", tier["management_url"])
            found[f"{name}_MANAGEMENT_URL"] = tier["management_url"]
    if load.prefix(running):
        found["ENTER"] = shlex.join(load.prefix(running))
    return found


def _switch(given: argparse.Namespace, state: Path) -> int:
    with locked(given.name, state):
        engine.switch(load_instance(given.name, state), given.command == "cure", _say)
    return 0


def _load(given: argparse.Namespace, state: Path) -> int:
    return load.run(load_instance(given.name, state), given.more, given.tier)


def _down(given: argparse.Namespace, state: Path) -> int:
    if given.all == bool(given.name):
        raise LabError("down wants the name of an instance, or --all")
    failed = []
    for name in names(state) if given.all else [check_name(given.name)]:
        try:
            with locked(name, state):
                if name in names(state):
                    engine.down(load_instance(name, state), _say)
        except LabError as error:
            failed.append(str(error))
    if failed:  # the others were ended all the same
        raise LabError("\n".join(failed))
    return 0


def _ps(given: argparse.Namespace, state: Path) -> int:
    running = [load_instance(name, state) for name in names(state)]
    if given.json:
        print(json.dumps([each.facts for each in running], indent=1, ensure_ascii=False))
        return 0
    for each in running:
        tiers = ", ".join(f"{tier['name']} {tier['pid']}" for tier in each.facts["tiers"])
        print(
            f"{each.name}: {each.facts['case']}, {each.facts['state']}, seed {each.facts['seed']}; "
            f"{tiers}"
        )
    return 0


def _prove(given: argparse.Namespace, state: Path) -> int:
    if given.pairs < 1:
        raise LabError("--pairs must be at least 1")
    load.generator()
    with locked(given.name or given.case, state):
        case, running = _bring_up(given, state, False)
        try:
            proof = prove.prove(case, running, given.pairs, _say)
        finally:
            engine.down(running, _say)
    if given.record:
        prove.record(proof)
    print(
        json.dumps(proof.facts(), indent=1, ensure_ascii=False)
        if given.json
        else prove.report(proof)
    )
    return NOT_AS_EXPECTED if proof.misses() else 0


def _evidence(given: argparse.Namespace, state: Path) -> int:
    if sum((given.all, bool(given.cases), given.some is not None)) != 1:
        raise LabError("evidence wants the ids of cases, --some N or --all")
    number = seed.draw() if given.seed is None else given.seed
    _say(f"seed {number}")
    wanted = [casefile.find(each).id for each in given.cases] or _runnable(given.some, number)
    if not given.repeat:
        wanted = [each for each in wanted if not evidence.recorded(given.out, each, number)]
    outcomes = evidence.record_all(wanted, number, state, given.out, _say)
    print(evidence.report(outcomes))
    return 1 if any(each.error for each in outcomes) else 0


def _runnable(some: int | None, number: int) -> list[str]:
    """All cases that can run here, or some that can be shown here, drawn by the seed."""
    cases = [casefile.read(path) for path in casefile.files()]
    left_out = [each.id for each in cases if needs.missing(each)]
    if left_out:
        _say(f"cannot run here: {', '.join(left_out)}")
    cases = [each for each in cases if each.id not in left_out]
    if some is None:
        return [each.id for each in cases]
    return seed.sample(number, [each.id for each in cases if each.provable], some)


def _fixtures(given: argparse.Namespace, _state: Path) -> int:
    is_drawn = any(given.folder.glob(f"*/{record.FILE}"))
    make = fixtures.make_drawn if is_drawn else fixtures.make
    print(fixtures.report(make(given.folder, given.out, _say)))
    return 0


def _score(given: argparse.Namespace, _state: Path) -> int:
    if given.fixtures == bool(given.folder):
        raise LabError("score wants a folder of recordings, or --fixtures")
    folder = fixtures.FOLDER if given.fixtures else given.folder
    verdicts = score.score(folder, _say)
    if given.markdown:
        text = score.markdown(verdicts, evidence.read_all(folder))
        given.markdown.write_text(text, encoding="utf-8")
    print(
        json.dumps(score.facts(verdicts), indent=1, ensure_ascii=False)
        if given.json
        else score.table(verdicts)
    )
    if given.strict and not given.json:
        marks = score.marks(verdicts, evidence.read_all(folder))
        print("", *marks, sep="\n")
    return NOT_AS_EXPECTED if given.strict and not all(map(score.is_right, verdicts)) else 0


def _compose(given: argparse.Namespace, state: Path) -> int:
    seeds = record.parse_seeds(given.seeds)
    if given.show:
        print(json.dumps([record.composed(each) for each in seeds], indent=1, ensure_ascii=False))
        return 0
    made = record.record_all(seeds, state, given.out, _say, given.beside)
    print(record.report(made))
    return 1 if any("error" in each for each in made) else 0


def _compose_score(given: argparse.Namespace, _state: Path) -> int:
    verdicts = compose_score.score_all(given.folder, _say)
    below = compose_levels.LOWER if given.levels else ()
    lower = {level.name: compose_score.score_all(given.folder, _say, level) for level in below}
    text = compose_score.markdown(verdicts, record.read_all(given.folder), lower)
    if given.markdown:
        given.markdown.write_text(text, encoding="utf-8")
    found = compose_score.facts(verdicts)
    print(json.dumps(found, indent=1, ensure_ascii=False) if given.json else text, end="")
    marks = compose_score.marks(verdicts)
    if given.strict and not given.json:
        print("", *marks, sep="\n")
    return NOT_AS_EXPECTED if given.strict and any(each.startswith("wrong: ") for each in marks) else 0


_COMMANDS = {
    "compose": _compose,
    "compose-score": _compose_score,
    "fixtures": _fixtures,
    "score": _score,
    "evidence": _evidence,
    "list": _list,
    "up": _up,
    "cure": _switch,
    "fault": _switch,
    "load": _load,
    "down": _down,
    "ps": _ps,
    "prove": _prove,
}
