"""The ratings of members: their strength on the scale of ``arena rate``, computed from stored matches with bots whose strengths are fixed.

Matches of one game with one number of seats are rated together, since strengths of others are not on one scale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from arena.analysis.rating import Anchors, PlayedBlock, RatingError, find_rating_anchors
from arena.web.data.names import ordinal
from arena.web.play.seats import Seat
from engine.core import EngineError, Game
from engine.records import MatchResult
from engine.registry import find_game
from engine.text import listed
from leaderboard.ratings.anchors import TableStrength
from leaderboard.statistics.anchored import AnchoredStrength, anchored_strength
from leaderboard.storage.members import RatedMatch, RatedState

SETTLED: Final = 20
"""The number of matches from which a rating is no longer provisional."""
FARTHEST: Final = 400
"""How far below the low end of a member's interval a bot may be, in points; matches with weaker ones say more about the model."""
BY_CHOICE: Final = "you chose so"
_REPLICATES: Final = 400
_POINTS: Final = 24
_FIRST: Final = 3
"""The number of matches at which a curve begins; before, intervals are wider than the scale."""


def why_unrated(game: Game, seats: Sequence[Seat], matches: Iterable[RatedMatch] = ()) -> str:
    """Return why a new match of one person, who has played ``matches``, with these bots can't be rated, or an empty string."""
    anchors = anchors_at(game.name, len(seats))
    if anchors is None or dict(game.options) != dict(find_game(game.name).options):
        return "the strengths of bots were not measured for this game with these options and this number of seats"
    unknown = sorted({seat.name for seat in seats if seat.version and seat.version.digest not in anchors.versions})
    if unknown:
        return f"the strength of {listed(unknown)} was not measured"
    if (rating := rating_at(matches, game.name, len(seats))) is None:
        return ""
    strengths = dict(zip(anchors.versions, anchors.strengths, strict=True))
    bots = [(seat.name, strengths[seat.version.digest]) for seat in seats if seat.version]
    weak = sorted({name for name, strength in bots if strength < rating.strength.low - FARTHEST})
    return f"{listed(weak)} {'is' if len(weak) == 1 else 'are'} more than {FARTHEST} points weaker than you" if weak else ""


@lru_cache(64)
def anchors_at(game: str, seats: int) -> Anchors | None:
    """Return the bots of known strength at tables of that size with the game's usual options; None if there are none."""
    try:
        return find_rating_anchors(find_game(game), seats)
    except (RatingError, EngineError):
        return None


@dataclass(frozen=True, slots=True)
class MemberRating:
    """A member's rating at tables of one size, from ``blocks``, each of which is a match."""

    game: str
    seats: int
    blocks: tuple[PlayedBlock, ...]

    @property
    def anchors(self) -> tuple[TableStrength, ...]:
        """The bots of known strength, best first."""
        anchors = anchors_at(self.game, self.seats)
        assert anchors is not None, "a match was rated"
        return anchors.table.strengths

    @property
    def strength(self) -> AnchoredStrength:
        """The strength with its interval, in points."""
        return _strength(self.game, self.seats, self.blocks)

    @property
    def is_provisional(self) -> bool:
        """Whether more matches are needed for a rating that means much."""
        return len(self.blocks) < SETTLED

    @property
    def words(self) -> str:
        """The rating and those of the bots next to it, such as ``1412 (1364 to 1458); greedy 1390; expert 1687``."""
        own = self.strength
        below = [each for each in self.anchors if each.strength <= own.strength][:1]
        above = [each for each in self.anchors if each.strength > own.strength][-1:]
        bots = "".join(f"; {each.bot} {each.strength:.0f}" for each in (*below, *above))
        after = f", provisional after {matches_words(len(self.blocks))}" if self.is_provisional else ""
        return f"{own.strength:.0f} ({own.low:.0f} to {own.high:.0f}){after}{bots}"

    def curve(self) -> tuple[list[int], list[AnchoredStrength]]:
        """Return numbers of matches, thinned for drawing, and the rating after each."""
        last = len(self.blocks)
        numbers = sorted({round(number) for number in np.linspace(min(_FIRST, last), last, _POINTS)})
        return numbers, [_strength(self.game, self.seats, self.blocks[:number]) for number in numbers]


@lru_cache(8192)
def _strength(game: str, seats: int, blocks: tuple[PlayedBlock, ...]) -> AnchoredStrength:
    anchors = anchors_at(game, seats)
    assert anchors is not None, "a match was rated"
    opponents, shares = np.array([each.opponents for each in blocks]), np.array([each.shares for each in blocks])
    return anchored_strength(np.array(anchors.strengths), np.array(anchors.table.covariance), opponents, shares, _REPLICATES)


def ratings_of(matches: Iterable[RatedMatch]) -> list[MemberRating]:
    """Return a member's ratings, those with most matches first."""
    blocks: dict[tuple[str, int], list[PlayedBlock]] = {}
    for match in sorted(matches, key=lambda match: (match.finished, match.id)):
        if (block := _block(match)) is not None:
            blocks.setdefault((match.game, len(match.versions)), []).append(block)
    rated = [MemberRating(game, seats, tuple(played)) for (game, seats), played in blocks.items()]
    return sorted(rated, key=lambda each: (-len(each.blocks), each.game, each.seats))


