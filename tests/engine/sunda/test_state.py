"""Moves, positions, views and options: what is written is read back, and what is wrong is refused by name."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import IllegalMoveError, InvalidMoveError, OptionsError, OptionValue, PositionError
from engine.sunda import SundaMove, SundaState, sunda
from engine.sunda.board.tiles import SYMMETRIC
from engine.sunda.board.trigrid import REACH, vertex_at
from engine.sunda.notation.moves import NOTHING, PLACE, RAID, WAIT, parse_move
from tests.engine.sunda.helpers import VECTORS, legal, line_ups, play, random_game, vector
from tests.engine.sunda.test_turns import ISLET, begin

LINE_UPS = list(line_ups())


def all_notations() -> list[str]:
    texts = [text for path in sorted(VECTORS.glob("*.json")) for _, text, _ in vector(path.stem)["decisions"]]
    return sorted(set(Random(0).sample(texts, 400)) | {"skip", "agree", "stop", "wait", "accept", "refuse"})


def test_an_illegal_move_is_refused_and_changes_nothing() -> None:
    notations = all_notations()
    for number, (game, players) in enumerate(LINE_UPS[::4]):
        for index, state in enumerate(random_game(game, players, seed=600 + number)):
            if index % 23:
                continue
            before = state.text
            allowed = set(legal(state))
            for text in notations:
                move = game.parse(text)
                assert (move in state.legal_moves) == (text in allowed)
                if text not in allowed:
                    with pytest.raises(IllegalMoveError):
                        state.play(move)
            assert state.text == before


def test_the_refusal_names_the_move_and_the_position() -> None:
    state = play(sunda({}).new(2, 0), "start WWWW++++")
    with pytest.raises(IllegalMoveError) as error:
        play(state, "place WWWW+++- 7,7,0")
    assert str(error.value) == "place WWWW+++- 7,7,0 is not legal here: seat 0 has to decide (lay), 1 tile on the table"


def test_a_game_over_has_no_moves_and_takes_none() -> None:
    state = play(sunda({"level": 1}).new(2, 0), "start WWWW++++", "agree", "agree")
    assert state.actor is None
    assert not state.legal_moves
    assert (len(state.legal_moves), list(state.legal_moves)) == (0, [])
    with pytest.raises(IllegalMoveError, match="the game is over"):
        play(state, "agree")


def test_a_seat_does_not_see_what_others_have_chosen_in_the_tick() -> None:
    states = []
    for number in (0, 5):
        state = begin(3)
        state.play(list(state.legal_moves)[number])
        states.append(state)
    one, other = states
    assert one != other
    assert one.view(1) == other.view(1)
    assert one.view(2) == other.view(2)
    assert one.view(0) != other.view(0)
    assert list(one.view(1).legal_moves) == list(one.legal_moves)


def test_choices_are_open_once_all_have_chosen() -> None:
    for state in random_game(sunda({"mode": "simultaneous", "level": 2}), 3, 4):
        if state.inside.queue:
            assert "?" not in state.view(0).position.text.replace("dice ?", "")
            return
    raise AssertionError("no choice was ever left to be carried out")


def test_a_sample_gives_every_hidden_choice_and_fresh_dice() -> None:
    state = begin(4)
    for _ in range(2):
        state.play(next(iter(state.legal_moves)))
    samples = [state.view(2).sample(Random(seed)) for seed in range(30)]
    insides = [sample.inside for sample in samples if isinstance(sample, SundaState)]
    assert len({str(p.choices[0]) for p in insides}) > 10
    assert all(choice is not None and choice.kind in {PLACE, RAID, WAIT} for p in insides for choice in p.choices[:2])
    assert {p.dice.roll(0) for p in insides if p.dice is not None} == {1, 2, 3, 4, 5, 6}


def test_every_option_is_written_in_order_with_its_default() -> None:
    assert list(sunda({}).options.items()) == [("level", 0), ("mode", "turns"), ("pots", "shared"), ("resources", (1, 2, 3, 4, 5, 6))]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 7}, "option 'level' must be an integer from 0 to 5, not 7"),
        ({"level": "5"}, "option 'level' must be an integer from 0 to 5, not '5'"),
        ({"level": True}, "option 'level' must be an integer from 0 to 5, not True"),
        ({"levl": 1}, "sunda has no option 'levl'; the nearest is 'level'"),
        ({"pot": "shared"}, "sunda has no option 'pot'; the nearest is 'pots'"),
        ({"mode": "turn"}, "option 'mode' must be 'turns' or 'simultaneous', not 'turn'"),
        ({"pots": "public"}, "option 'pots' must be 'shared' or 'private', not 'public'"),
        ({"mode": "simultaneous", "pots": "shared"}, "option 'pots': simultaneous play always has private pots, so it can't be 'shared'"),
        ({"resources": (1, 2, 3)}, "option 'resources' must be six positive integers, not (1, 2, 3)"),
        ({"resources": (1, 2, 3, 4, 5, 0)}, "option 'resources' must be six positive integers, not (1, 2, 3, 4, 5, 0)"),
        ({"resources": "123456"}, "option 'resources' must be six positive integers, not '123456'"),
    ],
)
def test_a_bad_option_is_refused_by_name(options: dict[str, OptionValue], sentence: str) -> None:
    with pytest.raises(OptionsError) as error:
        sunda(options)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("options", "players", "named"),
    [
        ({"mode": "simultaneous"}, 1, "option 'mode'"),
        ({"pots": "private"}, 1, "option 'pots'"),
        ({}, 5, "1 to 4 players"),
        ({}, 0, "1 to 4 players"),
        ({"pots": "private"}, 5, "2 to 4 players"),
    ],
)
def test_a_seat_count_the_options_do_not_allow_is_refused(options: dict[str, OptionValue], players: int, named: str) -> None:
    with pytest.raises(OptionsError, match=named):
        sunda(options).new(players, 0)


EXAMPLES = [
    *("start WWWW+-+-", "place LLWW+-+- 3,-1,2", "shift 3,-1,2 5,0,1", "claim 3,0", "join 3,0", "accept", "refuse", "lake 2,2"),
    *("resource 4 3,0", "challenge 3,0 5,1", "skip", "agree", "stop", "raid 2 LLWW+-+-", "wait"),
    *("seize LLLL++++ WWWW----", "seize LLLL++++"),
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_notation_of_the_table_is_read_and_written_back(text: str) -> None:
    assert str(parse_move(text)) == text
    assert parse_move(text) == parse_move(text)
    assert repr(parse_move(text)) == f"find_game('sunda').parse('{text}')"


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_move_is_explained_in_words_of_its_own(text: str) -> None:
    game = sunda({})
    assert game.explain(game.parse(text)) not in {game.explain(game.parse(other)) for other in EXAMPLES if other != text}


tiles = st.integers(0, 135)

vertices = st.builds(vertex_at, st.integers(-REACH, REACH), st.integers(-REACH, REACH))

placements = st.builds(lambda vertex, d: 6 * vertex + d, vertices, st.integers(0, 5))


@given(tiles, placements, placements, vertices, vertices, st.integers(1, 99), st.integers(0, 3))
def test_every_move_is_read_back_from_its_notation(tile: int, p: int, q: int, v: int, w: int, value: int, seat: int) -> None:
    place = p - 3 if SYMMETRIC[tile] and p % 6 > 2 else p
    moves = [SundaMove(0, tile), SundaMove(1, tile, place), SundaMove(2, p, q), SundaMove(8, value, v), SundaMove(9, v, w)]
    moves += [SundaMove(kind, v) for kind in (3, 4, 7)] + [SundaMove(13, tile, seat), SundaMove(15, tile, NOTHING)]
    for move in moves:
        assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "move", "PLACE LLWW+-+- 3,-1,2", "place", "place LLWW+-+-", "place LLWW+-+- 3,-1", "place LLWW+-+- 3,-1,6"),
        *("place LLWW+-+- 3,-1,-1", "place LLWW+-+- 3,-1,2 ", " place LLWW+-+- 3,-1,2", "place LLWW+-+-  3,-1,2", "place LLWW+-+- 3, -1,2"),
        *("place LLWW+-+- +3,-1,2", "place LLWW+-+- 03,-1,2", "place LLWW+-+- 3,-0,2", "place LLWW+-+- ٣,-1,2", "place LLWW+-+- 3,-1,2\n"),
        *("place WWLL+-+- 3,-1,2", "place llww+-+- 3,-1,2", "place LLWW+-+ 3,-1,2", "place LLLL+-+- 0,0,3", "place LLWW+-+- 501,0,0"),
        *("place LLWW+-+- 99999999999999999999,0,0", "claim 3", "claim 3,0,1", "claim", "resource 0 3,0"),
        *("resource -1 3,0", "resource 3,0 1"),
        *("raid 4 LLWW+-+-", "raid -1 LLWW+-+-", "raid LLWW+-+- 2", "seize", "seize LLLL++++ LLLL++++", "seize WWWW---- LLLL++++"),
        *("seize LLLL++++ LLLL+++- LLLL++-+", "wait 1", "skip skip", "start LLLL", "shift 3,-1,2", "challenge 3,0", "agree ", "stop."),
    ],
)
def test_anything_else_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError):
        parse_move(text)


def test_a_tile_in_its_other_half_turn_is_named() -> None:
    with pytest.raises(InvalidMoveError, match=r"WWLL\+-\+\+ is the tile LLWW\+\+\+- after a half turn"):
        parse_move("place WWLL+-++ 0,0,0")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_a_position_read_back_is_equal_and_goes_on_in_the_same_way(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for index, state in enumerate(random_game(game, players, seed=300 + number)):
        if index % 12 and state.actor is not None and len(state.legal_moves) > 9:
            continue
        again = game.position(state.text)
        assert again == state
        assert again.text == state.text
        assert (again.actor, again.outcome, again.tally()) == (state.actor, state.outcome, state.tally())
        assert len(again.legal_moves) == len(state.legal_moves)
        if state.actor is None:
            continue
        seed = rng.getrandbits(32)
        move = state.random_move(Random(seed))
        assert again.random_move(Random(seed)) == move
        after = state.copy()
        after.play(move)
        again.play(move)
        assert again == after
        assert again.events == after.events


def test_a_person_need_write_only_what_matters() -> None:
    state = sunda({}).position(ISLET)
    assert (state.players, state.actor, state.tally()["tokens"]) == (2, 0, (24, 24))
    assert "place WLWW+--+ 0,1,4" in legal(state)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("plyers 2", "must begin with one of"),
        ("players 2\nplayers 3", "one 'players' line"),
        ("players 5", "1 to 4 players"),
        ("players two", "not an integer"),
        ("dice -1 0", "not a seed"),
        ("dice 1", "dice takes a seed"),
        (ISLET + "tile WLWW+-+- 1,-1,2", "occurs twice"),
        (ISLET + "tile WLWW++++ -1,0,0", "overlaps"),
        (ISLET + "tile WWWW+++- 0,1,4", "does not match"),
        (ISLET + "tile WLWW+-+- 1", "tile: "),
        (ISLET + "tile WLWL+-+- 9,9,4", "symmetric"),
        (ISLET + "tribe 0,0 0", "not a land node"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 0 1", "too many tokens"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 2", "no seat 2"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 1\ntokens 24 24", r"\[24, 23\] are left"),
        (ISLET + "water 1,0 0", "smallest vertex of a lake"),
        (ISLET + "resource 1 0,0", "from level 5 on"),
        (ISLET + "turn 2 1", "no seat 2"),
        (ISLET + "turn 0 3", "step 1 or 2"),
        (ISLET + "agreed 3", "there are only 2 players"),
        (ISLET + "raids 1 0", "simultaneous"),
        (ISLET + "nodes 0,0", "not a free land node"),
        (ISLET + "rights 1", "at most 2"),
        (ISLET + "refused 0,0", "no tribe"),
        (ISLET + "choice 0 wait", "simultaneous"),
        (ISLET + "queue 0", "queue"),
        (ISLET + "pot 0 LLLL++++", "shared pot"),
        (ISLET + "decide think", "must be one of"),
        (ISLET + "decide land", "no such decision"),
        (ISLET + "decide start", "the board must be empty"),
        (ISLET + "decide over", "takes 1 more value"),
        (ISLET + "decide over bored", "must be one of"),
        (ISLET + "decide shift WLWW+-+-", "one triangular space"),
        (ISLET + "decide choose 0", "no such decision"),
        ("decide lay", "the board must be empty"),
    ],
)
def test_a_text_that_is_no_position_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PositionError, match=sentence):
        sunda({}).position(text)


def test_private_pots_must_hold_every_tile_that_is_not_on_the_table() -> None:
    with pytest.raises(PositionError, match="neither in a pot nor on the board"):
        sunda({"pots": "private"}).position(ISLET)
