"""Tuning the parameters of a bot: trials on the same blocks, proposed and pruned by Optuna; and the optimum, by a Gaussian process.

A trial plays its parameters against rivals. Block *n* has the same seeds in every trial, so trials are compared in pairs. Results are
noisy, so the best trial is usually a lucky one; the recommendation is therefore the optimum of a smooth surface through all trials.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf, log, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from arena.entries.preflight import distinct_names
from arena.play.executors.base import Executor, HostError, Job, Played
from arena.spec.seeds import derive_id, derive_seed
from bots.loader.params import ParamValue, make_params, read_value, with_params
from bots.loader.version import BotVersion
from engine.core import Game
from engine.core.errors import InputError
from engine.records import MatchResult, Ticket, VoidMatch

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

Space: TypeAlias = "Mapping[str, BaseDistribution]"
"""The parameters to tune, by name, with Optuna's distributions."""
ParamSet: TypeAlias = Mapping[str, ParamValue]

TRIALS: Final = 40
BLOCKS: Final = 64
"""The default number of trials in a study, and of blocks in a trial that is not pruned."""
AT_ONCE: Final = 8
"""The number of blocks that a trial plays before pruning is considered."""
FIRST: Final = 16
"""The number of blocks that every trial plays."""
STARTUP: Final = 10
"""The number of random trials before the first proposal."""
P_VALUE: Final = 0.1
"""A trial is pruned if the p-value for being worse than the best one is below this."""
DIGITS: Final = 4
"""Significant digits of proposed numbers, so that printed values are exactly those that were played."""
LEAST: Final = 3
"""The least number of trials for naming an optimum, unless there are fewer sets of values."""
REPEATS: Final = 100
"""A study ends after this many proposals in a row of values that were already played."""
CANDIDATES: Final = 200
DRAWS: Final = 400
"""The number of surfaces that are drawn for the interval of the optimum."""
ROUNDS: Final = 2
"""How often candidates are drawn, the second time near the highest points of the first."""
TAIL: Final = 0.01
"""The share of highest points below a 95 % interval, and above it: less than 2.5 %, since the surface's own scales are estimates, too."""
_LEAST_VARIANCE: Final = 1e-4
_SPACE: Final = re.compile(r"(?P<name>[^=]+)=(?P<low>[^:,]+?)(?P<kind>\.\.|:)(?P<high>[^:,]+?)(?P<log>:log)?")


class TuneError(InputError):
    """The study can't be made; the text names the problem and says what to do."""


def read_space(texts: Sequence[str]) -> Space:
    """Return the parameters that texts such as ``depth=1..6``, ``caution=0.1:2``, ``rate=0.001:1:log`` and ``style=calm,bold`` describe.

    Raises TuneError.
    """
    space: dict[str, BaseDistribution] = {}
    for text in texts:
        name, distribution = _read_range(text)
        if name in space:
            raise TuneError(f"--param {text}: '{name}' is given twice")
        space[name] = distribution
    return space


def _read_range(text: str) -> tuple[str, BaseDistribution]:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: PLC0415  # an extra

    name, equals, choices = text.partition("=")
    if equals and name and "," in choices:
        values = [read_value(each) for each in choices.split(",")]
        if len(set(values)) < len(values) or "" in values:
            raise TuneError(f"--param {text}: write different values, as in {name}=calm,bold")
        return name, CategoricalDistribution(values)
    if (match := _SPACE.fullmatch(text)) is None:
        raise TuneError(f"--param {text}: write NAME=1..6 (integers), NAME=0.1:2 (numbers), NAME=0.001:1:log, or NAME=calm,bold")
    name, low, high = match["name"], read_value(match["low"]), read_value(match["high"])
    is_whole, is_log = match["kind"] == "..", match["log"] is not None
    for value in (low, high):
        if isinstance(value, str | bool) or (is_whole and not isinstance(value, int)):
            raise TuneError(f"--param {text}: {value} is not {'an integer' if is_whole else 'a number'}")
    assert not isinstance(low, str)
    assert not isinstance(high, str)
    if low >= high:
        raise TuneError(f"--param {text}: {low} is not below {high}")
    if is_log and low <= 0:
        raise TuneError(f"--param {text}: on a logarithmic scale numbers must be above 0")
    if is_whole:
        return name, IntDistribution(int(low), int(high), log=is_log)
    return name, FloatDistribution(low, high, log=is_log)


def limits_of(space: Space) -> list[dict[str, ParamValue]]:
    """Return sets of values in which each parameter has both ends of its range, or each of its values."""
    ends: dict[str, Any] = {name: getattr(each, "choices", None) or (each.low, each.high) for name, each in space.items()}  # type: ignore[attr-defined]
    return [{name: each[number % len(each)] for name, each in ends.items()} for number in range(max(map(len, ends.values())))]


