"""Anchors: ratings that were measured once and stay fixed. Reads and writes ``anchors.json`` and finds the anchors of a tournament.

``arena.calibration`` measures them (docs/strength.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine.core.errors import InputError
from engine.decoding import decode
from leaderboard.ratings.rating_fold import Anchor

FORMAT: Final = "arena-anchors/1"
SHIPPED: Final = Path(__file__).with_name("anchors.json")
"""The file of anchors that comes with the program."""
Option = bool | int | float | str | tuple[int, ...]


class AnchorsFileError(InputError):
    """The file of anchors can't be used; the message says why."""


class MeasuredBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's TrueSkill rating after ``matches``.

    ``version`` is its content hash; ``searches`` says that its strength depends on the clock's nodes.
    """

    bot: str
    version: str
    mu: float
    sigma: float
    matches: int
    searches: bool = False


class TableStrength(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's strength at tables of one size on the scale of docs/strength.md, with its 95 % interval, in points."""

    bot: str
    strength: float
    low: float
    high: float


class MeasuredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The strengths measured at tables of ``players`` seats, best first, and their ``covariance`` in the same order, in points squared."""

    players: int
    blocks: int
    strengths: tuple[TableStrength, ...]
    covariance: tuple[tuple[float, ...], ...]


class Conditions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The conditions of ratings: a game with all its options, its rules, TrueSkill's beta, and the nodes that the clock allows a search."""

    game: str
    options: dict[str, Option]
    rules_version: int
    beta: float
    nodes: int | None = None


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bots rated together under some conditions; ``results`` has the digest of each tournament's results by its name, in order.

    ``tables`` has their strengths at tables of each size, for ``arena rate``.
    """

    conditions: Conditions
    seed: int
    results: dict[str, str]
    bots: tuple[MeasuredBot, ...]
    tables: tuple[MeasuredTable, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    measured: tuple[Measured, ...]


def read_anchors(path: Path = SHIPPED) -> tuple[Measured, ...]:
    """Return the anchors in a file, empty if there is no such file. Raises AnchorsFileError."""
    try:
        file = decode(path.read_bytes(), _File)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise AnchorsFileError(f"the anchors in {path} can't be read: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise AnchorsFileError(f"{path} is not an anchors file: {error}") from None
    if file.format != FORMAT:
        raise AnchorsFileError(f"the format of {path} is '{file.format:.40}'; this program reads '{FORMAT}'")
    return file.measured


def anchors_text(measured: Sequence[Measured]) -> bytes:
    """Return the bytes of a file of anchors."""
    ordered = tuple(sorted(measured, key=lambda each: _key(each.conditions)))
    return msgspec.json.format(msgspec.json.encode(_File(FORMAT, ordered)), indent=2) + b"\n"


def replaced(measured: Sequence[Measured], new: Measured) -> tuple[Measured, ...]:
    """Return ``measured`` with ``new`` in place of the ratings for the same game with the same options."""
    return (*(each for each in measured if _key(each.conditions) != _key(new.conditions)), new)


def _key(conditions: Conditions) -> tuple[str, str]:
    return conditions.game, msgspec.json.encode(conditions.options, order="sorted").decode()


class NoAnchorError(InputError):
    """No bot of a tournament is an anchor; the message says why, without naming the tournament."""


def find_anchors(
    measured: Sequence[Measured], here: Conditions, versions: Mapping[str, str], *, is_hurried: bool = False
) -> tuple[Anchor, ...]:
    """Return the anchors among the bots in ``versions`` (content hashes by name), by name.

    A bot is an anchor if exactly this version was measured under the conditions ``here``. A bot that searches is one only if the clock
    gives it the same number of nodes, and no less time than usual (``is_hurried``), which could cut a search short. Raises NoAnchorError
    if there is none.
    """
    game = [each for each in measured if each.conditions.game == here.game]
    same = next((each for each in game if _key(each.conditions) == _key(here)), None)
    if same is None:
        raise NoAnchorError(f"none was measured at {here.game}{' with these options' if game else ''}")
    there = same.conditions
    if there.rules_version != here.rules_version:
        raise NoAnchorError(f"the strengths were measured by version {there.rules_version} of the rules, not {here.rules_version}")
    if there.beta != here.beta:
        raise NoAnchorError(f"the strengths were measured with rating.beta {there.beta:g}, which sets their scale, not {here.beta:g}")
    known = {each.version: each for each in same.bots}
    candidates = {name: known[version] for name, version in sorted(versions.items()) if version in known}
    may_search = there.nodes == here.nodes and not is_hurried
    anchors = [Anchor(name, each.mu, each.sigma) for name, each in candidates.items() if may_search or not each.searches]
    if anchors:
        return tuple(anchors)
    if candidates:
        clock = "no clock.nodes" if there.nodes is None else f"clock.nodes {there.nodes}"
        raise NoAnchorError(f"{', '.join(candidates)} could anchor with {clock} and no less time than usual, as when measured")
    if others := [each.bot for each in same.bots if each.bot in versions]:
        raise NoAnchorError(f"{', '.join(others)} {'was' if len(others) == 1 else 'were'} measured in another version")
    raise NoAnchorError(f"only {', '.join(each.bot for each in same.bots)} can be")
