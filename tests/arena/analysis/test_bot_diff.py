"""Two bots in the same positions: a rule that only one of them has is named first, in both games; failures are counted, not hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

import arena
from arena.analysis.bot_diff import BotDiff, ComparedDecision, DiffRun, RecordedMatch, agreement_of
from arena.analysis.match_analysis import Phase, Unit
from arena.play.match import make_ticket
from bots.host.player import Player
from bots.protocol import Bot, Clock, ClockSpec
from bots.reference.greedy import Greedy
from engine.core import Move, State, View
from engine.records import FaultKind
from engine.replay.format import read_replay
from engine.replay.verifier import game_of

VECTORS = Path(__file__).parents[2] / "vectors"
TONGIAKI = ("tongiaki/r2-323.json", "tongiaki/r2-354.json", "tongiaki/r3-111.json")
SUNDA = ("sunda/turns-L1-3p-33.json",)


def recorded(name: str) -> RecordedMatch:
    replay = read_replay((VECTORS / name).read_text())
    return RecordedMatch(name, replay, make_ticket(game_of(replay), replay.names, seed=replay.seed), ClockSpec())


def diff(new: Callable[[], Bot], old: Callable[[], Bot], *names: str) -> BotDiff:
    def seated(bot: Callable[[], Bot]) -> Callable[[], Player]:
        return partial(arena.seat_bot, bot)

    run = DiffRun(seated(new), seated(old))
    for match in map(recorded, names):
        run.ask(match, range(match.replay.players))
    return run.result()


class LastLanding(Greedy):
    """Lands as the last legal move says."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the move of greedy, unless it is a landing."""
        move = super().choose(view, clock)
        return list(view.legal_moves)[-1] if str(move).startswith("land ") else move


class LastClaim(Greedy):
    """Claims land as the last legal move says."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the move of greedy, unless it is a claim."""
        move = super().choose(view, clock)
        return list(view.legal_moves)[-1] if str(move).startswith("claim ") else move


@pytest.mark.parametrize(("new", "kind", "names"), [(LastLanding, "landings", TONGIAKI[:1]), (LastClaim, "claims of land", SUNDA)])
def test_the_kind_of_decision_that_one_rule_changes_is_named_first(new: type[Greedy], kind: str, names: tuple[str, ...]) -> None:
    known = diff(new, Greedy, *names)
    first, *others = known.kinds
    assert first.kind == kind
    assert first.total.agreed < first.total.decisions
    assert all(each.total.agreed == each.total.decisions for each in others)
    assert sum(each.total.decisions for each in known.kinds) == known.total.decisions > 90
    assert {each.old.kind for each in known.largest} == {kind}
    assert [abs(each.gain) for each in known.largest] == sorted((abs(each.gain) for each in known.largest), reverse=True)
    assert known.total.gain < 0


def test_of_a_difference_in_one_match_nothing_is_clear() -> None:
    known = diff(LastLanding, Greedy, TONGIAKI[0])
    assert known.total.agreed < known.total.decisions
    assert known.total.error is None
    assert not any(each.is_clear for each in (known.total, *(kind.total for kind in known.kinds)))


def test_a_bot_agrees_with_itself_since_both_have_the_same_seed_and_history() -> None:
    class Guesses(Greedy):
        """Plays at random, by its seed and by how often it has been asked."""

        def choose(self, view: View[State], clock: Clock) -> Move:
            """Return any move."""
            assert len(view.history) >= 0
            return view.legal_moves.random(self.rng)

    known = diff(Guesses, Guesses, *TONGIAKI)
    assert known.total.agreed == known.total.decisions
    assert not known.largest


def test_a_bot_that_fails_begins_anew_until_it_has_failed_three_times_in_a_seat() -> None:
    class Fails(Greedy):
        """Fails at every fifth decision."""

        asked = 0

        def choose(self, view: View[State], clock: Clock) -> Move:
            """Return the move of greedy, or raise."""
            self.asked += 1
            if self.asked == 5:
                raise KeyError("x")
            return super().choose(view, clock)

    known = diff(Fails, Greedy, TONGIAKI[0])
    assert len(known.failures) == 2 * 3
    assert {(each.is_new, each.kind) for each in known.failures} == {(True, FaultKind.CRASH)}
    assert "KeyError" in known.failures[0].detail
    assert known.total.decisions == 2 * 3 * 4
    replay = recorded(TONGIAKI[0]).replay
    assert known.unanswered == sum(decision.legal > 1 for decision in replay.decisions) - 2 * 3 * 4


def test_an_illegal_move_is_a_failure() -> None:
    class Passes(Greedy):
        """Always passes."""

        def choose(self, view: View[State], clock: Clock) -> Move:
            """Return a pass, legal or not."""
            return view.game.parse("pass")

    failures = diff(Greedy, Passes, TONGIAKI[0]).failures
    assert {(each.is_new, each.kind) for each in failures} == {(False, FaultKind.ILLEGAL_MOVE)}


def test_a_player_alone_gains_points() -> None:
    class LastTile(Greedy):
        """Places the last legal tile at every fortieth decision."""

        def choose(self, view: View[State], clock: Clock) -> Move:
            """Return the move of greedy or the last one."""
            move = super().choose(view, clock)
            return list(view.legal_moves)[-1] if len(view.history) % 40 == 39 else move

    known = diff(LastTile, Greedy, "sunda/solo-L0-1p-31.json")
    assert known.unit is Unit.POINTS
    assert 0 < len(known.largest) < 10
    assert known.total.gain < 0


def test_what_is_worse_in_many_matches_is_clear() -> None:
    rng = Random(3)
    worse = [replace(each, gain=each.gain - 1.0) for each in noise(rng, 40)]
    assert agreement_of(worse, 10).is_clear


@pytest.mark.parametrize("matches", [5, 20])
def test_of_equally_good_bots_few_are_called_better_in_any_kind_of_decision(matches: int) -> None:
    rng, kinds, trials, wrong = Random(3), 10, 100, 0
    for _ in range(trials):
        wrong += any(agreement_of(list(noise(rng, matches)), kinds).is_clear for _ in range(kinds))
    assert wrong <= 0.12 * trials  # 5 % and three standard errors


def noise(rng: Random, matches: int) -> Iterator[ComparedDecision]:
    """Gains of 0 on average, many of them in some matches, and those of a match alike."""
    for match in range(matches):
        shared = rng.gauss(0, 0.5)
        for _ in range(rng.choice((0, 1, 3, 8))):
            yield ComparedDecision(match, "landings", Phase.END, agrees=False, gain=rng.gauss(0, 1) + shared)
