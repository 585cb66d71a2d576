"""The events of Sunda to Sahul in plain words, for spectators; docs/notation.md lists the events."""

from __future__ import annotations

from engine.render.scene import EventText
from engine.sunda.rules.challenges import challenger_wins


def describe_event(event: str) -> EventText:
    """Return an event of ``state.events`` in words, with its dice, or unchanged if it is none of this game."""
    try:
        return _read(event)
    except (ValueError, IndexError):
        return EventText(event)


def _read(event: str) -> EventText:
    """Return the event in words. Raises ValueError or IndexError if it is none of this game."""
    kind, *rest = event.split(" ")
    if kind == "dice":
        mine, theirs = (_rolls(part, " ") for part in " ".join(rest).split("|"))
        winner = "the challenger wins" if challenger_wins(list(mine), list(theirs)) else "the challenger loses"
        return EventText(f"rolls {_listed(mine)} against {_listed(theirs)}: {winner}", (("challenger", mine), ("other", theirs)))
    if kind == "order":
        rolls = tuple((seat, _rolls(dice, "/")) for seat, dice in (part.split(":") for part in rest))
        order = sorted(rolls, key=lambda roll: roll[1], reverse=True)
        named = tuple((f"seat {int(seat)}", dice) for seat, dice in rolls)
        return EventText(f"dice for the order: {', '.join(f'seat {seat}' for seat, _ in order)}", named)
    if kind == "unable":
        return EventText(f"seat {int(rest[0])} has no place for a tile")
    if kind == "void":
        return EventText(f"the choice of seat {int(rest[0])} does nothing any more")
    raise ValueError(event)


def _rolls(text: str, between: str) -> tuple[int, ...]:
    return tuple(int(roll) for roll in text.split(between))


def _listed(rolls: tuple[int, ...]) -> str:
    return " and ".join(map(str, rolls))
