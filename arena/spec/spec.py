"""A tournament's specification: the frozen model of its TOML file, and how it is read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from arena.spec.errors import sentence
from arena.spec.secret import is_commitment
from arena.spec.tables import ClockTable, FinalPlan, KnockoutPlan, LadderPlan, Model, RuntimeTable, SchedulePlan, shown
from bots.limits import Runtime, fitting_name
from bots.loader.files import DatabaseFileError, UnreadableFileError, read_text
from bots.protocol import ClockSpec
from engine.core import EngineError, Game, OptionValue
from engine.core.errors import InputError
from engine.registry import GameError, code_of, distribution_of, find_game, find_registration, not_installed, trust_game
from engine.text import counted, name_key
from leaderboard.names import PERSON_ID, person_name
from leaderboard.ratings.fold import RatingParameters

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,59}$")]
Isolation = Literal["best", "L3", "L2", "L1", "L0", "none"]
BotName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")]
LARGEST: Final = 2**63 - 1
"""The largest integer that the database can hold."""
_LARGEST_FILE: Final = 1 << 20
"""The most bytes of a specification."""


class SpecError(InputError):
    """A specification can't be used; each line names the file, the key and the mistake."""


class MissingGameError(SpecError):
    """The game of a stored tournament is not installed; the message names its package."""


class BotEntry(Model):
    """A bot in a tournament: its name in the tournament, and its source (``greedy``, ``file.py``, ``file.py:Class``, ``module:Class``).

    ``params`` are its parameters, which may also be part of the source (``file.py?depth=3``). Two bots of one ``author`` never share a
    table; the author is given by name in a file, and by id in a stored spec. The author of a submitted bot is the person who submitted it.
    """

    name: BotName
    source: str
    params: dict[str, bool | int | float | str] = Field(default_factory=dict)
    author: str | None = None

    @field_validator("params", mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        for key, each in value.items() if isinstance(value, dict) else ():
            if not isinstance(each, bool | int | float | str):
                raise ValueError(f"'{key}' should be a number, true, false or text, not {shown(each)}")
        return value

    @field_validator("author")
    @classmethod
    def _named(cls, value: str | None) -> str | None:
        return value if value is None or PERSON_ID.fullmatch(value) else person_name(value)


class GamePackage(Model):
    """The installed package that a game comes from. Runs record it, so that verifiers and the nodes of a cluster can compare theirs.

    ``digest`` is the hex SHA-256 of its Python sources. Compiled libraries are not included, since they differ from machine to machine; the
    version identifies them.
    """

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} (code {self.digest[:8]})"


def package_of(game: str) -> GamePackage | None:
    """Return the package of the game of that name, or None if the game comes with this program.

    Raises GameError if there is no such game, or if its package is not an installed distribution.
    """
    return _package_of(game.partition(":")[0])


@cache
def _package_of(family: str) -> GamePackage | None:
    distribution = distribution_of(family)
    return None if distribution is None else GamePackage(name=distribution[0], version=distribution[1], digest=_digest(code_of(family)))


def _digest(modules: tuple[str, ...]) -> str:
    """Return the hash of the sources of these top-level modules, with file names relative to the folder of the modules."""
    digest = sha256()
    for module in sorted(modules):
        for name, path in _sources(module):
            digest.update(f"{name}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _sources(module: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(module)
    if spec is not None and spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations)))
        yield from ((f"{module}/{path.relative_to(folder).as_posix()}", path) for path in sorted(folder.rglob("*.py")))
    elif spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
        yield f"{module}.py", Path(spec.origin)


_LONGEST_PUBLIC: Final = 300
_SCALE: Final = 20
"""The largest factor by which ``beta`` may differ from ``sigma``."""


