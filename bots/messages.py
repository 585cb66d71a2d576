"""The messages between a host and a bot: one JSON object per line, strictly parsed (docs/protocol.md).

`bots.host.bot_process` and `bots.child.loop` send them.
"""

from __future__ import annotations

import json
from typing import Final, Literal, TypeAlias

import msgspec

from bots.protocol import Clock, ClockSpec
from engine.core import OptionValue, Score
from engine.core.errors import InputError
from engine.core.observer import News
from engine.text import one_line

PROTOCOL: Final = 1
MAX_TURN: Final = 64 * 1024
"""The most bytes that a bot may write in one turn, and therefore the longest message that it can send."""

OptionText: TypeAlias = bool | int | float | str | list[int]
"""The value of a game option in a message."""
Want: TypeAlias = Literal["legal", "position", "finish"]


class MessageError(InputError):
    """Raised for a line that is not a valid message. Its text, such as "is nested too deeply", says what is wrong with the line."""


class Match(msgspec.Struct, tag="match", tag_field="type", frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The first message to a bot: the match to play.

    ``opening`` is what the seat may know of the chance events before the first move (such as Sunda's pots); ``params`` are the bot's
    parameters, if it has any.
    """

    protocol: int
    game: str
    options: dict[str, OptionText]
    players: int
    seat: int
    seed: int
    clock: ClockSpec
    opening: str = ""
    params: dict[str, bool | int | float | str] | msgspec.UnsetType = msgspec.UNSET


class NewsItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One decision of the match, as far as the bot's seat may know it; a hidden choice has no ``move``."""

    seat: int
    move: str | None = None
    events: tuple[str, ...] = ()


class Decide(msgspec.Struct, tag="decide", tag_field="type", frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """To a bot: the news since its last decision, and a request to decide. ``legal`` and ``position`` are set if the bot requested them."""

    token: str
    news: tuple[NewsItem, ...]
    clock: Clock
    legal: list[str] | None = None
    position: str | None = None


class Finish(msgspec.Struct, tag="finish", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """To a bot that requested this message: the match is over."""

    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    end: str


class Ready(msgspec.Struct, tag="ready", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """From this program's loop in the bot's process: the game was found, and the bot's code runs next. Bots never send this."""


class Hello(msgspec.Struct, tag="hello", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """From a bot, once: it is ready for its first decision. ``fuel`` is the same as in `Answer`."""

    protocol: int
    name: str
    wants: tuple[Want, ...] = ()
    fuel: int | msgspec.UnsetType = msgspec.UNSET


class Answer(msgspec.Struct, tag="answer", tag_field="type", frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """From a bot: its move. ``nodes`` is how many positions it has looked at, if they are limited.

    ``fuel`` is how much fuel a WebAssembly bot has used; this program's own loop fills it in, and it is ignored for other bots.
    """

    token: str
    move: str
    nodes: int | None = None
    fuel: int | msgspec.UnsetType = msgspec.UNSET


class Failure(msgspec.Struct, tag="error", tag_field="type", frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """From a bot: it has failed and gives up its seat. ``unloadable``: it could not be created. ``traceback`` is for its author.

    The kinds in ``OF_THE_LOOP``, and ``fuel``, are sent only by this program's own loop in the bot's process. ``game`` means that the game
    could not be set up, so no bot is at fault; it replaces `Ready`. The timeouts, ``output flood`` and ``fuel`` are for WebAssembly bots.
    """

    kind: Literal["crash", "memory", "protocol error", "illegal move", "game", "init timeout", "move timeout", "output flood"]
    detail: str
    unloadable: bool = False
    traceback: str = ""
    fuel: int | msgspec.UnsetType = msgspec.UNSET


class Bye(msgspec.Struct, tag="bye", tag_field="type", frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """From a bot, after ``finish``: it has nothing more to do. ``note`` is a message for its author."""

    note: str | None = None


OF_THE_LOOP: Final = frozenset({"game", "init timeout", "move timeout", "output flood"})
"""The kinds of failure that only this program's own loop in the bot's process reports."""

ToBot: TypeAlias = Match | Decide | Finish
FromBot: TypeAlias = Ready | Hello | Answer | Failure | Bye

_ENCODER: Final = msgspec.json.Encoder()
_TO_BOT: Final[msgspec.json.Decoder[ToBot]] = msgspec.json.Decoder(Match | Decide | Finish)
_FROM_BOT: Final[msgspec.json.Decoder[FromBot]] = msgspec.json.Decoder(Ready | Hello | Answer | Failure | Bye)
_QUOTES_OF_ANSWER: Final = 12
_QUOTED: Final = 60
_NO_FUEL_OF_MATCH: Final = b',"start_fuel":null,"move_fuel":null,"bank_fuel":null}'
_NO_FUEL: Final = b',"fuel":null}'
"""The end of the JSON of a clock without fuel limits; it can't occur within a JSON string, where quotes are escaped."""


def write(message: ToBot | FromBot) -> bytes:
    """Return the message as a line, with its newline. Fuel is left out where it is not limited, since bots may not know the field."""
    line = _ENCODER.encode(message) + b"\n"
    if isinstance(message, Decide):
        return line.replace(_NO_FUEL, b"}", 1)
    if isinstance(message, Match):
        return line.replace(_NO_FUEL_OF_MATCH, b"}", 1)
    return line


def read_to_bot(line: bytes) -> ToBot:
    """Parse a host's message. Raises MessageError."""
    try:
        return _TO_BOT.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MessageError(f"is not a message of version {PROTOCOL} of the protocol: {error}") from None


def read_from_bot(line: bytes) -> FromBot:
    """Parse a bot's message from a line of at most ``MAX_TURN`` bytes. Raises MessageError."""
    try:
        message = _FROM_BOT.decode(line)
    except msgspec.ValidationError as error:
        raise MessageError(f"does not follow docs/protocol.md: {error}") from None
    except RecursionError:
        raise MessageError("is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MessageError(f"is not JSON: {error}") from None
    # An answer of three strings without escapes has twelve quotes, so it has no duplicate key, and the slower check is not needed.
    if not (isinstance(message, Answer) and line.count(b'"') == _QUOTES_OF_ANSWER and b"\\" not in line):
        _refuse_twins(line)
    return message


def _refuse_twins(line: bytes) -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise MessageError("has a key twice")
        return dict(pairs)

    json.loads(line, object_pairs_hook=unique)


def encode_news(news: list[News]) -> tuple[NewsItem, ...]:
    """Return news in the form used in messages."""
    return tuple([NewsItem(each.seat, each.move, each.events) for each in news])


def encode_options(options: dict[str, OptionValue]) -> dict[str, OptionText]:
    """Return a game's options in the form used in messages."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}


def decode_options(options: dict[str, OptionText]) -> dict[str, OptionValue]:
    """Return a message's options in the form that the engine uses."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}


def quoted(line: bytes) -> str:
    """Return the beginning of a line that is not a message, in a form that is safe to show."""
    text = one_line(repr(line.decode(errors="backslashreplace")))
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."
