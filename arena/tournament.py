"""A stored tournament with its spec, schedule and bots (``Tournament``), and its preparation from a file (``prepare``).

Whatever the file leaves out (secret, ids of authors, versions of packages) is filled in and stored before the first match. Once a
tournament has begun, its file may only add to it; ``arena.changes`` finds the additions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from arena.bots import admit, find_bots, rehearse
from arena.changes import check_secret_is_kept, check_versions, find_additions
from arena.entries.bot_check import CheckTerms, check_bot
from arena.formats.orders import Orders
from arena.formats.schedule import Schedule
from arena.spec.secret import SecretError, TournamentSecret, check_public_value, new_secret, parse_secret, read_secret_file
from arena.spec.spec import BotEntry, Spec, SpecError, make_spec, make_stored_spec, package_of
from arena.spec.tables import WASMTIME, KnockoutPlan, LadderPlan
from bots.host.packages import PackagesError, installed_versions
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.version import BotVersion, pack
from engine.text import name_key
from leaderboard.names import PERSON_ID, shown_name
from leaderboard.records import WAITING, Order, OrderKind, StoredSecret
from leaderboard.storage.matches import BlockCount, count_blocks
from leaderboard.storage.people import PersonError, ids_of, names_of, with_names
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.tournaments import keep_contents, without_content

_TRIAL_SECONDS: Final = 1.0
"""The most seconds spent on finding out whether a bot is slow."""


class Tournament:
    """A stored tournament with its spec and its schedule; ``prepare`` returns one that can be played.

    ``prepare`` sets ``bots`` (the version of each bot, by name), ``level`` (the isolation at which they play) and ``added`` (phrases that
    describe what its file adds to the stored tournament). ``spec`` is then the file's completed spec, with the bots in the stored order.
    """

    def __init__(self, store: Store, stored: StoredTournament, spec: Spec | None = None) -> None:
        """Read the stored spec, unless ``spec`` is given. Raises SpecError if it is damaged."""
        self.store = store
        self.stored = stored
        self.spec = stored_spec(stored) if spec is None else spec
        self.bots: Mapping[str, BotVersion] = {}
        self.level = Level.NONE
        self.added: tuple[str, ...] = ()

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule, including orders and the bots that have joined. Stepping through it changes its state. Raises SecretError."""
        joined = {entrant.name: entrant.joined for entrant in self.stored.entrants if entrant.joined}
        return Schedule(self.spec, joined, secret_of(self.stored), self.stored.orders)

    @property
    def seatings(self) -> dict[int, int]:
        """The number of matches in a block, by the number of seats."""
        return {players: self.schedule.count_seatings(players) for players in self.spec.schedule.tables}

    def count_blocks(self) -> BlockCount:
        """Count the stored matches and their blocks."""
        return count_blocks(self.store, self.stored, self.seatings)

    def blocks(self) -> tuple[int, int | None]:
        """Return how many blocks are complete, and how many there will be (None if unknown)."""
        total = self.schedule.total_blocks
        if total is not None and self.store.count_matches(self.stored) == self.stored.total:
            return total, total
        counts = self.count_blocks()
        return counts.complete, counts.complete if counts.matches == self.stored.total else total

    def extend(self, stored: StoredTournament) -> None:
        """Replace the stored ladder by a newer state, in which bots have joined or orders have taken effect, and update the schedule."""
        self.stored, self.spec = stored, stored_spec(stored)
        self.schedule.obey(stored.orders)


def stored_spec(stored: StoredTournament) -> Spec:
    """Return the spec of a stored tournament. Raises SpecError if it is damaged."""
    return make_stored_spec(stored.spec, f"the tournament '{stored.name}'")


def secret_of(stored: StoredTournament) -> TournamentSecret | None:
    """Return the secret of a stored tournament, or None if its seed is open. Raises SecretError if it is damaged."""
    if stored.secret is None:
        return None
    return TournamentSecret(parse_secret(stored.secret.secret, f"the stored secret of '{stored.name}'"), stored.secret.public_value)


def contents(stored: StoredTournament) -> dict[str, str]:
    """Return the content hash of each rated bot, by name; bots that wait to join or no longer count are left out."""
    uncounted = Orders(stored.orders).uncounted if stored.orders else frozenset()
    return {bot.name: bot.digest for bot in stored.entrants if bot.joined != WAITING and bot.name not in uncounted}


