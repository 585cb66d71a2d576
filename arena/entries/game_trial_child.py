"""The process that tries out a game for `arena.entries.game_trial`: it plays and shows the game as a server would, and reports sizes."""

from __future__ import annotations

import os
from contextlib import suppress
from random import Random
from time import process_time
from typing import Any, Final

import msgspec

from arena.entries.game_trial import MEMORY_CODE, Verdict
from bots.limits import limit_reading
from bots.messages import decode_options
from engine.core import EngineError, Game, State
from engine.registry import Registration, add_game, find_game, find_plugin
from engine.render import drawing
from engine.text import quote

_SECONDS: Final = 1.0
"""For how many CPU seconds a match is played."""
_CHEAP: Final = 0.5
"""A refusal that took fewer CPU seconds than this is not remembered."""


def main(order: dict[str, Any]) -> None:
    """Try out the game that ``order`` names and write the verdict to stdout."""
    answer = os.dup(1)
    os.dup2(2, 1)  # libraries may write to stdout
    registration = Registration(**order["registration"])
    add_game(registration)
    began = process_time()
    try:
        find_plugin(registration.name)  # packages that the host has installed are imported without limits
        limit_reading(order["memory"], order["cpu"] + int(process_time()))
        with suppress(OSError):  # the host already has the lowest priority
            os.nice(10)
        verdict = _tried(find_game(order["game"], decode_options(order["options"])))
    except MemoryError:
        os._exit(MEMORY_CODE)
    except Exception as error:  # noqa: BLE001  # code of another package may raise anything
        if isinstance(error.__cause__, MemoryError):
            os._exit(MEMORY_CODE)
        is_refusal = isinstance(error, EngineError)
        said = str(error) if is_refusal else f"{quote(order['game'])} can't be used: {type(error).__name__}: {error!s:.200}"
        verdict = Verdict(said, is_final=process_time() - began > _CHEAP)
    os.write(answer, msgspec.json.encode(verdict))
    os._exit(0)  # without deallocating the game, which could fail


def _tried(game: Game) -> Verdict:
    verdict = Verdict()
    for players in {game.min_players, game.max_players}:
        verdict = _played(game, players, verdict)
    return verdict


def _played(game: Game, players: int, verdict: Verdict) -> Verdict:
    """Play a match of random moves and process its first, second, fourth, eighth ... and last position."""
    random, until = Random(1), process_time() + _SECONDS
    state = game.new(players, 1)
    index, looks = 0, 1
    verdict = _shown(state, verdict)
    while state.actor is not None and process_time() < until:
        move = state.random_move(random)
        game.parse(str(move))
        state.play(move)
        index += 1
        if index == looks:
            looks *= 2
            verdict = _shown(state, verdict)
    return _shown(state, verdict)


def _shown(state: State, verdict: Verdict) -> Verdict:
    """Process a position as pages and commands do; return the verdict with the greatest sizes so far."""
    moves, texts, drawings = verdict.moves, verdict.text, verdict.drawing
    began = process_time()
    for seat in {-1, -1 if state.actor is None else state.actor}:
        view = state.view(seat)
        known = view.position
        offered = [f"{move} {drawing.describe_move(known, move)}" for move in view.legal_moves] if seat == state.actor else []
        moves = max(moves, sum(len(each.encode()) for each in offered))
        texts = max(texts, len(str(known).encode()))
        drawing.drawer(known).summarize(known)
        drawings = max(drawings, len(drawing.svg(known).encode()))
    seconds = process_time() - began
    state.game.position(state.text)
    if state.actor is not None and state.game.can_sample:
        with suppress(EngineError):  # pages and some bots also work without samples
            sampled = state.view(state.actor).sample(Random(1))
            sampled.play(sampled.random_move(Random(1)))
    return Verdict(moves=moves, drawing=drawings, text=texts, seconds=round(max(verdict.seconds, seconds), 3))
