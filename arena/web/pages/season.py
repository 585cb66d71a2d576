"""The page of a season: its calendar, its stages, and, for stages that are over, the results and what is needed to check them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.run.results import Standing, placed
from arena.run.status import find_places
from arena.season.season_file import SeasonError, stored_season
from arena.season.stages import SeasonStage, calendar, find_state
from arena.web.errors import NotFoundError
from arena.web.pages.front import Part, lead
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import show
from leaderboard.names import shown_name
from leaderboard.seal_format import Link
from leaderboard.storage.people import names_of
from leaderboard.storage.submissions import accepted

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
SHOWN: Final = 3
"""The number of best bots that are listed for a stage."""


@dataclass(frozen=True, slots=True)
class StagePage:
    """What the page of a season shows about a stage.

    - ``state``: the state in words; ``hidden``: the time until which the results are hidden; ``lead``: the sentence about who leads
    - ``is_there``: whether the tournament has pages; ``has_bundle``: whether it may be published as a bundle
    - ``seal``, ``lines``, ``verdict``: once the stage is over, its last seal, its best bots with authors, and its format's verdict
    """

    stage: SeasonStage
    state: str
    commitment: str
    submissions: int
    hidden: str | None
    is_there: bool
    has_bundle: bool
    lead: tuple[Part, ...] = ()
    seal: Link | None = None
    lines: tuple[tuple[Standing, str], ...] = ()
    verdict: str = ""
    secret: str | None = None


def _stage(queries: Queries, stage: SeasonStage, state: str, commitment: str) -> StagePage:
    name = stage.tournament
    hidden = queries.hidden_until(name, "results")
    submissions = len(accepted(queries.store, name)) if stage.freeze is not None else 0
    page = StagePage(stage, state, commitment, submissions, hidden if state == "under way" else None, is_there=False, has_bundle=False)
    if name not in queries.tournament_names():
        return page
    tournament = queries.tournament(name)
    page = replace(page, is_there=True, lead=lead(queries, tournament))
    seal = queries.final_seal(tournament)
    if seal is None or seal.body.run is None:
        return page
    places, verdict = find_places(queries.store, tournament)
    names = names_of(queries.store)
    authors = {bot.name: shown_name(bot.author, names.get(bot.author)) for bot in queries.spec(tournament).bots if bot.author}
    lines = placed(queries.standings(tournament), places)
    return replace(
        page,
        has_bundle=queries.hidden_until(name, "replays") is None,
        seal=seal,
        lines=tuple((line, authors.get(line.bot, "")) for line in lines if not line.left)[:SHOWN],
        verdict=verdict,
        secret=queries.published_secret(tournament),
    )


@router.get("/season/{name}")
def season(request: Request, name: str) -> Response:
    """Show a season's calendar, its stages, and the results of those that are over."""
    queries = queries_of(request)
    stored = next((each for each in queries.seasons() if each.name == name), None)
    if stored is None:
        there = ", ".join(each.name for each in queries.seasons()) or "none"
        raise NotFoundError(f"There is no season '{name:.40}' here; the seasons: {there}.")
    try:
        season, now = stored_season(stored), queries.now
    except SeasonError as error:
        raise NotFoundError(f"The season '{name:.40}' can't be shown here: {error}.") from None
    progress = queries.progress(season)
    over = [each for each in progress.over if queries.hidden_until(each, "results") is None]
    progress = replace(progress, over=over, is_published=progress.is_published or request.app.state.settings.has_bundles)
    events = calendar(season, progress, now)
    commitments = {each.tournament: each.commitment for each in stored.stages}
    return show(
        request,
        "season.html",
        season=season,
        events=events,
        coming=next((each for each in events if not each.state), None),
        zone=season.zone or UTC,
        stages=[_stage(queries, each, find_state(each, progress, now), commitments.get(each.tournament, "")) for each in season.stages],
    )
