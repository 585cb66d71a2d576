"""The tray of pieces: what it says of a move is what the move does, and in the page both orders of picks lead to every move."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest

from arena.web.play.move_picker.base import Tray, image_of, move_picker_of, moves_of
from engine.core import OptionValue
from engine.registry import find_game
from engine.sunda.notation.moves import PLACE, SHIFT, SundaMove
from engine.sunda.position import MEND
from engine.sunda.state import SundaState
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.play.test_play import TABLE, sit_down

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_BYTES = 100_000
"""Of all trays of a decision, uncompressed."""


def positions(options: dict[str, OptionValue], players: int, every: int = 1) -> Iterator[SundaState]:
    """The positions of a random match."""
    state = find_game("sunda", options).new(players, 5)
    rng = Random(5)
    count = 0
    while state.actor is not None:
        if count % every == 0:
            assert isinstance(state, SundaState)
            yield state
        count += 1
        state.play(state.random_move(rng))


def trays_of(state: SundaState) -> list[Tray]:
    assert state.actor is not None
    return move_picker_of(state.view(state.actor)).trays


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "players"),
    [({"level": 0}, 2), ({"level": 1}, 3), ({"level": 5}, 2), ({"level": 4, "pots": "private"}, 2), ({"level": 0}, 1), ({"level": 2}, 1)],
)
def test_an_effect_tells_what_the_move_then_does(options: dict[str, OptionValue], players: int) -> None:
    rng = Random(1)
    for state in positions(options, players, every=8):
        for tray in trays_of(state):
            told = dict(zip(moves_of(tray), (effect for place in tray.places for _, _, effect in place.fits), strict=False))
            moves = [move for move in state.list_moves() if isinstance(move, SundaMove) and move.kind in {PLACE, SHIFT}]
            for move in rng.sample(moves, min(len(moves), 25)):
                effect = tray.effects[told[str(move)]]
                after = state.copy()
                before = state.points
                after.play(move)
                inside = after.inside
                assert ("gap" in effect.words) == (inside.phase == MEND)
                if inside.phase != MEND:
                    assert ("land node" in effect.words) == bool(inside.nodes) or players == 1
                    assert ("closes a lake" in effect.words.lower()) == bool(inside.lakes)
                    assert ("at once" in effect.words) == (after.points != before)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "players"),
    [({"level": 0}, 2), ({"level": 5, "mode": "simultaneous"}, 2), ({"level": 5}, 4), ({"level": 0}, 1)],
)
def test_trays_are_small_and_fit_together(options: dict[str, OptionValue], players: int) -> None:
    for state in positions(options, players, every=12):
        trays = trays_of(state)
        assert len(msgspec.json.encode(trays)) < MOST_BYTES
        for tray in trays:
            for number, place in enumerate(tray.places):
                assert all(number in tray.places[near].near for near in place.near)
                assert len(set(place.fits)) == len(place.fits) > 0
            assert {item.stack for item in tray.items} <= set(range(len(tray.stacks)))


def test_every_piece_has_its_picture() -> None:
    sheet = image_of("sunda", "tiles")
    trays = trays_of(next(state for state in positions({"level": 0}, 1) if len(state.list_moves()) > 10))
    assert len(trays[0].items) == 135
    assert all(f'id="{item.picture}"' in sheet for item in trays[0].items)


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
    assert page.evaluate(f"{focused}.closest('.bar') !== null")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{focused}.closest('.strip') !== null")


STRIP = f"{TABLE}.tray.element.querySelector('.strip')"


def test_arrows_go_round_the_strip_and_a_kind_leads_to_its_places(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server).page
    focused = f"{TABLE}.root.activeElement"
    sit_down(page, "sunda", ["me"])
    page.evaluate(f"{STRIP}.firstElementChild.focus()")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(f"{focused} === {STRIP}.lastElementChild")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{focused} === {STRIP}.firstElementChild")
    page.evaluate(f"{TABLE}.tray.enter()")
    kind = page.evaluate(f"Number({focused}.dataset.pick.split(':')[1])")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{TABLE}.tray.stack") == kind
    best = f"{TABLE}.board.offers.querySelector('.good') ?? {TABLE}.board.offers.firstElementChild"
    assert page.evaluate(f"({best}).closest('.offer') === {focused}")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{TABLE}.choosing.pending !== null && {focused}.matches('.confirm')")


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
