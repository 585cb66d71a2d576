"""What an agent sees: all that its view shows, nothing else, in arrays within their spaces."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.environments.game_adapter import VERSION, GameAdapter
from arena.environments.sunda import SEATS
from engine.core import State
from tests.engine.sunda.helpers import line_ups, random_game

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("tongiaki", 3, {}),
    ("tongiaki", 6, {}),
    ("sunda", 1, {"level": 2}),
    ("sunda", 2, {"level": 5}),
    ("sunda", 3, {"level": 5, "mode": "simultaneous"}),
    ("sunda", 4, {"level": 1, "pots": "private"}),
]


def table(game: str, players: int, options: dict) -> GameAdapter:
    return GameAdapter(game, players, options, rewards=None, render_mode=None)


def observe(at: GameAdapter, state: State, seat: int) -> dict:
    at.state = state
    return at.observe(seat)


def equal(one: dict, other: dict) -> bool:
    arrays, others = one["observation"], other["observation"]
    return np.array_equal(one["action_mask"], other["action_mask"]) and all(np.array_equal(arrays[name], others[name]) for name in arrays)


def positions(at: GameAdapter, seed: int, every: int) -> Iterator[State]:
    """Positions of a random game, each ``every`` decisions."""
    state = at.begin(seed)
    rng = Random(seed)
    number = 0
    while state.actor is not None:
        number += 1
        if number % every == 0:
            yield state.copy()
        state.play(state.random_move(rng))
    yield state.copy()


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_every_observation_is_within_its_space(game: str, players: int, options: dict) -> None:
    at = table(game, players, options)
    space = at.encoder.observation_space()
    for state in positions(at, 1, 9):
        for seat in range(players):
            seen = observe(at, state, seat)
            assert space.contains(seen)
            assert seen["action_mask"].sum() == (state.count_moves() if state.actor == seat else 0)


def test_spaces_stay_the_same_as_long_as_the_version_of_the_environments_does() -> None:
    digest = sha256()
    for game, players, options in TABLES:
        encoder = table(game, players, options).encoder
        boxes = {name: field.box() for name, field in encoder.fields.items()} | {"moves": encoder.rows_space()}
        for name, box in boxes.items():
            digest.update(f"{name} {box.shape} {box.dtype} {encoder.actions}".encode() + box.low.tobytes() + box.high.tobytes())
    assert (VERSION, digest.hexdigest()[:16]) == (0, "1956b007d9a94589")


def digest_of(at: GameAdapter, states: Iterable[State], every: int = 1) -> str:
    """The digest of all observations and rows in each so many positions, and in the last one."""
    digest = sha256()
    for number, state in enumerate(states):
        if number % every == 0 or state.actor is None:
            for seat in range(at.players):
                digest.update(at.encoder.pack(state, seat) + at.encoder.pack_rows(state, seat))
    return digest.hexdigest()[:16]


@pytest.mark.parametrize(
    ("players", "digest"),
    list(enumerate(("dcda3a5aaa498a3b", "c7584ed06f93b7e8", "317e7ffc35540264", "e70398d7b02168d2", "03f94173b4710ff6"), start=2)),
)
def test_observations_of_tongiaki_stay_the_same_as_long_as_the_version_does(players: int, digest: str) -> None:
    at = table("tongiaki", players, {})
    states = list(positions(at, 39, 1))
    assert (VERSION, digest_of(at, states)) == (0, digest)
    assert observe(at, states[-1], 0)["observation"]["stranded"].any(), "in these games ships stay on waters"


@pytest.mark.parametrize(("part", "digest"), list(enumerate(("cec3974d437295b9", "bc2c06bed32b4898", "6b0dd370f4871fd0"))))
def test_observations_of_sunda_stay_the_same_as_long_as_the_version_does(part: int, digest: str) -> None:
    found = []
    for number, (game, players) in enumerate(line_ups()):
        if number % 3 == part:
            at = table("sunda", players, dict(game.options))
            found.append(digest_of(at, random_game(game, players, 500 + number), every=23))
    assert (VERSION, sha256("".join(found).encode()).hexdigest()[:16]) == (0, digest)


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_what_is_hidden_makes_no_difference(game: str, players: int, options: dict) -> None:
    at = table(game, players, options)
    encoder, rng = at.encoder, Random(0)
    for state in positions(at, 3, 17):
        for seat in range(players):
            packed, view = (encoder.pack(state, seat), encoder.pack_rows(state, seat)), state.view(seat)
            for other in (view.position, view.sample(rng)):
                assert (encoder.pack(other, seat), encoder.pack_rows(other, seat)) == packed


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_no_two_legal_moves_look_alike(game: str, players: int, options: dict) -> None:
    at = table(game, players, options)
    for state in positions(at, 2, 7):
        if state.actor is not None:
            rows = at.encoder.rows(state.view(state.actor), state.list_moves())
            assert len(np.unique(rows, axis=0)) == len(rows)


def test_what_others_choose_in_a_tick_is_neither_seen_nor_told_until_all_have_chosen() -> None:
    at = table("sunda", 3, {"mode": "simultaneous"})
    state = at.begin(5)
    at.act(0)
    before = state.copy()
    seen, told = [], []
    for action in (0, before.count_moves() - 1):
        at.state = before.copy()
        at.act(action)
        seen.append([at.observe(seat) for seat in range(3)])
        told.append([at.last_move(seat) for seat in range(3)])
    assert not equal(seen[0][0], seen[1][0]), "the seat itself knows"
    assert equal(seen[0][1], seen[1][1])
    assert equal(seen[0][2], seen[1][2])
    assert [text[1:] for text in told] == [["?", "?"], ["?", "?"]]
    assert told[0][0] == str(before.list_moves()[0])


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_legal_moves_do_not_hang_on_what_is_hidden(game: str, players: int, options: dict) -> None:
    at = table(game, players, options)
    for state in positions(at, 6, 25):
        if state.actor is not None:
            assert list(state.view(state.actor).legal_moves) == list(state.list_moves())


@pytest.mark.parametrize("seat", range(3))
def test_ones_own_seat_comes_first_in_tongiaki(seat: int) -> None:
    at = table("tongiaki", 3, {})
    for state in positions(at, 7, 30):
        tally = state.tally()
        columns = [tally[name] for name in ("supply", "points", "islands", "royal")]
        wanted = [[column[(seat + step) % 3] for column in columns] for step in range(3)]
        arrays = observe(at, state, seat)["observation"]
        assert arrays["seats"].tolist() == wanted
        on_table = arrays["ships"].sum(0) + arrays["stranded"].sum(0) + arrays["group"] + arrays["seats"][:, 3]
        assert (on_table + arrays["seats"][:, 0]).tolist() == [15, 15, 15]


def test_ones_own_seat_comes_first_in_sunda() -> None:
    at = table("sunda", 3, {"level": 5, "mode": "simultaneous"})
    for state in positions(at, 8, 60):
        tally = state.tally()
        for seat in range(3):
            arrays = observe(at, state, seat)["observation"]
            for name in ("points", "tokens", "raids"):
                wanted = [tally[name][(seat + step) % 3] for step in range(3)]
                assert arrays["seats"][:, SEATS.index(name)].tolist() == wanted
            assert (arrays["tiles"][:, 0] == 1).sum() == arrays["seats"][0, SEATS.index("pot")]
