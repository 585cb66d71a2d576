"""A training: generations of games, a fit after each generation, and the files of both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.train.course import Course
from benchmarks.train.fit import Fitted, Shape, fit
from benchmarks.train.games import Record, TrainingError, keep_whole_lines, play_game, read_records
from benchmarks.train.measure import measure
from benchmarks.train.positions import Positions, collect, join, load, save
from benchmarks.train.sunda_fit import fit_together
from bots.reference.valuation.base import ValueFunction
from bots.reference.valuation.learned_value import FORMAT, digest_of

MOST_GAMES = 10_000_000
"""An upper bound for the number of games of a generation."""
CHUNK = 50
"""How many games are written at a time."""
RECENT = 2
"""How many of the last generations are learned from; earlier generations played differently, and would distort the chances."""
FIRST = 8
"""The first generation plays this many times fewer games than each later generation."""
GAMES_OF_NETWORK = 20_000
"""A model gets hidden units only if it learns from this many games; with a few thousand games, they did not generalise."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training does. ``seconds`` is the time limit for playing, or None.

    ``earlier`` lists files of games from earlier trainings, with any features; if there are any, a model is fitted to them before the first
    generation, which plays with it.
    """

    seed: int
    generations: int
    games: int
    workers: int = 1
    seconds: float | None = None
    earlier: tuple[Path, ...] = ()

    def games_of(self, generation: int) -> int:
        """Return how many games a generation plays; the first plays fewer, because the experts' games are slow."""
        return self.games if generation or self.earlier else max(1, self.games // FIRST)


class Training:
    """A training in a folder, which holds all of its state: a new object for the same folder continues the training."""

    def __init__(self, course: Course, plan: Plan, folder: Path, clock: Callable[[], float]) -> None:
        self.course = course
        self.plan = plan
        self.folder = folder
        self._clock = clock

    def run(self) -> Path:
        """Play and fit all generations; return the file of the last weights. Raises TrainingError for a folder of a different training."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._check_folder()
        path = self.folder
        for generation in range(-1 if self.plan.earlier else 0, self.plan.generations):
            path = self._weights(generation)
            if not path.exists():
                if generation >= 0:
                    self._play(generation)
                _write(path, self._fit(generation))
                self._write_curve(generation)
        return path

    def _weights(self, generation: int) -> Path:
        """Return the file with the weights after a generation; -1 means the games of earlier trainings."""
        return self.folder / (f"weights-{generation}.json" if generation >= 0 else "weights-earlier.json")

    def _generations(self, last: int) -> range:
        return range(-1 if self.plan.earlier else 0, last + 1)

    def _check_folder(self) -> None:
        ours = {"game": self.course.sight.game, "seed": self.plan.seed, "features": list(self.course.sight.names)}
        path = self.folder / "training.json"
        if not path.exists():
            _write(path, ours)
            return
        try:
            theirs = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            theirs = None
        if theirs != ours:
            raise TrainingError(f"{self.folder} belongs to a different game, seed or set of features; choose another --folder")

    # Games

    def _play(self, generation: int) -> None:
        path = self.folder / f"games-{generation}.jsonl"
        keep_whole_lines(path)
        played = {record["number"] for record in read_records(path)}
        missing = (number for number in range(self.plan.games_of(generation)) if number not in played)
        until = None if self.plan.seconds is None else self._clock() + self.plan.seconds / self.plan.generations
        weights = self._weights(generation - 1) if generation or self.plan.earlier else None
        play = partial(_play_numbered, self.course, weights, self.plan.seed, generation)
        with path.open("a", encoding="utf-8") as file, ExitStack() as stack:
            several = map if self.plan.workers == 1 else stack.enter_context(ProcessPoolExecutor(self.plan.workers)).map
            while (until is None or self._clock() < until) and (numbers := list(islice(missing, CHUNK))):
                self._weights(generation).with_suffix(".npz").unlink(missing_ok=True)  # these games are missing from it
                for record in several(play, numbers):
                    file.write(json.dumps(record, separators=(",", ":")) + "\n")
                file.flush()
        print(f"generation {generation}: {len(self._records(generation))} games", flush=True)

    def _records(self, generation: int) -> list[Record]:
        if generation < 0:
            earlier = [record for path in self.plan.earlier for record in read_records(path)]
            return [{**record, "number": number} for number, record in enumerate(earlier)]
        return read_records(self.folder / f"games-{generation}.jsonl")

    def _positions(self, generation: int) -> dict[str, Positions]:
        """Return the positions of a generation; game numbers are unique, and higher in later generations."""
        path = self._weights(generation).with_suffix(".npz")
        if not path.exists():
            first = (generation + 1) * MOST_GAMES
            save(path, collect(self.course, self._records(generation), first))
        return load(path)

    # Weights

    def _fit(self, generation: int) -> Mapping[str, Any]:
        """Return the weights learned from the games of the last generations, and how they were obtained."""
        positions = join([self._positions(each) for each in self._generations(generation)[-RECENT:]])
        games = sum(len(self._records(each)) for each in self._generations(generation)[-RECENT:])
        shape = Shape(self.course.knots, self.course.hidden if games >= GAMES_OF_NETWORK else 0, self.course.sight.phase)
        models: dict[str, Any] = {}
        measured: dict[str, Any] = {}
        for key, (fitted, quality) in learn(positions, shape, self.plan.seed, self.course.sight.game).items():
            models[key] = fitted.numbers()
            measured[key] = quality
            print(f"  {key}: {quality}", flush=True)
        weights: dict[str, Any] = {"format": FORMAT, "game": self.course.sight.game, "features": list(self.course.sight.names)}
        weights["models"] = models
        weights["provenance"] = self._provenance(generation, digest_of(weights), measured)
        return weights

    def _provenance(self, generation: int, digest: str, measured: Mapping[str, Any]) -> Mapping[str, Any]:
        games = [len(self._records(each)) for each in self._generations(generation)[-RECENT:]]
        plan = self.plan
        earlier = {path.name: sha256(path.read_bytes()).hexdigest() for path in plan.earlier}
        numbers = f"--generations {generation + 1} --games {plan.games} --seed {plan.seed}" + "".join(
            f" --earlier {name}" for name in earlier
        )
        return {
            "command": f"python -m benchmarks.train {self.course.sight.game} {numbers}",
            "seed": plan.seed,
            "games": games,
            "earlier games": earlier,
            "positions of a game": self.course.samples,
            "digest": digest,
            "held out": measured,
        }

    def _write_curve(self, generation: int) -> None:
        curve = [read_weights(self._weights(each))["provenance"] for each in self._generations(generation)]
        _write(self.folder / "curve.json", curve)
        lines = ["| generation | games | model | held-out games | log loss | of equal chances | worst tenth |", "| --- " * 7 + "|"]
        for number, each in enumerate(curve):
            for key, quality in each["held out"].items():
                errors = [abs(error) for error in quality["errors by tenth, all ranks, in points"] if error is not None]
                facts = (number, sum(each["games"]), key, quality["games"], quality["log loss"], quality["log loss of equal chances"])
                lines.append("| " + " | ".join(map(str, (*facts, max(errors, default="")))) + " |")
        (self.folder / "curve.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def learn(positions: Mapping[str, Positions], shape: Shape, seed: int, game: str = "") -> dict[str, tuple[Fitted, Mapping[str, Any]]]:
    """Return the model for each key, and its measurements on held-out games. Raises TrainingError if there are too few games."""
    parts = [each.parts() for each in positions.values()]
    known, held_out = [part[0] for part in parts], [part[1] for part in parts]
    if not parts or not all(map(len, known + held_out)):
        raise TrainingError("there are too few games for learning and measuring; play more with --games or --hours")
    models = fit_together(dict(zip(positions, known, strict=True)), shape, seed) if game == "sunda" else fit(known, shape, seed)
    qualities = [measure(each, model.strengths(each.rows), model.sharpness).numbers() for each, model in zip(held_out, models, strict=True)]
    return dict(zip(positions, zip(models, qualities, strict=True), strict=True))


def read_weights(path: Path) -> Mapping[str, Any]:
    """Return the weights in a file that a training has written."""
    weights: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return weights


def _play_numbered(course: Course, weights: Path | None, seed: int, generation: int, number: int) -> Record:
    return play_game(course, None if weights is None else _value_of(course, weights), seed, generation, number)


@lru_cache(maxsize=2)
def _value_of(course: Course, weights: Path) -> ValueFunction:
    return course.make(lambda: read_weights(weights))


def _write(path: Path, content: object) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)
