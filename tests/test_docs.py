"""Every example and every block of code that a reader may copy works."""

import re
import tomllib
from pathlib import Path

import pytest

from arena.entering import find_bots
from arena.match import play_match
from arena.schedule import Schedule
from arena.spec import make_spec, read_spec
from bots.host import InProcessPlayer
from bots.loading import resolve
from engine.games import find_game
from engine.records import Ticket
from engine.replay import read_replay, verify_replay

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for number, block in enumerate(re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL), start=1):
            found.append((f"{page.name}-{number}", block))
    return found


def play_two(reference: str, tmp_path: Path, game: str) -> None:
    """The bot plays a whole match against random without a fault, and the replay verifies."""
    seats = (resolve(reference, base=tmp_path), resolve("random"))
    ticket = Ticket("docs", ("bot", "random"), 0, 0, ("bot", "random"), 3)
    result = play_match(find_game(game), ticket, [InProcessPlayer(version) for version in seats])
    assert [seat.fault for seat in result.seats] == [None, None]
    verify_replay(read_replay(result.replay.text))


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks("python")])
def test_a_bot_shown_in_the_docs_plays(code: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(code)
    play_two("shown.py", tmp_path, "tongiaki")


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in blocks("toml")])
def test_a_tournament_shown_in_the_docs_is_valid(text: str) -> None:
    assert Schedule(make_spec(tomllib.loads(text), "docs")).total != 0


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in blocks("text")])
def test_a_position_shown_in_the_docs_is_read_and_written_alike(text: str) -> None:
    game = find_game(text.partition("\n")[0])
    assert game.position(text).text == text


def test_the_example_bot_of_the_readme_is_the_file() -> None:
    code = (ROOT / "examples" / "minimal_bot.py").read_text()
    shown = next(block for name, block in blocks("python") if name == "README.md-1")
    assert shown.strip() in code


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*_bot.py")), ids=lambda path: path.name)
def test_an_example_bot_plays(path: Path) -> None:
    play_two(path.name, path.parent, "sunda" if path.name.startswith("sunda") else "tongiaki")


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.name)
def test_an_example_tournament_can_be_run(path: Path) -> None:
    spec = read_spec(path)
    assert set(find_bots(spec, path.parent, None)) == {bot.name for bot in spec.bots}
    assert Schedule(spec).total != 0


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name} links to {target}"
