"""``arena replay --ask``: asks any bot, or every reference bot, for one decision of a match, and compares it with the recorded one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from arena.cli.options import read_clock, read_runtime
from arena.cli.output import UserError, bot_tracebacks, console, print_json, print_line, print_text

if TYPE_CHECKING:
    from arena.analysis.decision_replay import BotAnswer
    from bots.host.player_pool import PlayerPool
    from bots.limits import Runtime
    from bots.loader.version import BotVersion
    from bots.protocol import ClockSpec
    from engine.core import Game, Move
    from engine.records import Replay, Ticket
    from leaderboard.storage.store import Store

ALL = "all"
"""The value of ``--ask`` that asks every reference bot that plays the game."""
_NAMED = 3
"""At most this many earlier decisions are listed as different."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The options of ``--ask``."""

    bot: str
    seed: int | None
    clock: list[str] | None
    runtime: list[str] | None
    isolation: str | None
    trusts: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """The ticket, limits and runtime under which bots are asked, and a sentence that says where they come from."""

    ticket: Ticket
    clock: ClockSpec
    runtime: Runtime
    origin: str


@dataclass(frozen=True, slots=True)
class _Question:
    """A decision to repeat, with everything needed to ask bots for it."""

    replay: Replay
    at: int
    game: Game
    terms: Terms
    store: Store | None
    pool: PlayerPool


def ask(replay: Replay, match: str | None, db: str, at: int | None, options: AskOptions) -> None:
    """Ask a bot, or each reference bot, for its move after ``at`` decisions, and show the answers. Raises UserError.

    ``match`` is the id of a stored match, or None for a file.
    """
    if at is None:
        raise UserError(f"--ask {options.bot} needs a position; give --at K, the position after K decisions")
    if options.bot == ALL:
        with _opened(replay, match, db, at, options) as question:
            answers = _ask_all(question, options)
        if options.as_json:
            print_json(_as_data(question, answers))
        else:
            _show_all(question, answers, options)
    else:
        with _opened(replay, match, db, at, options) as question:
            version, answer = _ask_one(question, options)
        if options.as_json:
            print_json(_as_data(question, {version.name: answer}))
        else:
            _show_one(question, version, answer, options)


@contextmanager
def _opened(replay: Replay, match: str | None, db: str, at: int, options: AskOptions) -> Iterator[_Question]:
    from arena.analysis.decision_replay import NoDecisionError, check_decision
    from arena.bots import BEST, open_player_pool
    from engine.replay.verifier import game_of, verify_replay
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    verify_replay(replay)
    try:
        check_decision(replay, at)
    except NoDecisionError as error:
        raise UserError(f"--at {at}: {error}") from None
    game = game_of(replay)
    with bot_tracebacks(), ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))  # output of a bot in this process is not a result
        store = stack.enter_context(Store.read(db)) if match is not None or find_database(db).exists() else None
        terms = _find_terms(replay, match, store, options.clock, options.runtime)
        pool = stack.enter_context(open_player_pool(options.isolation or BEST, None, game, terms.runtime))
        yield _Question(replay, at, game, terms, store, pool)


def _find_terms(
    replay: Replay, match: str | None, store: Store | None, given_clock: list[str] | None, given_runtime: list[str] | None
) -> Terms:
    """Return the given seed and limits or, as far as they are known, the seed and limits of the recorded match. Raises UserError.

    ``match`` is the id of a stored match, or None for a file.
    """
    from arena.formats.base import derivation_of
    from arena.play.match import make_ticket
    from arena.tournament import secret_of, stored_spec
    from engine.records import Ticket
    from engine.replay.verifier import game_of
    from leaderboard.storage.play_tables import find_human_match

    clock, runtime = read_clock(given_clock), read_runtime(given_runtime)
    of_a_file = Terms(
        make_ticket(game_of(replay), replay.names, seed=replay.seed),
        clock,
        runtime,
        "A replay doesn't record the bot's seed and limits, so the defaults of 'arena match' are used; --bot-seed and --clock change them.",
    )
    if match is None or store is None:
        return of_a_file
    if find_human_match(store, match) is not None:
        origin = "The bot's seed comes from the match; the limits are the defaults of 'arena match', and --clock changes them."
        return Terms(Ticket(match, replay.names, 0, 0, replay.names, replay.seed), clock, runtime, origin)
    stored = store.find_match(match)
    tournament = store.tournament(stored.tournament)
    assert tournament is not None
    spec = stored_spec(tournament)
    try:
        key = derivation_of(spec, secret_of(tournament)).keys.bot_key(stored.id)
    except ValueError:  # the secret of the tournament is not published
        return of_a_file
    ticket = Ticket(stored.id, replay.names, 0, 0, replay.names, replay.seed, key=key)
    runtime = runtime if given_runtime else spec.runtime.runtime
    if given_clock:
        return Terms(ticket, clock, runtime, f"The bot's seed comes from the tournament '{tournament.name}'.")
    return Terms(ticket, spec.clock.limits, runtime, f"The bot's seed and limits come from the tournament '{tournament.name}'.")


def _ask_one(question: _Question, options: AskOptions) -> tuple[BotVersion, BotAnswer]:
    from arena.analysis.decision_replay import ask_again
    from arena.bots import admit, find_bot, rehearse
    from bots.host.player_pool import untimed_when_debugged
    from bots.limits import Level

    terms, pool = question.terms, question.pool
    in_process, most = pool.level is Level.NONE, terms.runtime.most_bytes
    version = find_bot(options.bot, question.store, in_process=in_process, most=most)
    admit([version], pool.level, trusted=options.trusts, clock=terms.clock)
    rehearse([version], question.game, pool)
    player = pool.seat(version)
    with untimed_when_debugged([player]):
        return version, ask_again(question.replay, question.at, player, terms.ticket, terms.clock, seed=options.seed)


