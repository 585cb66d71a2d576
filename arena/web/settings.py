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

    ``trust_bots`` lets strangers' bots in where nothing keeps them from the host (level L0). ``uploads_per_hour`` is what one address may
    submit, ``checks_waiting`` how many uploads may wait to be checked. ``tables`` is the number of tables that may be open at a time,
    ``pace`` the seconds for which a bot's move is shown before the next one.
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
    trust_bots: bool = False
    uploads_per_hour: int = 30
    checks_waiting: int = 8
    tables: int = 50
    pace: float = 0.5
