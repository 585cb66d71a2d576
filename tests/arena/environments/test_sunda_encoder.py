"""What the engine writes for environments of Sunda to Sahul: equal to the reference encoder's, with nothing in it that is hidden."""

from random import Random

import pytest

from arena.environments.sunda import encoder
from engine.core import ReadOnlyError, State
from engine.sunda import SundaGame, SundaState
from engine.sunda.observation import ENDED, GOES_ON, REFUSED, pack_many, play_many, play_random, step_many
from tests.arena.environments import reference_sunda
from tests.engine.sunda.helpers import line_ups, random_game

LINE_UPS = list(line_ups())


def compare(game: SundaGame, players: int, seed: int, every: int) -> tuple[int, int]:
    """Compare the observations and rows of a game, each ``every`` decisions; return how many of both."""
    fast, slow = encoder(game, players), reference_sunda.encoder(game, players)
    rng = Random(seed)
    observations = rows = 0
    for number, state in enumerate(random_game(game, players, seed)):
        if number % every and state.actor is not None:
            continue
        for seat in {number // every % players, players - 1 if state.actor is None else state.actor}:
            view = state.view(seat)
            packed = fast.pack(state, seat)
            assert packed == slow.pack(state, seat)
            assert packed == fast.pack(view.position, seat), "a view shows as much"
            assert packed == fast.pack(view.sample(rng), seat), "what is hidden makes no difference"
            packed = fast.pack_rows(state, seat)
            assert packed == slow.pack_rows(state, seat)
            observations += 1
            rows += len(packed) // fast.row_size
    return observations, rows


@pytest.mark.sampled(9)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_what_the_engine_writes_is_what_the_reference_encoder_says(number: int) -> None:
    game, players = LINE_UPS[number]
    observations, rows = compare(game, players, seed=500 + number, every=23)
    assert observations > 3
    assert rows > 100


def test_the_rows_of_moves_are_those_of_the_legal_moves_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    game, players = LINE_UPS[0]
    fast = encoder(game, players)
    for number, state in enumerate(random_game(game, players, 1)):
        if number % 20 == 0 and state.actor is not None:
            all_rows = fast.rows(state.view(state.actor), state.list_moves())
            monkeypatch.setattr(fast, "actions", 30)
            assert fast.pack_rows(state, state.actor) == all_rows[:30].tobytes()
            monkeypatch.undo()
            assert fast.pack_rows(state, state.actor) == all_rows.tobytes()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(1, len(LINE_UPS), 2))
def test_many_matches_at_a_time_go_as_one_by_one(number: int) -> None:
    game, players = LINE_UPS[number]
    fast = encoder(game, players)
    rng = Random(number)
    alone: list[SundaState] = [game.new(players, seed) for seed in range(2)]
    together: list[State] = [game.new(players, seed) for seed in range(2)]
    while together:
        packed, numbers = pack_many(together, [-1] * len(together), fast.actions)
        assert packed == b"".join(fast.pack(state, state.actor) for state in alone if state.actor is not None)
        told = [int.from_bytes(numbers[at : at + 4], "little", signed=True) for at in range(0, len(numbers), 4)]
        assert told[::2] == [state.actor for state in alone]
        assert told[1::2] == [min(len(state.list_moves()), fast.actions) for state in alone]
        actions = [rng.randrange(count) for count in told[1::2]]
        became = play_many(together, actions, fast.actions)
        for state, action in zip(alone, actions, strict=True):
            state.play(state.list_moves()[action])
        assert together == alone
        assert [state.events for state in together] == [state.events for state in alone]
        assert list(became) == [ENDED if state.actor is None else GOES_ON for state in alone]
        alone = [state for state in alone if state.actor is not None]
        together = [state for state in together if state.actor is not None]


def test_the_numbers_of_a_match_that_is_over_name_nobody() -> None:
    game, players = LINE_UPS[0]
    state = game.new(players, 1)
    state.playout(Random(1))
    packed, numbers = pack_many([state], [-1], 5120)
    assert packed == encoder(game, players).pack(state, 0)
    assert numbers == b"\xff\xff\xff\xff\0\0\0\0"


def test_an_action_that_is_no_move_plays_nothing() -> None:
    game, players = LINE_UPS[0]
    states: list[State] = [game.new(players, 1) for _ in range(3)]
    count = states[0].count_moves()
    assert list(play_many(states, [-1, count, count - 1], 5120)) == [REFUSED, REFUSED, GOES_ON]
    assert list(play_many(states[:1], [3], 3)) == [REFUSED], "there are only three actions"
    assert states[0] == states[1] == game.new(players, 1)


def test_what_a_view_shows_cannot_be_played_on() -> None:
    game, players = LINE_UPS[0]
    with pytest.raises(ReadOnlyError):
        play_many([game.new(players, 1).view(0).position], [0], 5120)


@pytest.mark.parametrize("number", [5, 20, 30])
def test_others_that_play_at_random_draw_what_the_bot_random_draws(number: int) -> None:
    game, players = LINE_UPS[number % len(LINE_UPS)]
    quick, plain = game.new(players, 7), game.new(players, 7)
    generators, others = [Random(seat) for seat in range(players)], [Random(seat) for seat in range(players)]
    play_random([quick], [0], [generators])
    while True:
        while plain.actor not in {0, None}:
            assert plain.actor is not None
            plain.play(plain.list_moves()[0] if plain.count_moves() == 1 else plain.random_move(others[plain.actor]))
        assert quick == plain
        assert quick.events == plain.events
        if plain.actor is None:
            break
        plain.play(plain.list_moves()[0])
        told, packed, numbers = step_many([quick], [0], [0], [generators], 5120)
        assert list(told) == [ENDED if plain.actor is None else GOES_ON]
        assert (packed, numbers) == pack_many([quick], [0], 5120)
