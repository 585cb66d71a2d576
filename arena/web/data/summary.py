"""A tournament in one sentence, for the pages that begin with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.analysis.standings import Standing, chance_of_first
from arena.formats.base import Place
from arena.web.data.course import find_course, places, ranking
from arena.web.data.queries import Queries, State
from engine.text import percent
from leaderboard.storage.store import StoredTournament

_NAMED: Final = 3
"""The most bots that are named if several share a place."""
_NEARLY_CERTAIN: Final = 0.995
_HARDLY: Final = 0.005
_FEW: Final = 3
"""A place counts as certain with up to this many possible ranks."""
_NUMBERS: Final = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: the name of a bot, or words between names."""

    text: str
    is_bot: bool = False


def lead_sentence(queries: Queries, tournament: StoredTournament) -> str:
    """Return who leads or has won, and how certain that is, as plain text."""
    return "".join(part.text for part in lead(queries, tournament))


def lead(queries: Queries, tournament: StoredTournament) -> tuple[Part, ...]:
    """Return ``lead_sentence`` in parts, so that a page can set the names of bots apart."""
    state = queries.state(tournament)
    number = len(tournament.entrants)
    if not state.played:
        return (Part(f"Nothing has been played yet; {'1 bot has' if number == 1 else f'{number} bots have'} entered."),)
    has_places = places(queries, tournament) is not None
    lines = queries.standings_if_known(tournament)
    best = [each.bot for each in ranking(queries, tournament, lines) if each.place == 1]
    if not best:
        return (Part(f"{_progress(state)} played."),)
    if number == 1:
        return Part(best[0], is_bot=True), Part(f" plays alone: {_progress(state)} played.")
    if not has_places and is_open(lines):
        return _open(best, lines, state)
    if has_places and len(best) > 1 and not state.is_complete and queries.spec(tournament).schedule.format == "knockout":
        return (*_names(best), Part(f" are still in after {_progress(state)}."))
    course = find_course(queries, tournament)
    conclusion = f" {course.conclusion}" if course and course.conclusion else ""
    certain = ""
    if not has_places and len(best) == 1:
        certain = certainty(lines[0].worst_rank, chance_of_first(lines, best[0]), is_complete=state.is_complete)
    return (*_names(best), Part(f"{_verb(len(best), state)}{certain}.{conclusion}"))


def is_open(lines: Sequence[Standing]) -> bool:
    """Whether the ratings, best first, don't tell who is best: the first bot is not certainly above even half of the others."""
    return bool(lines) and 2 * (lines[0].worst_rank - 1) > len(lines) - 1


def _open(best: Sequence[str], lines: Sequence[Standing], state: State) -> tuple[Part, ...]:
    near, others = lines[0].worst_rank - 1, len(lines) - 1
    whose = (
        "that of the other bot" if others == 1 else "those of all others" if near == others else f"those of {near} of the {others} others"
    )
    overlap = f"its interval overlaps {whose}" if len(best) == 1 else "their intervals overlap those of others"
    begin = Part(f"Too {'close' if state.is_complete else 'early'} to tell: ")
    return begin, *_names(best), Part(f"{_verb(len(best), state)}, but {overlap} too much.")


def possible_ranks(line: Standing | None, place: Place | None = None) -> str:
    """Return the ranks that a bot may have, such as "2" or "2 to 4": by its ``place`` in a final, else by its line, if one is given."""
    if place is not None and place.last is not None:
        best, worst = place.place, place.last
    elif line is not None:
        best, worst = line.best_rank, line.worst_rank
    else:
        return ""
    return str(best) if best == worst else f"{best}\N{EN DASH}{worst}"


def _names(bots: Sequence[str]) -> tuple[Part, ...]:
    shown = [Part(bot, is_bot=True) for bot in (bots if len(bots) <= _NAMED else bots[: _NAMED - 1])]
    others = len(bots) - len(shown)
    if others:
        shown.append(Part(f"{others} others"))
    parts: list[Part] = []
    for number, each in enumerate(shown):
        parts += [Part("" if number == 0 else " and " if number == len(shown) - 1 else ", "), each]
    return tuple(part for part in parts if part.text)


def _verb(number: int, state: State) -> str:
    if state.is_complete:
        return " won" if number == 1 else " share the first place"
    return f" {'leads' if number == 1 else 'share the lead'} after {_progress(state)}"


def _progress(state: State) -> str:
    if state.total is None or state.is_complete:
        return f"{state.played:,} match{'' if state.played == 1 else 'es'}"
    return f"{state.played:,} of {state.total:,} matches"


def certainty(worst: int, chance: float, *, is_complete: bool) -> str:
    """Return a clause on the first bot, to follow "won" or "leads": its worst possible rank and how likely it is the strongest."""
    if worst == 1:
        return f", certainly {'the strongest' if is_complete else 'first'}"
    likely = f"the strongest with {percent(chance)} probability, and " if _HARDLY < chance < _NEARLY_CERTAIN else ""
    certainly = "certainly " if worst <= _FEW else ""
    return f"; it is {likely}{certainly}among the best {_NUMBERS[worst] if worst < len(_NUMBERS) else worst}"
