"""Tables of a tournament file: ``[schedule]`` (one frozen model for each format), ``[clock]`` and ``[runtime]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)

from arena.spec.lineups import count_seatings
from bots.limits import DEFAULT_BUNDLE, DEFAULT_MEMORY, PACKAGE_NAME, Runtime, normal_name
from bots.protocol import ClockMode, ClockSpec
from engine.text import counted, quote

Seats: TypeAlias = Literal["balanced", "rotations", "permutations"]
Decks: TypeAlias = Literal["own", "shared"]
Count: TypeAlias = Annotated[int, Field(ge=1)]
LineupCount: TypeAlias = Literal["all"] | Count


class Model(BaseModel):
    """A frozen part of a spec, in which unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _Plan(Model):
    """The keys that all formats have: table sizes, the number of blocks that a line-up plays, and the seatings in a block.

    ``decks`` says whether the matches of a block share a deck; if it is None, they do so only at solo tables.
    """

    format: str
    tables: Annotated[tuple[Annotated[int, Field(ge=1, le=6)], ...], Field(min_length=1)]
    blocks: Count = 1
    seats: Seats = "balanced"
    decks: Decks | None = None

    @field_validator("tables", mode="before")
    @classmethod
    def _tuple(cls, value: object) -> object:
        return as_tuple(value)

    @field_validator("tables")
    @classmethod
    def _distinct(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) != len(value):
            raise ValueError("a table size is listed twice")
        return value

    def count_seatings(self, players: int) -> int:
        """Return the number of matches in a block at tables of that size; a solo block has one match per bot instead."""
        return count_seatings(self.seats, players)

    def shares_deck(self, players: int) -> bool:
        """Return whether the matches of a block at tables of that size share one deck."""
        return players == 1 if self.decks is None else self.decks == "shared"

    def check(self, bots: Sequence[str]) -> None:
        """Raise ValueError if the schedule does not fit the tournament's bots."""
        _ = bots


def as_tuple(value: object) -> object:
    """Return a list as a tuple, and any other value unchanged."""
    return tuple(value) if isinstance(value, list) else value


class _Sampled(_Plan):
    """A format whose line-ups are known beforehand: ``"all"`` of them, or a balanced sample of the given size for each table size."""

    lineups: LineupCount = "all"

    @field_validator("lineups", mode="before")
    @classmethod
    def _all_or_number(cls, value: object) -> object:
        if value != "all" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ValueError('should be "all" or a whole number of at least 1')
        return value


class RoundRobinPlan(_Sampled):
    """Every line-up, or a balanced sample, of each table size."""

    format: Literal["round-robin"] = "round-robin"

    def check(self, bots: Sequence[str]) -> None:
        """Check that a solo tournament has at least two bots."""
        if self.tables == (1,) and len(bots) < 2:
            raise ValueError("a solo tournament ranks bots against each other, so it needs at least two bots")


