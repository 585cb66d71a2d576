"""Measures what isolation costs: the start of a bot, its memory, and the round trip of a short line, at each level and without isolation;
the start of bots that use packages, until they are ready for the match; and the CPU time of matches and starts.

python -m benchmarks.isolation [--cpu] [--runs 5] [--json FILE]

``--cpu`` measures only CPU time, which is meaningful even on a busy machine.
"""

from __future__ import annotations

import os
import resource
import select
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import perf_counter

from arena.play.match import make_ticket, play_match
from benchmarks.common import Figure, arguments, figure_of, measure, report
from bots.errors import NotOfferedError, SandboxError
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec, MatchInfo
from bots.sandbox.spawn import Sandbox
from engine.core import Game
from engine.core.observer import Chronicle
from engine.registry import find_game

STARTS = 25
TRIPS = 2000
BOTS = 8
MATCHES = 100
LINE = b'{"type":"decide","seat":1,"token":"0123456789abcdef","moves":["A1-B2","C3-D4"],"clock":1.5}\n'
PRELOAD = ("engine.registry", "benchmarks.echo")
ENTRY = "benchmarks.echo:serve"
BOT = """
class Bot:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""


def read_line(descriptor: int) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = b""
    while not data.endswith(b"\n"):
        if not poll.poll(10_000):
            raise TimeoutError("the bot did not answer within ten seconds")
        data += os.read(descriptor, 1 << 16)
    return data


def floor() -> float:
    """Return the median microseconds of a byte's round trip to a forked process, with pipes on one core: just two context switches."""
    there, back = os.pipe(), os.pipe()
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    process = os.fork()
    if process == 0:
        os.close(there[1])
        while os.read(there[0], 1):
            os.write(back[1], b".")
        os._exit(0)
    spent = []
    for _ in range(TRIPS):
        began = perf_counter()
        os.write(there[1], b".")
        os.read(back[0], 1)
        spent.append((perf_counter() - began) * 1e6)
    for descriptor in (*there, *back):
        os.close(descriptor)
    os.waitpid(process, 0)
    os.sched_setaffinity(0, allowed)
    return statistics.median(spent)


