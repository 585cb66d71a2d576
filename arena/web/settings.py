"""The settings of the server, chosen by its host, and the addresses of its pages below its prefix."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from fastapi import Request
from starlette.types import Scope

from arena.entries.bot_check import CHECK_SECONDS
from arena.season import times
from arena.season.times import Now
from bots.limits import STANDARD, Runtime

_PREFIX: Final = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+")
MIB: Final = 1024 * 1024


def is_prefix(text: str) -> bool:
    """Whether the text can be a prefix: one or more names of letters, digits and ``.-_~``, each after a slash."""
    return _PREFIX.fullmatch(text) is not None


def is_below(scope: Scope, prefix: str) -> bool:
    """Whether a request is for something below the prefix."""
    return not prefix or f"{scope['path']}/".startswith(f"{prefix}/")


def inner_path(scope: Scope) -> str:
    """Return the path of a request without the prefix."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def site_url(request: Request, path: str) -> str:
    """Return the address of a page of this server, for a link, a redirect or JSON."""
    return f"{request.scope.get('root_path', '')}{path}"


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How uploads are checked: how many ``at_once``, and after how many ``seconds`` from the start of a bot its check ends
    with a verdict from what was played.

    ``poll`` is the interval, in seconds, at which progress is stored and the queue is looked at. ``pauses`` are between attempts to check
    a submission that the machine could not check; the last repeats.
    """

    at_once: int = 2
    seconds: float = CHECK_SECONDS
    poll: float = 1.0
    pauses: tuple[float, ...] = (2.0, 5.0, 15.0, 60.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The database (a file or a URL), and what visitors may do besides looking, by default nothing.

    ``bound`` is the address that the server listens on, and ``host_names`` are further names under which it may be reached. All pages are
    below ``prefix``, such as ``/arena``; without one they begin at ``/``.

    ``upload_limit`` is the most bytes of a submission, ``body_limit`` of any other request body. One address may make
    ``requests_per_minute``; in every other respect it counts as ``visitors`` people, each of whom may have ``requests_of_one`` requests
    in progress, ``streams_of_one`` pages open that follow something, and ``tables_of_one`` tables.

    ``fresh_seconds`` is how old a page may be during a run, ``poll_seconds`` the interval at which a run is polled for its followers,
    ``watchers`` how many pages may follow runs and tables at a time. With ``is_static``, pages are written to files, without forms or
    anything else that needs the server; ``has_replays`` says whether matches can be watched, ``has_bundles`` whether a season's pages lie
    beside the bundles of its stages. Pages show only this ``tournament`` and its
    bots, if one is given.

    ``trust_bots`` admits strangers' bots even at level L0, where nothing isolates them from the host. ``uploads_per_hour`` limits the
    submissions of one author, ``checks_waiting`` the uploads that wait to be checked; ``checks`` says how they are. ``tables`` is the
    number of tables that may be open at a time, ``play_memory`` the bytes that their bots may take together (None: half of the
    machine's), ``idle_seconds`` how long a match goes on when none of its players has it open, ``pace`` the seconds for which a bot's
    move is shown before the next one, ``chat`` whether the people at a table can write to each other.

    ``analyses`` says whether visitors may have matches analysed, which takes this machine's time (``has_analyses``: whether they can).

    ``games`` are the only games that visitors may play and send bots for, each with exactly these parameters; without any, those that are
    registered, with their options, but no member of a family.

    ``runtime`` is what bots run in at tables, and where they are submitted for no ladder; a ladder has its own.

    ``now`` is the clock by which submissions to a season arrive and what it hides is shown.
    """

    db: str
    allow_submissions: bool = False
    allow_play: bool = False
    title: str = "Tile Arena"
    bound: str = "127.0.0.1"
    host_names: tuple[str, ...] = ()
    prefix: str = ""
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
    has_bundles: bool = False
    tournament: str | None = None
    trust_bots: bool = False
    uploads_per_hour: int = 30
    checks_waiting: int = 100
    checks: CheckSettings = CheckSettings()
    tables: int = 50
    play_memory: int | None = None
    idle_seconds: float = 120.0
    pace: float = 0.5
    chat: bool = True
    analyses: bool = True
    games: tuple[str, ...] = ()
    runtime: Runtime = STANDARD
    now: Now = field(default_factory=lambda: times.now)

    @property
    def has_analyses(self) -> bool:
        """Whether pages offer analyses: they need a server, and replays that may be seen."""
        return self.analyses and self.has_replays and not self.is_static