def _ask_all(question: _Question, options: AskOptions) -> dict[str, BotAnswer]:
    from arena.analysis.decision_replay import ask_again
    from arena.bots import check_plays, find_bot
    from bots.errors import BotError
    from bots.limits import Level
    from bots.loader.reference_bots import REFERENCE_BOTS

    answers = {}
    terms, pool = question.terms, question.pool
    for name in REFERENCE_BOTS:
        version = find_bot(name, None, in_process=pool.level is Level.NONE)
        try:
            check_plays(version, question.game)
        except BotError:
            continue
        answers[name] = ask_again(
            question.replay, question.at, pool.seat(version), terms.ticket, terms.clock, seed=options.seed, alone=True
        )
    return answers


def _as_data(question: _Question, answers: dict[str, BotAnswer]) -> dict[str, object]:
    decision = question.replay.decisions[question.at]
    return {
        "index": question.at,
        "seat": decision.seat,
        "name": question.replay.names[decision.seat],
        "legal": decision.legal,
        "recorded": decision.move,
        "answers": [
            {"bot": bot, **asdict(replace(answer, move=None)), "move": None if answer.move is None else str(answer.move)}
            for bot, answer in answers.items()
        ],
    }


def _show_decision(question: _Question, seed: str) -> None:
    replay, at = question.replay, question.at
    decision = replay.decisions[at]
    forfeit = next((each for each in replay.forfeits if each.seat == decision.seat and each.index <= at), None)
    who = f"seat {decision.seat}, {replay.names[decision.seat]}"
    print_line(f"Decision {at + 1} of {len(replay.decisions)}: {who}, {decision.legal} legal moves.")
    if forfeit is not None:
        print_line(f"A substitute had taken that seat at decision {forfeit.index + 1} ({forfeit.reason}).")
    print_line(seed or question.terms.origin)


def _show_one(question: _Question, version: BotVersion, answer: BotAnswer, options: AskOptions) -> None:
    from engine.replay.verifier import state_at

    at, recorded = question.at, question.replay.decisions[question.at].move
    _show_decision(question, "" if options.seed is None else f"The bot's seed is {options.seed}.")
    if answer.asked:
        named = ", ".join(f"{move} at decision {index + 1}" for index, move in answer.different[:_NAMED])
        more = f" and {len(answer.different) - _NAMED} more" if len(answer.different) > _NAMED else ""
        same = f"but not always with the same answer: {named}{more}" if answer.different else "with the same answers"
        what = "earlier decision" if answer.asked == 1 else f"{answer.asked} earlier decisions"
        print_line(f"{version.name} was first asked for the seat's {what}, {same}.")
    print_line("")
    print_line(f"recorded: {recorded}")
    if answer.move is None:
        assert answer.kind is not None
        where = "" if answer.index == at else f", already at decision {answer.index + 1}"
        print_line(f"now:      {answer.kind.value}{where}: {answer.detail}")
    else:
        what = "the same" if str(answer.move) == recorded else "a different move"
        if not state_at(question.replay, at).is_legal(answer.move):
            what = "not legal"
        print_line(f"now:      {answer.move} ({what}, {1000 * answer.seconds:.1f} ms, CPU {1000 * answer.cpu_seconds:.1f} ms)")
    if answer.traceback:
        print_text("\n" + answer.traceback)
    if answer.log:
        print_text(f"\n{version.name} printed:\n" + answer.log.rstrip("\n"))


def _show_all(question: _Question, answers: dict[str, BotAnswer], options: AskOptions) -> None:
    from rich.table import Table
    from rich.text import Text

    from arena.analysis.analyser import digest_of, names_of
    from arena.analysis.match_analysis import Method, Unit
    from arena.analysis.move_quality import MoveSearch
    from arena.analysis.position_value import judge_of
    from engine.render.drawing import describe_move, named
    from engine.replay.verifier import timeline_of
    from engine.text import percent

    _show_decision(question, "" if options.seed is None else f"The bots' seed is {options.seed}.")
    print_line("")
    at, timeline = question.at, timeline_of(question.replay)
    judge = judge_of(question.game, question.replay.players, digest_of(question.replay))
    search = MoveSearch(timeline, judge)
    names = names_of(timeline)
    is_chance = judge.unit is Unit.CHANCE

    def row(name: str, move: Move, same: str, style: str = "") -> None:
        worth = search.worth(at, move)
        words = named(describe_move(timeline.states[at], move), names)
        shown = percent(worth, 1) if is_chance else f"{worth:.1f}"
        table.add_row(name, Text(str(move)), same, shown, Text("" if words == str(move) else words), style=style)

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("bot", "move", "", "chance after the move" if is_chance else "points at the end", "in words"):
        table.add_column(header, justify="right" if header.startswith(("chance", "points")) else "left", overflow="fold")
    played = timeline.moves[at]
    row("recorded", played, "", "bold")
    for name, answer in answers.items():
        if answer.move is None:
            assert answer.kind is not None
            table.add_row(name, Text(answer.kind.value), "", "", Text(answer.detail))
        else:
            row(name, answer.move, "the same" if answer.move == played else "different")
    console().print(table)
    print_line("")
    how = "random games to the end" if judge.method is Method.PLAYOUTS else f"the value function {judge.version}"
    what = "The seat's chances of winning" if is_chance else "The seat's points"
    print_line(f"{what} are estimated with {how}, averaged over possible draws and dice.")
