"""What a view shows, what it hides, and that nothing done with it reaches the game."""

from __future__ import annotations

import pickle
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.tongiaki import TONGIAKI, TongiakiState
from tests.engine.tongiaki.helpers import line, listed, somewhere, view_of

SOMEWHERE = st.builds(somewhere, players=st.integers(2, 6), seed=st.integers(0, 2**40), moves=st.integers(0, 300))


def reshuffled(state: TongiakiState) -> TongiakiState:
    """The same position with another order of the deck."""
    other = state.copy()
    Random(99).shuffle(other.deck)
    return other


def public(state: TongiakiState) -> dict[str, object]:
    """Every attribute of a state that is no method and no name with an underscore, as text."""
    return {name: repr(getattr(state, name)) for name in dir(state) if not name.startswith("_") and not callable(getattr(state, name))}


@given(state=SOMEWHERE, seat=st.integers(0, 1))
def test_states_that_differ_only_in_the_order_of_the_deck_give_equal_views(state: TongiakiState, seat: int) -> None:
    one, other = view_of(state, seat), view_of(reshuffled(state), seat)
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one.position.text == other.position.text
    hidden = {"board", "game", "legal_moves"}  # these print as an address, or are compared here by what they say
    assert {k: v for k, v in public(one.position).items() if k not in hidden} == {
        k: v for k, v in public(other.position).items() if k not in hidden
    }
    assert [str(move) for move in one.legal_moves] == [str(move) for move in other.legal_moves]
    assert pickle.dumps(one.position.deck) == pickle.dumps(other.position.deck)


def test_a_view_has_neither_seed_nor_generator_nor_order_of_the_deck_in_any_slot() -> None:
    state = TONGIAKI.new(3, 987654321)
    known = view_of(state, 0).position
    slots = {name: getattr(known, name) for kind in type(known).__mro__ for name in getattr(kind, "__slots__", ())}
    assert known.deck == sorted(state.deck, reverse=True) != state.deck
    assert not any(isinstance(value, Random) for value in slots.values())
    assert "987654321" not in repr(slots)
    assert "987654321" not in repr(state.view(0)) + known.text


def test_a_views_text_tells_the_unseen_tiles_in_the_order_of_the_rules() -> None:
    state = TONGIAKI.new(2, 3)
    unseen = line(view_of(state, 0).position, "unseen")
    assert unseen is not None
    assert unseen.split(" ")[1:4] == ["Muroroa", "Nauru", "Tubuai"]
    assert sorted(unseen.split(" ")[1:]) == sorted((line(state, "deck") or "").split(" ")[1:])
    assert line(view_of(state, 0).position, "deck") is None


def test_what_is_done_to_a_views_position_does_not_reach_the_game() -> None:
    state = somewhere(4, 2, 40)
    before, moves = state.text, listed(state)
    known = view_of(state, 0).position
    known.supply[0] = 99
    known.deck.clear()
    known.board.cells.clear()
    known.board.packed[0] = 7
    known.board.islands.clear()
    known.returned[0] = 20
    assert (state.text, listed(state)) == (before, moves)
