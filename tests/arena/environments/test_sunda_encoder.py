"""What the engine writes for environments of Sunda to Sahul: equal to the reference encoder's, with nothing in it that is hidden."""

from random import Random

import pytest

from arena.environments.sunda import encoder
from engine.sunda import SundaGame
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
