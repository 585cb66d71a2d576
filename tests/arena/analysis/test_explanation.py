"""The sentence on a match: it names the largest part of the winner's sum and the decision that did most of it, in at most 30 words."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from arena.analysis.explanation import MOST_WORDS, sentence_of
from arena.analysis.match_analysis import Account, MatchAnalysis, MoveWorth, Unit
from engine.records import Forfeit
from tests.arena.analysis.test_match_analysis import split

WINNER = 2
"""The seat that won the match of four below."""
LANDING, SAILING = MoveWorth("land 1", "lands on Oahu", 0.0), MoveWorth("sail 2", "sails to Samoa", 0.0)


def quiet() -> MatchAnalysis:
    """A match of Ann, Bob, Cid and Dan, won by Cid, in which nothing has changed any chance."""
    analysis = split("tongiaki/r4-16")
    none = (0.0,) * 4
    decisions = tuple(replace(each, skill=none, luck=none, loss=0.0, best=None, is_hidden=False) for each in analysis.decisions)
    accounts = tuple(replace(each, setup=0.0, own=0.0, rivals=0.0, luck=0.0) for each in analysis.accounts)
    chances = tuple((0.25 + frame % 2 / 1000, 0.25 - frame % 2 / 1000, 0.25, 0.25) for frame in range(len(analysis.chances)))
    return replace(analysis, names=("Ann", "Bob", "Cid", "Dan"), decisions=decisions, accounts=accounts, chances=chances)


def with_winner(**parts: float) -> MatchAnalysis:
    """The same with these parts of the winner's sum, of which the first decision of Bob did most."""
    analysis = quiet()
    accounts, decisions = list(analysis.accounts), list(analysis.decisions)
    accounts[WINNER] = Account(**asdict(accounts[WINNER]) | parts)
    at = first_of(analysis, 1)
    gain = tuple(0.3 if each == WINNER else -0.1 for each in range(4))
    decisions[at] = replace(decisions[at], skill=gain, luck=gain, events=("draws Samoa",), played=LANDING, best=SAILING)
    return replace(analysis, accounts=tuple(accounts), decisions=tuple(decisions))


def first_of(analysis: MatchAnalysis, seat: int) -> int:
    return next(each.index for each in analysis.decisions if each.seat == seat)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"rivals": 0.5, "own": 0.15},
            "the others' decisions gave it 50 points of chance, most at decision {other} by Bob (lands on Oahu; better: sails to Samoa)",
        ),
        ({"luck": 0.5, "own": 0.2}, "luck gave it 50 points of chance, most after decision {other} by Bob (draws Samoa)"),
        ({"setup": 0.5}, "its starting position was 50 points of chance better than an equal one"),
        (
            {"setup": 0.9, "luck": -0.2},
            "its starting position was 90 points of chance better than an equal one, despite 20 lost by bad luck",
        ),
    ],
)
def test_the_largest_part_of_the_sum_is_the_cause(parts: dict[str, float], words: str) -> None:
    analysis = with_winner(**parts)
    told = words.format(other=first_of(analysis, 1) + 1)

    assert sentence_of(analysis) == f"Cid won: {told}."


@pytest.mark.parametrize(("low", "words"), [(0.02, "Cid won after its chance was down to 2 %: "), (0.12, "Cid won: ")])
def test_a_comeback_says_from_how_far_behind(low: float, words: str) -> None:
    analysis = with_winner(own=0.75)
    at = first_of(analysis, WINNER)
    chances = tuple((0.3, 0.3, low, 0.4 - low) if frame == at else each for frame, each in enumerate(analysis.chances))

    assert sentence_of(replace(analysis, chances=chances)).startswith(words)


def test_who_shares_first_place() -> None:
    assert sentence_of(replace(quiet(), ranks=(1, 3, 1, 4))) == "Ann and Cid shared first place."


def test_points_of_a_seat_alone() -> None:
    analysis = split("sunda/solo-L2-1p-29")
    points = int(analysis.scores[0])
    still = tuple(replace(each, loss=0.0, best=None) for each in analysis.decisions)
    worst = (replace(still[0], loss=8.5, best=SAILING), *still[1:])

    assert analysis.unit is Unit.POINTS
    assert sentence_of(replace(analysis, decisions=still, is_whole=True)).endswith(f"{points} points; no better move was found.")
    assert sentence_of(replace(analysis, decisions=still)).endswith("; no better move was found before time ran out.")
    told = sentence_of(replace(analysis, decisions=worst))
    assert told.endswith(f" ended with {points} points; 8.5 more were within reach at decision 1: sails to Samoa.")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["tongiaki/r2-70", "tongiaki/r4-16", "sunda/turns-L2-4p-37", "sunda/simultaneous-L2-3p-35"])
def test_no_sentence_is_longer_than_it_may_be(name: str) -> None:
    analysis = split(name)
    told = sentence_of(analysis)

    assert len(told.split()) <= MOST_WORDS
    assert analysis.names[analysis.winners[0]] in told
    assert told.endswith(".")


@pytest.mark.parametrize(("seats", "word"), [((0, 1, 3), "because"), ((0,), "after")])
def test_forfeits_are_the_reason_if_they_left_one_seat(seats: tuple[int, ...], word: str) -> None:
    analysis = replace(quiet(), forfeits=tuple(Forfeit(seat, 9, "crash") for seat in seats), scores=(1.0, 2.0, 9.0, 3.0))

    assert sentence_of(analysis).startswith(f"Cid won {word} Ann forfeited at decision 10 (crash)")
