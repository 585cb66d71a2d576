"""What a host decides about the server; nothing here is read from anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The database (a file or a URL), and what visitors may do besides looking: by default nothing.

    ``upload_limit`` is the most bytes of a request's body, ``requests_per_minute`` what one address may ask for,
    ``fresh_seconds`` how old a page may be during a run, ``poll_seconds`` how often a run is looked at for
    those who follow it, ``watchers`` how many visitors may follow runs live at a time. ``is_static``
    says that pages are written to files: without forms, and without anything that asks the server again; ``has_replays``
    says whether matches can be watched.
    """

    db: str
    allow_submissions: bool = False
    allow_play: bool = False
    title: str = "Tile Arena"
    upload_limit: int = 4 * MIB
    requests_per_minute: int = 1200
    fresh_seconds: float = 1.0
    poll_seconds: float = 1.0
    watchers: int = 200
    is_static: bool = False
    has_replays: bool = True
