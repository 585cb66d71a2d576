"""``arena replay --ask``, or ``--ask all``: what each reference bot would have played at one decision, and what that is worth."""

from __future__ import annotations

import sys
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING

from arena.cli.play.replay_ask import Wishes, find_terms, say_decision
from arena.cli.support import UserError, console, say, showing_tracebacks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.analysis.decision_replay import BotAnswer
    from bots.host.player_pool import PlayerPool
    from bots.loader.version import BotVersion
    from engine.core import Game, Move
    from engine.records import Replay

ALL = "all"
"""The value of ``--ask`` that stands for every reference bot that plays the game; so does the option without a value."""


def ask_all(recorded: Replay, match: str | None, db: str, at: int | None, wishes: Wishes) -> None:
    """Ask every reference bot in the position after ``at`` decisions, each for that one alone, and show a table. Raises UserError."""
    from arena.analysis.decision_replay import NotAskedError, ask_again, check_decision
    from arena.play.isolation import BEST, open_player_pool
    from engine.replay.verifier import game_of, verify_replay
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    if at is None:
        raise UserError("--ask: say with --at K in which position, the one after K decisions")
    verify_replay(recorded)
    try:
        check_decision(recorded, at)
    except NotAskedError as error:
        raise UserError(f"--at {at}: {error}") from None
    rules = game_of(recorded)
    answers: dict[str, BotAnswer] = {}
    with showing_tracebacks(), ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))
        store = stack.enter_context(Store.read(db)) if match is not None or find_database(db).exists() else None
        terms = find_terms(recorded, match, store, wishes)
        pool = stack.enter_context(open_player_pool(wishes.isolation or BEST, None, rules, terms.runtime))
        for version in _players_of(rules, pool):
            player = pool.seat(version)
            answers[version.name] = ask_again(recorded, at, player, terms.ticket, terms.clock, seed=wishes.seed, alone=True)
    say_decision(recorded, at)
    say(terms.told if wishes.seed is None else f"The bots' seed is {wishes.seed}.")
    say("")
    _show(recorded, at, answers)


def _players_of(rules: Game, pool: PlayerPool) -> list[BotVersion]:
    """Return the reference bots that play the game."""
    from arena.entries.bot_resolution import find_bot
    from arena.entries.preflight import check_plays
    from bots.loader.loading import REFERENCE_BOTS
    from bots.loader.version import BotError
    from bots.sandbox.levels import Level

    found = []
    for name in REFERENCE_BOTS:
        version = find_bot(name, None, in_process=pool.level is Level.NONE)
        try:
            check_plays(version, rules)
        except BotError:
            continue
        found.append(version)
    return found


def _show(recorded: Replay, at: int, answers: dict[str, BotAnswer]) -> None:
    """Print a table of the moves, the recorded one first."""
    from rich.table import Table
    from rich.text import Text

    from arena.analysis.match_analysis import Method, Unit
    from arena.analysis.move_quality import MoveSearch
    from arena.analysis.position_value import judge_of
    from engine.render.drawing import describe_move, named
    from engine.replay.verifier import game_of, timeline_of

    rules, timeline = game_of(recorded), timeline_of(recorded)
    judge = judge_of(rules, recorded.players)
    search = MoveSearch(timeline, judge, None, 0)
    names = _apart(timeline.names)
    is_chance = judge.unit is Unit.CHANCE
    position = timeline.states[at]

    def worth(move: Move) -> str:
        found = search.worth(at, move)
        return f"{100 * found:.1f} %" if is_chance else f"{found:.1f}"

    def words(move: Move) -> str:
        told = named(describe_move(position, move), names)
        return "" if told == str(move) else told

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("bot", "move", "", "chance after it" if is_chance else "points at the end", "in words"):
        table.add_column(header, justify="right" if header.startswith(("chance", "points")) else "left", overflow="fold")
    played = timeline.moves[at]
    table.add_row("recorded", Text(str(played)), "", worth(played), Text(words(played)), style="bold")
    for name, answer in answers.items():
        if answer.move is None:
            assert answer.kind is not None
            table.add_row(name, Text(answer.kind.value), "", "", Text(answer.detail))
            continue
        same = "the same" if answer.move == played else "other"
        table.add_row(name, Text(str(answer.move)), same, worth(answer.move), Text(words(answer.move)))
    console().print(table)
    say("")
    how = "random games to the end" if judge.method is Method.PLAYOUTS else f"the value function {judge.version}"
    what = "Chances to win are those of the seat" if is_chance else "Points are those of the seat"
    say(f"{what} by {how}, over what draws and dice may bring.")


def _apart(names: Sequence[str]) -> list[str]:
    """Return the names, with their seats where several are alike."""
    return [f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)]
