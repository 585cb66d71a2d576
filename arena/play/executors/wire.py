"""How batches travel between the driver and its workers: as Ray pickles objects, or packed into bytes."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from arena.play.executors.base import Played
from engine.records import MatchResult, Ticket, VoidMatch

_ENCODER: Final = msgspec.msgpack.Encoder()
_TICKETS: Final = msgspec.msgpack.Decoder(list[Ticket])
_RESULTS: Final = msgspec.msgpack.Decoder(tuple[list[MatchResult], list[VoidMatch]])


class Pickled:
    """Any items and answers, sent as they are."""

    @staticmethod
    def pack_items(items: list[Any]) -> Any:
        """Return what the driver sends."""
        return items

    @staticmethod
    def unpack_items(packed: Any) -> list[Any]:
        """Return the items, in the worker."""
        items: list[Any] = packed
        return items

    @staticmethod
    def pack_answers(answers: list[Any]) -> Any:
        """Return what the worker sends back."""
        return answers

    @staticmethod
    def unpack_answers(packed: Any) -> list[Any]:
        """Return the answers, in the driver."""
        answers: list[Any] = packed
        return answers


class PackedMatches(Pickled):
    """Tickets and results as bytes: pickles take five times as long to read in the driver, of which there is only one."""

    @staticmethod
    def pack_items(items: list[Ticket]) -> bytes:
        """Return the tickets as bytes."""
        return _ENCODER.encode(items)

    @staticmethod
    def unpack_items(packed: bytes) -> list[Ticket]:
        """Return the tickets."""
        return _TICKETS.decode(packed)

    @staticmethod
    def pack_answers(answers: list[Played]) -> bytes:
        """Return results and void matches as bytes."""
        voids = [each for each in answers if isinstance(each, VoidMatch)]
        return _ENCODER.encode(([each for each in answers if isinstance(each, MatchResult)], voids))

    @staticmethod
    def unpack_answers(packed: bytes) -> list[Played]:
        """Return the results, then the void matches."""
        results, voids = _RESULTS.decode(packed)
        return [*results, *voids]
