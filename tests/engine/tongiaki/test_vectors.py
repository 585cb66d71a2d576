"""Recorded games, the plain implementation of the rules and random games agree with the engine at every decision."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from engine.core import Move
from engine.replay.format import read_replay, write_replay
from engine.replay.verifier import verify_replay
from engine.tongiaki import TONGIAKI, Kind, Phase, TongiakiState
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, TONGA
from engine.tongiaki.notation.moves import CROWNS, ENTERS, EXPANDS, PLACES, SAILS, SETTLES, TAKES, THE_PASS, THE_RECOLONISE, lay
from engine.tongiaki.rules.legal import DEPARTURES_GUARD
from tests.engine.tongiaki.helpers import VECTORS, fifteen_each, listed, picture
from tests.engine.tongiaki.plain import Plain


def test_all_twenty_vectors_are_there() -> None:
    assert len(VECTORS) == 20


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_vector_verifies_and_is_written_as_it_was_read(path: Path) -> None:
    replay = read_replay(path.read_text(encoding="utf-8"))
    verify_replay(replay)
    assert read_replay(write_replay(replay)) == replay


def prefer(moves: list[str], word: str, rng: Random) -> str:
    """A move that begins with the word, where there is one, four times in five; the players who only ever play at random meet little."""
    wanted = [move for move in moves if move.startswith(word)]
    return rng.choice(wanted if wanted and rng.random() < 0.8 else moves)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("word", ["", "expand", "crown", "take", "enter", "recolonise"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_both_implementations_agree_at_every_step(players: int, word: str) -> None:
    rng = Random(f"{players} {word}")
    for _ in range(2):
        seed = rng.randrange(2**40)
        plain, state = Plain(players, seed), TONGIAKI.new(players, seed)
        while plain.actor is not None:
            moves = plain.legal()
            assert listed(state) == moves
            assert state.actor == plain.actor
            assert picture(state) == plain.board()
            move = prefer(moves, word, rng)
            plain.play(move)
            state.play(TONGIAKI.parse(move))
        outcome = state.outcome
        assert outcome is not None
        assert (list(outcome.scores), list(outcome.ranks), str(outcome.ending)) == plain.outcome()
        assert picture(state) == plain.board()


CHUNKS = 40

GAMES = 50

EVERY_KIND = [
    *("place 0", "expand Tonga 0", "expand Samoa 0,1,2", "take Tonga:0", "pass", "crown Tonga", "crown Samoa", "recolonise"),
    *("enter Tonga 0,0", "enter Samoa 2", "lay 0,0 0", "lay 1,-1 4", "settle 0", "settle 5", "sail Tonga 0"),
    *("sail Samoa 5", "land", "land 0:0"),
]

MOVES = [TONGIAKI.parse(text) for text in EVERY_KIND]

NEARBY = range(-6, 7)

EVERY_LAY = [lay(q, r, crest) for q in NEARBY for r in NEARBY for crest in range(6)]

EVERY_OTHER = [
    *(THE_PASS, THE_RECOLONISE, *PLACES, *SETTLES, *CROWNS, *TAKES, *SAILS),
    *(move for island in EXPANDS for moves in island[1:] for move in moves),
    *(move for island in ENTERS for move in island),
]
"""With them, every move there is but for landings and tiles far off."""


def a_move(state: TongiakiState, rng: Random, taste: int) -> Move:
    """A random move; some players colonise anew rarely, so that boards grow full and supplies empty."""
    move = state.legal_moves.random(rng)
    while taste and str(move) == "recolonise" and len(state.legal_moves) > 1 and rng.random() < 0.95:
        move = state.legal_moves.random(rng)
    return move


def check_board(state: TongiakiState) -> None:
    """The board's tables agree with each other."""
    board = state.board
    assert all(0 <= board.count[beach] <= BERTHS[beach] for beach in range(len(BERTHS)))
    assert board.islands == [tile for tile in board.cells.values() if tile < N_ISLANDS]
    assert all(board.where[tile] == cell for cell, tile in board.cells.items())
    for island in range(N_ISLANDS):
        beaches = range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island])
        assert board.ashore[island] == sum(board.packed[beach] for beach in beaches)
        if board.royal[island] >= 0:
            assert island != TONGA
            assert board.where[island] >= 0
            assert not board.ashore[island]
    assert board.full == sum(1 << beach for beach in range(len(BERTHS)) if board.count[beach] == BERTHS[beach])
    assert all(board.royals(seat) <= 2 for seat in range(state.players))
    assert not board.stranded or state.ending is not None
    tiles = [*board.cells.values(), *state.deck, *([state.hand] if state.hand >= 0 else [])]
    assert len(set(tiles)) == len(tiles)


def check_decision(state: TongiakiState) -> None:
    """No ship is lost, no beach is full at the start of a turn, and what is legal is said alike by all who are asked."""
    assert fifteen_each(state)
    assert state.departures <= DEPARTURES_GUARD
    if state.phase in {Phase.SETUP, Phase.TURN, Phase.TAKEN, Phase.SETTLE}:
        assert not state.board.full
    if state.phase is Phase.SAIL:
        assert state.board.full
    moves = list(state.legal_moves)
    assert moves
    assert len(state.legal_moves) == len(moves)
    assert all(move in state.legal_moves for move in (moves[0], moves[-1], moves[len(moves) // 2]))
    for move in MOVES:
        assert (move in state.legal_moves) == (move in moves)


def check_closely(state: TongiakiState) -> None:
    """What is too slow to look at everywhere."""
    check_board(state)
    moves = state.list_moves()
    texts = [str(move) for move in moves]
    assert [TONGIAKI.parse(text) for text in texts] == list(moves)
    assert {move for move in EVERY_OTHER if state.is_legal(move)} == {move for move in moves if move.kind not in {Kind.LAY, Kind.LAND}}
    assert not {move for move in EVERY_LAY if state.is_legal(move)} - set(moves)
    assert all(state.is_legal(move) for move in moves)
    assert TONGIAKI.position(state.text) == state
    assert listed(TONGIAKI.position(state.text)) == texts


@pytest.mark.sampled(6)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_games_hold_the_invariants(chunk: int) -> None:
    for number in range(GAMES * chunk, GAMES * (chunk + 1)):
        rng = Random(number)
        state = TONGIAKI.new(2 + number % 5, number)
        decisions = 0
        while state.actor is not None:
            if decisions % 11 == number % 11:
                check_decision(state)
            if decisions % 149 == number % 149:
                check_closely(state)
            state.play(a_move(state, rng, number % 2))
            decisions += 1
        assert fifteen_each(state)
        check_board(state)
        assert list(state.legal_moves) == []
        assert TONGIAKI.position(state.text) == state


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_some_games_hold_them_at_every_decision(players: int) -> None:
    state, rng = TONGIAKI.new(players, players), Random(players)
    kinds = set()
    while state.actor is not None:
        check_decision(state)
        check_closely(state)
        move = a_move(state, rng, players % 2)
        kinds.add(Kind[str(move).split(" ", maxsplit=1)[0].upper()])
        state.play(move)
    assert {Kind.PLACE, Kind.EXPAND, Kind.SAIL, Kind.LAND} <= kinds
