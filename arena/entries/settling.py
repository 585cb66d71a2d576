"""Settling what a tournament file leaves open: its secret, the authors of submitted bots, anchors, and the
versions of packages. What is stored already is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from arena.entries.anchor_selection import settle_anchors
from arena.entries.runtime_check import settled_runtime
from arena.entries.stored_tournament import Begun
from arena.spec.game_package import package_of
from arena.spec.seeds.secret import SecretError, TournamentSecret, check_public_value, new_secret, parse_secret, read_secret_file
from arena.spec.spec import BotEntry, PackageEntry, Spec, SpecError, make_spec
from bots.loader.version import BotVersion
from leaderboard.records.stored import StoredSecret


class OpenSeedError(SpecError):
    """Submitted bots in a tournament whose decks anyone can compute."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A spec in which nothing is left open, and the secret that its seeds follow from: None if the seed is open."""

    spec: Spec
    secret: TournamentSecret | None = field(repr=False)


def settle(
    spec: Spec, versions: Mapping[str, BotVersion], begun: Begun | None = None, *, base: Path = Path(), public_value: str | None = None
) -> Settled:
    """Settle what the spec leaves open.

    A new tournament without a seed takes the secret in the file that the spec names, relative to ``base``, or a new one; one that has
    ``begun`` keeps its own. Raises SpecError, SecretError and AnchorError.
    """
    spec = settle_anchors(_with_authors(_with_installed(spec, versions), versions), versions, begun)
    if spec.seed is not None:
        if public_value is not None:
            raise SecretError(f"'{spec.name}' has an open seed, so no public value can be mixed in; leave one of them out")
        return Settled(spec, None)
    given = None if spec.secret is None else read_secret_file(base / spec.secret)
    if begun is not None and begun.tournament.secret is not None:
        secret = _kept(spec, begun.tournament.secret, given, public_value)
    elif begun is not None:
        return Settled(spec, None)  # its seed is open, which is reported as a change
    else:
        secret = TournamentSecret(new_secret() if given is None else given, _public_value(spec, public_value))
        if given is None and spec.commitment is not None:
            raise SecretError(f"'{spec.name}' has a commitment; say with 'secret = \"FILE\"' which file the secret is in")
    if spec.commitment not in {None, secret.commitment}:
        raise SecretError(f"the commitment of '{spec.name}' ({spec.commitment}) is not that of its secret ({secret.commitment})")
    return Settled(spec.model_copy(update={"commitment": secret.commitment}), secret)


def _with_installed(spec: Spec, versions: Mapping[str, BotVersion]) -> Spec:
    """Return the spec with the package that has the game, and the versions of what bots run in, as they are installed now."""
    package = package_of(spec.game)
    installed = {} if package is None else {"package": PackageEntry(**asdict(package))}
    return spec.model_copy(update={"runtime": settled_runtime(spec, versions.values()), **installed})


def check_strangers(spec: Spec, versions: Mapping[str, BotVersion], *, allowed: bool) -> None:
    """Raise OpenSeedError if submitted bots would play on an open seed, unless that is ``allowed``."""
    strangers = [name for name, version in versions.items() if version.is_submitted]
    if spec.is_open and strangers and not allowed:
        raise OpenSeedError(
            f"'{spec.name}' has an open seed, and '{strangers[0]}' was submitted: its author could compute every deck; "
            "take 'seed' out of the file, or force it with --allow-open-seed"
        )


def _with_authors(spec: Spec, versions: Mapping[str, BotVersion]) -> Spec:
    """Return the spec with the author of each submitted bot. Raises SpecError if it names another, or an author has too many bots."""
    bots: list[BotEntry] = []
    for bot in spec.bots:
        version = versions.get(bot.name)
        author = None if version is None else version.author or None
        if author is not None and bot.author not in {None, author}:
            raise SpecError(f"the author of '{bot.name}' is {author}, who submitted it, not {bot.author}; leave 'author' out")
        bots.append(bot if author is None else bot.model_copy(update={"author": author}))
    if tuple(bots) == spec.bots:
        return spec
    data = spec.model_dump(mode="json", exclude_none=True) | {"bots": [bot.model_dump(exclude_none=True) for bot in bots]}
    return make_spec(data, f"the tournament '{spec.name}'")


def _public_value(spec: Spec, given: str | None) -> str | None:
    if spec.public is None:
        if given is not None:
            raise SecretError(
                f"'{spec.name}' names no public value that is to be mixed in; say with 'public = ...' beforehand which it will be"
            )
        return None
    if given is None:
        raise SecretError(f"'{spec.name}' mixes in a public value ({spec.public}); when it is known, give it with --public-value")
    return check_public_value(given)


def _kept(spec: Spec, stored: StoredSecret, given: bytes | None, public_value: str | None) -> TournamentSecret:
    """Return the secret that a tournament began with. Raises SecretError if another one, or another public value, is given now."""
    secret = TournamentSecret(parse_secret(stored.secret, f"the stored secret of '{spec.name}'"), stored.public_value)
    if given is not None and given != secret.secret:
        raise SecretError(
            f"'{spec.name}' was begun with another secret, of the commitment {stored.commitment}; leave 'secret' out to go on"
        )
    if public_value is not None and public_value.strip() != secret.public_value:
        raise SecretError(
            f"'{spec.name}' was begun with the public value {secret.public_value!r}, not {public_value!r}; leave it out to go on"
        )
    return secret
