"""What notebooks show: pictures of positions, viewers in frames of their own, tables with their texts escaped."""

from __future__ import annotations

import subprocess
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import arena
from arena import notebook
from arena.analysis.statistics import gather
from arena.report.table import Table, html
from engine.records import MatchResult
from engine.registry import find_game
from engine.replay.format import ReplayError


class Formatter:
    """Looks classes up by name along the order of their bases, as IPython's does."""

    def __init__(self) -> None:
        self.shown: dict[tuple[str, str], Any] = {}

    def for_type_by_name(self, module: str, name: str, show: Any) -> None:
        self.shown[module, name] = show

    def __call__(self, thing: object) -> str | None:
        found = (self.shown.get((each.__module__, each.__name__)) for each in type(thing).__mro__)
        show = next(filter(None, found), None)
        return None if show is None else show(thing)


@pytest.fixture(scope="module")
def formatters() -> dict[str, Formatter]:
    made = {"image/svg+xml": Formatter(), "text/html": Formatter()}
    notebook.load_ipython_extension(SimpleNamespace(display_formatter=SimpleNamespace(formatters=made)))
    return made


@pytest.fixture(scope="module")
def played() -> MatchResult:
    game = find_game("tongiaki")
    return arena.play_match(game, arena.make_ticket(game, ["one", "other"], seed=7), [arena.seat_bot("random"), arena.seat_bot("random")])


@pytest.mark.parametrize("game", ["tongiaki", "sunda"])
def test_a_state_is_drawn_and_a_view_as_far_as_it_is_known(game: str, formatters: dict[str, Formatter]) -> None:
    state = find_game(game).new(2, 7)
    draw = formatters["image/svg+xml"]
    assert str(draw(state)).startswith("<svg")
    assert draw(state.view(0)) == draw(state.view(0).position)


def test_a_match_and_its_replay_are_viewers_in_frames_of_their_own(
    played: MatchResult, formatters: dict[str, Formatter], tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    file.write_text(played.replay.text, encoding="utf-8")
    show = formatters["text/html"]
    shown = show(arena.load_replay(file))
    assert shown == show(played)
    assert shown is not None
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    inner = shown.split('srcdoc="', 1)[1].split('"', 1)[0]
    assert unescape(inner).lstrip().lower().startswith("<!doctype html>")


def test_summaries_and_statistics_are_tables(formatters: dict[str, Formatter], tmp_path: Path) -> None:
    spec = arena.make_spec({"name": "tiny", "game": "tongiaki", "seed": 1, "bots": ["random", "greedy"], "schedule": {"tables": [2]}})
    with arena.Store.create(tmp_path / "tiny.db") as store:
        summary = arena.run_tournament(spec, store=store)
        tables = formatters["text/html"](gather(store, summary.tournament))
    assert "<td>greedy</td>" in str(formatters["text/html"](summary))
    assert str(tables).count("<table>") == 4
    assert "Standings by rating; Elo, a second opinion, over 1 complete blocks" in str(tables)


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "x\n<b>", "\u202eevil\x1b[31m", "A" * 10_000, "🐙" * 99])
def test_names_that_strangers_wrote_are_only_text(name: str, formatters: dict[str, Formatter]) -> None:
    game = find_game("tongiaki")
    match = arena.play_match(game, arena.make_ticket(game, [name, "b"], seed=7), [arena.seat_bot("random"), arena.seat_bot("random")])
    frame = str(formatters["text/html"](match))
    table = html(Table("t", name, (name,), [(name,)]))
    for shown in (frame, unescape(frame), table):
        assert not any(mark in shown for mark in ("<script>alert", "<b>", "\u202e", "\x1b", "A" * 400))
    assert "\n" not in table


def test_a_file_that_is_no_text_is_no_replay(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReplayError, match="not text in UTF-8"):
        arena.load_replay(file)


def test_a_program_without_ipython_imports_nothing_more() -> None:
    code = "import sys, arena; print([name for name in ('IPython', 'engine.render.drawing', 'jinja2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
