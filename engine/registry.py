"""The registered games (entry points in the group ``tile_arena.games``) and the packages that provide them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec
from math import isfinite
from typing import Any, Final, TypeAlias

from engine.core import EngineError, Game, OptionsError, OptionValue
from engine.plugin import GROUP, GamePlugin, load
from engine.text import listed, one_line, quote, raised_at

OWN: Final = "tile-arena"
"""This program's distribution; other packages can't replace its games."""
_ASK: Final = "ask its author"
_NO_CODE: Final = frozenset(("docs", "examples", "test", "tests"))
"""Top-level folders that some packages install by mistake."""
Trial: TypeAlias = Callable[[str, Mapping[str, OptionValue]], object]
"""A function that takes a game's name and options, and raises OptionsError if the game must not be created in this process."""


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry point of a game: the game's name, and the package that provides it."""

    name: str
    target: str
    """Where its ``GamePlugin`` is: ``module:attribute``."""
    package: str
    version: str

    def __str__(self) -> str:
        return f"the game '{self.name}' of {self.package} {self.version}"


class GameError(OptionsError):
    """Raised for a game that is missing or doesn't work; the message says what to install or whom to ask."""


class NoGameError(GameError):
    """Raised for a game that no installed package registers."""


@dataclass(slots=True)
class _Registry:
    registrations: dict[str, Registration]
    problems: tuple[str, ...]
    plugins: dict[str, GamePlugin] = field(default_factory=dict)
    trial: Trial | None = None
    trusted: frozenset[str] = frozenset()


def registered() -> tuple[Registration, ...]:
    """Return all registrations, sorted by name, this program's games first. No game is imported."""
    return tuple(_registry().registrations.values())


def game_names() -> tuple[str, ...]:
    """Return the names of all registered games and families; a family's games are named ``FAMILY:MEMBER``."""
    return tuple(_registry().registrations)


def single_games() -> tuple[str, ...]:
    """Return the names of the games that are not families, except games that can't be imported."""
    return tuple(name for name in game_names() if is_family(name) is False)


def is_family(name: str) -> bool | None:
    """Return whether this is the name of a family of games, or None if its plug-in is broken."""
    try:
        return find_plugin(name).is_family
    except GameError:
        return None


def listed_games() -> str:
    """Return the names of all games as a phrase, such as ``chess, go and hex``."""
    return listed(game_names()) or "none"


def game_or_only(name: str | None) -> str:
    """Return ``name`` or, if it is None, the name of the only game. Raises GameError if there are several."""
    if name:
        return name
    if len(game_names()) == 1:
        return game_names()[0]
    raise GameError(f"no game was given; the games are {listed_games()}")


def problems() -> tuple[str, ...]:
    """Return a sentence for each registration that is ignored because its name is taken or invalid."""
    return _registry().problems


def add_game(registration: Registration) -> None:
    """Register a game in this process without an entry point; registering it again has no effect."""
    _registry().registrations[registration.name] = registration


@contextmanager
def trials(trial: Trial) -> Iterator[None]:
    """Within the ``with`` block, call ``trial`` before this process creates any game for which ``needs_trial`` is true."""
    registry = _registry()
    before = registry.trial, registry.trusted
    registry.trial = trial
    try:
        yield
    finally:
        registry.trial, registry.trusted = before


def trust_game(name: str) -> None:
    """Exempt the game of that name from trials, since the user of this process has chosen it."""
    _registry().trusted |= {name}


def needs_trial(name: str, options: Mapping[str, OptionValue]) -> bool:
    """Return whether creating the game passes untrusted text (a family's member or options) to another package's code."""
    registration = find_registration(name)
    is_strange = find_plugin(name).is_family or (bool(options) and registration.package != OWN)
    return is_strange and name not in _registry().trusted


