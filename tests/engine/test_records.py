"""Small parts of the engine: records, ranks, errors, options by name, texts for terminals."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.core
from engine import OptionsError
from engine.core import ArenaError, EngineError, InvalidMoveError, Move, ReadOnlyError, shared_ranks
from engine.records import LARGEST_PACKED, DamagedError, Forfeit, PackedReplay, pack_replay, ranks_after
from engine.registry import find_game
from engine.text import one_line, plain, quote, short
from engine.tongiaki import TONGIAKI


def forfeits(*seats: int) -> list[Forfeit]:
    """Forfeits of those seats, one after the other."""
    return [Forfeit(seat, 10 * number, "too slow") for number, seat in enumerate(seats)]


def test_of_two_forfeited_seats_the_later_one_ranks_better() -> None:
    assert ranks_after((1, 2, 3, 4), forfeits(0, 2)) == (4, 1, 3, 2)
    assert ranks_after((1, 2, 3, 4), forfeits(2, 0)) == (3, 1, 4, 2)


@given(scores=st.lists(st.integers(0, 3).map(lambda score: (score,)), min_size=2, max_size=6), data=st.data())
def test_forfeits_keep_the_order_of_all_who_played_on(scores: list[tuple[int]], data: st.DataObject) -> None:
    ranks = shared_ranks(scores)
    out = data.draw(st.lists(st.sampled_from(range(len(scores))), unique=True, max_size=len(scores)))
    final = ranks_after(ranks, forfeits(*out))
    kept = [seat for seat in range(len(scores)) if seat not in out]
    assert [final[seat] for seat in kept] == list(shared_ranks([scores[seat] for seat in kept]))
    assert [final[seat] for seat in reversed(out)] == list(range(len(kept) + 1, len(scores) + 1))


def test_damage_is_named_and_a_text_longer_than_a_replay_is_refused() -> None:
    with pytest.raises(DamagedError, match=r"^it is truncated, or too long for a replay$"):
        _ = pack_replay(" " * (LARGEST_PACKED + 1)).text
    with pytest.raises(DamagedError, match="incorrect header"):
        _ = PackedReplay(b"no replay", "").text
    assert len(pack_replay(" " * LARGEST_PACKED).text) == LARGEST_PACKED


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        ([(3,), (2,), (2,), (1,)], (1, 2, 2, 4)),
        ([(1,), (1,)], (1, 1)),
        ([(0,), (5,), (5,)], (3, 1, 1)),
        ([(2, 1), (2, 3), (2, -1)], (2, 1, 3)),
    ],
)
def test_the_largest_key_ranks_first_and_equal_keys_share_the_better_rank(keys: list[tuple[int, ...]], ranks: tuple[int, ...]) -> None:
    assert shared_ranks(keys) == ranks


def test_legal_moves_answer_bool_len_in_index_and_iteration_alike() -> None:
    state = TONGIAKI.new(2, 0)
    moves = state.legal_moves
    assert bool(moves)
    assert len(moves) == 6
    assert [str(move) for move in moves] == [f"place {beach}" for beach in range(6)]
    assert moves[2] == TONGIAKI.parse("place 2")
    assert moves[2] in moves
    assert TONGIAKI.parse("pass") not in moves
    assert repr(moves) == "<legal moves: place 0, place 1, place 2, place 3, place 4, place 5>"


def test_states_are_equal_when_their_positions_are_and_cannot_be_hashed() -> None:
    one, other = TONGIAKI.new(2, 5), TONGIAKI.new(2, 5)
    assert one == other
    assert one != TONGIAKI.new(2, 6)
    assert one != TONGIAKI.new(3, 5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@pytest.mark.parametrize(("name", "foreign"), [("tongiaki", find_game("sunda").parse("skip")), ("sunda", TONGIAKI.parse("pass"))])
def test_a_game_explains_no_move_of_another_and_plays_no_view_to_its_end(name: str, foreign: Move) -> None:
    game = find_game(name)
    with pytest.raises(InvalidMoveError, match=f"{foreign} is not a"):
        game.explain(foreign)
    with pytest.raises(ReadOnlyError):
        game.new(2, 1).view(0).position.playout(Random(1))


def test_every_error_of_the_engine_has_one_root() -> None:
    errors = [kind for kind in vars(engine.core).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(errors) == 9
    assert all(issubclass(kind, EngineError) for kind in errors if kind is not ArenaError)
    assert issubclass(EngineError, ArenaError)
    assert issubclass(EngineError, ValueError)


@given(st.text(), st.integers(4, 40))
def test_names_and_remarks_are_no_longer_than_they_may_be(text: str, longest: int) -> None:
    assert len(one_line(text, longest)) <= longest
    assert len(short(text, longest)) <= longest
    assert short(text, longest).isprintable()
    assert len(quote(text, longest)) <= longest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b31m", r"\x9b31m"),
        ("del \x7f", r"del \x7f"),
        ("\u202egnp.exe\u2066", r"\u202egnp.exe\u2066"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("one\u2028two\u2029", r"one\u2028two\u2029"),
        ("half \ud800", r"half \ud800"),
        ("blank \u3164", r"blank \u3164"),
        ("blank \u2800", r"blank \u2800"),
        ("blank \U0001d159", r"blank \U0001d159"),
        ("\U000e0041 tag", r"\U000e0041 tag"),
        ("line\nfeed\ttab", r"line\nfeed\ttab"),
        ("grüße 漢字 ✓ [bold]", "grüße 漢字 ✓ [bold]"),
    ],
)
def test_what_would_be_obeyed_or_hidden_is_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_mapping_and_keywords_give_the_same_game() -> None:
    assert find_game("sunda", level=5) == find_game("sunda", {"level": 5}) == find_game("sunda", options={"level": 5})
    assert dict(find_game("sunda", {"level": 5}, mode="simultaneous").options) == dict(
        find_game("sunda", {"level": 5, "mode": "simultaneous"}).options
    )


@pytest.mark.parametrize(
    ("given", "more", "sentence"),
    [
        ({"level": 9}, {}, "option 'level' must be an integer from 0 to 5, not 9"),
        (None, {"level": 9}, "option 'level' must be an integer from 0 to 5, not 9"),
        (None, {"levl": 1}, "sunda has no option 'levl'; the nearest is 'level'"),
        ({"level": 1}, {"level": 1}, "option 'level' is given twice, in 'options' and as a keyword; leave one out"),
        ("5", {}, "options must be a mapping such as {'level': 5}, not '5'"),
    ],
)
def test_a_wrong_option_is_one_sentence(given: Any, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionsError) as raised:
        find_game("sunda", given, **more)
    assert str(raised.value) == sentence
