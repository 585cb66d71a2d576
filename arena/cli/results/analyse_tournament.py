"""``arena analyse --db FILE --bot NAME``: where a bot loses chances over a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import join
from typing import Final

import msgspec
from rich.table import Table
from rich.text import Text

from arena.analysis.bot_analysis import BotAnalysis, Losses, analyse_bot
from arena.analysis.match_analysis import Phase, Unit
from arena.analysis.weak_points import LEAST_MATCHES, weak_point_words
from arena.cli.errors import UserError
from arena.cli.options import check_bot_name, find_tournament
from arena.cli.output import console, print_text, print_warning
from arena.result_cache import open_cache
from leaderboard.storage.store import Store, StoredMatch, StoredTournament

_PHASES: Final = tuple(Phase)
WORST: Final = 3
"""The worst decisions that are shown without details."""
_LOOKED_AT: Final = 50
"""The number of matches read for each wanted one, if a filter excludes some."""


def analyse_tournament(
    db: str, name: str | None, bot: str, most: int, seconds: float | None, *, lost_only: bool, details: bool, as_json: bool
) -> None:
    """Analyse the newest matches of a bot and show the summary. Raises UserError and StoreError."""
    from arena.cli.results.analyse import progress, stop_after

    cache = open_cache()
    with Store.read(db) as store:
        tournament = find_tournament(store, name)
        matches = _matches(store, tournament, bot, most, lost_only=lost_only)
        with progress("matches") as report:
            analysis = analyse_bot(store, tournament, bot, matches, cache, stop_after(seconds), report, were_lost=lost_only)
    if cache.trouble:
        print_warning(cache.trouble)
    if analysis.skipped:
        more = f" and {len(analysis.skipped) - 1} more" if len(analysis.skipped) > 1 else ""
        print_warning(f"left out, since it can't be analysed: {analysis.skipped[0]}{more}")
    if not analysis.is_whole:
        print_warning(f"time ran out after {analysis.matches} of {analysis.wanted} matches; the figures are of those")
    if as_json:
        print_text(msgspec.json.format(msgspec.json.encode(analysis), indent=2).decode())
    else:
        _show(analysis, db, details=details, lost_only=lost_only)


def _matches(store: Store, tournament: StoredTournament, bot: str, most: int, *, lost_only: bool) -> list[StoredMatch]:
    """Return the newest matches of a bot, or of those that it did not win. Raises UserError for a bot that is not in the tournament.

    Chances and points can't be added, so if it also played with rivals, its solo matches are left out.
    """
    check_bot_name(tournament, bot)
    played = store.recent_matches(tournament, bot=bot, limit=_LOOKED_AT * most if lost_only else most)
    if not played:
        raise UserError(f"no match of '{bot}' in '{tournament.name}' has been played yet")
    if any(len(match.seats) == 1 for match in played):
        more = store.recent_matches(tournament, bot=bot, limit=_LOOKED_AT * most)
        played = tuple(match for match in more if len(match.seats) > 1) or played
    wanted = [match for match in played if not lost_only or all(seat.rank > 1 for seat in match.seats if seat.bot == bot)]
    if not wanted:
        raise UserError(f"'{bot}' won all of its {len(played)} newest matches in '{tournament.name}'; leave out --lost")
    return wanted[:most]


def _show(analysis: BotAnalysis, db: str, *, details: bool, lost_only: bool) -> None:
    out = console()
    out.print(
        Text(
            f"{analysis.bot} in {analysis.tournament} ({analysis.game}), {analysis.matches} match{'' if analysis.matches == 1 else 'es'}",
            style="bold",
        )
    )
    for sentence in _sentences(analysis, lost_only=lost_only):
        out.print(Text(sentence))
    out.print()
    unit = "percentage points (pp) of the chance to win" if analysis.unit is Unit.CHANCE else "points"
    out.print(Text(f"What a match gave it on average, in {unit}", style="bold"))
    table = _table("", "")
    rows = [
        ("equal start", analysis.start),
        ("starting positions", analysis.setup),
        ("own decisions", analysis.own),
        ("decisions of others", analysis.rivals),
        ("luck of draws and dice", analysis.luck),
        ("substitutes and forfeits", analysis.rest),
    ]
    for title, value in rows:
        if value or title in {"own decisions", "luck of draws and dice"}:
            error = f"  (standard error {_figure(analysis, analysis.luck_error, sign=False)})" if title.startswith("luck") else ""
            table.add_row(title, Text((_whole(analysis, value) if title == "equal start" else _figure(analysis, value)) + error))
    table.add_row("= result", _whole(analysis, analysis.result), style="bold")
    out.print(table)
    if details:
        _show_losses(analysis)
    _show_worst(analysis, db, len(analysis.worst) if details else WORST)
    if not details:
        out.print(Text("More: --details (losses by kind of decision, more of the worst ones)", style="dim"))


def _sentences(analysis: BotAnalysis, *, lost_only: bool) -> Iterator[str]:
    """Yield how much the bot gave away, and what its worst decisions have in common."""
    if not analysis.losses or not analysis.lost:
        yield "None of its decisions gave anything away compared with the best moves found."
        return
    most = analysis.losses[0]
    share = 100 * most.lost / analysis.lost
    yield (
        f"It gave away {_figure(analysis, analysis.lost, sign=False)} a match against the best moves found, most with {most.kind} in the "
        f"{_phase(most.phase)} ({share:.0f} %)."
    )
    if analysis.weak_points is not None:
        yield from map(weak_point_words, analysis.weak_points)
        if not analysis.weak_points:
            yield "Nothing stands out: it gave that away in much the same positions and moves as its rivals."
    elif lost_only:
        yield "Without --lost, its decisions are compared with those of its rivals."
    else:
        yield f"What they have in common is shown from {LEAST_MATCHES} matches with rivals on."


def _phase(phase: Phase) -> str:
    return {Phase.OPENING: "opening", Phase.MIDDLE: "middle third", Phase.END: "last third"}[phase]


def _show_losses(analysis: BotAnalysis) -> None:
    """Print the table by kind of decision and phase."""
    out = console()
    out.print()
    out.print(Text("Lost for each match, by kind of decision and third of the match", style="bold"))
    table = _table("decision", *(phase.value for phase in _PHASES), "in all", "asked", "lost something")
    kinds: dict[str, list[Losses]] = {}
    for each in analysis.losses:
        kinds.setdefault(each.kind, []).append(each)
    for kind, parts in sorted(kinds.items(), key=lambda entry: -sum(part.lost for part in entry[1])):
        by_phase = {part.phase: part.lost for part in parts}
        cells = [_figure(analysis, -by_phase[phase]) if phase in by_phase else "" for phase in _PHASES]
        asked, losing = sum(part.decisions for part in parts), sum(part.losing for part in parts)
        in_all = _figure(analysis, -sum(part.lost for part in parts))
        table.add_row(Text(kind), *cells, in_all, str(asked), f"{100 * losing / asked:.0f} %")
    out.print(table)


def _show_worst(analysis: BotAnalysis, db: str, most: int) -> None:
    out = console()
    if not analysis.worst:
        return
    out.print()
    out.print(Text("Its worst decisions", style="bold"))
    for each in analysis.worst[:most]:
        decision = each.decision
        command = join(["arena", "replay", each.match, "--db", db, "--at", str(decision.index)])
        out.print(Text.assemble((_figure(analysis, -decision.loss), "bold"), f"  decision {decision.index + 1} of match {each.match}"))
        out.print(Text(f"        played {decision.played.in_full}"))
        if decision.best is not None:
            out.print(Text(f"        better {decision.best.in_full}"))
        out.print(Text.assemble(("        before ", "dim"), command), soft_wrap=True)
    out.print()
    command = join(["arena", "analyse", analysis.worst[0].match, "--db", db])
    out.print(Text.assemble(("Why a match went as it did: ", "dim"), command), soft_wrap=True)


def _table(*headers: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(headers))
    for number, header in enumerate(headers):
        table.add_column(header, justify="left" if number == 0 or not any(headers) else "right", no_wrap=True)
    return table


def _figure(analysis: BotAnalysis, value: float, *, sign: bool = True) -> str:
    """Return a change or a loss, in percentage points of the chance to win or in points."""
    figure = 100 * value if analysis.unit is Unit.CHANCE else value
    shown = f"{figure:+.1f}" if sign else f"{figure:.1f}"
    shown = shown.replace("-0.0", "+0.0" if sign else "0.0")
    return f"{shown} pp" if analysis.unit is Unit.CHANCE else shown


def _whole(analysis: BotAnalysis, value: float) -> str:
    """Return a chance in per cent, or points."""
    return f"{100 * value:.1f} %" if analysis.unit is Unit.CHANCE else f"{value:.1f}"
