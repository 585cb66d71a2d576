"""The ``[runtime]`` table of a tournament file: what bots run in, and, once the tournament is stored, in which versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Self

from pydantic import ByteSize, Field, field_validator, model_validator

from arena.spec.errors import shown
from arena.spec.plans import Model, as_tuple
from bots.runtime import PACKAGE_NAME, Runtime, normal_name

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
MEMORY: Final = (128 * _MIB, 64 * _GIB)
"""The least and the most memory of a bot, in bytes."""
BUNDLE: Final = (_KIB, 256 * _MIB)
"""The least and the most bytes that a bot's files may be limited to."""
MOST_THREADS: Final = 64
_COPIES: Final = 4
"""A bot's process holds its files up to so many times while it starts."""
WASMTIME: Final = "wasmtime"
"""The package that runs bots in WebAssembly, whose version is recorded though bots can't import it."""


class RuntimeTable(Model):
    """What bots run in: the packages that Python bots may import, memory, size of a bot's files, threads of Python bots.

    ``versions`` has the version of each package, and of what else runs bots, as they were installed when the tournament began; it is there
    once the tournament is stored.
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
                raise ValueError(f"{shown(package)} is there twice")
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
            raise ValueError("'versions' should have the version of each of 'packages', and of nothing else that bots import")
        return self

    @property
    def runtime(self) -> Runtime:
        """The same, for where bots are played."""
        return Runtime(self.packages, self.memory, self.bundle, self.threads)

    def settled(self, versions: Mapping[str, str]) -> RuntimeTable:
        """Return the table with these versions, or without any if there are none."""
        return self.model_copy(update={"versions": dict(sorted(versions.items())) or None})

    def canonical(self) -> dict[str, object] | None:
        """Return the table for the canonical text of a spec; None if it says nothing."""
        data = {key: value for key, value in self.model_dump(mode="json").items() if value not in (None, [])}
        return None if data == {"threads": 1} else data


def _size(value: int) -> str:
    unit, name = next((unit, name) for unit, name in ((_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB"), (1, "bytes")) if value >= unit)
    return f"{value / unit:g} {name}"


def _within(value: ByteSize | None, least: int, most: int) -> ByteSize | None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"should be {_size(least)} to {_size(most)}")
    return value
