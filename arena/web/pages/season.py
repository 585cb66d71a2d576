"""The page of a season: its calendar, its stages, and, for stages that are over, the results and what is needed to check them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.analysis.standings import Standing, placed
from arena.run.status import find_places
from arena.season.season_file import SeasonError, stored_season
from arena.season.stages import Event, Season, SeasonStage, calendar, find_state
from arena.web.errors import NotFoundError
from arena.web.pages.front import Part, lead
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import show
from leaderboard.names import shown_name
from leaderboard.storage.people import names_of
from leaderboard.storage.seasons import season_entries

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
SHOWN: Final = 10
"""The number of best bots of a stage that are listed."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """The result of a stage that is over: its best bots with their authors, which are separated, digests, seal and secret."""

    lines: tuple[tuple[Standing, str], ...]
    verdict: str
    matches: int
    results: str
    ratings: str
    seal: str
    secret: str | None


@dataclass(frozen=True, slots=True)
class StagePage:
    """A stage on the page: its ``state`` in words, and ``hidden``, the time until which its results are hidden.

    ``is_there`` says whether its tournament has pages, ``has_bundle`` whether it may be published as a bundle, ``lead`` who leads.
    """

    stage: SeasonStage
    state: str
    commitment: str
    submissions: int
    hidden: str | None
    is_there: bool
    has_bundle: bool
    result: StageResult | None
    lead: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class SeasonPage:
    """A whole season. Each event of its calendar has its time in words."""

    season: Season
    events: tuple[tuple[Event, str], ...]
    stages: tuple[StagePage, ...]

    @property
    def coming(self) -> tuple[Event, str] | None:
        """The next event, with its time in words; None once the season is over."""
        return next((each for each in self.events if not each[0].state), None)


def season_page(queries: Queries, name: str, *, is_published: bool) -> SeasonPage:
    """Return a season's page, for a server or, if ``is_published``, for the published site. Raises NotFoundError."""
    stored = next((each for each in queries.seasons() if each.name == name), None)
    if stored is None:
        there = ", ".join(each.name for each in queries.seasons()) or "none"
        raise NotFoundError(f"There is no season '{name:.40}' here; there is {there}.")
    try:
        season, now = stored_season(stored), queries.now
    except SeasonError as error:
        raise NotFoundError(f"The season '{name:.40}' can't be shown here: {error}.") from None
    progress = queries.progress(season)
    over = [each for each in progress.over if queries.hidden_until(each, "results") is None]
    progress = replace(progress, over=over, is_published=progress.is_published or is_published)
    events = tuple((each, season.show(each.moment)) for each in calendar(season, progress, now))
    commitments = {each.tournament: each.commitment for each in stored.stages}
    stages = tuple(
        _stage(queries, stage, find_state(stage, progress, now), commitments.get(stage.tournament, "")) for stage in season.stages
    )
    return SeasonPage(season, events, stages)


def _stage(queries: Queries, stage: SeasonStage, state: str, commitment: str) -> StagePage:
    name = stage.tournament
    hidden = queries.hidden_until(name, "results")
    is_there = name in queries.tournament_names()
    result = _result(queries, name) if is_there else None
    has_bundle = result is not None and queries.hidden_until(name, "replays") is None
    submissions = len(season_entries(queries.store, name)) if stage.freeze is not None else 0
    leads = lead(queries, queries.tournament(name)) if is_there else ()
    return StagePage(stage, state, commitment, submissions, hidden if state == "under way" else None, is_there, has_bundle, result, leads)


def _result(queries: Queries, name: str) -> StageResult | None:
    tournament = queries.tournament(name)
    link = queries.final_seal(tournament)
    if link is None or link.body.run is None:
        return None
    places, verdict = find_places(queries.store, tournament)
    lines = placed(queries.standings(tournament), places)
    names = names_of(queries.store)
    authors = {bot.name: shown_name(bot.author, names.get(bot.author)) for bot in queries.spec(tournament).bots if bot.author}
    run = link.body.run
    best = tuple((line, authors.get(line.bot, "")) for line in lines if not line.left)[:SHOWN]
    return StageResult(
        best, verdict, queries.played(tournament), run.results, run.ratings, link.digest, queries.published_secret(tournament)
    )


@router.get("/season/{name}")
def season(request: Request, name: str) -> Response:
    """Show a season's calendar, its stages, and the results of those that are over."""
    is_published = request.app.state.settings.has_bundles
    return show(request, "season.html", page=season_page(queries_of(request), name, is_published=is_published))
