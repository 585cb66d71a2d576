"""Replays as text in the format ``arena-replay/1``. Reading checks the format only; ``verifier.verify_replay`` checks the match."""

from __future__ import annotations

import json
from functools import partial
from math import isfinite
from typing import Final, NoReturn, cast

from mypy_extensions import mypyc_attr

from engine.core import EngineError, OptionValue, Score
from engine.records import Chance, Decision, Forfeit, Replay
from engine.replay.compression import DamagedError, PackedReplay
from engine.text import quote

FORMAT: Final = "arena-replay/1"
LARGEST_REPLAY: Final = 8 << 20
"""The most characters that a replay may have; real ones have some thousands. Reading takes up to twenty times as much memory."""


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
        raise ReplayError(f"it has more than {LARGEST_REPLAY >> 20} MiB; a replay has some thousand bytes")
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"it is not a whole JSON object: {error}") from None
    if not isinstance(data, dict):
        raise ReplayError("it is not a JSON object")
    if data.get("format") != FORMAT:
        raise ReplayError(f"its 'format' is {quote(data.get('format'))}; this program reads '{FORMAT}'")
    return Replay(
        game=_text(data, "game"),
        options=_options(data),
        players=_whole(_value(data, "players"), "players"),
        seed=_whole(_value(data, "seed"), "seed"),
        names=tuple(_is_text(name, "names") for name in _list(data, "names")),
        decisions=_decisions(_list(data, "decisions")),
        chance=tuple(_chance(entry, index) for index, entry in enumerate(_list(data, "chance"))),
        forfeits=tuple(_forfeit(entry, index) for index, entry in enumerate(_list(data, "forfeits"))),
        scores=tuple(_score(score) for score in _list(data, "scores")),
        ranks=tuple(_whole(rank, "ranks") for rank in _list(data, "ranks")),
        end=_text(data, "end"),
        rules_version=_rules_version(data.get("rules_version")),
        package=_package(data.get("package")),
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


def _is_text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ReplayError(f"'{where}' should be text, not {quote(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ReplayError(f"'{where}' should be text, but {quote(value)} has half a surrogate pair") from None
    return value


def _text(data: dict[str, object], key: str) -> str:
    return _is_text(_value(data, key), key)


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ReplayError(f"'{where}' should be a non-negative integer, not {quote(value)}")
    return value


def _score(value: object) -> Score:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise ReplayError(f"'scores' should be numbers, not {quote(value)}")
    return value


def _is_finite(value: object) -> bool:
    """Return False for the infinity that JSON's numbers beyond a float's range are read as."""
    return not isinstance(value, float) or isfinite(value)


def _rules_version(value: object) -> int | None:
    """Return the version of the rules that this program writes; anything but an integer is ignored, as the format has no such key."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _package(value: object) -> str | None:
    """Return the package that this program writes; anything but a text is ignored, as the format has no such key."""
    return _is_text(value, "package") if isinstance(value, str) else None


def _list(data: dict[str, object], key: str) -> list[object]:
    value = _value(data, key)
    if not isinstance(value, list):
        raise ReplayError(f"'{key}' should be a list, not {quote(value)}")
    return value


def _options(data: dict[str, object]) -> dict[str, OptionValue]:
    value = _value(data, "options")
    if not isinstance(value, dict):
        raise ReplayError(f"'options' should be an object, not {quote(value)}")
    return {key: _option(option, f"options.{quote(key)[1:-1]}") for key, option in value.items()}


def _option(value: object, where: str) -> OptionValue:
    if isinstance(value, list):
        return tuple(_whole(item, where) for item in value)
    if not isinstance(value, bool | int | float | str) or not _is_finite(value):
        raise ReplayError(f"'{where}' should be a number, true or false, a text or a list of numbers, not {quote(value)}")
    return value


_MAKE_DECISION: Final = partial(tuple.__new__, Decision)
"""The same as ``Decision._make``, without a Python call for each."""


def _decisions(entries: list[object]) -> tuple[Decision, ...]:
    """Return all decisions, checked quickly column by column; only if something is wrong, one by one, to say where."""
    if set(map(type, entries)) == {list} and set(map(len, cast(list[list[object]], entries))) == {3}:
        seats, moves, legal = zip(*cast(list[list[object]], entries), strict=True)
        if set(map(type, seats + legal)) == {int} and min(seats + legal) >= 0 and set(map(type, moves)) == {str} and _is_whole_text(moves):
            return tuple(map(_MAKE_DECISION, cast(list[list[object]], entries)))
    return tuple(_decision(entry, index) for index, entry in enumerate(entries))


def _is_whole_text(texts: tuple[str, ...]) -> bool:
    """Return whether none of the texts has half a surrogate pair."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def _decision(entry: object, index: int) -> Decision:
    where = f"decisions[{index}]"
    if not isinstance(entry, list) or len(entry) != 3:
        raise ReplayError(f"'{where}' should be [seat, move, legal], not {quote(entry)}")
    return Decision(_whole(entry[0], where), _is_text(entry[1], where), _whole(entry[2], where))


def _chance(entry: object, index: int) -> Chance:
    where = f"chance[{index}]"
    if not isinstance(entry, list) or len(entry) != 2:
        raise ReplayError(f"'{where}' should be [index, event], not {quote(entry)}")
    return Chance(_whole(entry[0], where), _is_text(entry[1], where))


def _forfeit(entry: object, index: int) -> Forfeit:
    where = f"forfeits[{index}]"
    if not isinstance(entry, list) or len(entry) != 3:
        raise ReplayError(f"'{where}' should be [seat, index, reason], not {quote(entry)}")
    return Forfeit(_whole(entry[0], where), _whole(entry[1], where), _is_text(entry[2], where))
