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
    """Return the path of a request without the prefix of the server's pages."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def site_url(request: Request, path: str) -> str:
    """Return the address of a page of this server, for a link, a redirect or JSON."""
    return f"{request.scope.get('root_path', '')}{path}"


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How uploads are checked.

    - ``at_once``: how many are checked at a time; ``seconds``: the time after which a check ends and judges by the matches played so far
    - ``poll``: the interval, in seconds, at which progress is stored and the queue is read
    - ``pauses``: the seconds between attempts to check a submission that the machine could not check; the last value repeats
    """

    at_once: int = 2
    seconds: float = CHECK_SECONDS
    poll: float = 1.0
    pauses: tuple[float, ...] = (2.0, 5.0, 15.0, 60.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The database (a file or a URL), and what visitors may do in addition to reading pages: by default, nothing.

    - ``bound``: the address that the server listens on; ``host_names``: other names under which it may be reached
    - ``prefix``: the path in front of all pages, such as ``/arena``
    - ``upload_limit``, ``body_limit``: the most bytes of a submission, and of any other request body
    - ``requests_per_minute``: the limit for one address
    - ``visitors``: how many people may share one address. Per person, it may have ``requests_of_one`` requests in progress,
      ``streams_of_one`` open pages that follow something, and ``tables_of_one`` tables
    - ``fresh_seconds``: how old a page may be during a run; ``poll_seconds``: the interval at which a followed run is polled
    - ``watchers``: how many pages may follow runs and tables at a time
    - ``is_static``: whether pages are written to files, without forms or anything else that needs the server
    - ``has_replays``: whether matches can be watched; ``has_bundles``: whether a season's site also has the bundles of its stages
    - ``tournament``: the only tournament that pages show, with its bots
    - ``trust_bots``: whether to admit strangers' bots even at level L0, where nothing isolates them from the host
    - ``uploads_per_hour``: the limit for one author; ``checks_waiting``: how many uploads may wait to be checked
    - ``tables``: how many tables may be open; ``play_memory``: the bytes that all their bots may use (None: half of the machine's memory)
    - ``idle_seconds``: how long a match continues when none of its players has it open
    - ``pace``: the seconds for which a bot's move is shown before the next one; ``chat``: whether people at a table can write to each other
    - ``analyses``: whether visitors may request analyses of matches
    - ``games``: the names, with parameters, of the games that visitors may play and submit bots for; empty: all except games of families
    - ``runtime``: what bots run in at tables and in checks that are not for a ladder; each ladder has its own
    - ``now``: the clock that decides when a season's deadlines have passed and when its hidden results are shown
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
        """Whether pages offer analyses: they require a server, and replays that may be shown."""
        return self.analyses and self.has_replays and not self.is_static
