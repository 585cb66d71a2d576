"""The battery finds nothing in sound games, and names the law that a broken one breaks: one small break for each law."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import engine.registry
from engine.conformance import LAWS, Battery, Status, Table, tables_of
from engine.core import ChanceOutcome, Game, IllegalMoveError, Move, OptionsError, Outcome, RulesError, State, TextMove
from engine.registry import find_game, find_plugin
from engine.render.drawing import plain_drawer
from engine.simple import Position, SimpleGame, SimpleState
from tests.engine.conformance import toys
from tests.engine.conformance.toys import Cards, Dice

LONGEST = 60
BY_NAME = {law.name: law for law in LAWS}
ELSEWHERE = {"other-process"}


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
    verdicts = list(Battery(tables_of(name), games=2).run())
    assert [str(verdict) for verdict in verdicts if verdict.status is Status.BROKEN] == []
    assert {verdict.law for verdict in verdicts if verdict.status is Status.SKIPPED} <= {
        "picker",
        "public-luck",
    }


# One break for each law: what is put in the place of a method, of which class, and in which game it shows.


def _hides_from_spectators(self: Dice, seat: int) -> None:
    if seat < 0:
        self.steps = []


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


def _in_place(self: SimpleState, move: str, own: Position) -> None:
    ADVANCE(self, move, self.inside)


def _no_turn(self: SimpleState) -> str:
    return TEXT(self).replace(f'"turn":{self._turn},', '"turn":0,')


def _hides_in_place(self: SimpleState, what: str, change: Callable[[Any], None]) -> None:
    change(self.inside)


def _keeps_seed(self: SimpleState, seat: int) -> None:
    seed = self._seed
    REDACT(self, seat)
    self._seed = seed


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
    chance.events.append("two\nlines")
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


def _hides_hands(self: Cards, seat: int) -> None:
    self.hands = [hand if owner == seat else [-1] * len(hand) for owner, hand in enumerate(self.hands)]


def _deals_anew(self: Cards, chance: Any) -> None:
    if self.actor is not None:
        self.hands = [hand if seat == self.actor else [-1] * len(hand) for seat, hand in enumerate(self.hands)]
    CARDS_FILL(self, chance)


def _fills_by_chance(self: Cards, chance: Any) -> None:
    chance._rng = Random()
    CARDS_FILL(self, chance)


def _ranked(self: SimpleState) -> Outcome | None:
    true = OUTCOME(self)
    return None if true is None else Outcome(true.scores, (1, *(3 for _ in true.ranks[1:])), true.ending)


def _ended(self: SimpleState) -> Outcome | None:
    true = OUTCOME(self)
    return None if true is None else Outcome(true.scores, true.ranks, f"luck {random.random()}")


PLAY, ADVANCE, REDACT, POSITION = SimpleState.play, SimpleState._advance, SimpleState.redact, SimpleGame.position
TEXT: Any = SimpleState.text
OUTCOME: Any = SimpleState.outcome
TEXT, OUTCOME = TEXT.fget, OUTCOME.fget
DICE_PLAY, CARDS_HIDE, CARDS_FILL = Dice.play, Cards.hide, Cards.fill

BREAKS: list[tuple[str, str, type, str, object, str]] = [
    ("facts", "toy-dice", SimpleGame, "check_start", lambda *_: None, "new(1, 0) of a game for 2 to 3 players is accepted"),
    ("plays", "toy-dice", Dice, "play", _fails_late, "ZeroDivisionError: four"),
    ("plays", "toy-dice", Dice, "play", _never_ends, "the match is not over after 60 random moves"),
    ("moves", "toy-dice", SimpleState, "outcome", property(lambda _: None), "there must be an outcome if and only if nobody has to decide"),
    ("moves", "toy-dice", SimpleState, "list_moves", _other_order, "a different list the second time"),
    ("moves", "toy-dice", Dice, "moves", lambda _: ["step", "step"], "list_moves returns a move twice"),
    ("moves", "toy-dice", SimpleState, "count_moves", lambda self: len(self._notations()) + 1, "is 3, but list_moves returns 2"),
    ("legality", "toy-dice", SimpleState, "is_legal", lambda _, move: isinstance(move, TextMove), "is true for 'jump'"),
    (
        "moves",
        "toy-dice",
        SimpleState,
        "legal_moves",
        property(lambda self: self.list_moves()[:-1]),
        "or legal_moves and move_at differ from it",
    ),
    ("moves", "toy-dice", SimpleState, "random_move", lambda *_: TextMove("fly"), "random_move returns 'fly', which is not legal"),
    ("legality", "toy-dice", SimpleState, "play", _moves_twice, "a refused move changes the state"),
    ("legality", "toy-cards", SimpleState, "play", _plays_anything, "is accepted; it must raise IllegalMoveError"),
    ("legality", "toy-dice", SimpleState, "play", _illegal_whatever, "a move of a different game raises IllegalMoveError"),
    ("notation", "toy-dice", SimpleGame, "parse", lambda _, text: TextMove(text.strip()), "parse reads ' ' as ''"),
    ("copy", "toy-dice", SimpleState, "_advance", _in_place, "playing on a copy changes the original"),
    ("text", "toy-dice", SimpleState, "text", property(_no_turn), "it continues differently after decision"),
    ("text", "toy-dice", SimpleGame, "position", _position_or_key_error, "raises KeyError (''), not PositionError"),
    ("text", "toy-dice", SimpleState, "key", property(lambda _: 7), "an earlier, different position has the same key 7"),
    ("figures", "toy-dice", Dice, "play", _two_lines, "'two\\nlines', which is not a printable line"),
    ("figures", "toy-dice", Dice, "tally", lambda _: {"steps": (1,)}, "the tally 'steps' is (1,), not one number for each of 2 seats"),
    ("figures", "toy-dice", SimpleState, "outcome", property(_ranked), "the ranks are (1, 3)"),
    ("chance", "toy-dice", SimpleState, "chance", lambda *_: [ChanceOutcome("roll 1", 0.5)], "must be above 0 and add up to 1, not [0.5]"),
    ("pickle", "toy-dice", SimpleState, "__reduce__", _forgets_events, "the unpickled state is a different position: events"),
    ("copy", "toy-dice", Dice, "play", _dice_of_nobody, "it continues differently"),
    ("replay", "toy-dice", SimpleState, "outcome", property(_ended), "DisagreementError: the ending is 'luck"),
    ("view", "toy-cards", SimpleState, "_change", _hides_in_place, "taking a view changes the state"),
    ("view", "toy-dice", SimpleState, "_check_writable", lambda _: None, "playing on the view of seat 0 raises PositionError"),
    ("view", "toy-cards", Cards, "hide", _forgets_more, "taken again, is different"),
    ("sample", "toy-cards", Cards, "hide", _hides_deck, "depends on something that the seat can't know"),
    ("sample", "toy-dice", SimpleState, "redact", _keeps_seed, "something that the seat can't know"),
    ("sample", "toy-cards", Cards, "fill", _fills_by_chance, "two samples of the view of seat 0 with equal rngs differ"),
    ("sample-varies", "toy-cards", Cards, "hide", _hides_hands, "continues exactly like the true position"),
    ("public-luck", "toy-dice", Dice, "hide", _hides_from_spectators, "seat 0 knows something that a spectator doesn't"),
]
PARTS: list[tuple[str, str, object]] = [
    ("drawing", "drawer", plain_drawer("toy")._replace(legend=lambda *_: _raises())),
    ("drawing", "drawer", plain_drawer("toy")._replace(describe_move=lambda *_, **__: " ")),
    ("drawing", "drawer", "tests.engine.conformance.toys:NOTHING"),
    ("picker", "picker", "no_such_package.choices:PICKER"),
    ("picker", "picker", lambda _: type("Picker", (), {"moves": [], "choices": {}, "notations": list})),
]


@pytest.mark.parametrize(("law", "name", "owner", "method", "instead", "said"), BREAKS, ids=[each[0] for each in BREAKS])
def test_a_game_that_breaks_a_law_is_told_which(
    law: str, name: str, owner: type, method: str, instead: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if instead is _hides_deck:
        monkeypatch.setattr(Cards, "fill", _deals_anew)
    monkeypatch.setattr(owner, method, instead)
    verdict = Battery(tables_of(name), games=2, longest=LONGEST).verdict(BY_NAME[law])
    assert verdict.status is Status.BROKEN
    assert said in verdict.reason


def test_an_observer_who_is_told_too_little_is_found() -> None:
    assert broken("toy-follower", "view", "observer") == {"observer"}


@pytest.mark.parametrize(("law", "part", "value"), PARTS, ids=[each[0] for each in PARTS])
def test_a_part_of_a_plug_in_that_does_not_work_is_named(law: str, part: str, value: object) -> None:
    plugins = vars(engine.registry)["_registry"]().plugins
    changed: dict[str, Any] = {part: value}
    plugins["toy-dice"] = replace(find_plugin("toy-dice"), **changed)
    assert broken("toy-dice") == {law}


def test_an_order_that_depends_on_hashes_is_found_in_another_process() -> None:
    assert broken("toy-unordered", "moves", "copy", "other-process") == {"other-process"}


def test_another_process_plays_the_installed_game_whatever_the_folder_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("engine", "json", "tests"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('a file of this folder')")
    monkeypatch.chdir(tmp_path)
    assert broken("toy-dice", "other-process") == set()


def test_every_law_has_a_game_that_breaks_it() -> None:
    named = {each[0] for each in (*BREAKS, *PARTS)} | {"observer"} | ELSEWHERE
    assert named == set(BY_NAME)
    assert len(BY_NAME) == len(LAWS)


def test_a_broken_law_shows_the_moves_and_how_to_see_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dice, "play", _fails_late)
    verdict = Battery(tables_of("toy-dice", players=3), seed=5).verdict(BY_NAME["plays"])
    assert verdict.status is Status.BROKEN
    again = re.fullmatch(r"arena game check toy-dice --players 3 --seed (\d) --games 1", verdict.command)
    assert again is not None
    assert 1 <= verdict.games <= 3
    state = find_game("toy-dice").new(3, int(again[1]))
    for move in verdict.moves:
        state.play(state.game.parse(move))
    with pytest.raises(RulesError, match="ZeroDivisionError: four"):
        state.play(state.game.parse("step"))
    json.dumps(asdict(verdict))


def test_methods_that_raise_are_reported_with_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimpleState, "count_moves", lambda _: sys.exit(3))
    verdict = Battery([Table("toy-dice", {}, 2)], games=1).verdict(BY_NAME["moves"])
    assert re.fullmatch(r"<lambda> raised at test_battery.py:\d+: SystemExit: 3", verdict.reason)


def test_a_game_that_can_not_begin_is_a_broken_law_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimpleGame, "new", _raises)
    verdicts = {verdict.law: verdict for verdict in Battery(tables_of("toy-dice")).run()}
    assert {law for law, verdict in verdicts.items() if verdict.status is Status.BROKEN} == {"facts", "plays"}
    assert verdicts["plays"].moves == ()
    assert verdicts["copy"].reason == "no game can be started"


def test_the_tables_are_those_asked_for_or_samples_or_all() -> None:
    plugins = vars(engine.registry)["_registry"]().plugins
    assert [table.players for table in tables_of("toy-dice")] == [2, 3]
    plugins["toy-dice"] = replace(find_plugin("toy-dice"), samples=(({}, 3),))
    assert tables_of("toy-dice") == (Table("toy-dice", {}, 3),)
    assert tables_of("toy-dice", players=2) == (Table("toy-dice", {}, 2),)
    with pytest.raises(OptionsError, match="is for 2 to 3 players, not 9"):
        tables_of("toy-dice", players=9)
