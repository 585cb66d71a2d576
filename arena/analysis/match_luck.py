"""How much luck each seat had in a match: how draws, dice and the deal changed its chances according to a value function (``luck_of``).

Luck is a sum over chance events: the value after an event minus the value expected before it, which is zero on average for any value
function. Results minus luck therefore have the same mean as the results, and less variance if the value function is good (docs/ratings.md).
``Foresight`` computes the values. It plays short continuations first, since value functions don't foresee the rest of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.analysis.analyser import program_digest
from arena.analysis.worlds import forget, is_luck_known, possible_worlds
from arena.result_cache import Cache, key_of
from bots.loader.loading import identify
from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.valuation.base import RankChances, ValueFunction
from bots.reference.valuation.registry import find_value
from engine.core import EngineError, Game, Move, State, World
from engine.records import MatchResult, Replay, decode
from engine.registry import find_plugin
from engine.replay.format import read_replay
from engine.replay.verifier import walk

SAMPLES: Final = 64
"""The number of sampled worlds after a move, in games that can't list all of them."""
SAMPLED: Final = 8
"""If a game lists more worlds than this after a move, all equally likely, a random sample of this many is valued instead."""
DEALS: Final = 32
"""The number of random deals with which the first position of a match is compared."""
_DIGITS: Final = 9
TURNS: Final = 1
"""The number of turns in a continuation, including the current one. In Sunda to Sahul, continuations also end at a choice of a new tile."""
LONGEST: Final = 120
"""The most decisions in a continuation."""
CONTINUATIONS: Final = 1
"""The number of continuations played from a position; their mean is the position's value."""


Facts: TypeAlias = list[float]
"""Each seat's chance of coming first; then, for each pair, the chance that the lower seat number ends above the other (tie: 1/2)."""


class NoLuckError(EngineError):
    """Luck can't be computed for the game; the message says why."""


@dataclass(frozen=True, slots=True)
class MatchLuck:
    """How much luck changed the chances in a match. ``wins`` is the luck in each seat's chance of coming first.

    ``pairs[a][b]`` is the luck in seat a's chance of ending above seat b, the negative of ``pairs[b][a]``. ``bounded`` is like ``pairs``,
    but leaves out each event whose luck could take a sum beyond -1 or 1, judging only by what was known before the event.
    """

    wins: tuple[float, ...]
    pairs: tuple[tuple[float, ...], ...]
    bounded: tuple[tuple[float, ...], ...]


def no_luck(players: int) -> MatchLuck:
    """Return zero luck, for a match whose luck is unknown."""
    none = (0.0,) * players
    return MatchLuck(none, (none,) * players, (none,) * players)


def foresight_of(game: Game) -> Foresight:
    """Return the ``Foresight`` of a game. Raises NoLuckError if the game has no value function, or does not declare all luck public."""
    value = find_value(game)
    if value is None:
        raise NoLuckError(f"results of {game.name} can't be adjusted for luck: it has no value function; leave out --adjusted")
    if not is_luck_known(game):
        raise NoLuckError(
            f"results of {game.name} can't be adjusted for luck: its plug-in does not declare that all luck is public, so moves may "
            "reveal something about secret hands; leave out --adjusted"
        )
    return Foresight(value, find_heuristic(game))


def luck_of(replay: Replay, digest: str, foresight: Foresight) -> MatchLuck:
    """Return the luck of a match of two or more players. The same match always gives the same luck; ``digest`` is the replay's digest.

    Nothing is counted from the first forfeit on, since places then no longer depend on the game alone. Raises DisagreementError if the
    replay can't be played.
    """
    rng = Random(digest)
    total = _Total(replay.players)
    for actual, expected in _events(replay, foresight, rng):
        total.add(actual, expected)
    return total.luck


