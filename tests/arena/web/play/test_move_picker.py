"""What a person is offered is exactly what is legal, with what it does, also of the pieces in a tray; nothing in it is hidden."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest

from arena.web.play.move_picker.base import image_of, move_picker_of, moves_of
from arena.web.play.seat_view import seat_view
from engine.core import OptionValue
from engine.registry import find_game
from engine.sunda.notation.moves import PLACE, SHIFT, SundaMove
from engine.sunda.position import MEND
from engine.sunda.state import SundaState
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.play.test_play import TABLE, sit_down
from tests.arena.web.visits import table_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_BYTES = 100_000
"""Of all trays of a decision, uncompressed."""


def effects_are_told(state: SundaState, rng: Random) -> None:
    """Check of some moves of each tray that its effect tells what the move then does."""
    for tray in move_picker_of(state.view(state.actor or 0)).trays:
        told = dict(zip(moves_of(tray), (effect for place in tray.places for _, _, effect in place.fits), strict=False))
        moves = [move for move in state.list_moves() if isinstance(move, SundaMove) and move.kind in {PLACE, SHIFT}]
        for move in rng.sample(moves, min(len(moves), 25)):
            words = tray.effects[told[str(move)]].words
            after = state.copy()
            after.play(move)
            inside = after.inside
            assert ("gap" in words) == (inside.phase == MEND)
            if inside.phase != MEND:
                assert ("land node" in words) == bool(inside.nodes) or state.players == 1
                assert ("closes a lake" in words.lower()) == bool(inside.lakes)
                assert ("at once" in words) == (after.points != state.points)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "options", "players"),
    [
        ("tongiaki", {}, 3),
        ("sunda", {"level": 5}, 2),
        ("sunda", {"level": 0}, 4),
        ("sunda", {"level": 1, "pots": "private"}, 2),
        ("sunda", {"level": 2}, 3),
        ("sunda", {"level": 3, "mode": "simultaneous"}, 3),
        ("sunda", {"level": 0}, 1),
        ("sunda", {"level": 2}, 1),
        ("sunda", {"level": 5, "mode": "simultaneous"}, 2),
        ("sunda", {"level": 4, "pots": "private"}, 3),
    ],
)
def test_every_legal_move_can_be_picked_by_its_own_picks_and_trays_tell_what_it_does(
    name: str, options: dict[str, OptionValue], players: int
) -> None:
    state = find_game(name, options).new(players, 11)
    rng, number = Random(11), 0
    while state.actor is not None:
        if number % 4 == 0:
            picker = move_picker_of(state.view(state.actor))
            in_trays = [move for tray in picker.trays for move in moves_of(tray)]
            assert sorted([*in_trays, *(move for move, _ in picker.moves)]) == sorted(map(str, state.list_moves()))
            picks = [tuple(tuple(sorted(stage)) for stage in stages) for _, stages in picker.moves]
            assert len(set(picks)) == len(picks)
            assert {choice for stages in picks for stage in stages for choice in stage} == set(picker.choices)
            assert len(msgspec.json.encode(picker.trays)) < MOST_BYTES
            for tray in picker.trays:
                assert {item.stack for item in tray.items} <= set(range(len(tray.stacks)))
                for place, found in enumerate(tray.places):
                    assert all(place in tray.places[near].near for near in found.near)
                    assert len(set(found.fits)) == len(found.fits) > 0
        if number % 8 == 0 and isinstance(state, SundaState) and "mode" not in options:
            effects_are_told(state, rng)
        number += 1
        state.play(state.random_move(rng))


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_tables_that_differ_only_in_what_is_hidden_look_the_same(seat: int | None) -> None:
    tables = [table_of(find_game("tongiaki"), "Maui", "Hina", seed=seed) for seed in (123456789, 987654321)]
    looks = [msgspec.json.encode(seat_view(table.look(seat))) for table in tables]
    assert looks[0] == looks[1]
    assert b"123456789" not in looks[0]
    assert len(seat_view(tables[0].look(seat)).guide) == (2 if seat == 0 else 1), "a first match is told about one's own decision alone"


def test_every_piece_has_its_picture() -> None:
    state = find_game("sunda", {"level": 0}).new(1, 5)
    while len(state.list_moves()) <= 10:
        state.play(state.move_at(0))
    [tray, *_] = move_picker_of(state.view(0)).trays
    assert len(tray.items) == 135
    assert all(f'id="{item.picture}"' in image_of("sunda", "tiles") for item in tray.items)


REACHED = f"""() => {{
  const table = {TABLE};
  const {{ tray }} = table;
  const data = tray.tray;
  const missed = [];
  let reached = 0;
  tray.propose = (move) => (tray.now = move);
  tray.changed = () => {{}};
  for (const fit of data.fits) {{
    const wanted = data.move.replace("{{item}}", data.items[fit.item].key).replace("{{turn}}", data.places[fit.place].turns[fit.turn].key);
    const stack = `stack:${{data.items[fit.item].stack}}`;
    for (const order of [[stack, `place:${{fit.place}}`], [`place:${{fit.place}}`, stack]]) {{
      while (tray.back());
      tray.now = null;
      for (const id of order) if (id !== `stack:${{tray.stack}}` && id !== `place:${{tray.place}}`) tray.pick(id);
      tray.pick(`item:${{fit.item}}`);
      for (let turns = 0; tray.now !== wanted && turns < 12; turns++) tray.turn(1);
      if (tray.now === wanted) reached++;
      else missed.push([wanted, tray.now, order]);
    }}
  }}
  return [reached, 2 * data.fits.length, missed.slice(0, 5)];
}}"""


def lay_by_keyboard(page: Page) -> None:
    """Lay a tile by few keys, each of which leads to where the next one counts."""
    at, focused = page.evaluate(f"{TABLE}.sight.at"), f"{TABLE}.root.activeElement"
    page.evaluate(f"{TABLE}.board.offers.firstElementChild.focus()")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{focused}.arenaOffer === {TABLE}.board.offers.children[1].arenaOffer")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focused}.closest('.strip') !== null && !{TABLE}.choosing.pending")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focused}.getAttribute('aria-pressed') === 'true' && {TABLE}.choosing.pending !== null")
    page.keyboard.press("Enter")
    wait_until(page, f"{TABLE}.sight.at > {at} && {TABLE}.sight.offers?.trays")


def test_both_orders_of_picks_lead_to_every_move_and_nothing_is_sent_before_it_is_confirmed(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server).page
    sit_down(page, "sunda", ["me", "random"])
    assert page.evaluate(f"[{TABLE}.sight.log[0].words, {TABLE}.sight.at > 0]") == ["begins with open sea", True]  # without being asked
    lay_by_keyboard(page)
    page.locator(".tray .places summary").click()
    page.locator(".tray [data-pick='place:1']").hover()
    assert page.locator(".offers .offer.marked").get_attribute("aria-label") == page.locator(".tray .marked").text_content()

    page.keyboard.press("h")
    wait_until(page, f"{TABLE}.choosing.hint && !{TABLE}.asking")
    assert page.inner_text(".prompt").startswith("Hint:")
    page.locator(".tray [data-pick='others']").click()
    assert not page.inner_text(".prompt").startswith("Hint:")  # it is taken back with its tile

    reached, wanted, missed = page.evaluate(REACHED)
    assert missed == []
    assert reached == wanted > 100
