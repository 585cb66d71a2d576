"""The sentence on a match: it names who did what and how much that changed, in at most 25 words, whatever the match."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from arena.analysis.explanation import MOST_WORDS, sentence_of
from arena.analysis.key_moments import turns_of
from arena.analysis.match_analysis import Account, DecisionAnalysis, MatchAnalysis, MoveWorth, Unit
from arena.analysis.moment_words import decisions_words
from arena.analysis.traits.base import Traits
from engine.records import Forfeit
from tests.arena.analysis.test_match_analysis import split

WINNER = 2
"""The seat that won the match of four below."""


def quiet() -> MatchAnalysis:
    """A match of Ann, Bob, Cid and Dan, won by Cid, in which nothing has changed any chance."""
    analysis = split("tongiaki/r4-16")
    none = (0.0,) * 4
    decisions = tuple(replace(each, skill=none, luck=none, loss=0.0, best=None, is_hidden=False) for each in analysis.decisions)
    accounts = tuple(replace(each, setup=0.0, own=0.0, rivals=0.0, luck=0.0) for each in analysis.accounts)
    chances = tuple((0.25 + frame % 2 / 1000, 0.25 - frame % 2 / 1000, 0.25, 0.25) for frame in range(len(analysis.chances)))
    return replace(analysis, names=("Ann", "Bob", "Cid", "Dan"), decisions=decisions, accounts=accounts, chances=chances)


def with_winner(analysis: MatchAnalysis, **parts: float) -> MatchAnalysis:
    """The same with these parts of the winner's sum."""
    accounts = list(analysis.accounts)
    accounts[WINNER] = Account(**asdict(accounts[WINNER]) | parts)
    return replace(analysis, accounts=tuple(accounts))


def losing(decision: DecisionAnalysis, loss: float, played: Traits, best: Traits) -> DecisionAnalysis:
    return replace(
        decision,
        loss=loss,
        played=replace(decision.played, traits=played),
        best=MoveWorth(f"other {decision.index}", "does something else", 0.0, best),
    )


def with_losses(analysis: MatchAnalysis, seat: int, losses: list[tuple[float, Traits, Traits]]) -> MatchAnalysis:
    """The same in which the first decisions of a seat gave something away."""
    decisions = list(analysis.decisions)
    own = [each.index for each in decisions if each.seat == seat]
    for index, (loss, played, best) in zip(own, losses, strict=False):
        decisions[index] = losing(decisions[index], loss, played, best)
    return replace(analysis, decisions=tuple(decisions))


LANDING = Traits("landings", "landing on Oahu", ("landing on a full island",))
SAILING = Traits("voyages", "sailing from Oahu to Samoa")


def _of_winner(change: float) -> tuple[float, ...]:
    return tuple(change if seat == WINNER else -change / 3 for seat in range(4))


