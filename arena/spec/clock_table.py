"""The ``[clock]`` table of a tournament file."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from arena.spec.plans import Model
from bots.protocol import ClockMode, ClockSpec

FUEL: Final = 2_000_000_000
"""Units of fuel for the start, and for each decision, unless the file says otherwise.

A module takes a few tenths of a second for them; one that is made to be slow, on a busy machine, 40 s, a third of the usual ``wall``. So
that does not decide what counts as a fault.
"""
_MOST_FUEL: Final = 10**18
_IN_UNITS: Final = {"start": "start_fuel", "move": "move_fuel", "bank": "bank_fuel"}
_BY_THE_CLOCK: Final = ("strikes", "slack", "wall_bank")

_Fuel = Annotated[int, Field(ge=1, le=_MOST_FUEL)]


class ClockTable(Model):
    """The limits of each seat, as ``bots.protocol.ClockSpec`` has them; ``move`` is 10 seconds unless something else limits decisions.

    The mode ``fuel`` has limits in units in place of those in seconds, and nothing that depends on the machine but ``wall``.
    """

    mode: Literal["clock", "budget", "fuel"] = "clock"
    start: Annotated[float, Field(gt=0)] = 10.0
    move: Annotated[float, Field(gt=0)] | None = None
    bank: Annotated[float, Field(gt=0)] | None = None
    strikes: Annotated[int, Field(ge=0)] = 3
    slack: Annotated[float, Field(ge=1)] = 4.0
    wall: Annotated[float, Field(gt=0)] = 120.0
    wall_bank: Annotated[float, Field(gt=0)] | None = 60.0
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
                raise ValueError(f"'{key}' is about time, and the mode 'fuel' knows none but 'wall'; leave it out")
        return self

    @property
    def limits(self) -> ClockSpec:
        """The same, for the match."""
        values = self.model_dump()
        if self.mode == "fuel":
            values |= {"start": None, "move": None, "wall_bank": None}
        elif self.move is None and self.bank is None and (self.nodes is None or self.mode == "clock"):
            values["move"] = ClockSpec().move
        return ClockSpec(**values | {"mode": ClockMode(self.mode)})

    @model_serializer(mode="wrap")
    def _of_its_mode(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return the keys that its mode has, with their values."""
        others = {*_IN_UNITS, *_BY_THE_CLOCK} if self.mode == "fuel" else {*_IN_UNITS.values()}
        return {key: value for key, value in dump(self).items() if key not in others}
