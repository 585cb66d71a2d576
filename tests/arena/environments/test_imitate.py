"""The example that learns from decisions: what is wrong with its file is said in a sentence."""

import runpy
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.parquet", "there is no file .*missing.parquet; 'arena export DB --decisions .* --rows' writes it"),
        ("lines.jsonl", "can't be read as Parquet"),
        ("bare.parquet", "no rows of the legal moves; export it again with --rows"),
    ],
)
def test_a_file_without_what_it_needs_is_refused(name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lines.jsonl").write_text('{"match": "1"}\n')
    parquet.write_table(pa.table({"match": ["1"]}), tmp_path / "bare.parquet")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    program = runpy.run_path(str(EXAMPLES / "imitate.py"))
    with pytest.raises(SystemExit, match=said):
        program["read"](tmp_path / name, "greedy")
