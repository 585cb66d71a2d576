"""The base for games whose rules are a class of positions: copies, texts, chance, secrets, options, and rules that fail."""

from __future__ import annotations

import doctest
import pickle
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest

import engine.simple
from engine import registry
from engine.conformance import LAWS, Battery, tables_of
from engine.core import Game, IllegalMoveError, InvalidMoveError, OptionsError, PositionError, ReadOnlyError, RulesError, TextMove
from engine.plugin import GamePlugin
from engine.simple import Chance, Position, simple_game


class Card(msgspec.Struct):
    name: str = ""
    marks: list[int] = []


@dataclass
class Span:
    least: int = 0


class Everything(Position):
    """One field of each kind that a position may have; every move changes them all.

    More.
    """

    LEAST: ClassVar[list[int]] = [0]

    number: int = 2**80
    share: float = 0.1
    at: tuple[int, int] | None = (1, 2)
    rows: list[list[int]] = []
    by_name: dict[str, list[int]] = {}
    by_number: dict[int, str] = {}
    card: Card = msgspec.field(default_factory=Card)
    pile: tuple[Card, ...] = ()
    drawn: list[Card] | None = None

    def setup(self, options: Any, chance: Chance) -> None:
        self.rows = [[0], [0]]
        self.by_name = {"b": [0], "a": [0]}
        self.pile = (Card("king", [1]),)

    def moves(self) -> list[str]:
        return ["on"] if self.rows[0][-1] < 5 else ["on", "stop"]

    def play(self, move: str, chance: Chance) -> None:
        self.number += 1
        self.share /= 3
        self.at = None if self.at else (self.number % 7, 3)
        self.rows[0].append(self.rows[0][-1] + 1)
        self.by_name["b"].append(chance.roll(20))
        self.by_number[len(self.rows[0])] = move
        self.card.marks.append(self.number % 5)
        self.pile[0].marks.append(3)
        self.drawn = [*(self.drawn or []), Card(move, [1])]
        if move == "stop":
            self.end([1, 0.5], "stop")
        else:
            self.next()


