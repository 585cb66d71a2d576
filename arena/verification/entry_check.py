"""Checking the entries of a stored tournament: its spec, its secret and its bots. Matches are checked elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import msgspec

from arena.formats.schedule import Schedule
from arena.spec.secret import SecretError, TournamentSecret, parse_secret
from arena.spec.spec import MissingGameError, Spec, SpecError, make_stored_spec
from arena.spec.tables import LadderPlan
from arena.verification.matches import Findings
from engine.core import EngineError
from engine.decoding import convert
from engine.text import quote
from leaderboard.records.evidence import EntrantRecord, SecretRecord, TournamentRecord
from leaderboard.records.stored import WAITING, Order


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """The entry of a tournament: its spec, its schedule, and the hashes of bots.

    ``contents`` has the bots that play, ``rated`` those whose results count.

    ``is_derived`` says whether tickets can be derived; if not, the secret is not published yet, and the schedule can only be counted.
    """

    spec: Spec
    schedule: Schedule
    contents: dict[str, str]
    rated: dict[str, str]
    is_derived: bool


def check_entry(tournament: TournamentRecord, findings: Findings, *, is_interim: bool) -> TournamentEntry | None:
    """Return the entry, or None if it can't be used.

    If the spec is not canonical, or contradicts the other columns or the entrants, this is added to ``findings``. The secret may be
    missing only if the verification ``is_interim``. Raises MissingGameError if the game is not installed.
    """
    try:
        spec = make_stored_spec(str(tournament.spec), f"the tournament {quote(tournament.name)}")
        joined = _check_joined(spec, tournament.entrants, findings)
        is_hidden = is_interim and tournament.secret is not None and tournament.secret.secret is None
        secret = _check_secret(spec, tournament.secret, findings, is_hidden=is_hidden)
        orders = _check_orders(spec, tournament.orders, findings)
        schedule = Schedule(spec, joined, secret, orders)
    except MissingGameError:
        raise
    except (ValueError, RecursionError, SpecError, EngineError) as error:
        findings.add("spec", tournament.spec, f"it can't be used: {error}")
        return None
    if not tournament.links:
        findings.add("seals", None, "a chain of seals, which every tournament has from the start")
    findings.compare("spec", tournament.spec, spec.canonical())
    findings.compare("name", tournament.name, spec.name)
    findings.compare("game", tournament.game, spec.game)
    findings.compare("seed", tournament.seed, spec.seed or 0)
    names = [entrant.name for entrant in tournament.entrants]
    findings.compare("entrants", names, sorted(bot.name for bot in spec.bots))
    contents = {entrant.name: entrant.digest for entrant in tournament.entrants if joined is None or joined.get(entrant.name) != WAITING}
    rated = {name: digest for name, digest in contents.items() if name not in schedule.orders.uncounted}
    if set(names) != {bot.name for bot in spec.bots} or not all(isinstance(digest, str) for digest in contents.values()):
        return None  # already among the findings; the seatings are unknown
    return TournamentEntry(spec, schedule, contents, rated, not is_hidden)


def _check_secret(spec: Spec, stored: SecretRecord | None, findings: Findings, *, is_hidden: bool) -> TournamentSecret | None:
    """Return the secret, compared with its commitment; None if the seed is open or the secret hidden. Raises SpecError."""
    if (stored is None) != spec.is_open:
        raise SpecError("it has both an open seed and a secret" if spec.is_open else "its secret is missing")
    if stored is None:
        return None
    findings.compare("commitment", stored.commitment, spec.commitment)
    if is_hidden:
        return None
    try:
        secret = TournamentSecret(parse_secret(str(stored.secret), "the secret"))
    except SecretError as error:
        raise SpecError(str(error)) from None
    findings.compare("commitment, of its secret", spec.commitment, secret.commitment)
    return secret if stored.public_value is None else replace(secret, public_value=str(stored.public_value))


def _check_orders(spec: Spec, orders: Sequence[Order], findings: Findings) -> tuple[Order, ...]:
    """Return the orders. Raises SpecError for those that can't be used."""
    findings.compare("numbers of the orders", [each.number for each in orders], list(range(1, len(orders) + 1)))
    try:
        given = tuple(convert(asdict(each), Order) for each in orders)
    except msgspec.ValidationError as error:
        raise SpecError(f"an order is damaged: {error}") from None
    names = {bot.name for bot in spec.bots}
    for order in given:
        if order.bot is not None and order.bot not in names:
            raise SpecError(f"order {order.number} is about {quote(order.bot)}, and there is no such bot")
        if order.round < WAITING or not isinstance(spec.schedule, LadderPlan):
            raise SpecError(f"order {order.number} can't hold from round {order.round} of a {spec.schedule.format}")
    return given


def _check_joined(spec: Spec, entrants: Sequence[EntrantRecord], findings: Findings) -> dict[str, int] | None:
    """Return the round before which each late bot joined a ladder, or None in other formats. Raises SpecError."""
    if not isinstance(spec.schedule, LadderPlan):
        for entrant in entrants:
            findings.compare(f"round before which {entrant.name} joined", entrant.joined, 0)
        return None
    for entrant in entrants:
        if type(entrant.joined) is not int or entrant.joined < WAITING:
            findings.add(f"round before which {entrant.name} joined", entrant.joined, "no such round")
            raise SpecError("it is not known which bots played when")
    if sum(entrant.joined == 0 for entrant in entrants) < spec.schedule.players:
        raise SpecError("too few bots took part from the start to fill a table")
    return {entrant.name: entrant.joined for entrant in entrants if entrant.joined}
