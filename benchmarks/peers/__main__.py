"""Compares this engine with others in random play on one core; they take turns, so that a busy machine affects all of them.

python -m benchmarks.peers [--runs 5] [--seconds 2] [--json FILE]

Each of the others (a peer) is installed once from the package index into its own environment in out/peers; a peer that can't be installed
is left out and reported.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import Figure, arguments, report

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INSTALL_SECONDS = 900


@dataclass(frozen=True)
class Peer:
    """Something to measure: the script, the game it plays, and the packages the script requires (none: it uses this project)."""

    name: str
    script: str
    game: str
    packages: tuple[str, ...] = ()


PEERS = (
    Peer("Tongiaki, 4 seats", "play_arena.py", "tongiaki:4"),
    Peer("Sunda to Sahul, level 0, 2 seats", "play_arena.py", "sunda:2"),
    Peer("OpenSpiel, backgammon", "play_open_spiel.py", "backgammon", ("open_spiel==2.0.1",)),
    Peer("OpenSpiel, chess", "play_open_spiel.py", "chess", ("open_spiel==2.0.1",)),
    Peer("OpenSpiel, hive", "play_open_spiel.py", "hive", ("open_spiel==2.0.1",)),
    Peer("PettingZoo, connect four", "play_pettingzoo.py", "connect_four_v3", ("pettingzoo[classic]==1.27.0",)),
    Peer("kaggle-environments, connectx", "play_kaggle.py", "connectx", ("kaggle-environments==1.33.2",)),
)


def interpreter(peer: Peer) -> Path | None:
    """Return a Python with the peer's packages, installing them if necessary, or None if they can't be installed."""
    if not peer.packages:
        return Path(sys.executable)
    folder = ROOT / "out" / "peers" / peer.script.removeprefix("play_").removesuffix(".py")
    python = folder / "bin" / "python"
    done = folder / "installed"
    if done.exists() and done.read_text() == " ".join(peer.packages):
        return python
    sys.stderr.write(f"installing {' '.join(peer.packages)} into {folder.relative_to(ROOT)} ...\n")
    venv.create(folder, with_pip=True, clear=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
    try:
        subprocess.run(command, check=True, timeout=INSTALL_SECONDS, capture_output=True)  # noqa: S603  # our own list of packages
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"left out: {peer.name} ({str(error).splitlines()[0][:200]})\n")
        return None
    done.write_text(" ".join(peer.packages))
    return python


def play(peer: Peer, python: Path, seconds: float) -> dict[str, float] | None:
    """Return games and decisions per second on one core, or None if the peer does not run here."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    if not peer.packages:
        environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(  # noqa: S603  # our own scripts
        [str(python), str(HERE / peer.script), peer.game, str(seconds)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(f"left out: {peer.name} ({(done.stderr.strip().splitlines() or ['no reason given'])[-1][:200]})\n")
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def figures(runs: int, seconds: float) -> list[Figure]:
    """Measure games and decisions of everything that runs here, and the ratios within each round."""
    pythons = {peer: interpreter(peer) for peer in PEERS}
    rounds: dict[str, list[dict[str, float]]] = {peer.name: [] for peer in PEERS}
    left = [(peer, python) for peer, python in pythons.items() if python is not None]
    for _ in range(runs):
        for peer, python in list(left):
            found = play(peer, python, seconds)
            if found is None:
                left.remove((peer, python))
            else:
                rounds[peer.name].append(found)
    table = []
    for unit in ("games", "decisions"):
        for name, results in rounds.items():
            if results:
                table.append(_figure(name, f"{unit}/s", [each[unit] for each in results]))
    ours = rounds[PEERS[0].name]
    for name, wanted in (("OpenSpiel, backgammon", ">= 1"), ("kaggle-environments, connectx", ">= 50")):
        ratios = [mine["decisions"] / theirs["decisions"] for mine, theirs in zip(ours, rounds[name], strict=False)]
        if ratios:
            table.append(_figure(f"Tongiaki's decisions relative to {name}", "times", ratios, wanted))
    return table


def _figure(name: str, unit: str, values: list[float], wanted: str = "") -> Figure:
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


if __name__ == "__main__":
    parser = arguments(__doc__ or "")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each engine plays in a round")
    given = parser.parse_args()
    report("Peers, random play on one core", figures(given.runs, given.seconds), given.json)
