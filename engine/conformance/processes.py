"""The law that needs a second process, which plays the same match with different string hashes.

The second process, ``python -m engine.conformance.processes``, reads a task as JSON and prints a digest of each position.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Final

from engine.conformance.trials import Law, SkipError, Trial, broken, law, snapshot
from engine.core import State
from engine.registry import Registration, add_game, find_game, find_registration

_MOST: Final = 300
"""The largest number of positions of a match that are compared."""
_SECONDS: Final = 600


@law("other-process", "A second process with different string hashes plays the same match: no order depends on a set.")
def other_process(trial: Trial) -> None:
    if trial.failure is not None:
        raise SkipError("no game could be played")
    moves = [str(move) for move in trial.moves[:_MOST]]
    task = {"registration": asdict(find_registration(trial.table.game)), "table": asdict(trial.table), "seed": trial.seed, "moves": moves}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "engine.conformance.processes"],  # this program, even if the current folder hides it
        input=json.dumps(task),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each), "PYTHONHASHSEED": "12345"},
        timeout=_SECONDS,
        check=False,
    )
    theirs = done.stdout.split()
    for at, (one, other) in enumerate(zip(_digests(trial.new(), moves), theirs, strict=False)):
        trial.at = at
        if one != other:
            broken("in a second process, the same moves lead to a different position")
    if done.returncode != 0:
        trial.at = len(theirs)
        broken(f"in a second process, the game fails: {(done.stderr.splitlines() or [f'exit code {done.returncode}'])[-1]}")


def _digests(state: State, moves: Sequence[str]) -> Iterator[str]:
    for move in (None, *moves):
        if move is not None:
            state.play(state.game.parse(move))
        yield blake2b(repr((snapshot(state), state.key)).encode(errors="replace"), digest_size=8).hexdigest()


def main() -> None:
    """Replay the match of a JSON task from stdin and print a digest of each position."""
    task = json.loads(sys.stdin.read())
    add_game(Registration(**task["registration"]))
    table = task["table"]
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in table["options"].items()}
    for digest in _digests(find_game(table["game"], options).new(table["players"], task["seed"]), task["moves"]):
        print(digest)  # noqa: T201  # the answer


LAWS: Final[tuple[Law, ...]] = (other_process,)

if __name__ == "__main__":
    main()
