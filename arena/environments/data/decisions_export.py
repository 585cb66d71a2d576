"""Writing the decisions of a tournament, or of one match, to a file and its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from arena.environments.data.card import write_card
from arena.environments.data.decisions import Decisions
from arena.environments.data.files import ParquetFile, write_json_lines
from arena.verification.exporter import Exporter
from engine.core import OptionValue
from engine.records import Replay
from engine.replay.format import read_replay
from leaderboard.records.evidence import MatchRecord


class Source(NamedTuple):
    """Where decisions come from: a tournament, or one match of it, and its game."""

    tournament: str
    game: str
    options: Mapping[str, OptionValue]
    match: str | None = None


def write_decisions(file: IO[bytes], path: Path, exporter: Exporter, source: Source, *, rows: bool) -> tuple[Decisions, str]:
    """Write the decisions in the format of the path's ending; return what was counted, and the card.

    Only some megabytes of decisions are kept in memory. Raises MissingPackageError without pyarrow, and what the exporter raises.
    """
    decisions = Decisions(_played(exporter, source.match), rows=rows)
    parquet = ParquetFile(file, rows=rows) if path.suffix == ".parquet" else None
    if parquet is None:
        write_json_lines(file, decisions)
    else:
        parquet.write(decisions)
    if not decisions.encoders:
        return decisions, ""
    card = write_card(
        path.name,
        decisions,
        tournament=source.tournament,
        game=source.game,
        options=source.options,
        match=source.match,
        rows=rows,
    )
    if parquet is not None:
        parquet.close({"card": card, "digest": decisions.digest})
    return decisions, card


def _played(exporter: Exporter, match: str | None) -> Iterator[tuple[MatchRecord, Replay]]:
    for line, text in exporter.played():
        if match is None or line.id == match:
            yield line, read_replay(text.decode())