class GauntletPlan(_Sampled):
    """Every line-up with exactly one of the ``challengers``; the other bots are the field."""

    format: Literal["gauntlet"] = "gauntlet"
    challengers: Annotated[tuple[str, ...], Field(min_length=1)]

    @field_validator("challengers", mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return as_tuple(value)

    def check(self, bots: Sequence[str]) -> None:
        """Check that the challengers are bots of the tournament, and that the field can fill the largest table."""
        _no_solo(self)
        _check_names("challengers", self.challengers, bots)
        field = len(bots) - len(self.challengers)
        if field < max(self.tables) - 1:
            raise ValueError(
                f"a table of {max(self.tables)} seats needs {counted(max(self.tables) - 1, 'opponent')} for its challenger, but the field "
                f"has only {field}; add bots or use smaller tables"
            )


class _Rounds(_Plan):
    """A format whose rounds depend on earlier results; all its tables have the same size."""

    def check(self, bots: Sequence[str]) -> None:
        """Check that all tables have the same size, and that it is more than one seat."""
        if len(self.tables) != 1:
            raise ValueError(f"schedule.tables has several sizes, but a {self.format} plays at tables of one size")
        _no_solo(self)

    @property
    def players(self) -> int:
        """The number of seats at each table."""
        return self.tables[0]

    @property
    def table_matches(self) -> int:
        """The number of matches of each line-up in a round."""
        return self.blocks * self.count_seatings(self.players)


class SwissPlan(_Rounds):
    """A fixed number of rounds, paired according to the standings."""

    format: Literal["swiss"] = "swiss"
    rounds: Count


class LadderPlan(_Rounds):
    """A fixed or unlimited number of rounds, paired by ratings plus a random draw.

    A bot that is more than ``behind`` matches behind another plays extra ones. A round is paired using results at least ``lag`` rounds
    old. A bot that takes more than ``slow`` times the median bot's time for a match plays in correspondingly fewer rounds. A bot that has
    failed in most of its latest ``bench`` matches is removed. Set ``slow`` or ``bench`` to False to turn that rule off.
    """

    format: Literal["ladder"] = "ladder"
    rounds: Count | None = None
    behind: Count | None = None
    lag: Annotated[int, Field(ge=1, le=100)] = 2
    slow: Annotated[int, Field(ge=2)] | Literal[False] = 8
    bench: Annotated[int, Field(ge=4, le=1000)] | Literal[False] = 20

    def check(self, bots: Sequence[str]) -> None:
        """Check that ``behind`` is at least a line-up's number of matches in a round: a bot that sits out a round falls that far behind."""
        super().check(bots)
        if self.behind is not None and self.behind < self.table_matches:
            raise ValueError(
                f"schedule.behind is {self.behind}; it must be at least {self.table_matches}, as a line-up plays that many matches at once"
            )

    @property
    def tables_behind(self) -> int:
        """How many tables a bot may be behind: ``behind`` converted from matches, or the default."""
        return LADDER_BEHIND if self.behind is None else self.behind // self.table_matches


LADDER_BEHIND: Final = 4
"""The default of ``LadderPlan.tables_behind``. A bot that is further behind the bot with the most tables plays extra ones."""


class KnockoutPlan(_Rounds):
    """A knockout. ``seeds`` lists the bots, best first (default: the order of ``bots``); tied bots play up to ``extra`` more blocks."""

    format: Literal["knockout"] = "knockout"
    seeds: tuple[str, ...] = ()
    extra: Annotated[int, Field(ge=0, le=100)] = 2

    @field_validator("seeds", mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return as_tuple(value)

    def check(self, bots: Sequence[str]) -> None:
        """Check that ``seeds``, if given, lists every bot once."""
        super().check(bots)
        if self.seeds:
            _check_names("seeds", self.seeds, bots)
            if left := [name for name in bots if name not in self.seeds]:
                raise ValueError(f"schedule.seeds should list every bot, but '{left[0]}' is missing")


class Until(Model):
    """A final ends when the first ``places`` are separated with this ``confidence``, or no further round fits into ``budget`` matches."""

    places: Count
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    budget: Count


class FinalPlan(_Rounds):
    """Rounds for the bots that may still take one of the best places. ``until`` says when they end."""

    format: Literal["final"] = "final"
    seats: Seats = "rotations"
    """How blocks are seated. The default makes small blocks: many of them tell bots apart better than few large ones do."""
    until: Until

    def check(self, bots: Sequence[str]) -> None:
        """Check that ``until`` asks for existing places, and that it alone decides how many blocks are played."""
        super().check(bots)
        if self.blocks != 1:
            raise ValueError(f"schedule.blocks is {self.blocks}, but a final plays as many blocks as 'until' requires; leave it out")
        if self.until.places > len(bots):
            raise ValueError(f"schedule.until asks for {self.until.places} places, but there are only {len(bots)} bots; lower 'places'")

    def check_budget(self, bots: int, *, clashes: bool) -> None:
        """Raise ValueError if the budget is too small for the first round. ``clashes`` is whether any author has two bots."""
        if self.until.budget < (first := self.first_row(bots, clashes=clashes)):
            raise ValueError(f"schedule.until has a budget of {self.until.budget} matches, but the first round takes {first}; raise it")

    def first_row(self, bots: int, *, clashes: bool) -> int:
        """Return the largest number of matches that may be needed until every bot has a score."""
        return (bots if clashes else -(-bots // self.players)) * self.table_matches


def _no_solo(plan: _Plan) -> None:
    if 1 in plan.tables:
        raise ValueError(f"schedule.tables has a table of 1 seat, but '{plan.format}' needs opponents; play solo as a round-robin")


def _check_names(key: str, names: Sequence[str], bots: Sequence[str]) -> None:
    for name in names:
        if name not in bots:
            raise ValueError(f"schedule.{key} has '{name}', but there is no bot of that name")
        if names.count(name) > 1:
            raise ValueError(f"schedule.{key} has '{name}' twice")


PLANS: Final[dict[str, type[_Plan]]] = {
    "round-robin": RoundRobinPlan,
    "gauntlet": GauntletPlan,
    "swiss": SwissPlan,
    "ladder": LadderPlan,
    "knockout": KnockoutPlan,
    "final": FinalPlan,
}


def _format_of(value: Any) -> object:
    """Return the format named by a table of the file or by a plan; without a name, a final if there is ``until``, else round-robin."""
    if isinstance(value, dict):
        named = value.get("format", "final" if "until" in value else "round-robin")
        return named if isinstance(named, str) else str(named)
    return getattr(value, "format", "round-robin")


SchedulePlan: TypeAlias = Annotated[
    Annotated[RoundRobinPlan, Tag("round-robin")]
    | Annotated[GauntletPlan, Tag("gauntlet")]
    | Annotated[SwissPlan, Tag("swiss")]
    | Annotated[LadderPlan, Tag("ladder")]
    | Annotated[KnockoutPlan, Tag("knockout")]
    | Annotated[FinalPlan, Tag("final")],
    Discriminator(_format_of),
]
"""The ``[schedule]`` table of any format."""


def formats_with(key: str) -> list[str]:
    """Return the formats whose ``[schedule]`` table may have this key."""
    return [name for name, plan in PLANS.items() if key in plan.model_fields]


FUEL: Final = 2_000_000_000
"""The default limits, in units of fuel, for the start and for each decision.

An ordinary module uses them up in a few tenths of a second; a deliberately slow one on a busy machine needs 40 s, a third of the default
``wall``. Therefore ``wall`` does not decide which bots fail.
"""
_MOST_FUEL: Final = 10**18
_IN_UNITS: Final = {"start": "start_fuel", "move": "move_fuel", "bank": "bank_fuel"}
_BY_THE_CLOCK: Final = ("strikes", "slack", "wall_bank")

_Fuel = Annotated[int, Field(ge=1, le=_MOST_FUEL)]


class ClockTable(Model):
    """The limits of each seat (see ``bots.protocol.ClockSpec``); ``move`` is 10 seconds unless something else limits decisions.

    In the mode ``fuel``, limits are in units of fuel instead of seconds; only ``wall`` depends on the machine.
    """

    mode: Literal["clock", "budget", "fuel"] = "clock"
    start: Annotated[float, Field(gt=0)] = 10.0
    move: Annotated[float, Field(gt=0)] | None = None
    bank: Annotated[float, Field(gt=0)] | None = None
    strikes: Annotated[int, Field(ge=0)] = 3
    slack: Annotated[float, Field(ge=1)] = 4.0
    wall: Annotated[float, Field(gt=0)] = 120.0
    wall_bank: Annotated[float, Field(gt=0)] | None = 5.0
    nodes: Annotated[int, Field(ge=1)] | None = None
    start_fuel: _Fuel = FUEL
    move_fuel: _Fuel = FUEL
    bank_fuel: _Fuel | None = None

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        given = self.model_fields_set
        if self.mode != "fuel":
            for key in _IN_UNITS.values():
                if key in given:
                    raise ValueError(f"'{key}' is in units of fuel, for the mode 'fuel'; write mode = \"fuel\", or leave '{key}' out")
            return self
        for key, instead in _IN_UNITS.items():
            if key in given:
                raise ValueError(f"'{key}' is in seconds, but the mode 'fuel' needs units of fuel; write '{instead}', or leave it out")
        for key in _BY_THE_CLOCK:
            if key in given:
                raise ValueError(f"'{key}' has no use in the mode 'fuel', whose only limit on time is 'wall'; leave '{key}' out")
        return self

    @property
    def limits(self) -> ClockSpec:
        """The limits in the form that a match takes."""
        values = self.model_dump()
        if self.mode == "fuel":
            values |= {"start": None, "move": None, "wall_bank": None}
        elif self.move is None and self.bank is None and (self.nodes is None or self.mode == "clock"):
            values["move"] = ClockSpec().move
        return ClockSpec(**values | {"mode": ClockMode(self.mode)})

    @model_serializer(mode="wrap")
    def _of_its_mode(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        others = {*_IN_UNITS, *_BY_THE_CLOCK} if self.mode == "fuel" else {*_IN_UNITS.values()}
        return {key: value for key, value in dump(self).items() if key not in others}


_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
MEMORY: Final = (128 * _MIB, 64 * _GIB)
"""The smallest and the largest ``memory`` limit of a bot, in bytes."""
BUNDLE: Final = (_KIB, 256 * _MIB)
"""The smallest and the largest limit on the size of a bot's files, in bytes."""
MOST_THREADS: Final = 64
_COPIES: Final = 4
"""A bot's process holds up to this many copies of its files while it starts."""
WASMTIME: Final = "wasmtime"
"""The package that runs WebAssembly bots; its version is recorded although bots can't import it."""


class RuntimeTable(Model):
    """The runtime of bots: packages that Python bots may import, memory, size of a bot's files, threads of Python bots.

    ``versions`` has the versions of packages, and of other software that runs bots, when the tournament began; only stored specs have it.
    """

    packages: tuple[str, ...] = ()
    memory: ByteSize | None = None
    bundle: ByteSize | None = None
    threads: Annotated[int, Field(ge=1, le=MOST_THREADS)] = 1
    versions: dict[str, str] | None = None

    @field_validator("packages", mode="before")
    @classmethod
    def _tuple(cls, value: object) -> object:
        return as_tuple(value)

    @field_validator("packages")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for package in value:
            if not PACKAGE_NAME.fullmatch(package):
                raise ValueError(f"{shown(package)} is not a package's name; write just the name, such as 'numpy'")
        names = [normal_name(package) for package in value]
        for package, name in zip(value, names, strict=True):
            if names.count(name) > 1:
                raise ValueError(f"{shown(package)} is listed twice")
        return value

    @field_validator("memory", "bundle", mode="before")
    @classmethod
    def _size(cls, value: object) -> object:
        if type(value) is int or isinstance(value, str | None):
            return value
        raise ValueError("should be a size, such as '1 GiB'")

    @field_validator("memory")
    @classmethod
    def _memory(cls, value: ByteSize | None) -> ByteSize | None:
        return _within(value, *MEMORY)

    @field_validator("bundle")
    @classmethod
    def _bundle(cls, value: ByteSize | None) -> ByteSize | None:
        return _within(value, *BUNDLE)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        memory, bundle = self.memory or DEFAULT_MEMORY, self.bundle or DEFAULT_BUNDLE
        if memory < _COPIES * bundle:
            raise ValueError(
                f"'bundle' allows {_size(bundle)} of files, and 'memory' allows {_size(memory)}, but a bot needs memory for "
                f"{_COPIES} times its files; raise 'memory' or lower 'bundle'"
            )
        if self.versions is not None and set(self.versions) - {WASMTIME} != set(self.packages) - {WASMTIME}:
            raise ValueError("'versions' must give a version for every package in 'packages', and for no other except wasmtime")
        return self

    @property
    def runtime(self) -> Runtime:
        """The table as a ``Runtime``."""
        return Runtime(self.packages, self.memory, self.bundle, self.threads)

    def with_versions(self, versions: Mapping[str, str]) -> RuntimeTable:
        """Return the table with these versions; an empty mapping removes the key ``versions``."""
        return self.model_copy(update={"versions": dict(sorted(versions.items())) or None})

    def canonical(self) -> dict[str, object] | None:
        """Return the table for the canonical JSON of a spec, or None if it is empty."""
        data = {key: value for key, value in self.model_dump(mode="json").items() if value not in (None, [])}
        return None if data == {"threads": 1} else data


def _size(value: int) -> str:
    unit, name = next((unit, name) for unit, name in ((_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB"), (1, "bytes")) if value >= unit)
    return f"{value / unit:g} {name}"


def _within(value: ByteSize | None, least: int, most: int) -> ByteSize | None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"should be {_size(least)} to {_size(most)}")
    return value


def shown(value: object) -> str:
    """Return a value as it is written in the tournament file, shortened if it is long."""
    return str(value).lower() if isinstance(value, bool) else quote(value)
