"""Exporting the decisions of a tournament, or of one match: a file in Parquet or JSON lines, and a card that describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import msgspec
import numpy as np

from arena.environments import explained
from arena.environments.encoding import Encoder
from arena.environments.game_adapter import VERSION, find_encoder
from arena.report.table import markdown_text
from arena.verification.exporter import Exporter
from arena.version import __version__
from engine.core import OptionValue
from engine.records import Replay
from engine.replay.format import read_replay
from engine.replay.verifier import game_of, walk
from leaderboard.records import MatchRecord

_PREFIX: Final = "observation_"
"""The prefixes of the names of columns with arrays."""
_BATCH: Final = 4 << 20
"""The bytes of observations that are buffered before they are written."""
_COLUMNS: Final = (
    ("match", "string", "the id of the match"),
    ("number", "int32", "the number of the decision in its match, from 0"),
    ("players", "int32", "the number of seats"),
    ("seat", "int32", "the seat that decides"),
    ("bot", "string", "the name of the bot in it"),
    ("version", "string", "the version of the bot, a hash"),
    ("by_substitute", "bool", "whether the bot had forfeited, so that the move is its substitute's"),
    ("legal", "int32", "how many legal moves there were"),
    ("action", "int32", "the index of the move among them, in the order of the rules: the action of the environments"),
    ("move", "string", "the move in the notation of the game"),
    ("rank", "int32", "the rank of the seat at the end, from 1"),
    ("score", "float64", "the score of the seat at the end"),
)
"""The columns that have no arrays, in the order of ``SeenDecision``: their names, types and meanings."""


class SeenDecision(NamedTuple):
    """A decision of a match; ``number`` counts those of the match from 0, ``action`` is the index of the move among the legal ones.

    ``by_substitute`` says that the move is not the bot's, which had been replaced. ``rank`` and ``score`` are the seat's at the end.
    ``observation`` and ``rows`` were written by ``Encoder.pack`` and ``Encoder.pack_rows``.
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
    """The decisions of matches, generated lazily; it counts those yielded."""

    def __init__(self, played: Iterable[tuple[MatchRecord, Replay]], *, rows: bool) -> None:
        self._played = played
        self._rows = rows
        self.encoders: dict[int, Encoder] = {}
        """The encoder for each number of players that was met."""
        self.matches = 0
        self.decisions: Counter[tuple[str, str]] = Counter()
        """The number of decisions of each bot and version."""
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


class DecisionSource(NamedTuple):
    """Where decisions come from: a tournament, or one match of it, and its game."""

    tournament: str
    game: str
    options: Mapping[str, OptionValue]
    match: str | None = None


def write_decisions(file: IO[bytes], path: Path, exporter: Exporter, source: DecisionSource, *, rows: bool) -> tuple[Decisions, str]:
    """Write the decisions in the format of the path's ending; return the counts, and the card.

    Only some megabytes of decisions are kept in memory. Raises MissingPackageError without pyarrow, and the errors of the exporter.
    """
    decisions = Decisions(_played(exporter, source.match), rows=rows)
    parquet = _ParquetFile(file, rows=rows) if path.suffix == ".parquet" else None
    if parquet is None:
        _write_json_lines(file, decisions)
    else:
        parquet.write(decisions)
    if not decisions.encoders:
        return decisions, ""
    card = _card(path.name, decisions, source, rows=rows)
    if parquet is not None:
        parquet.close({"card": card, "digest": decisions.digest})
    return decisions, card


def _played(exporter: Exporter, match: str | None) -> Iterator[tuple[MatchRecord, Replay]]:
    for line, text in exporter.played():
        if match is None or line.id == match:
            yield line, read_replay(text.decode())


def _write_json_lines(file: IO[bytes], decisions: Decisions) -> None:
    """Write a line of JSON for each decision, arrays as nested lists."""
    for each in decisions:
        encoder = decisions.encoders[each.players]
        line: dict[str, Any] = {name: value for (name, _, _), value in zip(_COLUMNS, each, strict=False)}
        line |= {_PREFIX + name: array.tolist() for name, array in encoder.unpack(each.observation).items()}
        if each.rows:
            line[f"{_PREFIX}moves"] = np.frombuffer(each.rows, encoder.row_type).reshape(-1, len(encoder.columns)).tolist()
        file.write(msgspec.json.encode(line) + b"\n")