def rating_at(matches: Iterable[RatedMatch], game: str, seats: int) -> MemberRating | None:
    """Return a member's rating at tables of that size; None without a match that counts."""
    return next((each for each in ratings_of(matches) if (each.game, each.seats) == (game, seats)), None)


@dataclass(frozen=True, slots=True)
class RatedResult:
    """What a rated match brought its member: the place against which bots, and the rating before, if there was one, and after it."""

    deed: str
    before: float | None
    after: AnchoredStrength
    provisional: int
    """The number of matches that the rating is from, or 0 once it is no longer provisional."""

    def words(self, name: str = "") -> str:
        """Return that in words: of a person, or without a name of ``you``."""
        whose, points = f"{name}'s" if name else "Your", f"{self.after.strength:.0f}"
        if self.before is None:
            change = f"{whose} first rating is {points}"
        elif f"{self.before:.0f}" == points:
            change = f"{whose} rating stays {points}"
        else:
            change = f"{whose} rating {'rose' if self.after.strength > self.before else 'fell'} from {self.before:.0f} to {points}"
        until = f"; provisional after {matches_words(self.provisional)}" if self.provisional else ""
        between = f"95\N{NO-BREAK SPACE}% interval {self.after.low:.0f} to {self.after.high:.0f}".replace("-", "\N{MINUS SIGN}")
        return f"{name or 'You'} {self.deed}. {change} ({between}{until})."


def result_of(match: RatedMatch, matches: Iterable[RatedMatch]) -> RatedResult | None:
    """Return what a match brought its member, whose matches these are; None if they have no rating."""
    played, seats = list(matches), len(match.versions)
    after = rating_at(played, match.game, seats)
    if after is None:
        return None
    before = rating_at((each for each in played if each.id != match.id), match.game, seats)
    return RatedResult(
        _deed(match),
        None if before is None else before.strength.strength,
        after.strength,
        len(after.blocks) if after.is_provisional else 0,
    )


def _deed(match: RatedMatch) -> str:
    """Return what a member did in a match, and against which bots: ``won against greedy (1390)``."""
    anchors, others = anchors_at(match.game, len(match.versions)), opponents_in(match)
    strengths = {each.bot: f"{each.strength:.0f}" for each in anchors.table.strengths} if anchors else {}
    met = []
    for bot, number in Counter(others).items():
        facts = [strengths.get(bot, ""), f"in {number} seats" if number > 1 else ""]
        met.append(f"{bot} ({', '.join(filter(None, facts))})" if any(facts) else bot)
    if match.state is RatedState.LEFT:
        return f"gave up against {listed(met)}, which counts as last place"
    own, rest = match.ranks[match.seat], [rank for seat, rank in enumerate(match.ranks) if seat != match.seat]
    if len(rest) > 1:
        return f"took {'a shared ' if own in rest else ''}{ordinal(own)} place of {len(match.ranks)} against {listed(met)}"
    return f"{'won' if own < rest[0] else 'lost' if own > rest[0] else 'drew'} against {listed(met)}"


def matches_words(number: int) -> str:
    """Return a number of matches in words."""
    return f"{number} match{'' if number == 1 else 'es'}"


def opponents_in(match: RatedMatch) -> list[str]:
    """Return the names of the bots in a rated match, in the order of their seats; ``a bot`` for one that is no longer measured."""
    anchors = anchors_at(match.game, len(match.versions))
    names = dict(zip(anchors.versions, anchors.bots, strict=True)) if anchors else {}
    return [names.get(version, "a bot") for seat, version in enumerate(match.versions) if seat != match.seat]


def _block(match: RatedMatch) -> PlayedBlock | None:
    """Return what a match says of its member; None for one that does not count, or with a bot that is no longer measured."""
    anchors = anchors_at(match.game, len(match.versions))
    others = [seat for seat in range(len(match.versions)) if seat != match.seat]
    if match.state not in {RatedState.OVER, RatedState.LEFT} or anchors is None:
        return None
    if any(match.versions[seat] not in anchors.versions for seat in others):
        return None
    opponents = tuple(anchors.versions.index(match.versions[seat]) for seat in others)
    if match.state is RatedState.LEFT:
        return PlayedBlock(opponents, (0.0,) * len(others))
    own = match.ranks[match.seat]
    return PlayedBlock(opponents, tuple((own < match.ranks[seat]) + (own == match.ranks[seat]) / 2 for seat in others))


def ended(match: RatedMatch, result: MatchResult) -> RatedMatch:
    """Return a rated match with its result; who resigned or ran out of time has left it."""
    state = RatedState.LEFT if result.seats[match.seat].fault else RatedState.OVER
    return replace(match, state=state, ranks=tuple(seat.rank for seat in result.seats))