def find_tournament(store: Store, name: str) -> Tournament | None:
    """Return the stored tournament of that name, or None if there is none yet. Raises SpecError if it is damaged."""
    stored = store.tournament(name)
    return None if stored is None else Tournament(store, stored)


def prepare(
    spec: Spec,
    store: Store | Callable[[], Store],
    bots: Mapping[str, BotVersion] | None = None,
    *,
    base: Path = Path(),
    level: Level = Level.NONE,
    trusted: bool = False,
    public_value: str | None = None,
    allow_open_seed: bool = True,
    secret: bytes | None = None,
) -> Tournament:
    """Store a new tournament with its secret, or extend a stored one with the spec's additions, and return it ready to be played.

    If ``bots`` is None, the current version of each bot, including those that have joined the stored ladder, is found and started once. In
    a ladder in which slow bots play less, each new bot is also timed for a second, unless it was checked on submission. ``store`` may be a
    function that creates a new store; it is called after the bots have proved to work. Paths are relative to ``base``. A new tournament
    without a seed uses the secret in the file that the spec names, or else ``secret``, or else a new one.

    Raises BotError for the first bot that does not exist, may not play at this level, or can't be started; SpecError, for example if a
    package is missing; SecretError; and ChangedError, for example if versions of packages differ. After an error, nothing has been stored
    except the people whom the spec names.
    """
    opened = None if callable(store) else store
    existing = None if opened is None else find_tournament(opened, spec.name)
    spec, speeds = whole_spec(spec, existing), dict[str, float]()
    if bots is None:
        check_runtime(spec, existing)
        with redirect_stdout(sys.stderr):  # standard output is for results
            bots = find_bots(spec, base, opened, in_process=level is Level.NONE, is_new=existing is None)
        admit(bots.values(), level, trusted=trusted, clock=spec.clock.limits)
        game = spec.make_game()
        with PlayerPool(level, game=game, runtime=spec.runtime.runtime) as pool:
            rehearse(bots.values(), game, pool)
            if isinstance(spec.schedule, LadderPlan) and spec.schedule.slow:
                speeds = _try(spec, bots, existing, pool)
    check_limit(spec, () if existing is None else existing.stored.orders)
    if existing is not None:
        spec = _with_people(spec, bots, existing.store, existing)
    spec, kept = _complete(spec, bots, existing, base, public_value, secret)
    _check_strangers(spec, bots, allowed=allow_open_seed)
    tournament = _begin(spec, kept, bots, store) if existing is None else _go_on(spec, bots, existing)
    tournament.bots, tournament.level = bots, level
    keep_bots(tournament.store, bots)
    tournament.store.keep_speeds({bots[bot].digest: each for bot, each in speeds.items()})
    return tournament


def _try(spec: Spec, bots: Mapping[str, BotVersion], existing: Tournament | None, pool: PlayerPool) -> dict[str, float]:
    """Return the seconds per match of a ladder's new bots that were not checked on submission."""
    known = set() if existing is None else {entrant.name for entrant in existing.stored.entrants}
    terms, new = CheckTerms.of_tournament(spec), {name: each for name, each in bots.items() if name not in known and not each.is_submitted}
    with redirect_stdout(sys.stderr):
        return {name: check_bot(each, terms, pool, is_quick=True, seconds=_TRIAL_SECONDS).match_seconds for name, each in new.items()}


def whole_spec(spec: Spec, existing: Tournament | None) -> Spec:
    """Return the file's spec with the bots in the order of the stored tournament, followed by new bots, so that no bot's number changes.

    Bots that have joined a stored ladder are included even if the file does not name them. A knockout without ``seeds`` keeps the order of
    the file, which determines its seeds.
    """
    if existing is None or (isinstance(spec.schedule, KnockoutPlan) and not spec.schedule.seeds):
        return spec
    here = {bot.name: bot for bot in spec.bots}
    is_ladder = isinstance(spec.schedule, LadderPlan)
    late = {entrant.name for entrant in existing.stored.entrants if entrant.joined} if is_ladder else set()
    kept = [here.get(bot.name, bot) for bot in existing.spec.bots if bot.name in here or bot.name in late]
    known = {bot.name for bot in existing.spec.bots}
    return spec.model_copy(update={"bots": (*kept, *(bot for bot in spec.bots if bot.name not in known))})