class _ParquetFile:
    """A Parquet file that is written a batch of decisions at a time; arrays are lists of numbers, in C order."""

    def __init__(self, file: IO[bytes], *, rows: bool) -> None:
        """Raises MissingPackageError without pyarrow."""
        with explained("data"):
            import pyarrow as pa  # noqa: PLC0415  # only this kind of file needs it
            from pyarrow import parquet  # noqa: PLC0415  # the same
        self._pa = pa
        self._parquet = parquet
        self._file = file
        self._rows = rows
        self._writer: Any = None
        self._batch: list[SeenDecision] = []
        self._size = 0

    def write(self, decisions: Decisions) -> None:
        """Write all decisions."""
        for each in decisions:
            self._batch.append(each)
            self._size += len(each.observation) + len(each.rows)
            if self._size >= _BATCH:
                self._flush(decisions.encoders)
        self._flush(decisions.encoders)

    def close(self, metadata: dict[str, str]) -> None:
        """End the file, with texts in its metadata."""
        if self._writer is not None:
            self._writer.add_key_value_metadata(metadata)
            self._writer.close()

    def _flush(self, encoders: dict[int, Encoder]) -> None:
        if not self._batch:
            return
        pa = self._pa
        columns = dict(zip(SeenDecision._fields, zip(*self._batch, strict=True), strict=True))
        arrays: dict[str, Any] = {name: pa.array(columns[name], pa.type_for_alias(kind)) for name, kind, _ in _COLUMNS}
        used = [encoders[players] for players in columns["players"]]
        for name, field in used[0].fields.items():
            places = {id(encoder): _place(encoder, name) for encoder in encoders.values()}
            parts = [packed[places[id(encoder)]] for encoder, packed in zip(used, columns["observation"], strict=True)]
            arrays[_PREFIX + name] = self._lists(parts, np.dtype(field.dtype))
        if self._rows:
            arrays[f"{_PREFIX}moves"] = self._lists(columns["rows"], np.dtype(used[0].row_type))
        table = pa.table(arrays)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema, compression="zstd")
        self._writer.write_table(table)
        self._batch, self._size = [], 0

    def _lists(self, parts: Iterable[bytes], dtype: np.dtype[Any]) -> Any:
        """Return an array of lists of numbers."""
        pieces = list(parts)
        ends = np.cumsum([0, *(len(piece) // dtype.itemsize for piece in pieces)], dtype=np.int32)
        return self._pa.ListArray.from_arrays(ends, np.frombuffer(b"".join(pieces), dtype))


def _place(encoder: Encoder, name: str) -> slice:
    """Return the position of a field's bytes among those of an observation."""
    fields = encoder.layout.fields
    assert fields is not None, "a layout has named fields"
    dtype, first = fields[name][:2]
    return slice(first, first + dtype.itemsize)


def _card(file: str, decisions: Decisions, source: DecisionSource, *, rows: bool) -> str:
    """Return the card in Markdown."""
    named = markdown_text(source.tournament)
    of = f"match {markdown_text(source.match)} of the tournament {named}" if source.match else f"the tournament {named}"
    shaped = "nested lists of numbers" if file.endswith(".jsonl") else "flat lists of numbers in C order"
    rules = markdown_text(", ".join(f"{key} = {value}" for key, value in source.options.items()))
    lines = [
        f"# {markdown_text(file)}",
        "",
        f"Every decision of {of}: what the seat saw, what it played, and how the match ended for it.",
        "",
        f"- game: {markdown_text(source.game)}" + (f" ({rules})" if rules else ""),
        f"- matches: {decisions.matches}",
        f"- decisions: {sum(decisions.decisions.values())}",
        f"- digest of the matches: sha256 {decisions.digest} (of a line `ID DIGEST` for each match, with the SHA-256 of its replay)",
        f"- written by: tile-arena {__version__}, environments version {VERSION}",
        "",
        "An observation has nothing that the seat did not know when it decided. Replays of the same matches give the same file.",
        "",
        "## Columns",
        "",
        "| column | type | what |",
        "|---|---|---|",
        *(f"| `{name}` | {kind} | {what} |" for name, kind, what in _COLUMNS),
        *_arrays(decisions.encoders, rows=rows),
        "",
        f"Arrays are {shaped}; docs/reference/environments.md says what they hold.",
        "",
        "## Bots",
        "",
        "| bot | version | decisions |",
        "|---|---|---:|",
        *(
            f"| {markdown_text(bot)} | {markdown_text(version)} | {number} |"
            for (bot, version), number in sorted(decisions.decisions.items())
        ),
        "",
    ]
    return "\n".join(lines)


def _arrays(encoders: Mapping[int, Encoder], *, rows: bool) -> list[str]:
    """Return a line for each column with arrays; shapes may differ with the number of players."""
    lines = []
    first = next(iter(encoders.values()))
    for name, field in first.fields.items():
        shape = _shape({players: str(encoder.fields[name].shape) for players, encoder in encoders.items()})
        lines.append(f"| `{_PREFIX}{name}` | list of {np.dtype(field.dtype)} | the array `{name}` of the observation, of shape {shape} |")
    if rows:
        shape = _shape({players: f"(legal, {len(encoder.columns)})" for players, encoder in encoders.items()})
        lines.append(f"| `{_PREFIX}moves` | list of {np.dtype(first.row_type)} | a row for each legal move, of shape {shape} |")
    return lines


def _shape(of: Mapping[int, str]) -> str:
    """Return the shape of an array, or each of its shapes with the number of players that it belongs to."""
    shapes = {shape: players for players, shape in sorted(of.items(), reverse=True)}
    return " or ".join(shape if len(shapes) == 1 else f"{shape} with {players} players" for shape, players in shapes.items())