def find_registration(name: str) -> Registration:
    """Return the registration of the game or, if its name has a colon, of its family. Raises GameError if there is none."""
    family = name.partition(":")[0]
    registration = _registry().registrations.get(family)
    if registration is None:
        near = get_close_matches(family[:40], game_names(), n=1)
        hint = f"; did you mean '{near[0]}'?" if near else f" (the games are {listed_games()}); install the package that provides it"
        raise NoGameError(f"there is no game {family!r:.60}{hint}")
    return registration


def find_plugin(name: str) -> GamePlugin:
    """Return the plug-in of the game with that name. Raises GameError if there is none, or if it can't be imported."""
    registration = find_registration(name)
    plugins = _registry().plugins
    if registration.name not in plugins:
        plugins[registration.name] = _imported(registration)
    return plugins[registration.name]


def find_game(name: str, /, options: Mapping[str, OptionValue] | None = None, **more: OptionValue) -> Game:
    """Return the game of that name. Options can be given as a mapping, as keywords or both; all others have their defaults.

    Raises GameError for an unknown name, and OptionsError for options that the game refuses, for an option that is given twice, and for a
    game that fails its trial.
    """
    family, _, member = name.partition(":")
    plugin = find_plugin(family)
    if options is not None and not isinstance(options, Mapping):
        raise OptionsError(f"options must be a mapping such as {{'level': 5}}, not {options!r:.60}")
    if twice := more.keys() & (options or {}).keys():
        raise OptionsError(f"option '{min(twice)}' is given twice, in 'options' and as a keyword; leave one out")
    options = {**(options or {}), **more}
    for key, value in options.items():
        if isinstance(value, float) and not isfinite(value):
            raise OptionsError(f"option '{key}' must be a finite number, not {value}")
    trial = _registry().trial
    if trial is not None and needs_trial(name, options):
        trial(name, options)
    try:
        game: object = plugin.game(member, options)
    except EngineError:
        raise
    except (Exception, SystemExit) as error:
        raise GameError(f"{find_registration(family)} can't be created: {_said(error)}; {_ASK}") from error
    if not isinstance(game, Game):
        raise GameError(f"{find_registration(family)} can't be created: its 'make' returned {type(game).__name__}, not a Game; {_ASK}")
    return game


def find_part(name: str, part: str) -> Any:
    """Return the object in the field ``part`` of the game's plug-in, or None. Raises GameError if it can't be imported."""
    plugin = find_plugin(name)
    try:
        return load(getattr(plugin, part))
    except (Exception, SystemExit) as error:
        raise GameError(f"the {part} of {find_registration(name)} can't be imported: {_said(error)}; {_ASK}") from error


def modules_of(registration: Registration) -> tuple[str, ...]:
    """Return the top-level modules of the package that provides a game, beginning with the plug-in's own."""
    first = registration.target.partition(":")[0].partition(".")[0]
    if registration.package == OWN:
        return (first,)
    return tuple(dict.fromkeys((first, *_top_modules(registration.package))))


def distribution_of(name: str) -> tuple[str, str] | None:
    """Return the name and version of the package that contains the game's rules, or None for a game that comes with this program.

    Raises GameError if there is no such game, or if its package is not an installed distribution.
    """
    return _distribution_of(name.partition(":")[0])


def code_of(name: str) -> tuple[str, ...]:
    """Return the top-level modules that contain the game's rules. Raises GameError in the same cases as ``distribution_of``."""
    registration = find_registration(name)
    package = find_plugin(registration.name).package or registration.package
    return modules_of(registration) if package == registration.package else _top_modules(package)


def played_by(name: str) -> str | None:
    """Return the game's package as replays record it, ``NAME VERSION``, or None if the game is this program's or not registered."""
    try:
        package = distribution_of(name)
    except GameError:
        return None
    return None if package is None else " ".join(package)


