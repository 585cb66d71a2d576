"""What the ladder of strength is asked to measure. It is imported for its defaults alone, so it imports nothing that takes time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.core import OptionValue

SIZES: Final = (2, 3, 4, 6)
BLOCKS: Final = 120
SEARCH_BLOCKS: Final = 8
SEED: Final = 2026


@dataclass(frozen=True, slots=True)
class Course:
    """What is to be measured.

    ``blocks`` is how many blocks each bot sits in at tables of two; larger tables have fewer, so that it plays about as many matches
    there. ``search_blocks`` is the same for line-ups with a bot that searches, which looks at ``nodes`` positions for
    each decision (None: as many as it does by itself).
    """

    game: str
    bots: tuple[str, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    tables: tuple[int, ...] = SIZES
    blocks: int = BLOCKS
    search_blocks: int = SEARCH_BLOCKS
    nodes: int | None = None
    seed: int = SEED