def _events(replay: Replay, foresight: Foresight, rng: Random) -> Iterator[tuple[Facts, Facts]]:
    """Yield the value after each chance event and the value expected before it; the first event is the deal."""
    last = min((forfeit.index for forfeit in replay.forfeits), default=len(replay.decisions))
    positions = walk(replay)
    before = next(positions)[0].copy()
    yield _deal(before, foresight, rng)
    goes_through_all = find_plugin(replay.game).worlds is not None
    moves: dict[int, Move] = {}
    for decision, (state, move) in zip(replay.decisions[:last], positions, strict=False):
        assert move is not None, "a decision was played"
        chosen = {seat: moves[seat] for seat in range(replay.players) if before.has_hidden_choice(seat)}
        worlds = possible_worlds(before, move, state, chosen, rng, SAMPLES)
        moves[decision.seat] = move
        if goes_through_all:
            worlds = some_worlds(worlds, rng)
        if worlds:
            hidden = {seat: moves[seat] for seat in range(replay.players) if state.has_hidden_choice(seat)}
            yield foresight.compare(state, worlds, hidden, rng)
        before = state.copy()


def some_worlds(worlds: list[World], rng: Random) -> list[World]:
    """Return ``worlds``, or a uniform random sample if there are too many to evaluate and they are all equally likely."""
    if len(worlds) <= SAMPLED or len({each.share for each in worlds}) > 1:
        return worlds
    return [World(1 / SAMPLED, each.state) for each in rng.sample(worlds, SAMPLED)]


def _deal(first: State, foresight: Foresight, rng: Random) -> tuple[Facts, Facts]:
    """Return the value of the first position, and the mean value over other deals."""
    deals = [first.game.new(first.players, rng.getrandbits(48)) for _ in range(DEALS)]
    values = [foresight.at_once(each) for each in deals]
    return foresight.at_once(first), [sum(each) / DEALS for each in zip(*values, strict=True)]


class _Total:
    """Adds up the luck of a match."""

    def __init__(self, players: int) -> None:
        self._players = players
        number = players + players * (players - 1) // 2
        self._sums = [0.0] * number
        self._bounded = [0.0] * number

    def add(self, actual: Facts, expected: Facts) -> None:
        """Add the luck of one chance event."""
        for index, (value, mean) in enumerate(zip(actual, expected, strict=True)):
            self._sums[index] += value - mean
            if mean - 1 <= self._bounded[index] <= mean:  # with any value from 0 to 1, the sum stays between -1 and 1
                self._bounded[index] += value - mean

    @property
    def luck(self) -> MatchLuck:
        """The luck so far, rounded so that it agrees between machines whose logarithms differ in the last digit."""
        wins = tuple(round(each, _DIGITS) for each in self._sums[: self._players])
        return MatchLuck(wins, self._of_pairs(self._sums), self._of_pairs(self._bounded))

    def _of_pairs(self, sums: Facts) -> tuple[tuple[float, ...], ...]:
        pairs = [[0.0] * self._players for _ in range(self._players)]
        for index, (one, other) in enumerate(combinations(range(self._players), 2), start=self._players):
            pairs[one][other] = round(sums[index], _DIGITS)
            pairs[other][one] = -pairs[one][other]
        return tuple(map(tuple, pairs))


def write_luck(luck: MatchLuck) -> bytes:
    """Return the luck of a match as bytes for the cache."""
    return msgspec.json.encode(luck)


def read_luck(data: bytes) -> MatchLuck:
    """Return the luck of a match, given the bytes from ``write_luck``."""
    return decode(data, MatchLuck)


# Values of positions