@contextmanager
def plain_process() -> Iterator[tuple[int, int]]:
    """Run the same bot as an ordinary child process, and yield the descriptors for writing to it and reading from it."""
    command = [sys.executable, "-S", "-c", "import sys; sys.path.append('.'); from benchmarks.echo import serve; serve(b'')"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603  # this very interpreter
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin.fileno(), process.stdout.fileno()
        process.kill()


def plain_start() -> float:
    """Return the milliseconds until a bot in a new interpreter, without the engine, answers."""
    began = perf_counter()
    with plain_process() as (_, answers):
        read_line(answers)
        return (perf_counter() - began) * 1000


def first_start(level: Level) -> float:
    """Return the milliseconds until the first bot of a worker answers, including the start of its zygote."""
    began = perf_counter()
    with Sandbox(level, preload=PRELOAD) as sandbox, sandbox.spawn(ENTRY, b"") as child:
        read_line(child.stdout_fd)
        return (perf_counter() - began) * 1000


def start(sandbox: Sandbox) -> float:
    """Return the median milliseconds from the request for a bot to its first answer."""
    spent = []
    for _ in range(STARTS):
        began = perf_counter()
        with sandbox.spawn(ENTRY, b"") as child:
            read_line(child.stdout_fd)
            spent.append((perf_counter() - began) * 1000)
    return statistics.median(spent)


def end(sandbox: Sandbox) -> float:
    """Return the median milliseconds until a killed bot has ended and its pipes are closed."""
    spent = []
    for _ in range(STARTS):
        child = sandbox.spawn(ENTRY, b"")
        read_line(child.stdout_fd)
        began = perf_counter()
        child.close()
        spent.append((perf_counter() - began) * 1000)
    return statistics.median(spent)


def trip(requests: int, answers: int) -> float:
    """Return the median microseconds of a line's round trip to a bot."""
    spent = []
    for _ in range(TRIPS):
        began = perf_counter()
        os.write(requests, LINE)
        read_line(answers)
        spent.append((perf_counter() - began) * 1e6)
    return statistics.median(spent)


def memory(sandbox: Sandbox) -> float:
    """Return the mean memory of a bot in MiB, with several bots running and shared pages divided between them (PSS). It requires root."""
    with ExitStack() as stack:
        children = [stack.enter_context(sandbox.spawn(ENTRY, b"")) for _ in range(BOTS)]
        for child in children:
            read_line(child.stdout_fd)
        return statistics.mean(_pss(child.pid) for child in children)


def _pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise OSError("the kernel does not report PSS")


def figures_of(level: Level, runs: int) -> list[Figure]:
    """Measure everything about one level; return an empty list if this machine does not offer it."""
    found: list[Figure] = []
    with Sandbox(level, preload=PRELOAD) as sandbox:
        try:
            sandbox.start()
        except NotOfferedError as error:
            sys.stderr.write(f"{error}\n")
            return []
        wanted = "< 10" if level is Level.L3 else ""
        found.append(measure(f"{level}, first bot of a worker", "ms", runs, lambda: first_start(level)))
        found.append(measure(f"{level}, start of a bot", "ms", runs, lambda: start(sandbox), wanted))
        found.append(measure(f"{level}, end of a bot", "ms", runs, lambda: end(sandbox)))
        with suppress(PermissionError):
            found.append(measure(f"{level}, memory of a bot (PSS)", "MiB", runs, lambda: memory(sandbox)))
        with sandbox.spawn(ENTRY, b"") as child:
            read_line(child.stdout_fd)
            once: Callable[[], float] = lambda: trip(child.stdin_fd, child.stdout_fd)  # noqa: E731
            found.append(measure(f"{level}, round trip of a line", "us", runs, once))
    return found


def ready(pool: PlayerPool, bot: BotVersion, game: Game) -> float:
    """Return the median milliseconds until a bot is ready for its match (process, code and ``start``); the first one is not counted."""
    spent = []
    state = game.new(2, 1)
    info = MatchInfo(game, 2, 0, 1, ClockSpec())
    for _ in range(STARTS + 1):
        player = pool.seat(bot)
        began = perf_counter()
        player.start(info, Chronicle(state))
        spent.append((perf_counter() - began) * 1000)
        player.close()
    return statistics.median(spent[1:])


def figures_with_packages(level: Level, runs: int) -> list[Figure]:
    """Measure the start of bots with and without packages at one level, if it is offered and the packages are installed."""
    found: list[Figure] = []
    game = find_game("tongiaki")
    for packages in ((), ("numpy",), ("numpy", "onnxruntime")):
        source = "".join(f"import {package}\n" for package in packages) + BOT
        bot = BotVersion("bot", "", "bot.py", "Bot", source)
        named = f"with {' and '.join(packages)}" if packages else "without packages"
        try:
            with PlayerPool(level, game=game, runtime=Runtime(packages)) as pool:
                pool.start()
                once: Callable[[], float] = lambda: ready(pool, bot, game)  # noqa: B023, E731  # called in this round
                found.append(measure(f"{level}, ready for a match, {named}", "ms", runs, once, "< 20" if packages else ""))
        except SandboxError as error:
            sys.stderr.write(f"{error}\n")
    return found


def _used(who: int) -> tuple[float, int]:
    usage = resource.getrusage(who)
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_minflt


def play(level: Level, matches: int, players: int = 2, name: str = "tongiaki") -> tuple[float, float, int, int]:
    """Play matches of `random`; return CPU milliseconds of the host and of all other processes, their page faults, and the decisions.

    If ``players`` is 0, no match is played: a bot is only started and ended.
    """
    game, bot = find_game(name), identify("random")
    info, state, decisions = MatchInfo(game, 2, 0, 1, ClockSpec()), game.new(2, 1), 0
    others, faults = _used(resource.RUSAGE_CHILDREN)
    with PlayerPool(level, game=game) as pool:
        pool.start()
        own = 0.0
        for number in range(-3, matches):
            if number == 0:
                own, _ = _used(resource.RUSAGE_SELF)
            if players:
                ticket = make_ticket(game, [f"bot {seat}" for seat in range(players)], seed=number + 3)
                result = play_match(game, ticket, [pool.seat(bot) for _ in range(players)], clock=ClockSpec())
                decisions += sum(seat.decisions for seat in result.seats) if number >= 0 else 0
            else:
                player = pool.seat(bot)
                player.start(info, Chronicle(state))
                player.close()
        own = _used(resource.RUSAGE_SELF)[0] - own
    after, more = _used(resource.RUSAGE_CHILDREN)
    return own, after - others, more - faults, decisions


def kernel_floor(pages: int, decisions: int) -> float:
    """Return the CPU milliseconds that the kernel takes for a match of two processes; see `benchmarks.kernel_floor`."""
    command = [sys.executable, "-m", "benchmarks.kernel_floor", "2", str(pages), str(decisions), str(MATCHES)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603  # this very interpreter


def figures_of_cpu(runs: int) -> list[Figure]:
    """Measure the CPU time of matches, alternately in process and sealed, and of starts, without the CPU time of a worker's start."""
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        for name, what, players in (
            ("tongiaki", "Tongiaki", 2),
            ("sunda", "Sunda", 2),
            ("tongiaki", "start and end of a bot", 0),
        ):
            _, others, faults, _ = play(Level.L3, 0, players, name)
            host, more, many, decisions = play(Level.L3, MATCHES, players, name)
            shares = {"host": host, "its processes": more - others, "all": host + more - others, "page faults": many - faults}
            if players:
                plain, _, _, _ = play(Level.NONE, MATCHES, players, name)
                pages, asked = (many - faults) // MATCHES // players, decisions // MATCHES
                shares |= {"in process": plain, "decisions": decisions, "the kernel alone": MATCHES * kernel_floor(pages, asked)}
                isolation = shares["all"] - (1 + players) * plain  # the host and each bot compute the match
                found.setdefault(f"{what}, isolation relative to the kernel alone", []).append(isolation / shares["the kernel alone"])
            for share, value in shares.items():
                found.setdefault(f"{what}, {share}", []).append(value / MATCHES)
    units = {"page faults": "", "decisions": "", "isolation relative to the kernel alone": "times"}
    return [figure_of(name, units.get(name.rpartition(", ")[2], "ms of CPU"), values) for name, values in found.items()]


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--cpu", action="store_true", help="measure only CPU time, which is meaningful even on a busy machine")
    levels = ["L3", "L2", "L1", "L0"]
    parser.add_argument("--levels", nargs="+", choices=levels, default=levels, help="measure only these levels")
    given = parser.parse_args()
    if given.cpu:
        report("Isolation, CPU time of a match between two sealed random bots", figures_of_cpu(given.runs), given.json)
        return
    figures = [measure("two switches: a byte by bare pipes and back", "us", given.runs, floor)]
    figures.append(measure("plain process, start", "ms", given.runs, plain_start))
    with plain_process() as (requests, answers):
        read_line(answers)
        figures.append(measure("plain process, round trip of a line", "us", given.runs, lambda: trip(requests, answers)))
    for level in (Level[name] for name in given.levels):
        figures += figures_of(level, given.runs)
        figures += figures_with_packages(level, given.runs)
    figures += figures_of_cpu(given.runs)
    report("Isolation, one worker", figures, given.json)


if __name__ == "__main__":
    main()