class RatingSpec(Model):
    """TrueSkill's parameters, with the default values that its authors use."""

    mu: Annotated[float, Field(ge=-1e6, le=1e6)] = 25.0
    sigma: Annotated[float, Field(ge=0.001, le=1e6)] = 25.0 / 3
    beta: Annotated[float, Field(gt=0)] = 25.0 / 6
    tau: Annotated[float, Field(ge=0)] = 25.0 / 300
    draw_probability: Annotated[float, Field(ge=0.0001, lt=1)] = 0.1

    @property
    def parameters(self) -> RatingParameters:
        """The parameters in the form that the rating code uses."""
        return RatingParameters(self.mu, self.sigma, self.beta, self.tau, self.draw_probability)

    @model_validator(mode="after")
    def _one_scale(self) -> Self:
        """Refuse values of different scales, with which ordinary results would soon count as nearly impossible."""
        if not self.sigma / _SCALE <= self.beta <= self.sigma * _SCALE or self.tau > self.sigma:
            raise ValueError(
                f"sigma = {self.sigma:g}, beta = {self.beta:g} and tau = {self.tau:g} are on different scales; with this sigma, use about "
                f"beta = {self.sigma / 2:g} (a half) and tau = {self.sigma / 100:g} (a hundredth)"
            )
        return self


class _ClockOnly(Model):
    clock: ClockTable


class _RuntimeOnly(Model):
    runtime: RuntimeTable


