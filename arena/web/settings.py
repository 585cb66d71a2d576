"""What a host decides about the server; nothing here is read from anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The database (a file or a URL), and what visitors may do besides looking: by default nothing.

    ``bound`` is the address that the server listens on and ``host_names`` are further names by which it may be asked.

    ``upload_limit`` is the most bytes of a submission, ``body_limit`` of any other request's body; ``requests_per_minute`` is what one
    address may ask for, ``visitors`` for how many people it counts otherwise: each of them may have ``requests_of_one`` being answered,
    ``streams_of_one`` pages open that follow something, and ``tables_of_one`` tables.

    ``fresh_seconds`` is how old a page may be during a run, ``poll_seconds`` how often a run is looked at for
    those who follow it, ``watchers`` how many pages may follow runs and tables at a time. ``is_static``
    says that pages are written to files: without forms, and without anything that asks the server again; ``has_replays``
    says whether matches can be watched.

    ``trust_bots`` lets strangers' bots in where nothing keeps them from the host (level L0). ``uploads_per_hour`` is what one address may
    submit, ``checks_waiting`` how many uploads may wait to be checked. ``tables`` is the number of tables that may be open at a time,
    ``play_memory`` the bytes that their bots may take together, None for half of what the machine has, ``idle_seconds`` how long a table
    stays when nobody who sits there looks, ``pace`` the seconds for which a bot's move is shown before the next one.
    """

    db: str
    allow_submissions: bool = False
    allow_play: bool = False
    title: str = "Tile Arena"
    bound: str = "127.0.0.1"
    host_names: tuple[str, ...] = ()
    upload_limit: int = 4 * MIB
    body_limit: int = MIB // 16
    requests_per_minute: int = 1200
    visitors: int = 4
    requests_of_one: int = 6
    streams_of_one: int = 6
    tables_of_one: int = 2
    fresh_seconds: float = 1.0
    poll_seconds: float = 1.0
    watchers: int = 200
    is_static: bool = False
    has_replays: bool = True
    trust_bots: bool = False
    uploads_per_hour: int = 30
    checks_waiting: int = 8
    tables: int = 50
    play_memory: int | None = None
    idle_seconds: float = 120.0
    pace: float = 0.5
