"""A Markdown comment on a bot for a pull request, made of the JSON output of its check, its rating and its comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from arena.report.table import markdown_code, markdown_text, range_text
from engine.core.errors import InputError
from engine.decoding import decode
from engine.text import counted

SHOWN_FAULTS: Final = 3


class CommentError(InputError):
    """The file is not the output of one of the commands that a comment uses."""


class _Fault(msgspec.Struct):
    kind: str
    detail: str


class _Trouble(msgspec.Struct):
    players: int
    fault: _Fault


class _Check(msgspec.Struct):
    bot: str
    version: str
    game: str
    verdict: str
    isolation: str
    decisions: int
    troubles: list[_Trouble]


class _Rating(msgspec.Struct):
    elo: float
    interval: tuple[float, float]
    players: int
    forfeits: int


class _Comparison(msgspec.Struct):
    verdict: str
    estimate: float
    interval: tuple[float, float]
    blocks: int
    forfeits: dict[str, int]


_Output: TypeAlias = _Check | _Rating | _Comparison


def comment(outputs: Mapping[str, bytes]) -> str:
    """Return a list with an item for each output, by its name; an empty output means that the command ended with an error.

    Texts in outputs may come from a stranger, so they are escaped. Raises CommentError.
    """
    return "".join(f"{line}\n" for name, data in outputs.items() for line in _lines(name, data))


def _lines(name: str, data: bytes) -> Iterator[str]:
    if not data:
        yield f"- {markdown_text(name)}: no result; the log of its command says why"
        return
    match _read(name, data):
        case _Check() as check:
            label = f"**{markdown_text(check.bot)}@{markdown_text(check.version[:8])}**"
            yield (f"- check at {markdown_text(check.game)}: {label} {markdown_text(check.verdict)}, "
                   f"{counted(check.decisions, 'decision')}, isolation {markdown_text(check.isolation)}")  # fmt: skip
            faults = {(each.fault.kind, each.fault.detail): each.players for each in check.troubles}
            for (kind, detail), players in list(faults.items())[:SHOWN_FAULTS]:
                yield f"  - {markdown_text(kind)} at a table of {players}: {markdown_code(detail)}"
        case _Rating() as rating:
            yield (f"- Elo at tables of {rating.players}: **{rating.elo:.0f}** (95 % interval {range_text(*rating.interval)}; "
                   "`random` has 1000)")  # fmt: skip
            yield from _forfeits({"the bot": rating.forfeits})
        case _Comparison() as compared:
            yield (f"- than the version before: {markdown_text(compared.verdict)}; score {compared.estimate:.3f} "
                   f"(95 % interval {range_text(*compared.interval, 3)}) in {counted(compared.blocks, 'block')}")  # fmt: skip
            yield from _forfeits(compared.forfeits)


def _read(name: str, data: bytes) -> _Output:
    kinds: tuple[type[_Output], ...] = (_Check, _Rating, _Comparison)
    for kind in kinds:
        try:
            return decode(data, kind)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    raise CommentError(f"{name} is not what 'arena bots check', 'arena rate' or 'arena compare' print with --json")


def _forfeits(forfeits: Mapping[str, int]) -> Iterator[str]:
    """Yield an item for the forfeits, by kind or bot, if there were any."""
    for what, count in forfeits.items():
        if count:
            yield f"  - {counted(count, 'forfeit')}: {markdown_text(what)}"
