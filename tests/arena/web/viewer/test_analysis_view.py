"""The analysis of a match: what its document says, what a visitor sees, also with results hidden, and its story with pictures and bars."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as Tree

import msgspec
import pytest

from arena.analysis.analyser import Settings, analyse
from arena.analysis.match_analysis import MatchAnalysis
from arena.web.rendering.replay_files import analysis_page
from arena.web.viewer.documents import Document, analysis_document, write
from arena.web.viewer.story import story_of
from engine.replay.verifier import ReplayTimeline
from tests.arena.web.competition import play, settings_of, spec_of
from tests.arena.web.conftest import INSIDE, OpenPage, at, go_to
from tests.arena.web.every_page import NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served
from tests.arena.web.replays import save_page, timeline_of_vector

NAME = "tongiaki/r2-323"


@cache
def analysed(name: str, decisions: int = 10**9) -> tuple[ReplayTimeline, MatchAnalysis, Document]:
    """A vector with its analysis as far as it is asked for, and the document of both."""
    timeline = timeline_of_vector(name)
    over = iter(range(decisions))
    with pytest.MonkeyPatch.context() as patch:
        for constant in ("FIRST_CHECKS", "CHECKS", "LAST_CHECKS"):  # losses need not be exact
            patch.setattr(f"arena.analysis.move_quality.{constant}", 2)
        analysis = analyse(timeline.replay, "", Settings(is_over=lambda: next(over, None) is None))
    return timeline, analysis, msgspec.json.decode(write(analysis_document(timeline, analysis)), type=Document)


def test_every_mark_names_a_better_legal_move_and_what_was_lost_and_chances_add_up() -> None:
    timeline, analysis, document = analysed(NAME)
    assert document.marks is not None
    assert len(document.marks) > 3
    for mark in document.marks:
        decision = analysis.decisions[mark.index]
        state = timeline.states[mark.index]
        assert mark.better is not None
        assert state.is_legal(state.game.parse(mark.better.notation))
        assert mark.better.notation != str(timeline.moves[mark.index])
        assert mark.lost == pytest.approx(decision.loss, abs=1e-4)
        assert mark.words == f"{mark.grade}: {int(100 * decision.loss)} percentage points of winning chance"
    assert len(document.evaluation) == timeline.end + 1
    assert all(sum(chances) == pytest.approx(1, abs=1e-3) for chances in document.evaluation)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    timeline, analysis, _ = analysed(NAME)
    return save_page(analysis_page(timeline.replay, analysis), tmp_path_factory.mktemp("analysed") / "match.html")


def test_the_page_of_one_file_shows_the_analysis_by_keyboard_and_in_words(address: str, open_page: OpenPage) -> None:
    _, _, document = analysed(NAME)
    assert document.marks is not None
    first, *_ = document.marks
    page = open_page(f"{address}#d=0", motion="reduce").page
    assert page.get_by_role("tab", selected=True).inner_text() == "Analysis"
    page.keyboard.press("m")
    assert at(page) == first.index + 1
    told = page.locator(".now").inner_text()
    assert f"{first.words[0].upper()}{first.words[1:]}" in told
    assert first.better is not None
    assert f"Better: {first.better.words}" in told
    assert page.locator(".ghosts > *").count() == (1 if first.better.sketch else 0)
    assert (page.locator(".scrub").get_attribute("aria-valuetext") or "").endswith(f"; {first.words}")


def test_an_analysis_gives_nothing_away_where_results_are_hidden(address: str, open_page: OpenPage) -> None:
    _, _, document = analysed(NAME)
    assert document.marks is not None
    seen = document.marks[1].index + 1
    page = open_page(f"{address}#d=0", motion="reduce").page
    page.get_by_role("button", name="Hide results").click()
    go_to(page, seen)
    told = [page.locator(f".ticks .{grade}").get_attribute("d") or "" for grade in ("inaccuracy", "mistake", "blunder")]
    assert "".join(told).count("M") == 2
    page.keyboard.press("m")
    assert at(page) == seen, "the next mark is not told"
    page.get_by_role("tab", name="Moves").click()
    assert page.locator(".moves .grade:visible").count() <= 2
    assert page.evaluate(f"[...{INSIDE}.querySelectorAll('.untold')].length") == len(document.marks) - 2


def test_a_match_is_analysed_on_its_page_and_everybody_can_read_that(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    play(tmp_path / "cup.db", spec_of(tmp_path, "cup", tables=[2], blocks=1), most=1)
    [match] = matches_of(tmp_path / "cup.db", "cup")
    with served(settings_of(tmp_path / "cup.db", host_names=(), analyses=True)) as server:
        watched = open_page(f"{server}/m/{match.id}#d=12", server=server, motion="reduce")
        page = watched.page
        page.locator(".mistakes").wait_for()
        assert at(page) == 12
        assert page.locator(".ribbon").is_visible()
        assert problems_of(page) == []
        page.reload()
        page.locator(".story-cards").wait_for()
        assert problems_of(page) == []
        page.locator(".match-why a[href*='#d=']").first.click()
        page.wait_for_url(f"**/m/{match.id}#d=*")
        page.get_by_role("button", name="Hide results").click()
        page.locator(".match-lead").wait_for(state="hidden")
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [NAME, "sunda/turns-L4-3p-18", "sunda/solo-L0-1p-31"])
def test_each_key_moment_has_words_and_a_picture_of_its_own_and_the_parts_of_the_sum_are_told(name: str) -> None:
    decisions = 10**9 if name == NAME else 2 * timeline_of_vector(name).end + 4  # each is looked at once
    timeline, analysis, _ = analysed(name, decisions)
    told = story_of(timeline, analysis)
    assert 0 < len(told.cards) <= 3
    for bar in told.bars:
        figures, _, result = re.sub("[a-z ]", "", bar.words.replace("\N{MINUS SIGN}", "-")).partition("=")
        assert sum(round(10 * float(each)) for each in figures.split(",")) == round(10 * float(result))
    for card in told.cards:
        _, _, width, height = map(float, Tree.fromstring(card.picture).attrib["viewBox"].split())  # noqa: S314  # our own
        assert width / height == pytest.approx(4 / 3, rel=0.01)
        assert card.words
    assert len({card.picture for card in told.cards}) == len(told.cards)
    assert all(len(figures) == len(told.names) for _, figures in told.rows)
