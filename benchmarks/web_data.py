"""Creates a database for measuring and testing pages: a tournament of more than a hundred bots, and a small one of every other kind.

python -m benchmarks.web_data FILE [--bots 120]

Results are drawn at random according to made-up strengths. Every match has the replay of a real match that ended in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import count, product
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.play.executors.base import Job
from arena.play.match import play_tickets
from arena.run.runner import run_tournament
from arena.spec.spec import Spec, make_spec
from benchmarks.common import arguments
from benchmarks.storage import CRASH, Prepared
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from engine.records import MatchResult, Ticket
from leaderboard.storage.play_tables import Stage, StoredTable, add_table, finish_table, human_matches
from leaderboard.storage.store import Store

HUNDRED, SWISS, CUP, RUNNING, SUNDA, SOLO = "The hundred", "Swiss", "Cup", "Running cup", "Islands", "Alone"
"""The tournaments: the large round-robin, a Swiss tournament, a finished knockout, an unfinished one, two to four at Sunda, and solo."""
LONGEST: Final = "a-name-of-forty-letters-as-is-allowed-xy"
WIDEST: Final = "W" * 40
HOSTILE: Final = (
    "<b onclick=alert(1)>&amp;<script>alert(1)",
    "🦜🏝️🚣🏽‍♀️" * 6,
    "שלום־עולם־" * 4,
    "مرحبا بالعالم",
    "Z̷̛͍a̶̧̜l̵̩͐g̸̼̈́o̶",
    "島々の航海者" * 6,
    "\u202eesrever",
    "' onload='x\" {{ 7*7 }} ${x}",
)
"""Names that are not allowed in a tournament, but that a database from somebody else may contain."""
_BEGINNINGS: Final = ("Alo", "Eua", "Fiji", "Hina", "Ikale", "Lapita", "Manu", "Niue", "Ovalau", "Pele", "Rapa", "Vavau")
_ENDINGS: Final = ("", "-next", ".2", "_deep", "-of-the-outer-reefs", "-v17", ".fast", "-mcts", "-net", "-and-back-again")
_SAMPLES: Final = 24
_FAULTY: Final = 0.004


def bot_names(number: int) -> list[str]:
    """Return names for bots; the second is as long as a name can be, and the fifth is as wide as a name can be."""
    made = [beginning + ending for ending, beginning in product(_ENDINGS, _BEGINNINGS)]
    made[1], made[4] = LONGEST, WIDEST
    return [*made, *(f"bot-{at}" for at in range(number))][:number]


def spec_of(name: str, bots: Sequence[str], game: str = "tongiaki", options: dict[str, Any] | None = None, **schedule: Any) -> Spec:
    """Return a tournament of bots that are all really ``random``."""
    entries = [{"name": bot, "source": "random"} for bot in bots]
    data: dict[str, Any] = {"name": name, "game": game, "seed": 17, "options": options or {}, "bots": entries}
    return make_spec(data | {"schedule": {"tables": [2]} | schedule}, "web data")


@cache
def real_matches(game: str, options: tuple[tuple[str, Any], ...], players: int) -> tuple[MatchResult, ...]:
    """Play matches between ``players`` random bots, and return the results."""
    spec = spec_of("samples", [f"b{at}" for at in range(max(2, players))], game, dict(options), tables=[players], blocks=_SAMPLES)
    job = Job(spec.game, spec.make_game().options, find_bots(spec, Path(), None))
    tickets = [ticket for ticket, _ in zip(Schedule(spec), range(_SAMPLES), strict=False)]
    with PlayerPool(Level.NONE) as pool:
        return tuple(result for result in play_tickets(job, tickets, pool) if isinstance(result, MatchResult))


class Strengths(Prepared):
    """Assigns real results to other bots, so that stronger bots tend to win."""

    def __init__(self, spec: Spec, fault_share: float = _FAULTY) -> None:
        super().__init__({})
        options = tuple(sorted(spec.options.items()))
        self._real = {players: real_matches(spec.game, options, players) for players in spec.schedule.tables}
        self._strength = {bot.name: 2.0 - 4.0 * at / len(spec.bots) for at, bot in enumerate(spec.bots)}
        self._faulty = fault_share

    def result(self, ticket: Ticket, fault_share: float = 0.0) -> MatchResult:
        """Return the result of a real match that was won in the seat of the bot with the best random performance."""
        drawn = [self._rng.gauss(self._strength[bot]) for bot in ticket.seats]
        best = drawn.index(max(drawn))
        real = self._real[len(ticket.seats)]
        sample = self._rng.choice([each for each in real if each.seats[best].rank == 1] or real)
        seats = tuple(
            replace(seat, bot=bot, fault=CRASH if self._rng.random() < (fault_share or self._faulty) else None)
            for seat, bot in zip(sample.seats, ticket.seats, strict=True)
        )
        return replace(sample, ticket=ticket, seats=seats)


def play(store: Store, spec: Spec, *, most: int | None = None) -> None:
    """Run a tournament with made-up results, and stop after about ``most`` matches."""
    asked = count()
    run_tournament(
        spec,
        find_bots(spec, Path(), store),
        store,
        Strengths(spec),
        level=Level.NONE,
        is_stopping=lambda: most is not None and next(asked) >= most,
    )


def make_database(path: Path, bots: int = 120) -> None:
    """Create all tournaments, and matches of people; the large one has ``bots * (bots - 1)`` matches."""
    names = bot_names(bots)
    some = names[: min(32, bots)]
    with Store.create(path) as store:
        play(store, spec_of(SOLO, some[:6], "sunda", tables=[1], blocks=2))
        play(store, spec_of(SUNDA, some[:8], "sunda", {"level": 5}, tables=[2, 3, 4], blocks=1, lineups=12))
        play(store, spec_of(SWISS, some, format="swiss", tables=[2], blocks=2, rounds=5))
        play(store, spec_of(CUP, some[:16], format="knockout", tables=[2], blocks=2))
        play(store, spec_of(HUNDRED, names))
        play(store, spec_of(RUNNING, some[:12], format="knockout", tables=[2], blocks=2), most=22)
        add_people(store)


def kinds_of_pages(path: Path) -> dict[str, str]:
    """Return the address of a page of every kind, except pages of tables, which don't exist yet."""
    with Store.read(path) as store:
        large, islands = store.tournament(HUNDRED), store.tournament(SUNDA)
        assert large is not None
        assert islands is not None
        match, other = store.recent_matches(large)[0].id, store.recent_matches(islands)[0].id
        bot = quote(large.entrants[1].name)
        person = human_matches(store)[0].ticket
    tournament = f"/t/{quote(HUNDRED)}"
    return {
        "home": "/",
        "tournaments": "/tournaments",
        "standings": tournament,
        "head-to-head": f"{tournament}/head-to-head",
        "matches": f"{tournament}/matches",
        "matches of a bot": f"{tournament}/matches?bot={bot}",
        "about": f"{tournament}/about",
        "bot": f"{tournament}/bots/{bot}",
        "Swiss": f"/t/{quote(SWISS)}",
        "Swiss, rounds": f"/t/{quote(SWISS)}/rounds",
        "knockout": f"/t/{quote(CUP)}",
        "bracket": f"/t/{quote(CUP)}/bracket",
        "knockout going on": f"/t/{quote(RUNNING)}",
        "its bracket": f"/t/{quote(RUNNING)}/bracket",
        "solo": f"/t/{quote(SOLO)}",
        "bots": "/bots",
        "career": f"/bots/{bot}",
        "match": f"/m/{match}",
        "match of Sunda": f"/m/{other}",
        "match of people": f"/m/{person}",
        "play": "/play",
        "submit": "/submit",
        "all rules": "/rules",
        "rules": "/rules/tongiaki",
        "rules of Sunda": "/rules/sunda",
        "help": "/help",
        "search": "/search?q=alo",
        "API": "/api",
        "nothing here": "/t/nowhere",
    }


def add_human_match(store: Store, result: MatchResult) -> None:
    """Add a table at which people have finished a match."""
    match, now = result.ticket.id, datetime.now(UTC)
    game = json.loads(result.replay.text)["game"]
    table = StoredTable(id=match, game=game, seed=result.ticket.seed, ticket=match, stage=Stage.PLAYING, since=now)
    add_table(store, table)
    finish_table(store, table.id, result, [""] * len(result.seats))


def add_people(store: Store) -> None:
    """Add matches of people whose names are attacks on a page."""
    for at, match in enumerate(real_matches("tongiaki", (), 2)[: len(HOSTILE)]):
        names = (HOSTILE[at], HOSTILE[-at - 1])
        ticket = replace(match.ticket, id=f"people{at:010d}", seats=names)
        seats = tuple(replace(seat, bot=name) for seat, name in zip(match.seats, names, strict=True))
        add_human_match(store, replace(match, ticket=ticket, seats=seats))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--bots", type=int, default=120)
    given = parser.parse_args()
    began = perf_counter()
    make_database(given.file, given.bots)
    print(f"{given.file}: {given.file.stat().st_size / 1e6:.0f} MB in {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
