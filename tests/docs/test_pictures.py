"""The pictures of the rules are what docs/make_pictures.py draws, and every one of them is shown."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "pictures" / "rules"


def _program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAM = _program()


@pytest.mark.parametrize("name", PROGRAM.PICTURES)
def test_a_picture_of_the_rules_is_the_one_that_the_program_draws(name: str) -> None:
    drawn = PROGRAM.PICTURES[name]()
    ET.fromstring(drawn)  # noqa: S314  # it is our own
    assert (FOLDER / f"{name}.svg").read_text(encoding="utf-8") == drawn, "run: python docs/make_pictures.py"


def test_programs_write_where_they_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PROGRAM, "FOLDER", tmp_path / "rules")
    PROGRAM.main()
    assert {path.stem for path in (tmp_path / "rules").iterdir()} == set(PROGRAM.PICTURES)