class TestCause:
    def test_the_worst_decision_of_a_rival_with_what_would_have_been_better(self) -> None:
        analysis = with_losses(with_winner(quiet(), rivals=0.75), 1, [(0.41, LANDING, SAILING), (0.05, SAILING, LANDING)])
        at = next(each.index for each in analysis.decisions if each.seat == 1) + 1

        assert sentence_of(analysis) == (
            f"Cid won: Bob gave away 41 points of chance by landing on Oahu instead of sailing from Oahu to Samoa (decision {at})."
        )

    def test_several_decisions_with_a_habit_in_common(self) -> None:
        analysis = with_losses(with_winner(quiet(), rivals=0.75), 1, [(0.21, LANDING, SAILING), (0.2, LANDING, SAILING)])

        assert sentence_of(analysis) == "Cid won: Bob gave away 41 points of chance in 2 decisions by landing on a full island."

    def test_a_habit_of_the_better_move_is_no_cause(self) -> None:
        analysis = with_losses(with_winner(quiet(), rivals=0.75), 1, [(0.21, LANDING, LANDING), (0.2, LANDING, LANDING)])

        assert "full island" not in sentence_of(analysis)

    def test_many_decisions_of_a_kind(self) -> None:
        analysis = with_losses(with_winner(quiet(), rivals=0.75), 1, [(0.1, SAILING, LANDING)] * 4)

        at = next(each.index for each in analysis.decisions if each.seat == 1) + 1

        told = "Cid won: Bob gave away 40 points of chance in 4 voyages"
        assert sentence_of(analysis) == f"{told}, most by sailing from Oahu to Samoa (decision {at})."
        wordy = replace(analysis, names=("Ann", "Bob of the very long name", "Cid", "Dan"))
        assert sentence_of(wordy) == told.replace("Bob", "Bob of the very long name") + "."

    def test_a_better_move_that_was_there_all_the_time_was_missed_once(self) -> None:
        analysis = with_losses(with_winner(quiet(), rivals=0.75), 1, [(0.06, SAILING, LANDING)] * 4 + [(0.1, SAILING, LANDING)])
        same = MoveWorth("the same", "does something else", 0.0, LANDING)
        decisions = tuple(each if each.best is None or each.loss == 0.1 else replace(each, best=same) for each in analysis.decisions)

        assert "34 points of chance in 5 voyages" in sentence_of(analysis)
        assert "gave away 10 points" in sentence_of(replace(analysis, decisions=decisions))

    def test_a_turn_of_the_winner_that_gained_more_than_anybody_gave_away(self) -> None:
        analysis = with_winner(quiet(), own=0.75)
        decisions = list(analysis.decisions)
        at = next(each.index for each in decisions if each.seat == WINNER)
        skill = tuple(0.6 if seat == WINNER else -0.2 for seat in range(4))
        decisions[at] = replace(decisions[at], skill=skill, played=replace(decisions[at].played, traits=SAILING))

        told = sentence_of(replace(analysis, decisions=tuple(decisions)))

        assert told == f"Cid won: it gained 60 points of chance by sailing from Oahu to Samoa (decision {at + 1})."

    @pytest.mark.parametrize(
        ("low", "brought", "words"),
        [
            (0.02, (0.6, 0.1), "from a chance of 2 %: its own moves in {} brought it to 72 %"),
            (0.1, (0.2, 0.4), "from a chance of 10 %: luck in {} brought it to 70 %"),
            (0.12, (0.6, 0.1), ""),
            (0.02, (0.2, 0.05), ""),
        ],
    )
    def test_a_comeback_with_the_turn_that_brought_it(self, low: float, brought: tuple[float, float], words: str) -> None:
        analysis = with_winner(quiet(), own=0.75)
        turns = [turn for turn in turns_of(analysis) if turn.decisions[0].seat == WINNER and not turn.is_end]
        turn = turns[len(turns) // 2]
        own, luck = brought
        decisions, chances = list(analysis.decisions), list(analysis.chances)
        first = decisions[turn.first]
        decisions[turn.first] = replace(first, skill=_of_winner(own), luck=_of_winner(luck))
        for frame in range(len(chances)):
            chance = low if frame == turn.first else low + sum(brought) if frame == turn.last + 1 else 0.25
            chances[frame] = tuple(chance if seat == WINNER else (1 - chance) / 3 for seat in range(4))
        said = sentence_of(replace(analysis, decisions=tuple(decisions), chances=tuple(chances)))
        if words:
            assert said == f"Cid won {words.format(decisions_words(turn))}."
        else:
            assert "from a chance" not in said

    def test_a_comeback_that_only_the_end_brought(self) -> None:
        analysis = with_winner(quiet(), own=0.75)
        behind, won = (tuple(chance if seat == WINNER else (1 - chance) / 3 for seat in range(4)) for chance in (0.02, 1.0))
        chances = (*analysis.chances[:-4], behind, behind, behind, won)
        total = len(analysis.decisions)

        assert sentence_of(replace(analysis, chances=chances)) == (
            f"Cid won from a chance of 2 %: only the end decided it, with decisions {total - 2} to {total}."
        )

    def test_luck_with_the_decision_after_which_it_came(self) -> None:
        analysis = with_winner(quiet(), luck=0.6, own=0.15)
        decisions = list(analysis.decisions)
        luck = tuple(0.5 if seat == WINNER else -0.5 / 3 for seat in range(4))
        decisions[5] = replace(decisions[5], luck=luck, events=("draws Oahu",))
        by = analysis.names[decisions[5].seat]

        told = sentence_of(replace(analysis, decisions=tuple(decisions)))

        assert told == f"Cid won: luck gave it 60 points of chance, most after decision 6 by {by} (draws Oahu)."

    @pytest.mark.parametrize(
        ("parts", "words"),
        [
            ({"setup": 0.5, "own": 0.2}, "its starting position was 50 points of chance better than an equal one"),
            ({"own": 0.7}, "its own moves gained 70 points of chance in many small steps"),
            ({"rivals": 0.7}, "moves of its rivals gave it 70 points of chance in many small steps"),
            ({"own": 0.9, "luck": -0.2}, ", despite 20 lost by bad luck"),
            ({"own": 0.5, "luck": 0.2}, ", and luck added 20"),
        ],
    )
    def test_the_largest_part_of_the_sum_is_the_cause(self, parts: dict[str, float], words: str) -> None:
        told = sentence_of(with_winner(quiet(), **parts))

        assert words in told
        assert told.startswith("Cid won: ")


class TestEnds:
    def test_who_shares_first_place(self) -> None:
        analysis = with_losses(replace(quiet(), ranks=(1, 3, 1, 4)), 0, [(0.3, LANDING, SAILING)])

        assert sentence_of(analysis).startswith("Ann and Cid shared first place: Ann gave away 30 points of chance by landing on Oahu ")
        assert sentence_of(replace(quiet(), ranks=(1, 1, 1, 1))) == "Ann, Bob, Cid and Dan shared first place."

    def test_points_of_a_seat_alone(self) -> None:
        analysis = split("sunda/solo-L2-1p-29")
        points = int(analysis.scores[0])
        still = tuple(replace(each, loss=0.0, best=None) for each in analysis.decisions)
        worst = (losing(still[0], 8.5, LANDING, SAILING), *still[1:])

        assert analysis.unit is Unit.POINTS
        assert sentence_of(replace(analysis, decisions=still, is_whole=True)).endswith(f"{points} points; no better move was found.")
        assert sentence_of(replace(analysis, decisions=still)).endswith("; no better move was found before time ran out.")
        told = sentence_of(replace(analysis, decisions=worst))
        assert f"ended with {points} points; 8.5 more were within reach at decision 1, by " in told
        assert told.endswith(" by sailing from Oahu to Samoa instead of landing on Oahu.")
        one = (losing(still[0], 1.0, LANDING, LANDING), *still[1:])
        assert sentence_of(replace(analysis, decisions=one)).endswith(
            "; 1 more was within reach at decision 1, by landing on Oahu elsewhere."
        )

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize("name", ["tongiaki/r2-70", "tongiaki/r4-16", "sunda/turns-L2-4p-37", "sunda/simultaneous-L2-3p-35"])
    def test_no_sentence_is_longer_than_it_may_be(self, name: str) -> None:
        analysis = split(name)
        long = tuple(f"the bot number {seat}" for seat in range(analysis.players))

        for each in (analysis, replace(analysis, names=long)):
            told = sentence_of(each)
            assert len(told.split()) <= MOST_WORDS
            assert each.names[each.winners[0]] in told
            assert told.endswith(".")

    def test_a_reason_for_a_forfeit_that_is_too_long_is_left_out(self) -> None:
        forfeits = tuple(Forfeit(seat, 9, "crash: " + "very " * 30) for seat in (0, 1, 3))

        told = sentence_of(replace(quiet(), forfeits=forfeits))

        assert told == "Cid won because Ann forfeited at decision 10, Bob forfeited at decision 10 and Dan forfeited at decision 10."