def _size(space: Space) -> float:
    """Return how many sets of values there are."""
    from optuna.distributions import FloatDistribution  # noqa: PLC0415  # an extra

    numbers: Any = [each for each in space.values() if not hasattr(each, "choices")]
    if any(isinstance(each, FloatDistribution) for each in numbers):
        return inf
    return prod([len(each.choices) for each in space.values() if hasattr(each, "choices")] + [each.high - each.low + 1 for each in numbers])


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """What a trial plays: the bot in every seat of tables with rivals, who take their places in turn. Every seed follows from ``seed``."""

    game: Game
    bot: str
    rivals: tuple[str, ...]
    players: int
    seed: int

    def block(self, number: int) -> tuple[Ticket, ...]:
        """Return the tickets of a block: one table in all rotations, on one seed."""
        names = distinct_names(self._table(number))
        seed = derive_seed("tune", self.seed, self.game.name, self.players, number)
        tickets = []
        for shift in range(self.players):
            seats = names[shift:] + names[:shift]
            ticket = derive_id("tune", self.seed, number, seats)
            tickets.append(Ticket(ticket, tuple(sorted(seats)), number, shift, seats, seed))
        return tuple(tickets)

    @property
    def names(self) -> dict[str, str]:
        """The names at the table, by which ``Job.bots`` knows them, with the names of the bots."""
        tables = map(self._table, range(len(self.rivals)))
        return {name: bot for table in tables for name, bot in zip(distinct_names(table), table, strict=True)}

    def _table(self, number: int) -> tuple[str, ...]:
        return (self.bot, *(self.rivals[(number + place) % len(self.rivals)] for place in range(self.players - 1)))

    def score(self, results: Sequence[MatchResult]) -> float:
        """Return the mean share of its rivals that the bot ended above, from 0 to 1; those level with it count half."""
        total = 0.0
        for result in results:
            own = next(seat.rank for seat in result.seats if seat.bot == self.bot)
            total += sum((own < seat.rank) + (own == seat.rank) / 2 for seat in result.seats if seat.bot != self.bot) / (self.players - 1)
        return total / len(results)


@dataclass(frozen=True, slots=True)
class TuningState:
    """The progress of a study: trials that have ended, the current trial (or the last, if it ``is_over``), and matches in all."""

    ended: int
    trial: PlayedTrial
    is_over: bool
    matches: int


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where the surface through all trials is highest, the score expected there, and for each number its 95 % interval.

    For a parameter that is chosen from a list, ``intervals`` has the values that were best in at least one of forty draws.
    """

    params: ParamSet
    score: float
    error: float
    intervals: Mapping[str, tuple[ParamValue, ...]]


class StudyFile:
    """A study on disk: a line that describes it, and a line for each trial that has ended, as JSON."""

    def __init__(self, path: Path, facts: Mapping[str, object]) -> None:
        """Open a study, or begin one. Raises TuneError for a file of a different study, or of none."""
        self.path = path
        self.trials: list[PlayedTrial] = []
        wanted = json.loads(json.dumps(facts))
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        if not lines:
            path.write_text(f"{json.dumps(wanted)}\n", encoding="utf-8")
            return
        try:
            known = json.loads(lines[0])
            ended = [line for line in lines[1:] if line.endswith("\n")]  # the last may have been cut off
            self.trials = [PlayedTrial(each["params"], tuple(map(float, each["scores"]))) for each in map(json.loads, ended)]
        except (ValueError, TypeError, KeyError):
            raise TuneError(f"{path} is not a study; name another file with --study") from None
        for key, value in wanted.items():
            if known.get(key) != value:
                raise TuneError(f"{path} is a study with another {key}; name another file with --study, or delete this one")
        if len(ended) < len(lines) - 1:
            path.write_text("".join([lines[0], *ended]), encoding="utf-8")

    def add(self, trial: PlayedTrial) -> None:
        """Keep a trial that has ended."""
        self.trials.append(trial)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'params': dict(trial.params), 'scores': trial.scores})}\n")


@dataclass(frozen=True, slots=True)
class PlayedTrial:
    """A trial that has ended: its parameters, and the scores of blocks 0, 1, 2 ..."""

    params: ParamSet
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean score."""
        return sum(self.scores) / len(self.scores)


