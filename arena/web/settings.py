"""What a host decides about the server; nothing here is read from anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The database, and what visitors may do besides looking: by default nothing.

    ``upload_limit`` is the most bytes of a request's body, ``requests_per_minute`` what one address may ask for.
    """

    db: Path
    allow_submissions: bool = False
    allow_play: bool = False
    title: str = "Tile Arena"
    upload_limit: int = 4 * MIB
    requests_per_minute: int = 1200