class Secret(Position):
    """Each seat draws numbers that only it knows."""

    deck: list[int] = []
    hands: list[list[int]] = []

    def setup(self, options: Any, chance: Chance) -> None:
        self.deck = list(range(20))
        self.hands = [[] for _ in range(self.players)]
        chance.shuffle(self.deck)

    def moves(self) -> list[str]:
        return ["draw", "pass"]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None, "the game is not over"
        if move == "draw":
            self.hands[self.actor].append(self.deck.pop())
            chance.tell(f"draws {len(self.hands[self.actor])}")
            chance.tell(f"drew {self.hands[self.actor][-1]}", self.actor)
        if len(self.deck) < 10:
            self.end([sum(hand) for hand in self.hands], "empty")
        else:
            self.next()

    def hide(self, seat: int) -> None:
        self.deck = [-1] * len(self.deck)
        self.hands = [hand if other == seat else [-1] * len(hand) for other, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        unseen = [number for number in range(20) if number not in [card for hand in self.hands for card in hand]]
        chance.shuffle(unseen)
        self.hands = [[unseen.pop() if card < 0 else card for card in hand] for hand in self.hands]
        self.deck = unseen


FAULTS = {
    "raise": "ZeroDivisionError: half-way",
    "actor": "actor is 2, but the seats are 0 to 1",
    "over": "over without scores",
    "scores": r"one finite score for each of 2 seats, not with \[1\]",
    "word": "in printable characters why the game ended",
    "nan": "one finite score for each of 2 seats",
    "texts": "one finite score for each of 2 seats, not with 'ab'",
    "by": r"'by' must have a number or a tuple for each of 2 seats, not \[1\]",
    "next": "the game is over, so no seat is next",
    "die": "a die of 1 or more sides, not of 0",
    "half a die": r"a die of 1 or more sides, not of 6\.0",
    "tuple": r"need a list, not \(1, 2\)",
    "new": "Faulty has no field price: declare it in the class with its type",
    "constant": "Faulty has no field PRICE",
    "tell": "one printable line",
    "seat": "announced to seat 2",
    "known": "doesn't begin with 'known'",
}
"""Moves of Faulty, with what is said of them."""


class Faulty(Position):
    """Fails in the way that the move says."""

    PRICE = 2
    marks: list[int] = []
    empty: bool = False

    def setup(self, options: Any, chance: Chance) -> None:
        if options["broken"]:
            raise KeyError("nothing")

    def moves(self) -> list[str]:
        if len(self.marks) > 1:
            raise IndexError("too many")
        return [] if self.empty else [*FAULTS, "fine", "empty", "mark"]

    def play(self, move: str, chance: Chance) -> None:
        self.marks.append(1)
        every: Any = self
        match move:
            case "raise":
                raise ZeroDivisionError("half-way")
            case "actor":
                self.actor = 2
            case "over":
                self.actor = None
            case "scores":
                self.end([1], "x")
            case "word":
                self.end([1, 0], "")
            case "nan":
                self.end([float("nan"), 0], "x")
            case "tell":
                chance.tell("two\nlines")
            case "seat":
                chance.tell("hand", 2)
            case "known":
                chance.tell("known {}")
            case "texts":
                every.end("ab", "x")
            case "by":
                self.end([1, 0], "x", by=[1])
            case "next":
                self.end([1, 0], "x")
                self.next()
            case "die":
                chance.roll(0)
            case "half a die":
                every.marks.append(chance.roll(6.0))  # type: ignore[arg-type]
            case "tuple":
                chance.draw((1, 2))  # type: ignore[arg-type]
            case "new":
                every.price = 3
            case "constant":
                every.PRICE = 3
            case "empty":
                self.empty, self.marks = True, []
            case "fine":
                self.marks = []
                self.next()


def plugin(rules: type[Position], **more: Any) -> GamePlugin:
    return simple_game(rules, rules.__name__.lower(), title=rules.__name__, players=(2, 3), **more)


EVERYTHING = plugin(Everything)
SECRET = plugin(Secret)


@pytest.fixture(scope="module")
def everything() -> Game:
    return EVERYTHING.game("", {})


@pytest.fixture(scope="module")
def secret() -> Game:
    return SECRET.game("", {})


@pytest.fixture(scope="module")
def faulty() -> Game:
    return plugin(Faulty, options={"broken": (False, (False, True))}).game("", {})


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games are found by their names, as those of installed packages are; a pickle needs that."""
    for name in ("everything", "secret"):
        entry = registry.Registration(name, f"{__name__}:{name.upper()}", "tests", "1.0")
        monkeypatch.setitem(registry._registry().registrations, name, entry)


def test_the_example_of_the_package_works() -> None:
    assert doctest.testmod(engine.simple).attempted > 4
    assert doctest.testmod(engine.simple).failed == 0


@pytest.mark.parametrize("name", ["everything", "secret"])
def test_every_kind_of_field_keeps_the_laws(name: str, registered: None) -> None:
    assert Battery(tables_of(name, players=2), games=1).broken([law for law in LAWS if law.name != "other-process"]) == []


def test_text_and_pickle_restore_every_kind_of_field(everything: Game, registered: None) -> None:
    state: Any = everything.new(2, 7)
    restored: Any
    while state.actor is not None:
        for restored in (everything.position(state.text), pickle.loads(pickle.dumps(state))):  # noqa: S301
            assert restored == state
            assert restored.inside == state.inside
            assert (restored.outcome, restored.key) == (state.outcome, state.key)
        state.play(state.legal_moves[-1])
    assert everything.position(state.text).outcome == state.outcome
    assert state.outcome is not None
    assert (state.outcome.scores, state.outcome.ranks) == ((1, 0.5), (1, 2))


@pytest.mark.parametrize(
    ("field", "default", "said"),
    [
        ("set[int]", set(), "a set, whose order"),
        ("list", [], "has no element type"),
        ("dict[str, Any]", {}, "has no element type"),
        ("dict[tuple[int, int], int]", {}, "neither strings nor integers"),
        ("list[Span]", [], r"a dataclass: make Span a struct instead"),
        ("list[complex]", [], "can't be written and read back"),
        ("tuple[frozenset[int], ...]", (), "a set, whose order"),
    ],
)
def test_fields_that_would_not_come_back_the_same_are_refused(field: str, default: object, said: str) -> None:
    rules = type("Rules", (Position,), {"__annotations__": {"kept": eval(field)}, "kept": default})  # noqa: S307
    with pytest.raises(TypeError, match=f"field 'kept' of Rules .*{said}"):
        plugin(rules)


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ({"cells": [0]}, "'cells' of Rules has no type"),
        ({"__annotations__": {"moves": int}, "moves": 3}, "field 'moves' of Rules has the name of a method"),
        ({"__annotations__": {"scores": int}, "scores": 3}, "'scores' is a field that every position has"),
        ({"hide": lambda self, seat: None}, "Rules has 'hide' but no method 'fill'"),
    ],
)
def test_a_class_that_would_break_later_is_refused(space: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        plugin(type("Rules", (Position,), space))


@pytest.mark.parametrize(("move", "said"), FAULTS.items())
def test_rules_that_fail_half_way_leave_the_state_as_it_was_and_are_named(faulty: Game, move: str, said: str) -> None:
    state = faulty.new(2, 1)
    state.play(TextMove("fine"))
    before = (state.text, state.events, state.actor)
    with pytest.raises(
        RulesError, match=f"the rules of faulty failed to play '{move}' as move 2( at test_simple.py:[0-9]+)?; .*bug in the game.*{said}"
    ):
        state.play(TextMove(move))
    assert (state.text, state.events, state.actor) == before
    state.play(TextMove("fine"))


def test_rules_that_fail_in_setup_and_in_lists_of_moves_are_named(faulty: Game) -> None:
    with pytest.raises(RulesError, match=r"failed in setup at test_simple.py:[0-9]+; .*KeyError: 'nothing'"):
        plugin(Faulty, options={"broken": (True, (False, True))}).game("", {}).new(2, 1)
    state = faulty.new(2, 1)
    state.play(TextMove("mark"))
    state.play(TextMove("mark"))
    with pytest.raises(RulesError, match=r"to list the moves of seat 0 at test_simple.py:[0-9]+; .*IndexError: too many"):
        list(state.legal_moves)
    state = faulty.new(2, 1)
    state.play(TextMove("empty"))
    with pytest.raises(RulesError, match=r"moves\(\) returned no moves, but the game is not over"):
        state.playout(Random(1))


@pytest.mark.parametrize(
    ("moves", "said"),
    [("ab", r"moves\(\) must return a list of strings, not the string 'ab'"), ([1], r"moves\(\) lists 1, which is not a string")],
)
def test_moves_that_are_no_list_of_texts_are_named(moves: object, said: str) -> None:
    rules = type("Rules", (Position,), {"moves": lambda self: moves, "tally": lambda self: {"points": 3}})
    state = plugin(rules).game("", {}).new(2, 1)
    with pytest.raises(RulesError, match=said):
        list(state.legal_moves)
    with pytest.raises(RulesError, match="to list one number for each seat as the tally"):
        state.tally()


def test_moves_that_are_not_legal_are_refused_and_change_nothing(secret: Game) -> None:
    state = secret.new(2, 1)
    before = state.text
    with pytest.raises(IllegalMoveError, match="'fly' is not legal here"):
        state.play(secret.parse("fly"))
    other = registry.find_game("tongiaki").new(2, 1).legal_moves[0]
    with pytest.raises(InvalidMoveError, match="not a move of secret"):
        state.play(other)
    with pytest.raises(ReadOnlyError):
        state.view(0).position.play(secret.parse("draw"))
    assert state.text == before
    state.playout(Random(1))
    with pytest.raises(IllegalMoveError, match="can't be played"):
        state.play(secret.parse("draw"))


def test_an_event_for_a_seat_is_told_to_nobody_else(secret: Game, registered: None) -> None:
    state = secret.new(2, 5)
    state.play(TextMove("draw"))
    card = state.inside.hands[0][0]  # type: ignore[attr-defined]
    assert state.events == ("draws 1",)
    for known in (state, state.copy(), pickle.loads(pickle.dumps(state))):  # noqa: S301
        assert [known.events_for(seat) for seat in (-1, 0, 1)] == [("draws 1",), ("draws 1", f"drew {card}"), ("draws 1",)]
    assert state.view(1).position.events_for(0) == ("draws 1",)
    assert pickle.loads(pickle.dumps(state.view(0))).position.events_for(0) == ("draws 1", f"drew {card}")  # noqa: S301
    state.play(TextMove("pass"))
    assert state.events_for(0) == ()


def test_dice_follow_from_the_seed_and_the_number_of_the_move() -> None:
    rolls = [[Chance(seed, turn, 2).roll(10**6) for turn in range(3)] for seed in (1, 1, 2)]
    assert rolls[0] == rolls[1] != rolls[2]
    assert len(set(rolls[0])) == 3
    chance = Chance(9, 0, 2)
    assert Counter(chance.roll(4) for _ in range(4000)).keys() == {1, 2, 3, 4}
    assert min(Counter(event for event in chance.events).values()) > 900
    assert Chance(1, 0, 2).rng.random() == Chance(1, 0, 2).rng.random() != Chance(1, 1, 2).rng.random()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("{", "["), "Expected `object`"),
        (('"seed":4}', '"seed":4'), "truncated"),
        (('"players":2', '"players":9'), "for 2 to 3 players, not 9"),
        (('"actor":0', '"actor":5'), "actor is 5"),
        (('"actor":0', '"actor":null'), "over without scores"),
        (('"deck":[', '"deck":["x",'), r"deck\[0\] holds str, but its type allows only int"),
        (('"deck"', '"cards"'), "unknown field"),
        (('"seed":4', '"seed":-4'), "non-negative"),
        (('"turn":0', '"turn":"x"'), "Expected `int`"),
    ],
)
def test_a_text_that_is_no_position_is_refused(secret: Game, change: tuple[str, str], said: str) -> None:
    text = secret.new(2, 4).text
    changed = text.replace(*change)
    assert changed != text
    with pytest.raises(PositionError, match=f"invalid position of secret: .*{said}"):
        secret.position(changed)


OPTIONS = {"size": (7, range(3, 14)), "fast": (False, (False, True)), "share": (0.5, (0.5, 1.0)), "pace": ("long", ("long", "short"))}


def test_a_rule_of_an_option_that_lacks_what_is_allowed_is_refused_with_an_example() -> None:
    with pytest.raises(TypeError, match=r"option 'size' of secret is 7; give its default and allowed values, such as \(7, range"):
        plugin(Secret, options={"size": 7})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": True}, "option 'size' is True; it must be 3 to 13"),
        ({"size": 7.0}, "option 'size' is 7.0; it must be 3 to 13"),
        ({"fast": 1}, "option 'fast' is 1; it must be one of False, True"),
        ({"share": True}, "option 'share' is True; it must be one of 0.5, 1.0"),
        ({"pace": "lon"}, "option 'pace' is 'lon'; it must be one of long, short"),
        ({"pace": (1, 2)}, "option 'pace' is"),
        ({"speed": 1}, "secret has no option 'speed'; it has size, fast, share, pace"),
    ],
)
def test_an_option_of_another_type_or_out_of_range_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsError, match=said):
        plugin(Secret, options=OPTIONS).game("", given)