def find_played(name: str, options: Mapping[str, OptionValue], package: str | None) -> Game:
    """Return the game of a recorded match; ``package`` is the game's package as ``NAME VERSION``. Raises OptionsError.

    If the game isn't installed, the error is a NoGameError whose message says what to install.
    """
    try:
        return find_game(name, options)
    except NoGameError as error:
        if package is None:
            raise
        raise NoGameError(not_installed(name, package)) from error


def not_installed(name: str, package: str) -> str:
    """Return the error message for a recorded match of a game whose package, ``NAME VERSION``, isn't installed."""
    distribution, _, version = package.rpartition(" ")
    required = f"{distribution}=={version}" if distribution else version
    return f"it was played with the game {quote(name)} of {one_line(package, 120)}, which is not installed; pip install {quote(required)}"


def _imported(registration: Registration) -> GamePlugin:
    entry = EntryPoint(registration.name, registration.target, GROUP)
    try:
        plugin = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # another package may raise anything when it is imported
        advice = f"if it is not yours, {_ASK}, or uninstall {registration.package}"
        module = registration.target.partition(":")[0]
        if module in sys.modules and getattr(sys.modules[module], "__file__", None) is None and hasattr(sys.modules[module], "__path__"):
            advice = (
                f"the folder {next(iter(sys.modules[module].__path__))} hides the module {module}: "
                "rename the folder, or start in a different one"
            )
        raise GameError(f"{registration} can't be imported: {_said(error)}; {advice}") from None
    if not isinstance(plugin, GamePlugin):
        raise GameError(f"{registration} is not a GamePlugin: {registration.target} is of type {type(plugin).__name__}; {_ASK}")
    if not isinstance(plugin.title, str) or not (callable(plugin.make) or isinstance(plugin.make, str)):
        raise GameError(f"{registration} is not a GamePlugin: 'title' must be a string and 'make' a function or reference; {_ASK}")
    return plugin


@cache
def _registry() -> _Registry:
    return _collected(entry_points(group=GROUP))


def _collected(entries: Iterable[EntryPoint]) -> _Registry:
    taken: dict[str, Registration] = {}
    problems: list[str] = []
    registrations = [Registration(each.name, each.value, each.dist.name, each.dist.version) for each in entries if each.dist is not None]
    for each in sorted(set(registrations), key=lambda one: (one.package != OWN, one.name, one.package, one.target)):
        if each.name in taken:
            first = taken[each.name]
            problems.append(f"{each} is ignored: {first.package} {first.version} already provides a game of that name")
        elif not each.name or ":" in each.name or not each.name.isprintable():
            problems.append(f"{each} is ignored: a game's name must be printable text without a colon")
        else:
            taken[each.name] = each
    return _Registry(taken, tuple(problems))


def _said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    place = raised_at(error)
    return f"{type(error).__name__}{f': {lines[0]:.200}' if lines else ''}{f', at {place}' if place else ''}"


@cache
def _distribution_of(family: str) -> tuple[str, str] | None:
    registration = find_registration(family)
    package = find_plugin(family).package or registration.package
    if package == OWN:
        return None
    if package == registration.package:
        return package, registration.version
    try:
        return package, distribution(package).version
    except PackageNotFoundError:
        raise GameError(f"the game '{family}' needs the package {package}, which is not installed; install it") from None


def _top_modules(package: str) -> tuple[str, ...]:
    try:
        installed = distribution(package)
    except PackageNotFoundError:
        return ()
    return tuple(name for name in dict.fromkeys(_top_names(installed)) if name not in _NO_CODE and find_spec(name) is not None)


def _top_names(installed: Distribution) -> Iterator[str]:
    yield from (installed.read_text("top_level.txt") or "").split()  # setuptools writes this file, even for an editable package
    for path in sorted(installed.files or [], key=str):
        if path.suffix in {".py", ".so", ".pyd"} and not path.name.startswith("__editable__"):
            name = path.parts[0] if len(path.parts) > 1 else path.name.partition(".")[0]
            if name.isidentifier():
                yield name
