"""Files that pages name or show: examples, links, pictures of the rules."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.spec.spec import read_spec
from tests.docs.pages import PAGES, ROOT, blocks_of
from tests.docs.playing import play_two


def test_the_example_bot_of_the_readme_is_the_file() -> None:
    code = (ROOT / "examples" / "minimal_bot.py").read_text()
    shown = next(block.text for block in blocks_of(ROOT / "README.md") if block.language == "python")
    assert shown.strip() in code


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*_bot.py")), ids=lambda path: path.name)
def test_an_example_bot_plays(path: Path) -> None:
    play_two(path.name, path.parent, "sunda" if path.name.startswith("sunda") else "tongiaki")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=pytest.mark.slow if "openspiel:" in path.read_text(encoding="utf-8") else [])
        for path in sorted((ROOT / "examples").glob("*.toml"))
    ],
)
def test_an_example_tournament_can_be_run(path: Path) -> None:
    if path.name == "languages.toml" and shutil.which("node") is None:
        pytest.skip("there is no Node.js, which one of its bots needs")
    spec = read_spec(path)
    assert set(find_bots(spec, path.parent, None, in_process=False)) == {bot.name for bot in spec.bots}
    assert Schedule(spec).total != 0


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"], ids=lambda page: page.stem)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:arena|benchmarks|bots|docs|engine|leaderboard|tests)/[a-z0-9_./-]+)`", page.read_text(encoding="utf-8"))
    assert not [name for name in named if not (ROOT / name).exists()]


def test_what_make_mutants_changes_and_runs_is_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    named = settings["only_mutate"] + settings["pytest_add_cli_args_test_selection"] + settings["also_copy"]
    assert [name for name in named if not (ROOT / name).exists()] == []


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