def versions_of(spec: Spec, packages: Iterable[str] | None = None) -> dict[str, str]:
    """Return the installed version of each package, by default of the packages in the spec's runtime. Raises SpecError."""
    try:
        return installed_versions(spec.runtime.packages if packages is None else packages)
    except PackagesError as error:
        raise SpecError(f"the tournament '{spec.name}', 'runtime.packages': {error}") from None


def check_runtime(spec: Spec, existing: Tournament | None) -> None:
    """Raise SpecError if a package is missing on this machine, or ChangedError if its version differs from the tournament's."""
    if spec.runtime.packages:
        versions_of(spec)
    if existing is not None:
        check_versions(existing)


def _complete(
    spec: Spec, bots: Mapping[str, BotVersion], existing: Tournament | None, base: Path, public_value: str | None, secret: bytes | None
) -> tuple[Spec, TournamentSecret | None]:
    """Return the spec, completed with versions of packages and its commitment, and the secret (None if the seed is open)."""
    package = package_of(spec.game)
    needed = (*spec.runtime.packages, *((WASMTIME,) if any(bot.wasm for bot in bots.values()) else ()))
    runtime = spec.runtime.with_versions(versions_of(spec, needed) if needed else {})
    spec = spec.model_copy(update={"runtime": runtime, "package": package or spec.package})
    if spec.seed is not None:
        if public_value is not None:
            raise SecretError(f"'{spec.name}' has an open seed, so no public value can be mixed in; leave out 'seed' or --public-value")
        return spec, None
    given = secret if spec.secret is None else read_secret_file(base / spec.secret)
    if existing is None:
        kept = TournamentSecret(new_secret() if given is None else given, _public_value(spec, public_value))
        if given is None and spec.commitment is not None:
            raise SecretError(f"'{spec.name}' has a commitment but no secret; name the secret's file with 'secret = \"FILE\"'")
    else:
        stored = secret_of(existing.stored)
        if stored is None:
            return spec, None  # its seed is open, which is reported as a change
        _check_kept(spec, stored, given, public_value)
        kept = stored
    if spec.commitment not in {None, kept.commitment}:
        raise SecretError(f"the commitment of '{spec.name}' ({spec.commitment}) doesn't match its secret (commitment {kept.commitment})")
    return spec.model_copy(update={"commitment": kept.commitment}), kept


def check_limit(spec: Spec, orders: Iterable[Order] = ()) -> None:
    """Raise SpecError if an author has more bots than the spec allows, not counting bots that have left."""
    try:
        spec.check_limit({each.bot for each in orders if each.kind == OrderKind.LEAVE})
    except ValueError as error:  # a stored spec has the ids of people, not their names
        raise SpecError(PERSON_ID.sub("its author", f"'{spec.name}': {error}")) from None


def _with_people(spec: Spec, versions: Mapping[str, BotVersion], store: Store, existing: Tournament | None) -> Spec:
    """Return the spec with people's ids in place of authors' names; new authors are added to the store.

    The author of a submitted bot is the person who submitted it, and a stored bot keeps its author, so that a file can't bring back a
    deleted person. Raises SpecError if the file names a different author, or if an author has too many bots.
    """
    kept = {} if existing is None else {bot.name: bot.author for bot in existing.spec.bots}
    settled = kept | {name: version.author for name, version in versions.items() if version.author}
    if not any((*settled.values(), *(bot.author for bot in spec.bots))):
        return spec
    named = {bot.author for bot in spec.bots if bot.author and bot.name not in settled and not PERSON_ID.fullmatch(bot.author)}
    try:
        ids = ids_of(store, sorted(named))
    except PersonError as error:
        raise SpecError(f"an author named in '{spec.name}' can't be used: {error}") from None
    called = names_of(store)
    bots: list[BotEntry] = []
    for bot in spec.bots:
        author = settled.get(bot.name, ids.get(bot.author or "", bot.author))
        name = called.get(author or "", "")
        is_other = bot.author not in {None, author} and name_key(bot.author or "") != name_key(name)
        if is_other and not (author and name == shown_name(author, None)):
            raise SpecError(f"the author of '{bot.name}' is recorded as {name or 'unknown'}, not {bot.author}; leave 'author' out")
        bots.append(bot.model_copy(update={"author": author}))
    if tuple(bots) == spec.bots:
        return spec
    data = spec.model_dump(mode="json", exclude_none=True) | {"bots": [bot.model_dump(exclude_none=True) for bot in bots]}
    try:
        return make_spec(data, f"the tournament '{spec.name}'")
    except SpecError as error:
        raise SpecError(with_names(store, str(error))) from None


