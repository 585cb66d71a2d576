"""What a host tells the process that forks bots to prepare; `warmup` does it."""

from __future__ import annotations

import msgspec

from bots.messages import OptionText
from engine.registry import Registration


class WarmMatch(msgspec.Struct, frozen=True):
    """A match to play beforehand."""

    game: str
    options: dict[str, OptionText]
    players: int


class Preparation(msgspec.Struct, frozen=True):
    """The environment of a host's bots: the registrations of their games, matches to play, and their packages."""

    registrations: tuple[Registration, ...]
    matches: tuple[WarmMatch, ...]
    packages: tuple[str, ...] = ()
    """The packages that bots may import."""
