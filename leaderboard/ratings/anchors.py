"""Ratings that were measured once and stay fixed: the file ``anchors.json``, and which of its bots are anchors of a tournament.

Who plays, and how ratings are measured, is the business of the arena (docs/strength.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from leaderboard.ratings.trueskill import Anchor

FORMAT: Final = "arena-anchors/1"
SHIPPED: Final = Path(__file__).with_name("anchors.json")
"""The anchors that come with the program."""
Option = int | str | tuple[int, ...]


class AnchorsFileError(ValueError):
    """A file of anchors that can't be used; the text says why."""


class MeasuredBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's TrueSkill over ``matches``; ``version`` is its content hash. ``searches``: how well it plays hangs on the clock's nodes."""

    bot: str
    version: str
    mu: float
    sigma: float
    matches: int
    searches: bool = False


class Conditions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ratings hold for: a game with all its options, its rules, TrueSkill's beta, and the nodes that the clock gives a search."""

    game: str
    options: dict[str, Option]
    rules_version: int
    beta: float
    nodes: int | None = None


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bots rated together: under which conditions, by which tournaments (their names and digests of results, in order), and how."""

    conditions: Conditions
    seed: int
    results: dict[str, str]
    bots: tuple[MeasuredBot, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    measured: tuple[Measured, ...]


def read_anchors(path: Path = SHIPPED) -> tuple[Measured, ...]:
    """What a file holds; nothing if there is no such file. Raises AnchorsFileError."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise AnchorsFileError(f"the anchors in {path} can't be read: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise AnchorsFileError(f"{path} is no file of anchors: {error}") from None
    if found.format != FORMAT:
        raise AnchorsFileError(f"the format of {path} is '{found.format:.40}'; this program reads '{FORMAT}'")
    return found.measured


def anchors_text(measured: Sequence[Measured]) -> bytes:
    """A file that holds this."""
    ordered = tuple(sorted(measured, key=lambda each: _key(each.conditions)))
    return msgspec.json.format(msgspec.json.encode(_File(FORMAT, ordered)), indent=2) + b"\n"


def replaced(measured: Sequence[Measured], new: Measured) -> tuple[Measured, ...]:
    """The same with what is new in place of what was measured of that game with those options."""
    return (*(each for each in measured if _key(each.conditions) != _key(new.conditions)), new)


def _key(conditions: Conditions) -> tuple[str, str]:
    return conditions.game, msgspec.json.encode(conditions.options, order="sorted").decode()


class NoAnchorError(ValueError):
    """No bot of a tournament is an anchor; the text says why, without naming the tournament."""


def find_anchors(
    measured: Sequence[Measured], here: Conditions, versions: Mapping[str, str], *, is_hurried: bool = False
) -> tuple[Anchor, ...]:
    """The anchors among bots (content hashes by name), by name: those of the very versions that were measured under such conditions.

    Bots that search count only where the clock gives them as many nodes, and nobody ``is_hurried``, so that time may cut a search short.
    Raises NoAnchorError if there is none.
    """
    game = [each for each in measured if each.conditions.game == here.game]
    same = next((each for each in game if _key(each.conditions) == _key(here)), None)
    if same is None:
        raise NoAnchorError(f"none was measured at {here.game}{' with these options' if game else ''}")
    there = same.conditions
    if there.rules_version != here.rules_version:
        raise NoAnchorError(f"they were measured by version {there.rules_version} of the rules, and this is version {here.rules_version}")
    if there.beta != here.beta:
        raise NoAnchorError(f"they were measured with rating.beta {there.beta:g}, which is the scale, and here it is {here.beta:g}")
    known = {each.version: each for each in same.bots}
    found = {name: known[version] for name, version in sorted(versions.items()) if version in known}
    may_search = there.nodes == here.nodes and not is_hurried
    anchors = [Anchor(name, each.mu, each.sigma) for name, each in found.items() if may_search or not each.searches]
    if anchors:
        return tuple(anchors)
    if found:
        clock = "no clock.nodes" if there.nodes is None else f"clock.nodes {there.nodes}"
        raise NoAnchorError(f"{', '.join(found)} would be with {clock} and no less time than usual, as when measured")
    if others := [each.bot for each in same.bots if each.bot in versions]:
        raise NoAnchorError(f"{', '.join(others)} {'was' if len(others) == 1 else 'were'} measured in another version")
    raise NoAnchorError(f"there is {', '.join(each.bot for each in same.bots)}")
