"""Peak memory: with the number of requests, with open connections, for idle users."""

from . import clients
from .clients import Job
from .context import SUBJECT, Context, RunFailed
from .table import FAILS, HOLDS, Row, judge

SECTION = "Memory (peak resident set)"
# What a page cache of the allocator may add by chance between two runs.
CONSTANT_SLACK_MB = 1.0
IDLE_FEW, IDLE_MANY = 1000, 10000


def _mb(kib: float) -> float:
    """Decimal megabytes: the stricter reading of the targets."""
    return kib * 1024 / 1e6


def memory(ctx: Context) -> None:
    """All memory rows."""
    _constant(ctx)
    _connections(ctx)
    _idle_users(ctx)


def _constant(ctx: Context) -> None:
    """64 users, and four times as many requests: no more memory."""
    label = "64 users; after four times the requests"
    if not ctx.has(SUBJECT):
        ctx.table.add(Row(SECTION, label, "not built", target="< 20 MB, constant",
                          verdict="not measured"))
        return
    try:
        runs = [ctx.run(SUBJECT, Job(ctx.nginx.url, duration_s=seconds), watch_memory=True)
                for seconds in (2, 8)]
    except RunFailed as error:
        ctx.table.add(Row(SECTION, label, str(error), verdict=FAILS))
        return
    short, long = (_mb(run.peak_rss_kib) for run in runs)
    holds = long < 20 and long - short <= CONSTANT_SLACK_MB
    ctx.table.add(Row(
        SECTION, label, f"{short:.1f} MB → {long:.1f} MB",
        spread=f"{runs[0].requests:,} → {runs[1].requests:,} requests",
        target=f"< 20 MB, constant (± {CONSTANT_SLACK_MB:g} MB)",
        verdict=HOLDS if holds else FAILS,
    ))


def _peak_mb(ctx: Context, name: str, connections: int) -> tuple[float, int]:
    """(peak in MB, most connections that nginx held open at once)."""
    # JMeter's JVM alone takes seconds to come up, then starts thread by thread.
    seconds = 20 if name == "JMeter" else 5
    job = Job(ctx.nginx.url, connections=connections, duration_s=seconds)
    running, directory = ctx.start(name, job)
    open_most, peak_kib = 0, 0
    for _ in range(600):
        if running.ended_within(0.1):
            break
        open_most = max(open_most, ctx.nginx.connections())
        peak_kib = max(peak_kib, running.status_kib("VmHWM"))
    finished = running.wait(seconds + 60, watch_memory=True)
    if finished.exit_code not in ((0, 4) if name == SUBJECT else (0,)):
        raise RunFailed(finished.complaint())
    return _mb(max(peak_kib, finished.peak_rss_kib)), open_most


def _connections(ctx: Context) -> None:
    """5,000 connections that all send."""
    label = "5,000 open connections"
    own, verdict = "not built", "not measured"
    if ctx.has(SUBJECT):
        try:
            peak, seen = _peak_mb(ctx, SUBJECT, 5000)
            own = f"{peak:.1f} MB ({seen:,} open)"
            verdict = judge(peak if seen >= 5000 else None, 80)
        except RunFailed as error:
            own, verdict = str(error), FAILS
        ctx.note(f"{label}: {own}")
    ctx.table.add(Row(SECTION, label, own, target="< 80 MB", verdict=verdict))
    for peer in ("wrk", "h2load", "oha", "vegeta", "k6", "JMeter"):
        if not ctx.has(peer):
            value = "missing"
        else:
            try:
                peak, seen = _peak_mb(ctx, peer, 5000)
                value = f"{peak:.1f} MB ({seen:,} open)"
            except RunFailed as error:
                value = "failed"
                ctx.table.remark(f"{label}: {error}")
        ctx.note(f"{label}: {peer} {value}")
        ctx.table.add(Row(SECTION, label, beside=peer, its_value=value))


def _idle_users(ctx: Context) -> None:
    """What each user costs who has sent one request and now thinks."""
    label = f"each further idle user ({IDLE_FEW:,} → {IDLE_MANY:,})"
    if not ctx.has(SUBJECT):
        ctx.table.add(Row(SECTION, label, "not built", target="< 10 KB", verdict="not measured"))
        return
    peaks = []
    for users in (IDLE_FEW, IDLE_MANY):
        directory = ctx.fresh_directory()
        argv = [str(clients.subject_binary()), "run", str(clients.BENCH / "plans" / "idle.yaml"),
                "--users", str(users), "--duration", "8s", "--threads", "1", "--quiet",
                "--set", f"base={ctx.nginx.url.rstrip('/')}", "--out", str(directory / "run"),
                "--summary-json", str(directory / "summary.json")]
        before = ctx.nginx.requests()
        running = ctx.start_argv(SUBJECT, argv, directory)
        finished = running.wait(60, watch_memory=True)
        sent = ctx.nginx.requests_since(before)
        if finished.exit_code not in (0, 4) or sent < users:
            reason = finished.complaint() if finished.exit_code not in (0, 4) else (
                f"{sent} requests of {users} users")
            ctx.table.add(Row(SECTION, label, "failed", target="< 10 KB", verdict=FAILS))
            ctx.table.remark(f"{label}: {reason}")
            return
        peaks.append(finished.peak_rss_kib)
    each_kb = (_mb(peaks[1]) - _mb(peaks[0])) * 1e3 / (IDLE_MANY - IDLE_FEW)
    ctx.table.add(Row(SECTION, label, f"{each_kb:.2f} KB",
                      spread=f"{_mb(peaks[0]):.1f} MB → {_mb(peaks[1]):.1f} MB",
                      target="< 10 KB", verdict=judge(each_kb, 10)))
