"""The battery finds nothing in sound games, and names the law that a broken one breaks: one small break for each law."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import engine.registry
from engine import FORM
from engine.conformance import LAWS, Battery, Status, check, tables_of
from engine.core import Game, IllegalMoveError, Move, Outcome, State, View
from engine.registry import find_plugin
from engine.render.plain import plain_drawer
from engine.simple import SimpleGame, SimpleState, TextMove
from tests.engine.conformance import toys
from tests.engine.conformance.toys import Cards, Dice

LONGEST = 60
BY_NAME = {law.name: law for law in LAWS}
ELSEWHERE = {"other-process", "both-forms"}


@pytest.fixture(autouse=True)
def _toys() -> Iterator[None]:
    registry = vars(engine.registry)["_registry"]()
    kept = dict(registry.registrations), dict(registry.plugins)
    toys.register()
    yield
    registry.registrations, registry.plugins = kept


def broken(name: str, *laws: str) -> set[str]:
    """The laws that the game breaks, of those named or of all but those that start processes."""
    battery = Battery(tables_of(name), games=2, longest=LONGEST)
    chosen = [law for law in LAWS if (law.name in laws if laws else law.name not in ELSEWHERE)]
    return {verdict.law for verdict in map(battery.verdict, chosen) if verdict.status is Status.BROKEN}


@pytest.mark.parametrize("name", ["toy-dice", "toy-cards"])
def test_a_sound_game_keeps_every_law(name: str) -> None:
    report = check(name, games=3)
    assert [str(verdict) for verdict in report.broken] == []
    assert {verdict.law for verdict in report.verdicts if verdict.status is Status.SKIPPED} <= {
        "describe",
        "picker",
        "encoder",
        "heuristic",
        "both-forms",
    }


# One break for each law: what is put in the place of a method, of which class, and in which game it shows.


def _other_order(self: SimpleState) -> list[TextMove]:
    names = list(self._notations())
    random.shuffle(names)
    return [TextMove(name) for name in names]


def _moves_twice(self: SimpleState, move: Move) -> None:
    self._turn += 1
    PLAY(self, move)


def _plays_anything(self: SimpleState, move: Move) -> None:
    is_taken = isinstance(move, TextMove) and bool(self._notations()) and not self.read_only
    PLAY(self, self.list_moves()[0] if is_taken and not self.is_legal(move) else move)


def _illegal_whatever(self: SimpleState, move: Move) -> None:
    if not isinstance(move, TextMove) and not self.read_only:
        raise IllegalMoveError("not that")
    PLAY(self, move)


def _plays_views(self: SimpleState, move: Move) -> None:
    self.read_only = False
    PLAY(self, move)


def _shared(self: SimpleState) -> SimpleState:
    other = COPY(self)
    other.position = self.position
    return other


def _no_turn(self: SimpleState) -> str:
    return TEXT(self).replace(f'"turn":{self._turn},', '"turn":0,')


def _live(self: SimpleState, seat: int) -> View[State]:
    known = self.copy()
    known.position = self.position
    known.read_only = True
    return View(seat, known)


def _keeps_seed(self: SimpleState, seat: int) -> None:
    self.position.hide(seat)
    self._moves = None


def _forgets_events(self: SimpleState) -> Any:
    return _find_position, (self.game, self.text)


def _find_position(game: Game, text: str) -> State:
    return game.position(text)


def _raises(*_: object) -> Any:
    raise KeyError("oops")


def _position_or_key_error(self: SimpleGame, text: str) -> SimpleState:
    try:
        return POSITION(self, text)
    except ValueError as error:
        raise KeyError(text) from error


def _dice_of_nobody(self: Dice, move: str, chance: Any) -> None:
    chance.tell(f"luck {random.random()}")
    DICE_PLAY(self, move, chance)


def _two_lines(self: Dice, move: str, chance: Any) -> None:
    chance.tell("two\nlines")
    DICE_PLAY(self, move, chance)


def _never_ends(self: Dice, move: str, chance: Any) -> None:
    DICE_PLAY(self, "step", chance)
    self.steps = [0] * self.players
    if self.actor is None:
        self.actor = 0


def _fails_late(self: Dice, move: str, chance: Any) -> None:
    if self.steps[0] > 4:
        raise ZeroDivisionError("four")
    DICE_PLAY(self, move, chance)


def _forgets_more(self: Cards, seat: int) -> None:
    if self.deck and self.deck[0] == -1:
        self.hands = [[-1] * len(hand) for hand in self.hands]
    CARDS_HIDE(self, seat)


def _hides_deck(self: Cards, seat: int) -> None:
    self.deck = [-1] * len(self.deck)


def _deals_anew(self: Cards, chance: Any) -> None:
    if self.actor is not None:
        self.hands = [hand if seat == self.actor else [-1] * len(hand) for seat, hand in enumerate(self.hands)]
    CARDS_FILL(self, chance)


def _fills_by_chance(self: Cards, chance: Any) -> None:
    chance._rng = Random()
    CARDS_FILL(self, chance)


def _ranked(ranks: Any) -> property:
    def outcome(self: SimpleState) -> Outcome | None:
        true = OUTCOME(self)
        return None if true is None else Outcome(true.scores, ranks(true.ranks), true.ending)

    return property(outcome)


PLAY, COPY, POSITION, FOLLOW = SimpleState.play, SimpleState.copy, SimpleGame.position, Game.follow
TEXT, OUTCOME = SimpleState.text.fget, SimpleState.outcome.fget
DICE_PLAY, CARDS_HIDE, CARDS_FILL = Dice.play, Cards.hide, Cards.fill

BREAKS: list[tuple[str, str, type, str, object]] = [
    ("start", "toy-dice", SimpleGame, "check_start", lambda *_: None),
    ("plays", "toy-dice", Dice, "play", _fails_late),
    ("terminates", "toy-dice", Dice, "play", _never_ends),
    ("actor", "toy-dice", SimpleState, "outcome", property(lambda _: None)),
    ("move-order", "toy-dice", SimpleState, "list_moves", _other_order),
    ("move-order", "toy-dice", Dice, "moves", lambda _: ["step", "step"]),
    ("count-moves", "toy-dice", SimpleState, "count_moves", lambda self: len(self._notations()) + 1),
    ("is-legal", "toy-dice", SimpleState, "is_legal", lambda _, move: isinstance(move, TextMove)),
    ("legal-moves", "toy-dice", SimpleState, "legal_moves", property(lambda self: self.list_moves()[:-1])),
    ("random-move", "toy-dice", SimpleState, "random_move", lambda self, _: self.list_moves()[0]),
    ("illegal-move", "toy-dice", SimpleState, "play", _moves_twice),
    ("illegal-move", "toy-cards", SimpleState, "play", _plays_anything),
    ("foreign-move", "toy-dice", SimpleState, "play", _illegal_whatever),
    ("notation", "toy-dice", SimpleGame, "parse", lambda _, text: TextMove(text.strip())),
    ("notation", "toy-dice", TextMove, "__hash__", object.__hash__),
    ("explain", "toy-dice", SimpleGame, "explain", lambda *_: ""),
    ("copy", "toy-dice", SimpleState, "copy", _shared),
    ("text", "toy-dice", SimpleState, "text", property(_no_turn)),
    ("bad-text", "toy-dice", SimpleGame, "position", _position_or_key_error),
    ("key", "toy-dice", SimpleState, "key", property(lambda _: 7)),
    ("events", "toy-dice", Dice, "play", _two_lines),
    ("tally", "toy-dice", Dice, "tally", lambda _: {"steps": (1,)}),
    ("outcome", "toy-dice", SimpleState, "outcome", _ranked(lambda ranks: (1, *(3 for _ in ranks[1:])))),
    ("playout", "toy-dice", SimpleState, "playout", lambda self, _: State.playout(self, Random(1))),
    ("pickle", "toy-dice", SimpleState, "__reduce__", _forgets_events),
    ("determinism", "toy-dice", Dice, "play", _dice_of_nobody),
    ("replay", "toy-dice", SimpleState, "outcome", _ranked(list)),
    ("replay-change", "toy-cards", SimpleState, "play", _plays_anything),
    ("view", "toy-dice", SimpleState, "view", _live),
    ("read-only", "toy-dice", SimpleState, "play", _plays_views),
    ("view-of-view", "toy-cards", Cards, "hide", _forgets_more),
    ("view-leaks", "toy-cards", Cards, "hide", _hides_deck),
    ("view-seed", "toy-cards", SimpleState, "redact", _keeps_seed),
    ("sample", "toy-cards", Cards, "fill", _fills_by_chance),
    ("sample-varies", "toy-cards", Cards, "hide", lambda *_: None),
    ("observer", "toy-dice", SimpleGame, "follow", FOLLOW),
    ("onlooker", "toy-dice", Dice, "show", lambda _: ""),
]
PARTS: list[tuple[str, str, object]] = [
    ("drawing", "drawer", plain_drawer("toy")._replace(svg=lambda *_, **__: "<svg>")),
    ("drawing", "drawer", "tests.engine.conformance.toys:NOTHING"),
    ("describe", "describe", lambda _: ""),
    ("describe", "describe", "no_such_package.words:describe"),
    ("picker", "picker", lambda _: type("Picker", (), {"moves": [], "choices": {}})),
    ("encoder", "encoder", _raises),
    ("heuristic", "heuristic", type("Heuristic", (), {"evaluate": lambda *_: [], "scores": lambda *_: [], "choose": _raises})()),
]


@pytest.mark.parametrize(("law", "name", "owner", "method", "instead"), BREAKS, ids=[each[0] for each in BREAKS])
def test_a_game_that_breaks_a_law_is_told_which(
    law: str, name: str, owner: type, method: str, instead: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if law == "view-leaks":
        monkeypatch.setattr(Cards, "fill", _deals_anew)
    monkeypatch.setattr(owner, method, instead)

    assert law in broken(name)


@pytest.mark.parametrize(("law", "part", "value"), PARTS, ids=[each[0] for each in PARTS])
def test_a_part_of_a_plug_in_that_does_not_work_is_named(law: str, part: str, value: object) -> None:
    plugins = vars(engine.registry)["_registry"]().plugins
    plugins["toy-dice"] = replace(find_plugin("toy-dice"), **{part: value})

    assert broken("toy-dice") == {law}


def test_a_version_of_the_rules_is_stated() -> None:
    assert broken("toy-no-version", "facts") == {"facts"}


def test_an_order_that_depends_on_hashes_is_found_in_another_process() -> None:
    assert broken("toy-unordered", "move-order", "determinism", "other-process") == {"other-process"}


@pytest.mark.skipif(not FORM.is_compiled, reason="the engine is not compiled")
def test_a_game_that_differs_on_the_plain_engine_is_found() -> None:
    assert broken("toy-two-faced", "determinism", "other-process", "both-forms") == {"both-forms"}


def test_every_law_has_a_game_that_breaks_it() -> None:
    named = {each[0] for each in (*BREAKS, *PARTS)} | {"facts"} | ELSEWHERE
    assert named == set(BY_NAME)
    assert len(BY_NAME) == len(LAWS)
