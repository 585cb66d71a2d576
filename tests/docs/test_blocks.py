"""Every block of code on every page works, and files that pages name or show: examples, links, pictures of the rules."""

from __future__ import annotations

import configparser
import re
import runpy
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.play.match import play_match
from arena.season.season_file import make_season
from arena.spec.spec import make_spec, read_spec
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import identify, resolve
from bots.messages import read_to_bot
from engine.records import Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from tests.docs.conftest import small
from tests.docs.pages import PAGES, ROOT, Block, blocks_of, name_of
from tests.docs.shell import Shell

ELSEWHERE = {
    "transcript": "tests/bots/test_messages.py",
    "c": "tests/arena/languages/test_languages.py",
}
"""Languages whose blocks another test runs."""
PAGES_WITH_CODE = [page for page in PAGES if any(True for _ in blocks_of(page))]
FIRST = {ROOT / "docs" / "notation.md"}
"""Pages that every run of the tests tries; the others are slow together, and some need a package of the extra ``dev``."""


def check_commands(block: Block, shell: Shell) -> None:
    shell.run(block.text)


def masked(line: str) -> str:
    """The line without what differs from run to run or machine to machine: numbers, hashes, widths."""
    line = re.sub(r"sha256:[\w.]+|\b(?=\w*\d)[0-9a-f]{7,}\b", "#", line)
    return " ".join(re.sub(r"[+-]?\d[\d.,]*(?:-\d+)?", "0", line).split())


def check_output(block: Block, shell: Shell) -> None:
    """Each line that is shown was printed by the last command; ``...`` stands for any text."""
    printed = [masked(line) for line in shell.output.splitlines()]
    for line in filter(None, map(masked, block.text.splitlines())):
        pattern = re.escape(line).replace(r"\.\.\.", ".*")
        assert any(re.fullmatch(pattern, each) for each in printed), f"{block.where}: not printed: {line}\n{shell.output}"


def is_of_a_package(block: Block) -> bool:
    """Write the file if its title has a folder: the commands that follow on the page install and run it."""
    path = Path(block.title)
    if not path.parent.name:
        return False
    path.parent.mkdir(exist_ok=True)
    path.write_text(block.text, encoding="utf-8")
    return True


def check_bot(block: Block, shell: Shell) -> None:
    if is_of_a_package(block):
        return
    path = Path(block.title or "shown.py")
    path.write_text(block.text, encoding="utf-8")
    play_two(path.name, Path.cwd(), "tongiaki")


def check_program(block: Block, shell: Shell) -> None:
    exec(compile(block.text, block.where, "exec"), shell.names)  # noqa: S102  # it is our own


def check_tournament(block: Block, shell: Shell) -> None:
    if is_of_a_package(block):
        return
    if "\n[stages." in block.text:
        Path(block.title).write_text(make_season(block.text, "docs").text, encoding="utf-8")
        return
    assert Schedule(make_spec(tomllib.loads(block.text), "docs")).total != 0
    if block.title:
        Path(block.title).write_text(small(block.text), encoding="utf-8")


def check_manifest(block: Block, shell: Shell) -> None:
    with TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        (folder / "bot.toml").write_text(block.text, encoding="utf-8")
        (folder / "bot.js").write_text("", encoding="utf-8")
        assert identify(name).command == ("node", "bot.js")


def check_position(block: Block, shell: Shell) -> None:
    game = find_game(block.text.partition("\n")[0])
    assert game.position(block.text).text == block.text


def check_message(block: Block, shell: Shell) -> None:
    read_to_bot(block.text.strip().encode())


def check_unit(block: Block, shell: Shell) -> None:
    """A systemd unit: what it starts is a command of ours."""
    unit = configparser.ConfigParser(strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(block.text)
    program, _, arguments = unit["Service"]["ExecStart"].partition(" ")
    assert program.endswith("/arena")
    shell.parse(arguments)


CHECKS: dict[str, Callable[[Block, Shell], None]] = {
    "sh": check_commands,
    "output": check_output,
    "python": check_bot,
    "py": check_program,
    "toml": check_tournament,
    "toml-of-a-bot": check_manifest,
    "text": check_position,
    "json": check_message,
    "ini": check_unit,
}


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=name_of(page), marks=[] if page in FIRST else pytest.mark.slow) for page in PAGES_WITH_CODE]
)
def test_every_block_of_a_page_works_one_after_the_other(page: Path, shell: Shell) -> None:
    for block in blocks_of(page):
        if block.not_run or block.language in ELSEWHERE:
            continue
        assert block.language in CHECKS, f"{block.where}: nothing checks '{block.language}'; write '<!-- not run: why -->' above it"
        shell.run(block.first)
        CHECKS[block.language](block, shell)


def test_what_other_tests_run_is_named_in_them() -> None:
    for language, path in ELSEWHERE.items():
        assert f"```{language}" in (Path(__file__).parents[2] / path).read_text(encoding="utf-8")


def play_two(reference: str, folder: Path, game: str) -> None:
    """The bot plays a whole match against random without a fault, and the replay verifies."""
    seats = (resolve(reference, base=folder), resolve("random"))
    ticket = Ticket("docs", ("bot", "random"), 0, 0, ("bot", "random"), 3)
    result = play_match(find_game(game), ticket, [InProcessPlayer(version) for version in seats])
    assert [seat.fault for seat in result.seats] == [None, None]
    verify_replay(read_replay(result.replay))


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


PICTURES = runpy.run_path(str(ROOT / "docs" / "make_pictures.py"))["PICTURES"]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_rules_is_the_one_that_the_program_draws(name: str) -> None:
    drawn = PICTURES[name]()
    ET.fromstring(drawn)  # noqa: S314  # it is our own
    assert (ROOT / "docs" / "pictures" / "rules" / f"{name}.svg").read_text(encoding="utf-8") == drawn, "run: python docs/make_pictures.py"
