"""Measures WebAssembly bots: starts, decisions and matches, in process and sealed; and a search in C with fuel, without fuel, and native.

python -m benchmarks.wasm [--runs 5] [--json FILE]

It requires wasmtime, and Zig as the C compiler: pip install wasmtime ziglang
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time, sleep

from arena.play.match import play_match
from benchmarks.common import Figure, arguments, figure_of, measure, report
from benchmarks.protocol import Watch
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec, MatchInfo
from bots.sandbox.probe import best_level
from engine.core.observer import Chronicle
from engine.records import Ticket
from engine.registry import find_game

SOURCES = Path(__file__).parent / "modules"
HEADERS = Path(__file__).parents[1] / "arena" / "languages" / "c"
GAME = find_game("tongiaki")
MATCHES = 40
STARTS = 30
DEPTH = 15


def build(source: str, target: Path, *options: str) -> Path:
    """Compile a C program, and return its file."""
    command = [sys.executable, "-m", "ziglang", "cc", "-O2", f"-I{HEADERS}", *options, str(SOURCES / source), "-o", str(target)]
    subprocess.run(command, check=True)  # noqa: S603  # our own
    return target


def play(pool: PlayerPool, version: BotVersion, watch: Watch) -> float:
    """Return matches per second; the times of the decisions are added to ``watch``."""
    began = perf_counter()
    for seed in range(MATCHES):
        players = [watch.on(pool.seat(version)) for _ in range(2)]
        play_match(GAME, Ticket(f"{seed:016x}", ("a", "b"), 0, 0, ("a", "b"), seed), players, clock=ClockSpec())
    return MATCHES / (perf_counter() - began)


def start(pool: PlayerPool, version: BotVersion) -> float:
    """Return the median time of a start in milliseconds, with pauses between starts."""
    state = GAME.new(2, 1)
    info = MatchInfo(GAME, 2, 0, 1)
    times = []
    for _ in range(STARTS):
        player, chronicle = pool.seat(version), Chronicle(state)
        sleep(0.02)
        began = perf_counter()
        player.start(info, chronicle)
        times.append(1000 * (perf_counter() - began))
        player.close()
    return statistics.median(times)


def of_matches(runs: int, module: BotVersion) -> list[Figure]:
    """Measure starts, decisions and matches of `random`, as a module and in Python."""
    found, medians, rates = [], {}, {}
    for name, version, level in (
        ("Python in process", identify("random"), Level.NONE),
        ("module in process", module, Level.NONE),
        (f"module at {best_level()}", module, best_level()),
    ):
        with PlayerPool(level) as pool:
            watch = Watch()
            rates[name] = measure(f"random, {name}: matches", "1/s", runs, lambda: play(pool, version, watch))  # noqa: B023  # called at once
            low, *_, high = (1e6 * value for value in statistics.quantiles(watch.seconds, n=10))
            medians[name] = Figure(f"random, {name}: a decision", "us", 1e6 * statistics.median(watch.seconds), low, high)
            found += [rates[name], medians[name]]
            if version is module:
                wanted = "< 1"
                found.append(measure(f"random, {name}: start", "ms", runs, lambda: start(pool, version), wanted))  # noqa: B023
    python, inside, sealed = medians
    for name, most in ((inside, "<= 15"), (sealed, "<= 60")):
        more = medians[name].median - medians[python].median
        found.append(figure_of(f"extra time per decision: {name}", "us", [more], most))
        share = rates[name].median / rates[python].median
        found.append(figure_of(f"matches relative to Python in process: {name}", "times", [share], ">= 0.5" if name == inside else ""))
    return found


def searching(wasm: bytes, *, is_metered: bool) -> tuple[Callable[[], float], Callable[[], int]]:
    """Return a function that runs the search and returns its seconds, and a function that returns the fuel used so far."""
    from wasmtime import Engine, Func, Instance, Module, Store  # noqa: PLC0415  # not every machine has it

    from bots.wasm.engine import configuration  # noqa: PLC0415

    config = configuration()
    if not is_metered:
        config.consume_fuel = config.epoch_interruption = False
    engine = Engine(config)
    store = Store(engine)
    if is_metered:
        store.set_fuel(1 << 62)
        store.set_epoch_deadline(1)
    search = Instance(store, Module(engine, wasm), []).exports(store)["search"]
    assert isinstance(search, Func), "the module exports a function"

    def once() -> float:
        began = process_time()
        search(store, DEPTH)
        return process_time() - began

    return once, lambda: (1 << 62) - store.get_fuel()


def of_search(runs: int, folder: Path) -> list[Figure]:
    """Measure a search in C: as a module with and without fuel, and native."""
    module = build("search.c", folder / "search.wasm", "--target=wasm32-freestanding", "-nostdlib", "-Wl,--no-entry,--export=search")
    native = ctypes.CDLL(str(build("search.c", folder / "search.so", "-shared", "-fPIC"))).search
    native.restype = ctypes.c_uint64

    def natively() -> float:
        began = process_time()
        native(DEPTH)
        return process_time() - began

    metered, fuel = searching(module.read_bytes(), is_metered=True)
    unmetered, _ = searching(module.read_bytes(), is_metered=False)
    one = measure("search in C, native", "s", runs, natively)
    two = measure("search in C, module without fuel and epochs", "s", runs, unmetered)
    three = measure("search in C, module", "s", runs, metered)
    rate = fuel() / (runs + 1) / (1e6 * three.median)
    return [
        one,
        two,
        three,
        figure_of("module relative to native", "times", [three.median / one.median]),
        figure_of("with fuel and epochs, relative to without", "times", [three.median / two.median], "<= 2"),
        figure_of("fuel per microsecond", "units", [rate]),
    ]


if __name__ == "__main__":
    given = arguments(__doc__ or "").parse_args()
    if find_spec("ziglang") is None or find_spec("wasmtime") is None:
        print("Not measured: this requires wasmtime and a C compiler for WebAssembly (pip install wasmtime ziglang).")
        sys.exit()
    with tempfile.TemporaryDirectory() as name:
        options = ("--target=wasm32-freestanding", "-nostdlib", "-Wl,--no-entry,--strip-all")
        bot = identify(str(build("random.c", Path(name, "random.wasm"), *options)))
        report("WebAssembly bots", [*of_matches(given.runs, bot), *of_search(given.runs, Path(name))], given.json)