def _check_strangers(spec: Spec, versions: Mapping[str, BotVersion], *, allowed: bool) -> None:
    """Raise SpecError if submitted bots would play on an open seed, unless that is ``allowed``."""
    strangers = [name for name, version in versions.items() if version.is_submitted]
    if spec.is_open and strangers and not allowed:
        raise SpecError(
            f"'{spec.name}' has an open seed, and '{strangers[0]}' was submitted: its author could compute every deck; "
            "take 'seed' out of the file, or give --allow-open-seed to play anyway"
        )


def _public_value(spec: Spec, given: str | None) -> str | None:
    if spec.public is None:
        if given is not None:
            raise SecretError(f"'{spec.name}' does not say which public value it uses; add a line 'public = ...' to its file")
        return None
    if given is None:
        raise SecretError(f"'{spec.name}' depends on a public value ({spec.public}); when it is known, give it with --public-value")
    return check_public_value(given)


def _check_kept(spec: Spec, secret: TournamentSecret, given: bytes | None, public_value: str | None) -> None:
    """Raise SecretError if the secret or the public value given differs from the one with which the tournament began."""
    if given is not None and given != secret.secret:
        raise SecretError(
            f"'{spec.name}' was started with a different secret, whose commitment is {secret.commitment}; leave 'secret' out to continue"
        )
    if public_value is not None and public_value.strip() != secret.public_value:
        raise SecretError(
            f"'{spec.name}' was started with the public value {secret.public_value!r}, not {public_value!r}; give none to continue"
        )


def _begin(spec: Spec, secret: TournamentSecret | None, bots: Mapping[str, BotVersion], store: Store | Callable[[], Store]) -> Tournament:
    schedule = Schedule(spec, secret=secret)  # a schedule that is too long is refused before the store is created
    store = store() if callable(store) else store
    complete = _with_people(spec, bots, store, None)
    if complete is not spec:  # authors matter: bots of one author never meet
        schedule = Schedule(complete, secret=secret)
    entrants = tuple(Entrant(name, version.digest, version.origin) for name, version in sorted(bots.items()))
    kept = None if secret is None else StoredSecret(secret.commitment, secret.secret.hex(), secret.public_value)
    stored = store.add_tournament(spec.name, spec.game, spec.seed, complete.canonical(), schedule.total, entrants, kept)
    tournament = Tournament(store, stored, complete)
    tournament.schedule = schedule
    return tournament


def _go_on(spec: Spec, bots: Mapping[str, BotVersion], existing: Tournament) -> Tournament:
    """Store the additions to a tournament; new bots of a ladder wait for its next round."""
    store, stored = existing.store, existing.stored
    added = find_additions(existing, spec, bots)
    store.check_entry(stored.id)
    tournament = Tournament(store, stored, spec)
    if added:
        check_secret_is_kept(store, stored)
        known = {entrant.name for entrant in stored.entrants}
        joins = WAITING if isinstance(spec.schedule, LadderPlan) else 0
        new = tuple(Entrant(name, each.digest, each.origin, joins) for name, each in sorted(bots.items()) if name not in known)
        tournament.stored = replace(stored, entrants=(*stored.entrants, *new))
        schedule = tournament.schedule
        tournament.stored = store.extend_tournament(stored, spec.canonical(), schedule.total, new, reorders=not schedule.needs_results)
    tournament.added = added
    return tournament


def keep_bots(store: Store, bots: Mapping[str, BotVersion]) -> None:
    """Store the content of these bots, if it is not stored yet, so that they can be played again; installed modules are not stored."""
    entrants = {Entrant(name, version.digest, ""): version for name, version in bots.items() if not version.is_installed}
    missing = without_content(store, entrants) if entrants else ()
    if missing:
        keep_contents(store, {each: pack(replace(entrants[each], origin=Path(entrants[each].origin).name)) for each in missing})
