"""The law that needs another process: there the same game is played with other hashes of texts.

``python -m engine.conformance.processes`` is that process: it reads a task as JSON and prints a digest of each position.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, Final

from engine.conformance.trials import Law, LawError, SkipError, Trial, law_of_all, snapshot
from engine.core import State
from engine.registry import Registration, add_game, find_game, find_registration

_MOST: Final = 300
"""How many positions of a game are compared."""
_SECONDS: Final = 600
_BEGUN: Final = "begun"
"""What the other process writes before it imports the game; an earlier failure is not the game's."""


@law_of_all("other-process", "Another process, with other hashes of texts, plays the same game: no set decides an order.")
def other_process(trials: Sequence[Trial]) -> None:
    played = [trial for trial in trials if trial.failure is None]
    if not played:
        raise SkipError("no game could be played")
    games = [(asdict(trial.table), trial.seed, [decision.move for decision in trial.decisions[:_MOST]]) for trial in played]
    theirs = _ask({"registration": asdict(find_registration(played[0].table.game)), "games": games})
    for trial, (_, _, moves), (seen, error) in zip(played, games, theirs, strict=True):
        ours: list[str] = []
        _watch(trial.new(), moves, ours)
        at = next((at for at, (one, other) in enumerate(zip(ours, seen, strict=False)) if one != other), None)
        if at is not None:
            raise LawError("in another process, the same moves lead to a different position", trial=trial, at=at)
        if error:
            raise LawError(f"in another process, the game breaks off: {error}", trial=trial, at=len(seen))


def _ask(task: dict[str, object]) -> Any:  # JSON
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "engine.conformance.processes"],  # this program, whatever the current folder has
            input=json.dumps(task),
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each), "PYTHONHASHSEED": "12345"},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LawError(f"in another process, the games take more than {_SECONDS} seconds") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        if not done.stdout.startswith(_BEGUN):
            raise SkipError(f"another process can't be started here: {lines[-1]}")
        raise LawError(f"in another process, the games can't be played: {lines[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def _watch(state: State, moves: Sequence[str], seen: list[str]) -> None:
    """Play the moves, and add a digest of each position to ``seen``."""
    for move in (None, *moves):
        if move is not None:
            state.play(state.game.parse(move))
        seen.append(blake2b(repr((snapshot(state), state.key)).encode(errors="replace"), digest_size=8).hexdigest())


def main() -> None:
    """Answer one task."""
    print(_BEGUN, flush=True)  # noqa: T201  # a game may end the process
    task = json.loads(sys.stdin.read())
    add_game(Registration(**task["registration"]))
    answer: list[tuple[list[str], str]] = []
    for table, seed, moves in task["games"]:
        options = {key: tuple(value) if isinstance(value, list) else value for key, value in table["options"].items()}
        seen: list[str] = []
        error = ""
        try:
            _watch(find_game(table["game"], options).new(table["players"], seed), moves, seen)
        except Exception as raised:  # noqa: BLE001  # a game's code may raise anything
            error = f"{type(raised).__name__}: {raised}"
        answer.append((seen, error))
    print("\n" + json.dumps(answer))  # noqa: T201  # the answer


LAWS: Final[tuple[Law, ...]] = (other_process,)

if __name__ == "__main__":
    main()
