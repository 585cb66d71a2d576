"""Replays as text in the format ``arena-replay/1``, and recording a match while it is played.

Reading checks the format only; ``verifier.verify_replay`` checks the match.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from typing import Any, Final, NoReturn, cast

from mypy_extensions import mypyc_attr

from engine.core import EngineError, Game, Move, OptionValue, Score, State, exact_score
from engine.records import Chance, DamagedError, Decision, Forfeit, PackedReplay, Replay, ranks_after
from engine.registry import played_by
from engine.text import quote

FORMAT: Final = "arena-replay/1"
LARGEST_REPLAY: Final = 8 << 20
"""The most characters that a replay may have; real ones have a few thousand. Reading takes up to twenty times as much memory."""


@mypyc_attr(native_class=False)
class ReplayError(EngineError):
    """Raised for a text that is not a replay of the format ``arena-replay/1``."""


def write_replay(replay: Replay) -> str:
    """Return the replay as one line of JSON; equal replays have equal texts."""
    package = {} if replay.package is None else {"package": replay.package}
    return json.dumps(
        {
            "format": FORMAT,
            "game": replay.game,
            "rules_version": replay.rules_version,
            **package,
            "options": {key: list(value) if isinstance(value, tuple) else value for key, value in replay.options.items()},
            "players": replay.players,
            "seed": replay.seed,
            "names": replay.names,
            "decisions": [[decision.seat, decision.move, decision.legal] for decision in replay.decisions],
            "chance": [[chance.index, chance.event] for chance in replay.chance],
            "forfeits": [[forfeit.seat, forfeit.index, forfeit.reason] for forfeit in replay.forfeits],
            "scores": replay.scores,
            "ranks": replay.ranks,
            "end": replay.end,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def read_replay(text: str | PackedReplay) -> Replay:
    """Return the replay in a text, packed or not. Raises ReplayError, which names the key that is missing or wrong."""
    if isinstance(text, PackedReplay):
        try:
            text = text.text
        except DamagedError as error:
            raise ReplayError(f"it can't be unpacked: {error}") from None
    if len(text) > LARGEST_REPLAY:
        raise ReplayError(f"it is larger than {LARGEST_REPLAY >> 20} MiB; a replay has a few thousand bytes")
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"it is not a complete JSON object: {error}") from None
    if not isinstance(data, dict):
        raise ReplayError("it is not a JSON object")
    if data.get("format") != FORMAT:
        raise ReplayError(f"its 'format' is {quote(data.get('format'))}; this program reads '{FORMAT}'")
    options = _value(data, "options")
    if not isinstance(options, dict):
        raise _refused("options", "an object", options)
    version, package = data.get("rules_version"), data.get("package")  # the format has no such keys, so other values are ignored
    return Replay(
        game=_text(_value(data, "game"), "game"),
        options={key: _option(value, f"options.{quote(key)[1:-1]}") for key, value in options.items()},
        players=_whole(_value(data, "players"), "players"),
        seed=_whole(_value(data, "seed"), "seed"),
        names=tuple(_text(name, "names") for name in _list(data, "names")),
        decisions=_decisions(_list(data, "decisions")),
        chance=tuple(Chance(*row) for row in _rows(_list(data, "chance"), "chance", _CHANCE)),
        forfeits=tuple(Forfeit(*row) for row in _rows(_list(data, "forfeits"), "forfeits", _FORFEIT)),
        scores=tuple(_score(score) for score in _list(data, "scores")),
        ranks=tuple(_whole(rank, "ranks") for rank in _list(data, "ranks")),
        end=_text(_value(data, "end"), "end"),
        rules_version=version if isinstance(version, int) and not isinstance(version, bool) else None,
        package=_text(package, "package") if isinstance(package, str) else None,
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    unique: dict[str, object] = {}
    for key, value in pairs:
        if key in unique:
            raise ValueError(f"the key {quote(key)} occurs twice")
        unique[key] = value
    return unique


def _value(data: dict[str, object], key: str) -> object:
    if key not in data:
        raise ReplayError(f"the key '{key}' is missing")
    return data[key]


def _refused(where: str, wanted: str, value: object) -> ReplayError:
    return ReplayError(f"'{where}' should be {wanted}, not {quote(value)}")


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _refused(where, "text", value)
    if not _is_encodable(value):
        raise ReplayError(f"'{where}' should be text, but {quote(value)} has half a surrogate pair")
    return value


def _is_encodable(text: str) -> bool:
    """Return False for half a surrogate pair, which JSON can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _refused(where, "a non-negative integer", value)
    return value


