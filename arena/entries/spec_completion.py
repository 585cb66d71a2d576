"""Completes a tournament file: secret, authors of submitted bots, and versions of packages. Stored values are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from arena.entries.packages import runtime_with_versions
from arena.entries.stored_tournament import ExistingTournament, secret_of
from arena.spec.game_package import package_of
from arena.spec.secret import SecretError, TournamentSecret, check_public_value, new_secret, read_secret_file
from arena.spec.spec import BotEntry, PackageEntry, Spec, SpecError, make_spec
from bots.loader.version import BotVersion
from leaderboard.names import PERSON_ID, name_key, shown_name
from leaderboard.storage.people import PersonError, ids_of, names_of, with_names
from leaderboard.storage.store import Store


@dataclass(frozen=True, slots=True)
class CompleteSpec:
    """A complete spec, and the secret from which all seeds are derived; None if the seed is open."""

    spec: Spec
    secret: TournamentSecret | None = field(repr=False)


def complete_spec(
    spec: Spec,
    versions: Mapping[str, BotVersion],
    existing: ExistingTournament | None = None,
    *,
    base: Path = Path(),
    public_value: str | None = None,
    secret: bytes | None = None,
) -> CompleteSpec:
    """Complete the spec.

    A new tournament without a seed takes the secret from the file that the spec names, relative to ``base``, else ``secret``, else a new
    one; an existing one keeps its own. Raises SpecError and SecretError.
    """
    spec = _with_installed(spec, versions)
    if spec.seed is not None:
        if public_value is not None:
            raise SecretError(f"'{spec.name}' has an open seed, so no public value can be mixed in; leave one of them out")
        return CompleteSpec(spec, None)
    given = secret if spec.secret is None else read_secret_file(base / spec.secret)
    if existing is None:
        kept = TournamentSecret(new_secret() if given is None else given, _public_value(spec, public_value))
        if given is None and spec.commitment is not None:
            raise SecretError(f"'{spec.name}' has a commitment; name the file of the secret with 'secret = \"FILE\"'")
    else:
        stored = secret_of(existing.tournament)
        if stored is None:
            return CompleteSpec(spec, None)  # its seed is open, which is reported as a change
        _check_kept(spec, stored, given, public_value)
        kept = stored
    if spec.commitment not in {None, kept.commitment}:
        raise SecretError(f"the commitment of '{spec.name}' ({spec.commitment}) is not that of its secret ({kept.commitment})")
    return CompleteSpec(spec.model_copy(update={"commitment": kept.commitment}), kept)


def _with_installed(spec: Spec, versions: Mapping[str, BotVersion]) -> Spec:
    """Return the spec with the installed versions of the game's package and of the bots' runtime."""
    package = package_of(spec.game)
    installed = {} if package is None else {"package": PackageEntry(**asdict(package))}
    return spec.model_copy(update={"runtime": runtime_with_versions(spec, versions.values()), **installed})


def check_strangers(spec: Spec, versions: Mapping[str, BotVersion], *, allowed: bool) -> None:
    """Raise SpecError if submitted bots would play on an open seed, unless that is ``allowed``."""
    strangers = [name for name, version in versions.items() if version.is_submitted]
    if spec.is_open and strangers and not allowed:
        raise SpecError(
            f"'{spec.name}' has an open seed, and '{strangers[0]}' was submitted: its author could compute every deck; "
            "take 'seed' out of the file, or force it with --allow-open-seed"
        )


def with_people(spec: Spec, versions: Mapping[str, BotVersion], store: Store, existing: ExistingTournament | None = None) -> Spec:
    """Return the spec with ids of people in place of authors' names; new authors are added to the store.

    The author of a submitted bot is the person who submitted it, and a stored bot keeps its author, so that a deleted person does not
    return with a file. Raises SpecError if the file names another author, or if an author has too many bots.
    """
    kept = {} if existing is None else {bot.name: bot.author for bot in existing.spec.bots}
    settled = kept | {name: version.author for name, version in versions.items() if version.author}
    named = {bot.author for bot in spec.bots if bot.author and bot.name not in settled and not PERSON_ID.fullmatch(bot.author)}
    try:
        ids = ids_of(store, sorted(named))
    except PersonError as error:
        raise SpecError(f"an author of '{spec.name}' can't be used: {error}") from None
    called = names_of(store)
    bots: list[BotEntry] = []
    for bot in spec.bots:
        author = settled.get(bot.name, ids.get(bot.author or "", bot.author))
        name = called.get(author or "", "")
        is_other = bot.author not in {None, author} and name_key(bot.author or "") != name_key(name)
        if is_other and not (author and name == shown_name(author, None)):
            raise SpecError(f"the author of '{bot.name}' is {name or 'nobody'} here, not {bot.author}; leave 'author' out")
        bots.append(bot.model_copy(update={"author": author}))
    if tuple(bots) == spec.bots:
        return spec
    data = spec.model_dump(mode="json", exclude_none=True) | {"bots": [bot.model_dump(exclude_none=True) for bot in bots]}
    try:
        return make_spec(data, f"the tournament '{spec.name}'")
    except SpecError as error:
        raise SpecError(with_names(store, str(error))) from None


def _public_value(spec: Spec, given: str | None) -> str | None:
    if spec.public is None:
        if given is not None:
            raise SecretError(f"'{spec.name}' names no public value to mix in; name it beforehand with 'public = ...'")
        return None
    if given is None:
        raise SecretError(f"'{spec.name}' mixes in a public value ({spec.public}); when it is known, give it with --public-value")
    return check_public_value(given)


def _check_kept(spec: Spec, secret: TournamentSecret, given: bytes | None, public_value: str | None) -> None:
    """Raise SecretError if the secret or the public value given differs from the one with which the tournament began."""
    if given is not None and given != secret.secret:
        raise SecretError(
            f"'{spec.name}' was started with another secret, whose commitment is {secret.commitment}; leave 'secret' out to go on"
        )
    if public_value is not None and public_value.strip() != secret.public_value:
        raise SecretError(
            f"'{spec.name}' was started with the public value {secret.public_value!r}, not {public_value!r}; leave it out to go on"
        )
