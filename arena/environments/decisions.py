"""The decisions of stored matches, one after the other, with what the seat saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from arena.environments.encoding import Encoder
from arena.environments.game_adapter import find_encoder
from engine.records import Replay
from engine.replay.verifier import game_of, walk
from leaderboard.records.evidence import MatchRecord


class SeenDecision(NamedTuple):
    """A decision of a match; ``number`` counts those of the match from 0, ``action`` is the index of the move among the legal ones.

    ``by_substitute`` says that the move is not the bot's, which had been replaced. ``rank`` and ``score`` are the seat's at the end.
    ``observation`` and ``rows`` are what ``Encoder.pack`` and ``Encoder.pack_rows`` wrote.
    """

    match: str
    number: int
    players: int
    seat: int
    bot: str
    version: str
    by_substitute: bool
    legal: int
    action: int
    move: str
    rank: int
    score: float
    observation: bytes
    rows: bytes


class Decisions:
    """The decisions of matches, made while they are iterated over; it counts what went by."""

    def __init__(self, played: Iterable[tuple[MatchRecord, Replay]], *, rows: bool) -> None:
        self._played = played
        self._rows = rows
        self.encoders: dict[int, Encoder] = {}
        """The encoder for each number of players that was met."""
        self.matches = 0
        self.decisions: Counter[tuple[str, str]] = Counter()
        """How many there were of each bot and version."""
        self._hash = sha256()

    @property
    def digest(self) -> str:
        """The SHA-256 of the ids of the matches and the digests of their replays, a line each."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[SeenDecision]:
        for line, replay in self._played:
            yield from self._of(line, replay)
            self.matches += 1
            self._hash.update(f"{line.id} {line.digest}\n".encode())

    def _of(self, line: MatchRecord, replay: Replay) -> Iterator[SeenDecision]:
        encoder = self.encoders.get(replay.players)
        if encoder is None:
            encoder = self.encoders[replay.players] = find_encoder(game_of(replay), replay.players)
        parse = game_of(replay).parse
        replaced = {forfeit.seat: forfeit.index for forfeit in replay.forfeits}
        for number, ((seat, notation, _), (state, _)) in enumerate(zip(replay.decisions, walk(replay), strict=False)):
            moves = state.list_moves()
            bot, version = str(line.seats[seat].bot), str(line.seats[seat].version)
            self.decisions[bot, version] += 1
            yield SeenDecision(
                line.id,
                number,
                replay.players,
                seat,
                bot,
                version,
                number >= replaced.get(seat, len(replay.decisions)),
                len(moves),
                moves.index(parse(notation)),
                notation,
                replay.ranks[seat],
                float(replay.scores[seat]),
                encoder.pack(state, seat),
                encoder.pack_rows(state, seat) if self._rows else b"",
            )
