"""How dramatic a match was, judged by the chances of winning (``drama_of``).

What counts is how often the lead changed, the largest swing, how late the match was decided, and how far behind the winner was.
``match_drama`` computes only the chances, which takes a third of a second; ``drama_from`` keeps them in a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import msgspec

from arena.analysis.analyser import digest_of, program_digest
from arena.analysis.match_analysis import Unit, Vector, is_comeback
from arena.analysis.position_value import judge_of
from arena.analysis.skill_and_luck import split_match
from arena.result_cache import Cache, key_of
from engine.records import Replay
from engine.replay.verifier import game_of, timeline_of

_MANY: Final = 6
"""The number of lead changes beyond which more add no drama."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Drama:
    """What made a match dramatic; ``low`` is the winner's lowest chance, ``at`` the decision after which it was lowest.

    ``decided`` is the share of the match after which the winner had more than half of the chances until the end, ``swing`` the most that
    one turn changed a player's chance, ``players`` the number of seats.
    """

    players: int
    winner: int
    changes: int
    swing: float
    decided: float
    low: float
    at: int

    @property
    def is_comeback(self) -> bool:
        """Whether it was won from far behind."""
        return is_comeback(self.low, self.players)

    @property
    def figure(self) -> int:
        """The drama as a number from 0 to 100: the mean of four parts; the last is how far the winner was below an equal share."""
        parts = (min(self.changes / _MANY, 1.0), self.swing, self.decided, max(0.0, 1 - self.low * self.players))
        return round(100 * sum(parts) / len(parts))

    @property
    def words(self) -> str:
        """The drama described in a sentence."""
        lead = "The lead never changed" if not self.changes else f"The lead changed {self.changes} time{'' if self.changes == 1 else 's'}"
        decided = round(100 * self.decided)
        within = f"after {decided}\N{NO-BREAK SPACE}% of the match"
        end = within if 0 < decided < 100 else "at the very end" if decided else "from the start"
        return f"{lead}, and it was decided {end}."


def drama_of(chances: Sequence[Vector], seats: Sequence[int], ranks: Sequence[int]) -> Drama:
    """Return the drama of a whole match by the chances of all positions and the seats of all decisions; only those between turns count."""
    total, winner = len(seats), ranks.index(1)
    frames = [0, *(at for at in range(1, total) if seats[at] != seats[at - 1])]  # the last position is the result
    leaders = [max(range(len(ranks)), key=lambda seat, at=at: chances[at][seat]) for at in frames]  # type: ignore[misc]
    turns = list(pairwise(frames))
    open_until = max((at for at in frames if chances[at][winner] <= _HALF), default=0)
    lowest = min(frames, key=lambda at: chances[at][winner])
    return Drama(
        players=len(ranks),
        winner=winner,
        changes=sum(one != other for one, other in pairwise(leaders)),
        swing=max((abs(new - old) for one, other in turns for old, new in zip(chances[one], chances[other], strict=True)), default=0.0),
        decided=next((at for at in [*frames, total] if at > open_until), total) / total if open_until else 0.0,
        low=chances[lowest][winner],
        at=lowest,
    )


def match_drama(replay: Replay, is_over: Callable[[], bool] = lambda: False) -> Drama | None:
    """Return the drama of a match, or None if it has a single seat or no decision, or if ``is_over`` says that time is up.

    Raises EngineError for a replay that can't be played, or whose positions can't be valued.
    """
    timeline = timeline_of(replay)
    judge = judge_of(timeline.states[0].game, replay.players, "")
    if judge.unit is not Unit.CHANCE or judge.is_sampled or not replay.decisions:
        return None
    split = split_match(timeline, judge, is_over)
    return drama_of(split.chances, [each.seat for each in replay.decisions], replay.ranks) if split.is_whole else None


def drama_from(kept: Cache, replay: Replay, is_over: Callable[[], bool] = lambda: False) -> Drama | None:
    """Return ``match_drama`` of the replay, from the cache if it is there; a new drama is added to the cache. Raises EngineError."""
    digest = digest_of(replay)
    key = key_of("drama", program_digest(), digest, judge_of(game_of(replay), replay.players, digest).version)
    if (text := kept.get(key)) is not None:
        return msgspec.json.decode(text, type=Drama)
    drama = match_drama(replay, is_over)
    if drama is not None:
        kept.put(key, msgspec.json.encode(drama))
    return drama