class Foresight:
    """Values positions of one game after playing short continuations."""

    def __init__(self, value: ValueFunction, heuristic: Heuristic[Any] | None) -> None:
        self._value = value
        self._heuristic = heuristic

    @property
    def version(self) -> str:
        """A string that differs whenever the values of positions may differ, for use in cache keys."""
        return f"{self._value.version} {TURNS} {LONGEST} {CONTINUATIONS} {SAMPLED}"

    def at_once(self, state: State) -> Facts:
        """Return the value of a position without playing a continuation."""
        return facts_of(self._value.rank_chances(state))

    def compare(self, state: State, worlds: Sequence[World], chosen: Mapping[int, Move], rng: Random) -> tuple[Facts, Facts]:
        """Return the value of the actual position ``state``, and the mean value of ``worlds``. ``chosen`` has the secret choices.

        All are played on with the same random numbers, so that most of the effect of these cancels out in the difference.
        """
        seeds = [rng.getrandbits(48) for _ in range(CONTINUATIONS)]
        parts = [self._mean(world, chosen, seeds) for _, world in worlds]
        shares = [share for share, _ in worlds]
        expected = [sum(share * fact for share, fact in zip(shares, facts, strict=True)) for facts in zip(*parts, strict=True)]
        return self._mean(state, chosen, seeds), expected

    def _mean(self, state: State, chosen: Mapping[int, Move], seeds: Sequence[int]) -> Facts:
        if state.outcome is not None or self._heuristic is None or self._heuristic.begins_anew(state):
            return self.at_once(state)
        ends = [self.at_once(self._played_on(state, chosen, Random(seed), self._heuristic)) for seed in seeds]
        return [sum(each) / len(ends) for each in zip(*ends, strict=True)]

    @staticmethod
    def _played_on(state: State, chosen: Mapping[int, Move], rng: Random, heuristic: Heuristic[Any]) -> State:
        """Return a position some turns later, with future chance events redrawn."""
        world = state.copy()
        forget(world, chosen)
        world.determinize(rng)
        turns, mover = 0, world.actor
        for _ in range(LONGEST):
            if world.actor != mover:
                turns, mover = turns + 1, world.actor
            if mover is None or turns >= TURNS or heuristic.begins_anew(world):
                break
            moves = world.list_moves()
            scores = heuristic.scores(world, moves) if len(moves) > 1 else [0.0]
            world.play(moves[max(range(len(moves)), key=scores.__getitem__)])
        return world


def facts_of(chances: RankChances) -> Facts:
    """Return the value of a position as ``Facts``, given each seat's chance of each rank; in a finished game, the value is the result.

    The ranks of two seats are treated as independent. This is approximate, but luck is zero on average for any function of the position.
    """
    seats = range(len(chances))
    return [chances[seat][0] for seat in seats] + [_above(chances[one], chances[other]) for one, other in combinations(seats, 2)]


def _above(one: Sequence[float], other: Sequence[float]) -> float:
    below = 1.0
    above = 0.0
    for mine, theirs in zip(one, other, strict=True):
        below -= theirs
        above += mine * (below + theirs / 2)
    return above


# The luck of many matches, in the cache


class MatchReplay(NamedTuple):
    """A match of two or more players: its id, its replay as text, and the digest of the replay."""

    match: str
    text: str
    digest: str


class KeptLuck:
    """Computes the luck of matches of one game, in a few hundredths of a second each, and keeps it in the cache."""

    def __init__(self, game: Game, cache: Cache) -> None:
        """Raises NoLuckError if ``foresight_of`` does."""
        self._foresight = foresight_of(game)
        self._version = (self._foresight.version, program_digest(), identify("expert").digest)  # the expert's digest covers all heuristics
        self._cache = cache

    def luck(self, wanted: Iterable[MatchReplay]) -> Iterator[tuple[str, MatchLuck | str]]:
        """Yield each match's id and luck, in order. If the luck can't be computed, a sentence that says why takes its place."""
        for each in wanted:
            key = key_of("luck", *self._version, each.digest)
            if (entry := self._cache.get(key)) is not None:
                yield each.match, read_luck(entry)
                continue
            try:
                found = luck_of(read_replay(each.text), each.digest, self._foresight)
            except EngineError as error:
                yield each.match, str(error)
                continue
            self._cache.put(key, write_luck(found))  # at once, so that an interruption loses nothing
            yield each.match, found

    def of_results(self, results: Sequence[MatchResult]) -> list[MatchLuck]:
        """Return the luck of matches that have just been played; ``no_luck`` where it can't be computed."""
        wanted = (MatchReplay(result.ticket.id, result.replay.text, result.replay.digest) for result in results)
        lucks = [luck for _, luck in self.luck(wanted)]
        return [no_luck(len(result.seats)) if isinstance(luck, str) else luck for result, luck in zip(results, lucks, strict=True)]
