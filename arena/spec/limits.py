"""The tables ``[clock]`` and ``[runtime]`` of a tournament file: the resources and packages of bots, and in a stored spec the versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ByteSize, Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from arena.spec.errors import shown
from arena.spec.plans import Model, as_tuple
from bots.protocol import ClockMode, ClockSpec
from bots.runtime import PACKAGE_NAME, Runtime, normal_name

FUEL: Final = 2_000_000_000
"""Units of fuel for the start, and for each decision, unless the file says otherwise.

An ordinary module uses them up in a few tenths of a second; a deliberately slow one on a busy machine needs 40 s, a third of the default
``wall``. Therefore ``wall`` does not decide which bots fail.
"""
_MOST_FUEL: Final = 10**18
_IN_UNITS: Final = {"start": "start_fuel", "move": "move_fuel", "bank": "bank_fuel"}
_BY_THE_CLOCK: Final = ("strikes", "slack", "wall_bank")

_Fuel = Annotated[int, Field(ge=1, le=_MOST_FUEL)]


class ClockTable(Model):
    """The limits of each seat, with the meanings of ``bots.protocol.ClockSpec``; ``move`` is 10 seconds unless something else limits
    decisions.

    The mode ``fuel`` has limits in units instead of seconds; of its limits only ``wall`` depends on the machine.
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
                    raise ValueError(f"'{key}' counts units, which only the mode 'fuel' does; write mode = \"fuel\", or leave it out")
            return self
        for key, instead in _IN_UNITS.items():
            if key in given:
                raise ValueError(f"'{key}' counts seconds, and the mode 'fuel' counts units; write '{instead}', or leave it out")
        for key in _BY_THE_CLOCK:
            if key in given:
                raise ValueError(f"'{key}' is a time limit, and the mode 'fuel' has only 'wall'; leave it out")
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
"""The least and the most memory of a bot, in bytes."""
BUNDLE: Final = (_KIB, 256 * _MIB)
"""The range of the limit on a bot's files, in bytes."""
MOST_THREADS: Final = 64
_COPIES: Final = 4
"""A bot's process holds up to this many copies of its files while it starts."""
WASMTIME: Final = "wasmtime"
"""The package that runs bots in WebAssembly, whose version is recorded though bots can't import it."""


class RuntimeTable(Model):
    """The runtime of bots: packages that Python bots may import, memory, size of a bot's files, threads of Python bots.

    ``versions`` has the versions, when the tournament began, of the packages and of other software that runs bots; only a stored spec has
    it.
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
                raise ValueError(f"{shown(package)} is not a package's name; write it as 'numpy': what is installed decides the version")
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
        runtime = self.runtime
        if runtime.most_memory < _COPIES * runtime.most_bytes:
            raise ValueError(
                f"bots' files may have {_size(runtime.most_bytes)} and bots {_size(runtime.most_memory)} of memory, but a bot needs "
                f"{_COPIES} times its files; raise 'memory' or lower 'bundle'"
            )
        if self.versions is not None and set(self.versions) - {WASMTIME} != set(self.packages) - {WASMTIME}:
            raise ValueError("'versions' should have the version of each of 'packages', and no others")
        return self

    @property
    def runtime(self) -> Runtime:
        """The runtime in the form that players take."""
        return Runtime(self.packages, self.memory, self.bundle, self.threads)

    def with_versions(self, versions: Mapping[str, str]) -> RuntimeTable:
        """Return the table with these versions, or without any if there are none."""
        return self.model_copy(update={"versions": dict(sorted(versions.items())) or None})

    def canonical(self) -> dict[str, object] | None:
        """Return the table for the canonical text of a spec; None if it is empty."""
        data = {key: value for key, value in self.model_dump(mode="json").items() if value not in (None, [])}
        return None if data == {"threads": 1} else data


def _size(value: int) -> str:
    unit, name = next((unit, name) for unit, name in ((_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB"), (1, "bytes")) if value >= unit)
    return f"{value / unit:g} {name}"


def _within(value: ByteSize | None, least: int, most: int) -> ByteSize | None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"should be {_size(least)} to {_size(most)}")
    return value
