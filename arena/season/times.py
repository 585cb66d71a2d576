"""Reads the times of a season from TOML, writes them in words, and provides clocks.

All code that depends on the time takes a clock, so that a season can be simulated in a short time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from time import sleep as pause
from typing import Final, Protocol, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bots.loader.suggestions import did_you_mean
from engine.text import quote

YEARS: Final = range(1970, 3000)
"""The years allowed in times, so that adding an offset or a duration stays within the range of ``datetime``."""
_DURATION: Final = re.compile(r"([0-9]{1,6})\s*(s|min|h|d)")
_UNITS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86400}


def find_zone(name: object) -> ZoneInfo:
    """Return the time zone of that name. Raises ValueError."""
    if not isinstance(name, str):
        raise ValueError("should be the name of a time zone, such as 'Europe/Berlin'")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = available_timezones()
        lacks = "; this machine has no time zones: install the package tzdata"
        advice = did_you_mean(name, known, "; they are named like 'Europe/Berlin' or 'UTC'") if known else lacks
        raise ValueError(f"there is no time zone {quote(name)}{advice}") from None


def read_time(value: object, zone: ZoneInfo | None) -> datetime:
    """Return a TOML value as a time in UTC. Raises ValueError if it is not a time, or if the zone skips or repeats that time."""
    if isinstance(value, date) and not isinstance(value, datetime):
        raise ValueError(f"{value} is a day; add the time, such as {value} 18:00:00")
    if isinstance(value, time):
        raise ValueError(f"{value} is a time without a day; write both, such as 2027-06-21 18:00:00")
    if not isinstance(value, datetime):
        raise ValueError(f"should be a time, such as 2027-06-21 18:00:00 (without quotes), not {quote(value)}")
    if value.year not in YEARS:
        raise ValueError(f"{value} is not in the years {YEARS[0]} to {YEARS[-1]}")
    if value.microsecond:
        raise ValueError(f"{value} has fractions of a second; leave the fractions out, since times are shown to the second")
    if value.tzinfo is not None:
        return value.astimezone(UTC)
    if zone is None:
        raise ValueError(f"{value} has no time zone; add zone = 'Europe/Berlin' (or yours) at the top of the file, or an offset: {value}Z")
    first, second = (value.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset():
        both = " or ".join(dict.fromkeys(each.astimezone(UTC).astimezone(zone).isoformat(" ") for each in (first, second)))
        is_real = first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == value
        how = "comes twice" if is_real else "does not exist"
        raise ValueError(f"{value} {how} in {zone.key}, where clocks change then; say which time you mean: {both}")
    return first.astimezone(UTC)


def read_duration(value: object) -> timedelta:
    """Return the duration that a TOML value such as ``"10 min"`` specifies. Raises ValueError."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or not int(match[1]):
        raise ValueError(f"should be a length of time, such as '10 min', '30 s', '2 h' or '1 d', not {quote(value)}")
    return timedelta(seconds=int(match[1]) * _UNITS[match[2]])


def write_time(moment: datetime, zone: ZoneInfo | None) -> str:
    """Return a time in words, to the second: in the zone (if there is one) and in UTC."""
    utc = f"{moment.astimezone(UTC):%H:%M:%S} UTC"
    if zone is None:
        return f"{_day(moment.astimezone(UTC))}, {utc}"
    local = moment.astimezone(zone)
    shown = f"{_day(local)}, {local:%H:%M:%S} {_zone_name(local, zone)}"
    return shown if local.utcoffset() == timedelta() else f"{shown} ({utc})"


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"


def _zone_name(moment: datetime, zone: ZoneInfo) -> str:
    """Return the zone's abbreviation, such as CEST, or its name if it has none."""
    name = moment.tzname() or ""
    return name if name.isalpha() else zone.key


def write_duration(length: timedelta) -> str:
    """Return a length of time as a season's file has it, such as ``10 min``."""
    seconds = round(length.total_seconds())
    unit = next(unit for unit in ("d", "h", "min", "s") if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]} {unit}"


Now: TypeAlias = Callable[[], datetime]
"""A function that returns the present time, with a time zone."""
POLL_SECONDS: Final = 0.5


def now() -> datetime:
    """Return the time of this machine, in UTC."""
    return datetime.now(UTC)


class Clock(Protocol):
    """The clock that the driver of a season uses."""

    def now(self) -> datetime:
        """Return the time."""
        ...

    def reach(self, moment: datetime) -> bool:
        """Return whether it is ``moment`` or later; a simulated clock jumps to that time."""
        ...

    def rest(self) -> None:
        """Wait a moment."""
        ...


class MachineClock:
    """The clock of this machine. It is polled, so that no event is missed if the clock jumps or the machine sleeps."""

    def now(self) -> datetime:
        """Return the time of this machine."""
        return now()

    def reach(self, moment: datetime) -> bool:
        """Return whether it is ``moment`` or later."""
        return self.now() >= moment

    def rest(self) -> None:
        """Wait half a second."""
        pause(POLL_SECONDS)


@dataclass
class QuickClock:
    """A simulated clock that jumps to the time waited for. On the way, it calls each action in ``happens`` at its time."""

    moment: datetime
    happens: list[tuple[datetime, Callable[[], object]]] = field(default_factory=list)

    def now(self) -> datetime:
        """Return the simulated time."""
        return self.moment

    def reach(self, moment: datetime) -> bool:
        """Call the actions due up to ``moment``, jump to it, and return True."""
        while self.happens and self.happens[0][0] <= moment:
            at, action = self.happens.pop(0)
            self.moment = max(self.moment, at)
            action()
        self.moment = max(self.moment, moment)
        return True

    def rest(self) -> None:
        """Don't wait."""
