"""Laws that need another process: there the same game is played with other hashes of texts, or by the engine's plain form.

``python -m engine.conformance.processes`` is that process: it reads a task as JSON and prints its observations of each position.
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

from engine import FORM
from engine.conformance.trials import Law, LawError, SkipError, Trial, law_of_all, snapshot
from engine.core import State
from engine.registry import Registration, add_game, find_game, find_registration

_PARTS: Final = ("text", "key", "legal moves", "events", "who decides")
_MOST: Final = 300
"""How many positions of a game are compared."""
_SECONDS: Final = 600
_BEGUN: Final = "begun"
"""What the other process writes before it imports the game; an earlier failure is not the game's."""


@law_of_all("other-process", "Another process, with other hashes of texts, plays the same game: no set decides an order.")
def other_process(trials: Sequence[Trial]) -> None:
    _compare(trials, {"PYTHONHASHSEED": "12345"}, "in another process")


@law_of_all("both-forms", "The compiled engine and the plain one play the same game.")
def both_forms(trials: Sequence[Trial]) -> None:
    if not FORM.is_compiled:
        raise SkipError("the engine is not compiled here")
    _compare(trials, {"ARENA_ENGINE": "plain"}, "on the plain engine")


def _compare(trials: Sequence[Trial], environment: dict[str, str], where: str) -> None:
    played = [trial for trial in trials if trial.failure is None]
    if not played:
        raise SkipError("no game could be played")
    brought = find_registration(played[0].table.game)
    task: dict[str, object] = {
        "registration": asdict(brought),
        "games": [
            {"table": asdict(trial.table), "seed": trial.seed, "moves": [decision.move for decision in trial.decisions[:_MOST]]}
            for trial in played
        ],
    }
    answer = _answer(task, environment, where)
    for trial, theirs in zip(played, answer, strict=True):
        ours = _saw(trial.new(), trial, [decision.move for decision in trial.decisions[:_MOST]])
        for index, (one, other) in enumerate(zip(ours, theirs["seen"], strict=False)):
            for part, mine, its in zip(_PARTS, one, other, strict=True):
                if mine != its:
                    raise LawError(f"{where}, the same moves lead to a position with a different {part}", trial=trial, at=index)
        if theirs["error"] or len(theirs["seen"]) != len(ours):
            raise LawError(f"{where}, the game breaks off: {theirs['error']}", trial=trial, at=len(theirs["seen"]))


def _answer(task: dict[str, object], environment: dict[str, str], where: str) -> Any:  # JSON
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "engine.conformance.processes"],  # this program, whatever the current folder has
            input=json.dumps(task),
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each), **environment},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LawError(f"{where}, the games take more than {_SECONDS} seconds") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        if not done.stdout.startswith(_BEGUN):
            raise SkipError(f"another process can't be started here: {lines[-1]}")
        raise LawError(f"{where}, the games can't be played: {lines[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def _saw(state: State, trial: Trial | None, moves: Sequence[str]) -> list[list[str]]:
    saw = [_digests(state)]
    for move in moves:
        state.play(state.game.parse(move))
        saw.append(_digests(state))
        if trial is not None:
            trial.at = len(saw) - 1
    return saw


def _digests(state: State) -> list[str]:
    known = snapshot(state)
    parts = known.text, state.key, known.moves, known.events, known.actor
    return [blake2b(repr(part).encode(errors="replace"), digest_size=8).hexdigest() for part in parts]


def main() -> None:
    """Answer one task."""
    sys.stdout.write(f"{_BEGUN}\n")
    sys.stdout.flush()  # a game may end the process
    task = json.loads(sys.stdin.read())
    add_game(Registration(**task["registration"]))
    answer: list[dict[str, object]] = []
    for each in task["games"]:
        asked: dict[str, Any] = each["table"]
        options = {key: tuple(value) if isinstance(value, list) else value for key, value in asked["options"].items()}
        saw: list[list[str]] = []
        error = ""
        try:
            state = find_game(asked["game"], options).new(asked["players"], each["seed"])
            saw = _saw(state, None, each["moves"])
        except Exception as raised:  # noqa: BLE001  # a game's code may raise anything
            error = f"{type(raised).__name__}: {raised}"
        answer.append({"seen": saw, "error": error})
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


LAWS: Final[tuple[Law, ...]] = (other_process, both_forms)

if __name__ == "__main__":
    main()