class Tuning:
    """Plays the trials of a study. Each is stored when it ends; an interrupted one is discarded."""

    def __init__(
        self, file: StudyFile, space: Space, plan: TuningPlan, bot: BotVersion, rivals: Mapping[str, BotVersion], job: Job
    ) -> None:
        self._file = file
        self._space = space
        self._plan = plan
        self._bot = bot
        self._rivals = rivals
        self._job = job
        self.matches = sum(len(each.scores) for each in file.trials) * plan.players

    def is_number(self, name: str) -> bool:
        """Return whether a parameter is a number of a range, not one of a list."""
        return hasattr(self._space[name], "low")

    def version(self, params: ParamSet) -> BotVersion:
        """Return the bot with these parameters. Raises BotError."""
        return with_params(self._bot, make_params(params, self._bot.origin))

    def play(self, trials: int, blocks: int, executor: Executor, on_progress: Callable[[TuningState], None]) -> None:
        """Play until ``trials`` trials have ended, with at most ``blocks`` blocks each. Raises HostError and BotError.

        It ends earlier if hardly any set of values is left: none is played twice, since its blocks would give the same results.
        """
        from optuna.trial import TrialState  # noqa: PLC0415  # an extra

        study = _study(self._plan.seed + len(self._file.trials))  # a resumed study must not draw the same again
        for each in self._file.trials:
            study.add_trial(_frozen(each, self._space))
        repeats = 0
        while len(self._file.trials) < min(trials, _size(self._space)) and repeats < REPEATS:
            trial = study.ask(dict(self._space))
            played = PlayedTrial(_shortened(trial.params), ())
            if any(each.params == played.params for each in self._file.trials):
                study.tell(trial, state=TrialState.FAIL)  # as if it had not been proposed
                repeats += 1
                continue
            repeats = 0
            numbers = iter(range(blocks))
            while chunk := list(islice(numbers, AT_ONCE)):
                scores = self._scores(played.params, chunk, executor)
                for number, score in zip(chunk, scores, strict=True):
                    trial.report(score, number)
                played = PlayedTrial(played.params, (*played.scores, *scores))
                on_progress(TuningState(len(self._file.trials), played, is_over=False, matches=self.matches))
                if len(played.scores) >= FIRST and trial.should_prune():
                    break
            study.tell(trial, played.mean)
            self._file.add(played)
            on_progress(TuningState(len(self._file.trials), played, is_over=True, matches=self.matches))

    def _job_of(self, params: ParamSet) -> Job:
        bots = {name: self.version(params) if bot == self._plan.bot else self._rivals[bot] for name, bot in self._plan.names.items()}
        return replace(self._job, bots=bots)

    def _scores(self, params: ParamSet, numbers: Sequence[int], executor: Executor) -> list[float]:
        """Return the score of each of these blocks."""
        results: dict[int, dict[int, Played]] = {number: {} for number in numbers}
        for played in executor.run(self._job_of(params), (ticket for number in numbers for ticket in self._plan.block(number))):
            for each in played:
                if isinstance(each, VoidMatch):
                    raise HostError(f"a match can't be played, because it failed on this machine: {each.reason}")
                results[each.ticket.block][each.ticket.rotation] = each
                self.matches += 1
        blocks = ([each for _, each in sorted(results[number].items()) if isinstance(each, MatchResult)] for number in numbers)
        return [self._plan.score(block) for block in blocks]

    def optimum(self) -> Optimum:
        """Return the optimum of the trials so far. Raises TuneError for fewer than three, unless that is all there are."""
        trials = self._file.trials
        if len(trials) < min(LEAST, _size(self._space)):
            raise TuneError(f"{len(trials)} trials say nothing about an optimum; play at least {LEAST} (--trials)")
        spread = max(_LEAST_VARIANCE, float(np.mean([np.var(each.scores, ddof=1) for each in trials])))
        noise = [spread / len(each.scores) for each in trials]
        return find_optimum(self._space, [each.params for each in trials], [each.mean for each in trials], noise, self._plan.seed)


