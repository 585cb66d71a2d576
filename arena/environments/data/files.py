"""Files of decisions: Parquet and JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, Final

import msgspec
import numpy as np

from arena.environments.data.decisions import Decisions, SeenDecision
from arena.environments.encoding import Encoder
from arena.environments.needs import explained

ENDINGS: Final = (".parquet", ".jsonl")
PREFIX: Final = "observation_"
"""What the names of the columns with arrays begin with."""

_BATCH: Final = 4 << 20
"""Bytes of observations that are kept until they are written."""
_PLAIN: Final = SeenDecision._fields[:-2]


def write_json_lines(file: IO[bytes], decisions: Decisions) -> None:
    """Write a line of JSON for each decision, arrays as nested lists."""
    for each in decisions:
        encoder = decisions.encoders[each.players]
        line: dict[str, Any] = dict(zip(_PLAIN, each, strict=False))
        line |= {PREFIX + name: array.tolist() for name, array in encoder.unpack(each.observation).items()}
        if each.rows:
            line[f"{PREFIX}moves"] = np.frombuffer(each.rows, encoder.row_type).reshape(-1, len(encoder.columns)).tolist()
        file.write(msgspec.json.encode(line) + b"\n")


class ParquetFile:
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
        arrays: dict[str, Any] = {name: pa.array(columns[name], _type(pa, name)) for name in _PLAIN}
        used = [encoders[players] for players in columns["players"]]
        for name, field in used[0].fields.items():
            places = {id(encoder): _place(encoder, name) for encoder in encoders.values()}
            parts = [packed[places[id(encoder)]] for encoder, packed in zip(used, columns["observation"], strict=True)]
            arrays[PREFIX + name] = self._lists(parts, np.dtype(field.dtype))
        if self._rows:
            arrays[f"{PREFIX}moves"] = self._lists(columns["rows"], np.dtype(used[0].row_type))
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


def _type(pa: Any, name: str) -> Any:
    """Return the type of a column that has no array."""
    if name in {"match", "bot", "version", "move"}:
        return pa.string()
    if name == "by_substitute":
        return pa.bool_()
    return pa.float64() if name == "score" else pa.int32()


def _place(encoder: Encoder, name: str) -> slice:
    """Return where the bytes of a field are among those of an observation."""
    fields = encoder.layout.fields
    assert fields is not None, "a layout has named fields"
    dtype, first = fields[name][:2]
    return slice(first, first + dtype.itemsize)