def _score(value: object) -> Score:
    if isinstance(value, bool) or not isinstance(value, int | float) or value in _INFINITE:
        raise _refused("scores", "numbers", value)
    return value


def _option(value: object, where: str) -> OptionValue:
    if isinstance(value, list):
        return tuple(_whole(item, where) for item in value)
    if not isinstance(value, bool | int | float | str) or value in _INFINITE:
        raise _refused(where, "a number, true or false, a text or a list of numbers", value)
    return value


def _list(data: dict[str, object], key: str) -> list[object]:
    value = _value(data, key)
    if not isinstance(value, list):
        raise _refused(key, "a list", value)
    return value


def _decisions(entries: list[object]) -> tuple[Decision, ...]:
    """Return all decisions, checked quickly by column; if a column is invalid, check them one by one to find the place."""
    if set(map(type, entries)) == {list} and set(map(len, cast(list[list[object]], entries))) == {3}:
        seats, moves, legal = zip(*cast(list[list[object]], entries), strict=True)
        if (
            set(map(type, seats + legal)) == {int}
            and min(seats + legal) >= 0
            and set(map(type, moves)) == {str}
            and _is_encodable("".join(moves))
        ):
            return tuple(map(_MAKE_DECISION, cast(list[list[object]], entries)))
    return tuple(Decision(*row) for row in _rows(entries, "decisions", _DECISION))


def _rows(entries: list[object], key: str, columns: Mapping[str, Callable[[object, str], Any]]) -> Iterator[list[Any]]:
    for index, entry in enumerate(entries):
        where = f"{key}[{index}]"
        if not isinstance(entry, list) or len(entry) != len(columns):
            raise _refused(where, f"[{', '.join(columns)}]", entry)
        yield [check(value, where) for check, value in zip(columns.values(), entry, strict=True)]


_DECISION: Final = {"seat": _whole, "move": _text, "legal": _whole}
_CHANCE: Final = {"index": _whole, "event": _text}
_FORFEIT: Final = {"seat": _whole, "index": _whole, "reason": _text}
_MAKE_DECISION: Final = partial(tuple.__new__, Decision)
"""Equivalent to ``Decision._make``, without a Python call for each row."""
_INFINITE: Final = (inf, -inf)
"""The values that JSON numbers beyond a float's range are read as."""


class Recorder:
    """Records a match while it is played: call ``record`` after each move, ``finish`` when the game is over."""

    def __init__(self, game: Game, seed: int, names: tuple[str, ...]) -> None:
        self._game = game
        self._chance_events = chance_events(game)
        self._seed = seed
        self._names = names
        self._decisions: list[Decision] = []
        self._chance: list[Chance] = []
        self._forfeits: list[Forfeit] = []

    @property
    def decisions(self) -> int:
        """The number of decisions recorded so far, which is the index of the next one."""
        return len(self._decisions)

    def forfeit(self, seat: int, reason: str) -> None:
        """Record that the substitute plays for this seat from the next decision on."""
        self._forfeits.append(Forfeit(seat, self.decisions, reason))

    def record(self, seat: int, move: Move, legal: int, state: State) -> None:
        """Record a move that was played, one of ``legal`` moves; ``state`` is the position after it."""
        index = self.decisions
        self._decisions.append(Decision(seat, str(move), legal))
        if state.events and self._chance_events:
            self._chance.extend(Chance(index, event) for event in state.events if event.split(" ", 1)[0] in self._chance_events)

    def finish(self, state: State) -> Replay:
        """Return the replay; ``state`` is the last position, with the game over."""
        outcome = state.outcome
        assert outcome is not None, "a replay is a whole game"
        facts: Any = self._game
        return Replay(
            game=facts.name,
            options=self._game.options,
            players=state.players,
            seed=self._seed,
            names=self._names,
            decisions=tuple(self._decisions),
            chance=tuple(self._chance),
            forfeits=tuple(self._forfeits),
            scores=tuple(map(exact_score, outcome.scores)),
            ranks=ranks_after(outcome.ranks, self._forfeits),
            end=str(outcome.ending),
            rules_version=facts.rules_version,
            package=played_by(facts.name),
        )


def chance_of(game: Game, state: State) -> tuple[str, ...]:
    """Return the events of the last move that a replay records."""
    recorded = chance_events(game)
    return tuple(event for event in state.events if event.split(" ", 1)[0] in recorded) if state.events and recorded else ()


def chance_events(game: Game) -> frozenset[str]:
    """Return the first words of the events that a replay of the game records."""
    facts: Any = game  # a class that is not compiled may state its facts on the class
    recorded: frozenset[str] = facts.chance_events
    return recorded
