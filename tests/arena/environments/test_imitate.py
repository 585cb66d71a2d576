"""The examples that learn: what is wrong with their files is said in a sentence."""

import runpy
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.parquet", "there is no file .*missing.parquet; 'arena export --db DB --decisions .* --rows' writes it"),
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train_policy.py", "--out", "nowhere/t.py"], "--out nowhere/t.py: give a file in a folder that exists"),
        (["train_policy.py", "--out", "."], "--out .: give a file in a folder that exists"),
        (["train_policy.py", "--network", "nowhere"], "--network nowhere: give a folder that exists"),
        (["imitate.py", "some.parquet", "--out", "nowhere/t.py"], "--out nowhere/t.py: give a file in a folder that exists"),
    ],
)
def test_a_place_that_nothing_can_be_written_to_is_refused_at_once(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit):
        runpy.run_path(str(EXAMPLES / arguments[0]), run_name="__main__")
    assert capsys.readouterr().err.splitlines()[-1] == f"{arguments[0]}: error: {said}"
