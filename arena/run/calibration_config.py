"""What a calibration measures. The command line imports this module for its defaults, so it imports nothing that is slow to load."""

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
class CalibrationConfig:
    """What to measure: the bots of a game at tables of these sizes.

    Each bot sits in ``blocks`` blocks at tables of two, and in fewer at larger tables, so that it plays about as many matches at every
    size. ``search_blocks`` takes the place of ``blocks`` for line-ups with a bot that searches; such a bot examines ``nodes`` positions
    for each decision (None: its own number).
    """

    game: str
    bots: tuple[str, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    tables: tuple[int, ...] = SIZES
    blocks: int = BLOCKS
    search_blocks: int = SEARCH_BLOCKS
    nodes: int | None = None
    seed: int = SEED
