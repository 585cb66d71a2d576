"""What chance may do, listed and resolved: exact in every kind of game, and enough for searches to find exact values."""

# ruff: noqa: RUF012  # a position gets copies of these lists

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from engine import find_game, worlds_after
from engine.core import Game, IllegalMoveError, PositionError, ReadOnlyError, State
from engine.simple import Chance, Position, simple_game
from engine.tongiaki import TONGIAKI

# Games


class Pig(Position):
    """Roll and add up, or hold; a one loses what the turn has brought; whoever has ten wins. For 2 players."""

    banked: list[int] = []
    turn: int = 0

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        self.banked = [0, 0]

    def moves(self) -> Sequence[str]:
        return ["roll", "hold"] if self.turn else ["roll"]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        rolled = chance.roll() if move == "roll" else 0
        self.turn = 0 if rolled == 1 else self.turn + rolled
        if self.banked[self.actor] + self.turn >= 10:
            self.end([int(seat == self.actor) for seat in range(2)], "ten")
        elif rolled < 2:
            self.banked[self.actor] += self.turn
            self.turn = 0
            self.next()


class Kuhn(Position):
    """A card of three each, and one bet. For 2 players."""

    hands: list[str] = []
    said: str = ""

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        deck = ["J", "Q", "K"]
        self.hands = [chance.draw(deck), chance.draw(deck)]

    def moves(self) -> Sequence[str]:
        return ["pass", "bet"]

    def play(self, move: str, chance: Chance) -> None:
        self.said += move[0]
        pot = {"pp": 1, "bb": 2, "bp": 1, "pbb": 2, "pbp": 1}.get(self.said)
        if pot is None:
            self.next()
            return
        first_wins = self.said == "bp" or (self.said != "pbp" and self.hands in (["K", "Q"], ["K", "J"], ["Q", "J"]))
        self.end([pot, -pot] if first_wins else [-pot, pot], "shown")

    def hide(self, seat: int) -> None:
        self.hands = [hand if other == seat else "?" for other, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        unseen = [card for card in "JQK" if card not in self.hands]
        chance.shuffle(unseen)
        self.hands = [unseen.pop() if hand == "?" else hand for hand in self.hands]


class Draws(Position):
    """Draws, shuffles and other chance, by the move. Alone."""

    bag: list[int] = []
    seen: list[int] = []

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        self.bag = [1, 1, 1, 2]

    def moves(self) -> Sequence[str]:
        return ["draw", "twice", "shuffle", "roll", "rng", "nothing", "empty"]

    def play(self, move: str, chance: Chance) -> None:
        if move in {"draw", "twice"}:
            self.seen.append(chance.draw(self.bag))
        if move == "twice":
            self.seen.append(chance.draw(self.bag))
        if move == "shuffle":
            chance.shuffle(self.bag)
            self.seen = self.bag[:2]
        if move == "roll":
            self.seen = [chance.roll(3), chance.roll(2)]
        if move == "rng":
            self.seen = [chance.rng.randrange(5)]
        if move == "empty":
            chance.draw([])
        self.end([0], "over")


def game_of(rules: type[Position], players: int) -> Game:
    return simple_game(rules, rules.__name__.lower(), title=rules.__name__, players=(players, players)).game("", {})


PIG, KUHN, DRAWS = game_of(Pig, 2), game_of(Kuhn, 2), game_of(Draws, 1)


def seen(state: State) -> tuple[int, ...]:
    inside: Any = state
    return tuple(inside.inside.seen)


# The list


def test_tongiaki_may_draw_every_tile_that_is_not_seen_and_each_only_once() -> None:
    state, rng = TONGIAKI.new(3, 7), Random(4)
    drawn: list[str] = []
    while True:
        move = state.random_move(rng)
        outcomes = state.chance(move)
        then = outcomes and state.chance(move, [outcomes[-1].event])  # a water, over which the voyage may go on
        if drawn and then:
            break
        state.play(move)
        drawn += [event for event in state.events if event.startswith("draw ")]
    assert {each.event for each in outcomes}.isdisjoint(drawn)
    assert len(outcomes) == 31 - len(drawn)
    assert {each.event for each in then} == {each.event for each in outcomes[:-1]}
    assert [each.probability for each in then] == [pytest.approx(1 / len(then))] * len(then)


def test_samples_of_a_view_draw_as_often_as_is_listed() -> None:
    state, rng = TONGIAKI.new(2, 7), Random(1)
    while not (outcomes := state.chance(move := state.random_move(rng))):
        state.play(move)
    view = state.view(0)
    assert view.sample(rng).chance(move) == outcomes, "a sample is asked about the same tiles as the true position"
    first: Counter[str] = Counter()
    for _ in range(1500):
        sample = view.sample(rng)
        sample.play(move)
        first[sample.events[0]] += 1
    assert set(first) == {each.event for each in outcomes}
    assert max(first.values()) < 3 * min(first.values())


def test_a_resolved_draw_comes_first_and_the_deck_stays_the_rest() -> None:
    state, rng = TONGIAKI.new(2, 7), Random(1)
    while not (outcomes := state.chance(move := state.random_move(rng))):
        state.play(move)
    for outcome in outcomes:
        after = state.copy()
        after.resolve([outcome.event])
        after.play(move)
        assert after.events[0] == outcome.event
        assert after.view(0).sample(rng).playout(rng)


@pytest.mark.parametrize("move", ["draw", "twice", "shuffle", "roll"])
def test_matches_bring_what_is_listed_as_often(move: str) -> None:
    listed: Counter[tuple[int, ...]] = Counter()
    for each in worlds_after(DRAWS.new(1, 0), DRAWS.parse(move)):
        listed[seen(each.state)] += each.share  # type: ignore[assignment]  # a counter of shares
    played: Counter[tuple[int, ...]] = Counter()
    for seed in range(1200):
        state = DRAWS.new(1, seed)
        state.play(DRAWS.parse(move))
        played[seen(state)] += 1
    assert set(played) == set(listed)
    assert {key: number / 1200 for key, number in played.items()} == pytest.approx(listed, abs=0.06)


def test_a_resolved_event_is_told_as_if_it_had_been_rolled_and_the_seed_decides_the_rest() -> None:
    state = DRAWS.new(1, 5)
    usual = state.copy()
    usual.play(DRAWS.parse("roll"))
    state.resolve(["roll 3"])
    copy = state.copy()
    for each in (state, copy):
        each.play(DRAWS.parse("roll"))
        assert each.events == ("roll 3", each.events[1])
    assert state == copy


# What is refused


def test_chance_that_can_not_be_listed_says_so() -> None:
    with pytest.raises(PositionError, match=r"draw with chance\.rng, whose outcomes can't be listed"):
        DRAWS.new(1, 0).chance(DRAWS.parse("rng"))


@pytest.mark.parametrize(
    ("move", "events", "said"),
    [
        ("draw", ["draw 3"], "'draw 3' can't happen; possible events: draw 1 and draw 2"),
        ("draw", ["roll 1"], "'roll 1' can't happen; possible events: draw 1 and draw 2"),
        ("nothing", ["roll 1"], "'roll 1' can't happen: the move has no further chance events"),
    ],
)
def test_events_that_can_not_happen_are_refused_and_the_state_stays_as_it_was(move: str, events: list[str], said: str) -> None:
    state = DRAWS.new(1, 0)
    before = state.text
    state.resolve(events)
    with pytest.raises(PositionError, match=said):
        state.play(DRAWS.parse(move))
    assert state.text == before
    with pytest.raises(PositionError, match=said):
        state.chance(DRAWS.parse(move), events)


def test_a_view_is_not_asked_and_illegal_moves_are_refused() -> None:
    with pytest.raises(ReadOnlyError):
        KUHN.new(2, 1).view(0).position.chance(KUHN.parse("bet"))
    with pytest.raises(IllegalMoveError):
        KUHN.new(2, 1).chance(KUHN.parse("fold"))
    with pytest.raises(ReadOnlyError):
        TONGIAKI.new(2, 1).view(0).position.chance(TONGIAKI.parse("place 0"))


# Exact values


def value_of_dice(first: State) -> float:
    """The chance of seat 0 to win if both play their best in a game without secrets, by value iteration over positions, as they print.

    Turns may come round again, so this goes on until nothing changes.
    """

    def name(state: State) -> str:
        return f"{state.actor} {state.outcome} {state}"

    positions = {name(first): first}
    after: dict[str, list[list[tuple[float, str]]]] = {}
    waiting = [name(first)]
    while waiting:
        state = positions[at := waiting.pop()]
        after[at] = []
        for move in state.legal_moves:
            worlds = worlds_after(state, move)
            after[at].append([(world.share, name(world.state)) for world in worlds])
            new = {name(world.state): world.state for world in worlds if name(world.state) not in positions}
            positions |= new
            waiting += new
    values = {at: 0.0 if state.outcome is None else 2.0 - state.outcome.ranks[0] for at, state in positions.items()}
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for at, moves in after.items():
            if moves:
                best = max if positions[at].actor == 0 else min
                value = best(sum(share * values[to] for share, to in worlds) for worlds in moves)
                change, values[at] = max(change, abs(value - values[at])), value
    return values[name(first)]


def pig_by_hand(goal: int) -> float:
    """The same for Pig from its formulas alone: ``win[mine, theirs, turn]`` is the chance of the seat that decides."""
    win = {(mine, theirs, turn): 0.5 for mine in range(goal) for theirs in range(goal) for turn in range(goal - mine)}
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for (mine, theirs, turn), before in win.items():
            rolled = [1.0 if mine + turn + roll >= goal else win[mine, theirs, turn + roll] for roll in range(2, 7)]
            roll = (1 - win[theirs, mine, 0] + sum(rolled)) / 6
            value = max(roll, 1 - win[theirs, mine + turn, 0]) if turn else roll
            change, win[mine, theirs, turn] = max(change, abs(value - before)), value
    return win[0, 0, 0]


def value_of_poker(game: Game) -> float:
    """What the first of two seats wins if both play their best, by linear programming over sequences of moves (Koller and others, 1996).

    Goes through every deal and every event, so it is exact; seats know what their views tell.
    """
    payoffs: Counter[tuple[int, int]] = Counter()
    sequences: list[dict[tuple[str, str], int]] = [{("", ""): 0}, {("", ""): 0}]
    parents: list[dict[str, int]] = [{"": -1}, {"": -1}]

    def go_on(state: State, share: float, last: tuple[int, int]) -> None:
        seat = state.actor
        if seat is None:
            assert state.outcome is not None
            payoffs[last] += share * state.outcome.scores[0]  # type: ignore[assignment]  # a counter of shares
            return
        known = state.view(seat).position.text
        parents[seat][known] = last[seat]
        for move in state.legal_moves:
            number = sequences[seat].setdefault((known, str(move)), len(sequences[seat]))
            for world in worlds_after(state, move):
                go_on(world.state, share * world.share, (number, last[1]) if seat == 0 else (last[0], number))

    for deal in game.deals(2):
        go_on(deal.state, deal.share, (0, 0))
    paid = np.zeros((len(sequences[0]), len(sequences[1])))
    for at, value in payoffs.items():
        paid[at] = value
    plans = []
    for seat in range(2):  # one row for each thing that the seat may know: its moves there add up to the move that led there
        plan = np.zeros((len(parents[seat]), len(sequences[seat])))
        rows = {known: row for row, known in enumerate(parents[seat])}
        for (known, _), number in sequences[seat].items():
            plan[rows[known], number] = 1
        for known, parent in parents[seat].items():
            if parent >= 0:
                plan[rows[known], parent] -= 1
        plans.append(plan)
    first, second = plans
    goal = np.concatenate([np.zeros(first.shape[1]), -np.eye(1, second.shape[0])[0]])
    found = linprog(
        goal,
        A_ub=np.hstack([-paid.T, second.T]),
        b_ub=np.zeros(second.shape[1]),
        A_eq=np.hstack([first, np.zeros((first.shape[0], second.shape[0]))]),
        b_eq=np.eye(1, first.shape[0])[0],
        bounds=[(0, None)] * first.shape[1] + [(None, None)] * second.shape[0],
    )
    return -float(found.fun)


def test_a_search_finds_the_exact_value_of_pig() -> None:
    [deal] = PIG.deals(2)
    assert value_of_dice(deal.state) == pytest.approx(pig_by_hand(10), abs=1e-9)


def test_a_search_finds_the_exact_value_of_kuhn_poker() -> None:
    assert [deal.share for deal in KUHN.deals(2)] == pytest.approx([1 / 6] * 6)
    assert value_of_poker(KUHN) == pytest.approx(-1 / 18, abs=1e-9)


@pytest.mark.slow  # OpenSpiel comes with the extra dev
@pytest.mark.parametrize(("name", "value"), [("kuhn_poker", -1 / 18), ("leduc_poker", -0.085606424078)])
def test_a_search_finds_the_exact_value_of_poker_in_openspiel(name: str, value: float) -> None:
    assert value_of_poker(find_game(f"openspiel:{name}")) == pytest.approx(value, abs=1e-9)


@pytest.mark.slow  # OpenSpiel comes with the extra dev
def test_a_search_finds_the_exact_value_of_pig_in_openspiel() -> None:
    game = find_game("openspiel:pig(winscore=20)")
    [deal] = game.deals(2)
    assert value_of_dice(deal.state) == pytest.approx(pig_by_hand(20), abs=1e-9)
