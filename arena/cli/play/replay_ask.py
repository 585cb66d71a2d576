"""``arena replay --ask``: one decision of a match again, by any bot, with its move beside the recorded one."""

from __future__ import annotations

import sys
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.cli.support import UserError, read_clock, read_runtime, say, say_lines, showing_tracebacks

if TYPE_CHECKING:
    from arena.analysis.decision_replay import BotAnswer
    from bots.loader.version import BotVersion
    from bots.protocol import ClockSpec
    from bots.runtime import Runtime
    from engine.records import Replay, Ticket
    from leaderboard.storage.store import Store

_LISTED = 3
"""Earlier decisions that are named of those that came out differently."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of ``--ask`` say."""

    bot: str
    seed: int | None
    clock: list[str] | None
    runtime: list[str] | None
    isolation: str | None
    trusts: bool
    alone: bool


@dataclass(frozen=True, slots=True)
class _Terms:
    """The ticket, the limits and the runtime of the recorded match, and a sentence on where they are from."""

    ticket: Ticket
    clock: ClockSpec
    runtime: Runtime
    told: str


def ask(recorded: Replay, match: str | None, db: str, at: int | None, wishes: Wishes) -> None:
    """Ask a bot in the position after ``at`` decisions, and show its answer. Raises UserError.

    ``match`` is the id of a stored match, None for a file.
    """
    from arena.analysis.decision_replay import NotAskedError, ask_again, check_decision
    from arena.entries.bot_resolution import find_bot
    from arena.entries.preflight import rehearse
    from arena.play.isolation import BEST, admit, open_player_pool
    from bots.host.debugger import untimed_when_debugged
    from bots.sandbox.levels import Level
    from engine.replay.verifier import game_of, verify_replay
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    if at is None:
        raise UserError(f"--ask {wishes.bot}: say with --at K in which position, the one after K decisions")
    verify_replay(recorded)
    try:
        check_decision(recorded, at)
    except NotAskedError as error:
        raise UserError(f"--at {at}: {error}") from None
    rules = game_of(recorded)
    with showing_tracebacks(), ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))  # what a bot prints in this process is no result
        store = stack.enter_context(Store.read(db)) if match is not None or find_database(db).exists() else None
        terms = find_terms(recorded, match, store, wishes)
        pool = stack.enter_context(open_player_pool(wishes.isolation or BEST, None, rules, terms.runtime))
        in_process, most = pool.level is Level.NONE, terms.runtime.most_bytes
        version = find_bot(wishes.bot, store, in_process=in_process, trusted=wishes.trusts, most=most)
        admit([version], pool.level, trusted=wishes.trusts, clock=terms.clock)
        rehearse([version], rules, pool)
        player = pool.seat(version)
        with untimed_when_debugged([player]):
            answer = ask_again(recorded, at, player, terms.ticket, terms.clock, seed=wishes.seed, alone=wishes.alone)
    _show(recorded, at, version, terms, answer, wishes)


def find_terms(recorded: Replay, match: str | None, store: Store | None, wishes: Wishes) -> _Terms:
    """Return what the seat had, as far as that is known."""
    from arena.play.match import make_ticket
    from engine.replay.verifier import game_of

    given, runtime = read_clock(wishes.clock), read_runtime(wishes.runtime)
    of_a_file = _Terms(
        make_ticket(game_of(recorded), recorded.names, seed=recorded.seed),
        given,
        runtime,
        "A file does not say which seed and limits the bot had: these are as in 'arena match'; --bot-seed and --clock give others.",
    )
    if match is None or store is None:
        return of_a_file
    from leaderboard.storage.human_matches import find_human_match

    if find_human_match(store, match) is not None:
        ticket = _ticket(match, recorded)
        told = "The bot's seed is that of the match; the limits are as in 'arena match', and --clock gives others."
        return _Terms(ticket, given, runtime, told)
    return _terms_of_tournament(recorded, match, store, wishes) or of_a_file


def _terms_of_tournament(recorded: Replay, match: str, store: Store, wishes: Wishes) -> _Terms | None:
    """Return what a seat of a tournament had, or None if its secret is not there."""
    from arena.entries.stored_tournament import secret_of, stored_spec
    from arena.formats.base import derivation_of

    stored = store.find_match(match)
    tournament = store.tournament(stored.tournament)
    assert tournament is not None
    spec = stored_spec(tournament)
    derivation = derivation_of(spec, secret_of(tournament))
    try:
        key = derivation.keys.bot_key(stored.id)
    except ValueError:
        return None
    ticket = _ticket(stored.id, recorded, key)
    runtime = read_runtime(wishes.runtime) if wishes.runtime else spec.runtime.runtime
    if wishes.clock:
        return _Terms(ticket, read_clock(wishes.clock), runtime, f"The bot's seed is that of the tournament '{tournament.name}'.")
    return _Terms(ticket, spec.clock.limits, runtime, f"The bot's seed and limits are those of the tournament '{tournament.name}'.")


def _ticket(match: str, recorded: Replay, key: str = "") -> Ticket:
    from engine.records import Ticket

    return Ticket(match, recorded.names, 0, 0, recorded.names, recorded.seed, key=key)


def say_decision(recorded: Replay, at: int) -> None:
    """Say which decision it is, and whose."""
    decision = recorded.decisions[at]
    forfeit = next((each for each in recorded.forfeits if each.seat == decision.seat and each.index <= at), None)
    who = f"seat {decision.seat}, {recorded.names[decision.seat]}"
    say(f"Decision {at + 1} of {len(recorded.decisions)}: {who}, {decision.legal} legal moves.")
    if forfeit is not None:
        say(f"A substitute had taken that seat at decision {forfeit.index + 1} ({forfeit.reason}).")


def _show(recorded: Replay, at: int, version: BotVersion, terms: _Terms, answer: BotAnswer, wishes: Wishes) -> None:
    decision = recorded.decisions[at]
    say_decision(recorded, at)
    say(terms.told if wishes.seed is None else f"The bot's seed is {wishes.seed}.")
    if answer.asked:
        named = ", ".join(f"{move} at decision {index + 1}" for index, move in answer.different[:_LISTED])
        more = f" and {len(answer.different) - _LISTED} more" if len(answer.different) > _LISTED else ""
        same = f"but not always with the same answer: {named}{more}" if answer.different else "with the same answers"
        what = "decision" if answer.asked == 1 else f"{answer.asked} decisions"
        say(f"{version.name} was asked for the seat's {what} before that, {same}.")
    say("")
    say(f"recorded: {decision.move}")
    if answer.move is None:
        assert answer.kind is not None
        where = "" if answer.index == at else f", at decision {answer.index + 1} already"
        say(f"now:      {answer.kind.value}{where}: {answer.detail}")
    else:
        what = "the same" if str(answer.move) == decision.move else "another move"
        if not _is_legal(recorded, at, answer):
            what = "not legal"
        say(f"now:      {answer.move} ({what}, {1000 * answer.seconds:.1f} ms, CPU {1000 * answer.cpu_seconds:.1f} ms)")
    if answer.traceback:
        say_lines("\n" + answer.traceback)
    if answer.log:
        say_lines(f"\n{version.name} printed:\n" + answer.log.rstrip("\n"))


def _is_legal(recorded: Replay, at: int, answer: BotAnswer) -> bool:
    from engine.replay.verifier import state_at

    assert answer.move is not None
    return state_at(recorded, at).is_legal(answer.move)
