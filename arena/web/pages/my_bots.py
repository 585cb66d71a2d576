"""The pages that show signed-in authors how their own bots do, with what only they and the host may read."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from arena.web.analyses.why_lost import most_lost
from arena.web.data.my_bots import (
    MyEntry,
    compare_versions,
    find_my_bots,
    find_next_round,
    group_faults,
    my_faults,
    my_log,
    my_matches,
)
from arena.web.data.queries import queries_of
from arena.web.pages.signing_in import ask_to_sign_in
from arena.web.protection.sessions import NO_STORE, signed_in
from arena.web.rendering.charts import STYLES, Curve, curve_of
from arena.web.rendering.templates import render

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
MATCHES: Final = 12


@router.get("")
def my_bots(request: Request, tournament: Annotated[str | None, Query(alias="in", max_length=80)] = None) -> HTMLResponse:
    """Show all bots of the author who is signed in, and one of their tournaments, the newest unless another is named."""
    author, queries = signed_in(request), queries_of(request)
    if author is None:
        return ask_to_sign_in(request, "my", status=200)
    mine = find_my_bots(queries, author)
    names = list(dict.fromkeys(each.tournament for each in mine.entries))
    chosen = tournament if tournament in names else names[0] if names else None
    shown: dict[str, object] = {}
    if chosen is not None:
        stored = queries.tournament(chosen)
        entries = [each for each in mine.entries if each.tournament == chosen]
        shown = {
            "tournament": stored,
            "entries": entries,
            "curves": _curves(entries),
            "next_rounds": {each.bot: find_next_round(queries, stored, each.bot) for each in entries},
            "most_lost": {each.bot: most_lost(request, stored, each.bot, each.line.matches) for each in entries if each.line},
            "comparisons": [compare_versions(queries, stored, new.bot, old.bot) for old, new in pairwise(entries) if _is_next(old, new)],
            "matches": my_matches(queries, author, stored, limit=MATCHES),
            "faults": group_faults(my_faults(queries, author, stored)),
        }
    return render(request, "my_bots.html", headers=NO_STORE, mine=mine, tournaments=names, chosen=chosen, **shown)


def _is_next(old: MyEntry, new: MyEntry) -> bool:
    """Whether two entries that follow each other are versions of one bot."""
    return bool(new.label) and new.label.partition("@")[0] == old.label.partition("@")[0]


def _curves(entries: list[MyEntry]) -> list[Curve]:
    """Return the curves of an author's bots, the newest of those that one chart has room for."""
    return [curve_of(each.curve) for each in entries[-STYLES:] if each.curve is not None and len(each.curve.number) > 1]


@router.get("/log/{match}/{seat}")
def log(request: Request, match: str, seat: int) -> HTMLResponse:
    """Show what is kept of a bot of the author's in a match: its output, its traceback, its times."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"my/log/{match}/{seat}")
    kept = my_log(queries_of(request), author, match, seat)
    return render(request, "my_log.html", headers=NO_STORE, kept=kept)