class Spec(Model):
    """A whole tournament. Two runs of equal specs with the same seed or secret, and with equal bots, have equal results.

    All randomness is derived from an open ``seed``, with which anyone can compute the decks, or from a secret: the one in the file
    ``secret``, or one created when the tournament begins. ``commitment`` is the published commitment to the secret; every stored spec with
    a secret has it. ``public`` says which public value is mixed in. ``package`` is the game's package; every stored spec has it, except for
    games that come with this program.
    """

    name: Name
    game: str
    package: GamePackage | None = None
    seed: Annotated[int, Field(ge=0, le=LARGEST)] | None = None
    secret: Annotated[str, Field(min_length=1)] | None = None
    commitment: str | None = None
    public: str | None = None
    max_per_author: Annotated[int, Field(ge=1)] | None = None
    options: dict[str, bool | int | float | str | tuple[int, ...]] = Field(default_factory=dict)
    bots: Annotated[tuple[BotEntry, ...], Field(min_length=1)]
    schedule: SchedulePlan
    rating: RatingSpec = RatingSpec()
    clock: ClockTable = ClockTable()
    runtime: RuntimeTable = RuntimeTable()
    isolation: Isolation = "best"

    @field_validator("bots", mode="before")
    @classmethod
    def _short_bots(cls, value: object) -> object:
        """Accept a bot written as its source alone; its name defaults to the name of the file or of the reference bot."""
        if not isinstance(value, list):
            return value
        tables = [{"source": each} if isinstance(each, str) else each for each in value]
        return tuple(
            {"name": _name_of(each["source"]), **each} if isinstance(each, dict) and isinstance(each.get("source"), str) else each
            for each in tables
        )

    @field_validator("options", mode="before")
    @classmethod
    def _tuples(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        for key, each in value.items():
            if not (all(type(item) is int for item in each) if isinstance(each, list) else isinstance(each, bool | int | float | str)):
                raise ValueError(f"'{key}' should be a number, true, false, text or a list of integers, not {shown(each)}")
            if isinstance(each, float) and not isfinite(each):
                raise ValueError(f"'{key}' should be a finite number, not {each}")
        return {key: tuple(each) if isinstance(each, list) else each for key, each in value.items()}

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [bot.name for bot in self.bots]
        taken: dict[str, str] = {}
        for bot in self.bots:
            if (other := taken.get(name_key(bot.name))) is not None:
                twice = "is used twice" if other == bot.name else f"differs only in case from '{other}'"
                raise ValueError(f"the bot name '{bot.name}' {twice}; write one of them as {{name = 'another', source = '{bot.source}'}}")
            taken[name_key(bot.name)] = bot.name
        game = self.make_game()
        for players in self.schedule.tables:
            if not game.min_players <= players <= game.max_players:
                which = f"{self.game} with these options" if game.options else self.game
                seats = "a table of 1 seat" if players == 1 else f"tables of {players} seats"
                raise ValueError(f"schedule.tables has {seats}, but {which} is for {game.min_players} to {game.max_players} players")
            if players > len(names):
                raise ValueError(
                    f"schedule.tables has tables of {players} seats, for only {counted(len(names), 'bot')}; add bots or use smaller tables"
                )
        self.schedule.check(names)
        self._check_seed()
        self._check_authors()
        return self

    @field_validator("public")
    @classmethod
    def _check_public(cls, value: str | None) -> str | None:
        if value is not None and not (value.strip() and len(value) <= _LONGEST_PUBLIC and value.isprintable()):
            raise ValueError(f"should be a line of 1 to {_LONGEST_PUBLIC} printable characters that says which public value is mixed in")
        return value

    def _check_seed(self) -> None:
        for key in ("secret", "commitment", "public"):
            if self.seed is not None and getattr(self, key) is not None:
                raise ValueError(f"there are both 'seed' and '{key}'; a seed is open to everybody, so leave one of them out")
        if self.commitment is not None and not is_commitment(self.commitment):
            raise ValueError("'commitment' should be 'sha256:' and 64 hex digits, as 'arena secret FILE' prints it")

    def _authors(self, gone: Collection[str | None] = ()) -> dict[str, list[BotEntry]]:
        bots: dict[str, list[BotEntry]] = {}
        for bot in self.bots:
            if bot.author is not None and bot.name not in gone:
                bots.setdefault(name_key(bot.author), []).append(bot)
        return bots

    def check_limit(self, gone: Collection[str | None] = ()) -> None:
        """Raise ValueError if an author has more bots than allowed, not counting the bots named in ``gone``."""
        for own in self._authors(gone).values():
            if self.max_per_author is not None and len(own) > self.max_per_author:
                raise ValueError(f"{_many(own)}, and max_per_author is {self.max_per_author}; take some out")

    def _check_authors(self) -> None:
        if not isinstance(self.schedule, LadderPlan):  # bots may leave a ladder, and the spec does not show it
            self.check_limit()
        bots = self._authors()
        for own in bots.values():
            if len(own) > 1 and isinstance(self.schedule, KnockoutPlan):
                raise ValueError(f"{_many(own)}, and a knockout can't keep them from meeting; enter only one of them")
        if isinstance(self.schedule, FinalPlan):
            self.schedule.check_budget(len(self.bots), clashes=any(len(names) > 1 for names in bots.values()))
        for players in self.schedule.tables:
            if len(self.bots) - sum(len(names) - 1 for names in bots.values()) < players:
                raise ValueError(
                    f"no table of {players} seats can be filled, since bots of one author never share a table; add bots of other authors"
                )

    def make_game(self) -> Game:
        """Return the game with its options. Raises ValueError if the game does not have these options."""
        return find_game(self.game, dict[str, OptionValue](self.options))

    @property
    def is_open(self) -> bool:
        """Whether the seed is open, so that anyone can compute the decks."""
        return self.seed is not None

    def canonical(self) -> str:
        """Return the spec as JSON with every default written out; equal specs give equal JSON.

        Isolation and the secret's file are left out, since no result depends on them. Empty authors and an empty runtime are also left out.
        """
        data = self.model_dump(mode="json", exclude={"isolation", "secret"})
        optional = [(data, key) for key in ("package", "seed", "commitment", "public", "max_per_author")]
        optional += [(bot, key) for bot in data["bots"] for key in ("author", "params")] + [(data["schedule"], "decks")]
        for table, key in optional:
            if table[key] in (None, [], {}):
                del table[key]
        del data["runtime"]
        if (runtime := self.runtime.canonical()) is not None:
            data["runtime"] = runtime
        data["options"] = {key: list(value) if isinstance(value, tuple) else value for key, value in self.make_game().options.items()}
        return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _name_of(source: str) -> str:
    file, _, class_name = source.partition("?")[0].partition("@")[0].partition(":")
    return class_name or (fitting_name(Path(file).stem) if file.endswith((".py", ".wasm")) else file)


def read_spec(path: Path) -> Spec:
    """Return the spec in a TOML file. Raises SpecError, which names the file and every key that is wrong."""
    try:
        data = tomllib.loads(read_text(path, _LARGEST_FILE))
    except DatabaseFileError:
        raise SpecError(f"{path} is a database; give the tournament's TOML file, and the database as --db {path}") from None
    except UnreadableFileError as error:
        raise SpecError(str(error)) from None
    except (ValueError, RecursionError) as error:  # also raised for integers of thousands of digits, and for deeply nested lists
        raise SpecError(f"{path} is not valid TOML: {error}") from None
    if "package" in data:
        raise SpecError(f"{path}: unknown key 'package'; only stored tournaments have it, so leave it out")
    if isinstance(runtime := data.get("runtime"), dict) and "versions" in runtime:
        raise SpecError(f"{path}: unknown key 'runtime.versions'; only stored tournaments have it, so leave it out")
    if isinstance(data.get("game"), str):
        trust_game(data["game"])
    return make_spec(data, str(path))


def _many(own: Sequence[BotEntry]) -> str:
    return f"{own[0].author} has {len(own)} bots in this tournament ({', '.join(bot.name for bot in own)})"


def make_spec(data: Mapping[str, Any], where: str = "the spec") -> Spec:
    """Return the spec described by parsed TOML or JSON. Raises SpecError; its lines begin with ``where``."""
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        raise SpecError(_sentences(where, error)) from None
    except EngineError as error:
        raise SpecError(f"{where}: {error}") from None


def make_stored_spec(text: str, where: str) -> Spec:
    """Return the spec described by canonical JSON. Raises SpecError; its lines begin with ``where``.

    The error is a MissingGameError if the game is not installed.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{where}: the stored spec can't be read: {error}") from None
    if not isinstance(data, dict):
        raise SpecError(f"{where}: the stored spec can't be read: it is not an object")
    _check_installed(data, where)
    return make_spec(data, where)


def _check_installed(data: Mapping[str, Any], where: str) -> None:
    game, package = data.get("game"), data.get("package")
    if not isinstance(game, str):
        return
    try:
        find_registration(game)
    except GameError as error:
        reason = not_installed(game, f"{package.get('name')} {package.get('version')}") if isinstance(package, dict) else str(error)
        raise MissingGameError(f"{where}: {reason}") from None


def make_clock(data: Mapping[str, float | int | str], where: str) -> ClockSpec:
    """Return the limits that a ``[clock]`` table describes. Raises SpecError; its lines begin with ``where``."""
    return make_clock_table(data, where).limits


def make_clock_table(data: Mapping[str, object], where: str) -> ClockTable:
    """Return a ``[clock]`` table. Raises SpecError; its lines begin with ``where``."""
    try:
        return _ClockOnly.model_validate({"clock": dict(data)}).clock
    except ValidationError as error:
        raise SpecError(_sentences(where, error)) from None


def make_runtime(data: Mapping[str, object], where: str) -> Runtime:
    """Return the runtime that a ``[runtime]`` table describes. Raises SpecError; its lines begin with ``where``."""
    try:
        return _RuntimeOnly.model_validate({"runtime": dict(data)}).runtime.runtime
    except ValidationError as error:
        raise SpecError(_sentences(where, error)) from None


def _sentences(where: str, error: ValidationError) -> str:
    errors: list[dict[str, Any]] = [dict(each) for each in error.errors()]
    deeper = {each["loc"][:-1] for each in errors}
    relevant = [each for each in errors if each["type"] != "too_short" or each["loc"] not in deeper]  # invalid items are not counted
    return "\n".join(f"{where}: {sentence(each, _TABLES)}" for each in relevant)


_TABLES: Final[dict[str, type[BaseModel]]] = {
    "": Spec,
    "rating": RatingSpec,
    "clock": ClockTable,
    "bots": BotEntry,
    "runtime": RuntimeTable,
}