def _study(seed: int) -> Study:
    """Return an empty study. Its pruner is meant for means over instances that are the same in all trials, as blocks are."""
    import optuna  # noqa: PLC0415  # an extra
    from optuna.pruners import WilcoxonPruner  # noqa: PLC0415
    from optuna.samplers import TPESampler  # noqa: PLC0415

    optuna.logging.set_verbosity(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        pruner = WilcoxonPruner(p_threshold=P_VALUE, n_startup_steps=FIRST)
        sampler = TPESampler(n_startup_trials=STARTUP, multivariate=True, seed=seed % 2**32)
        return optuna.create_study(direction="maximize", pruner=pruner, sampler=sampler)


def _frozen(played: PlayedTrial, space: Space) -> FrozenTrial:
    from optuna.trial import create_trial  # noqa: PLC0415  # an extra

    params, scores = dict(played.params), dict(enumerate(played.scores))
    return create_trial(params=params, distributions=dict(space), value=played.mean, intermediate_values=scores)


def _shortened(params: Mapping[str, Any]) -> dict[str, ParamValue]:
    return {name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for name, value in params.items()}


def find_optimum(space: Space, params: Sequence[ParamSet], scores: Sequence[float], variances: Sequence[float], seed: int) -> Optimum:
    """Return the optimum of the surface through these scores, with an interval for each parameter.

    The surface is a Gaussian process whose noise has the ``variances`` of the scores; its length scales maximise the likelihood. The
    interval covers the highest points of surfaces drawn from it (as in Thompson sampling: C. E. Rasmussen and C. K. I. Williams, Gaussian
    Processes for Machine Learning, 2006, chapter 2, for the posterior).
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  # an extra
    from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: PLC0415
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    known, means, noise = np.array([_coordinates(space, each) for each in params]), np.array(scores), np.array(variances)
    scale = float(np.std(means)) or 1.0
    kernel = ConstantKernel(1.0, (0.01, 100.0)) * RBF(np.full(known.shape[1], 0.5), (0.1, 10.0))
    surface = GaussianProcessRegressor(kernel, alpha=noise / scale**2, n_restarts_optimizer=3, random_state=seed % 2**32)
    with threadpool_limits(1), warnings.catch_warnings():  # threads that wait for each other take longer on a busy machine
        warnings.simplefilter("ignore", ConvergenceWarning)  # a scale at its bound: the parameter hardly matters
        surface.fit(known, (means - means.mean()) / scale)
        candidates = [*params, *({name: _drawn(each, rng) for name, each in space.items()} for _ in range(CANDIDATES))]
        for number in range(ROUNDS):
            asked = np.array([_coordinates(space, each) for each in candidates])
            drawn = surface.sample_y(asked, DRAWS, random_state=seed % 2**32)
            winners = [candidates[index] for index in np.argmax(drawn, axis=0)]
            if number < ROUNDS - 1:  # search again near the highest points
                picked = rng.integers(len(winners), size=CANDIDATES)
                candidates = [*winners, *(_near(winners[index], space, winners, rng) for index in picked)]
        expected, errors = surface.predict(asked, return_std=True)
    best = int(np.argmax(expected))
    return Optimum(
        candidates[best],
        float(expected[best] * scale + means.mean()),
        float(errors[best] * scale),
        {name: _interval([each[name] for each in winners]) for name in space},
    )


def _near(params: ParamSet, space: Space, others: Sequence[ParamSet], rng: np.random.Generator) -> ParamSet:
    """Return parameters near these, at distances as between some of the others."""
    near: dict[str, ParamValue] = {}
    for name, each in space.items():
        value, other = params[name], others[int(rng.integers(len(others)))][name]
        if isinstance(value, float) and isinstance(other, float):
            numbers: Any = each
            moved = value + float(rng.normal()) * (other - value)
            near[name] = float(f"{min(max(moved, numbers.low), numbers.high):.{DIGITS}g}")
        else:
            near[name] = other
    return near


def _interval(values: Sequence[ParamValue]) -> tuple[ParamValue, ...]:
    if any(isinstance(each, str | bool) for each in values):
        return tuple(sorted({each for each in values if values.count(each) >= len(values) / 40}, key=lambda each: -values.count(each)))
    ordered = sorted(values)
    return ordered[int(TAIL * len(ordered))], ordered[int((1 - TAIL) * len(ordered))]


def _coordinates(space: Space, params: ParamSet) -> list[float]:
    """Return a point of the unit cube: numbers on their scale, a choice as one coordinate for each of its values."""
    from optuna.distributions import CategoricalDistribution  # noqa: PLC0415  # an extra

    point: list[float] = []
    for name, each in space.items():
        value = params[name]
        if isinstance(each, CategoricalDistribution):
            point += [float(value == choice) for choice in each.choices]
            continue
        numbers: Any = each
        low, high, at = (log(x) if numbers.log else float(x) for x in (numbers.low, numbers.high, float(value)))
        point.append((at - low) / (high - low))
    return point


def _drawn(distribution: BaseDistribution, rng: np.random.Generator) -> ParamValue:
    from optuna.distributions import CategoricalDistribution, IntDistribution  # noqa: PLC0415  # an extra

    each: Any = distribution
    if isinstance(distribution, CategoricalDistribution):
        choice: ParamValue = each.choices[int(rng.integers(len(each.choices)))]
        return choice
    low, high = (log(x) if each.log else float(x) for x in (each.low, each.high))
    if isinstance(distribution, IntDistribution) and not each.log:
        return int(rng.integers(each.low, each.high + 1))
    value = float(np.exp(rng.uniform(low, high)) if each.log else rng.uniform(low, high))
    return round(value) if isinstance(distribution, IntDistribution) else float(f"{value:.{DIGITS}g}")
