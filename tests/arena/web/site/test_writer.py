"""The competition as files: all of it, with every link leading somewhere, and the same files every time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from starlette.testclient import TestClient

from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.static_matches import SiteError, WriteMatches, Written, file_of, with_files
from arena.web.static_site import SiteProgress, write_site
from tests.arena.web.competition import play
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import LADDER, execute, make_ladder, matches_of, settings_for
from tests.arena.web.site.site_files import hosted, text_of


@pytest.fixture(scope="module")
def site(competition: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a whole competition, for slow tests."""
    out = tmp_path_factory.mktemp("site")
    write_site(str(competition), out)
    return out


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of a few matches."""
    path = tmp_path_factory.mktemp("small") / "league.db"
    make_ladder(path, rounds=1)
    return path


@pytest.fixture(scope="module")
def steps(db: Path) -> list[SiteProgress]:
    """The progress of writing ``small_site``, with what ``write_site`` returned last."""
    steps: list[SiteProgress] = []
    done = write_site(str(db), db.parent / "site", on_progress=steps.append)
    return [*steps, done]


@pytest.fixture(scope="module")
def small_site(db: Path, steps: list[SiteProgress]) -> Path:
    assert steps
    return db.parent / "site"


class Links(HTMLParser):
    """All that a page refers to, and the ids it has."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [value or "" for key, value in attrs if key in {"href", "src", "action", "data-events", "data-continue"}]


def links_of(page: Path) -> Links:
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


@pytest.mark.slow
def test_every_link_of_every_page_leads_to_a_file(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        for link in links_of(page).found:
            parts = urlsplit(link)
            assert not parts.scheme, (page, link)
            assert not parts.netloc, (page, link)
            assert not parts.query, (page, link)
            assert not parts.path.startswith("/"), (page, link)
            if parts.path:
                target = (page.parent / unquote(parts.path)).resolve()
                assert target.is_file(), (page, link)
                assert target.is_relative_to(site.resolve()), (page, link)


def test_every_match_and_its_replay_are_there(small_site: Path, db: Path) -> None:
    site = small_site
    matches = [match.id for match in matches_of(db, LADDER)]
    assert matches
    for match in matches:
        assert '"format":"arena-viewer/1"' in text_of(site / "m" / f"{match}.html")
        assert (site / "m" / match / "replay.json").is_file()


def test_pages_on_files_ask_no_server(small_site: Path) -> None:
    for page in small_site.rglob("*.html"):
        links = links_of(page)
        assert "form" not in links.tags
        assert "live.js" not in page.read_text(encoding="utf-8")
        assert "http-equiv" not in page.read_text(encoding="utf-8")


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_match_whose_process_is_lost_again_and_again_is_one_sentence(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(task: WriteMatches, items: Sequence[str], _pool: object) -> list[Written | str]:
        return [task.lost(each, "it was killed") for each in items]

    monkeypatch.setattr(WriteMatches, "do", lose)
    with pytest.raises(SiteError, match=r"the pages of match \w+ can't be written: it was killed; try it with --workers 1"):
        write_site(str(db), tmp_path / "site", processes=1)

    assert not (tmp_path / "site").exists()


def test_a_replay_is_the_document_of_the_server_compressed(small_site: Path, db: Path) -> None:
    match = matches_of(db, LADDER)[0].id
    with TestClient(make_app(settings_for(db)), base_url="http://127.0.0.1") as visitor:
        served = visitor.get(f"/m/{match}/viewer.json").text
    page = small_site / "m" / f"{match}.html"

    assert served in text_of(page)
    assert page.stat().st_size < len(served) / 3


def test_a_site_can_be_of_one_tournament(db: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.db"
    both.write_bytes(db.read_bytes())
    bots = [{"name": name, "source": "random"} for name in ("ann", "bob")]
    play(both, make_spec({"name": "other", "game": "tongiaki", "seed": 1, "bots": bots, "schedule": {"tables": [2]}}, "test"))

    write_site(str(both), tmp_path / "site", tournament="other", has_replays=False)

    files = {str(each.relative_to(tmp_path / "site")) for each in (tmp_path / "site").rglob("*.html")}
    assert {"t/other.html", "bots/ann.html", "t/other/bots/bob.html"} <= files
    assert {f"m/{match.id}.html" for match in matches_of(both, "other")} == {
        file for file in files if file.count("/") == 1 and file[:2] == "m/"
    }
    assert not [file for file in files if LADDER in file or "greedy" in file]
    assert not [file for file in files if LADDER in (tmp_path / "site" / file).read_text(encoding="utf-8")]


def test_an_interrupt_leaves_no_site(db: Path, tmp_path: Path) -> None:
    def interrupt(progress: SiteProgress) -> None:
        if progress.files > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(str(db), tmp_path / "site", on_progress=interrupt)

    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("over", ["file", "http"])
def test_a_replay_of_a_site_can_be_watched(over: str, small_site: Path, db: Path, open_page: OpenPage) -> None:
    match = matches_of(db, LADDER)[0]
    page = f"m/{match.id}.html"
    with nullcontext(small_site.as_uri()) if over == "file" else hosted(small_site) as address:
        opened = open_page(f"{address}/{page}", server=address)
        wait_until(opened.page, f"document.querySelector('arena-viewer').arenaViewer?.end === {match.decisions}")


def test_a_tournament_whose_game_can_not_be_used_is_no_reason_to_show_none(tmp_path: Path) -> None:
    db = tmp_path / "one.db"
    make_ladder(db, rounds=1)
    execute(db, "UPDATE tournament SET game = 'nothing', spec = replace(spec, '\"tongiaki\"', '\"nothing\"')")
    assert write_site(str(db), tmp_path / "site").files > 3
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/t/cup", "t/cup.html"),
        ("/t/cup/matches?bot=ann&after=ff", "t/cup/matches-after-ff-bot-ann.html"),
        ("/static/style.css", "static/style.css"),
        ("/t/a%20b", "t/a~20b.html"),
        ("/t/..", "t/~...html"),
        ("/t/a%2Fb", "t/a~2fb.html"),
    ],
)
def test_addresses_become_files_within_the_folder(address: str, file: str) -> None:
    assert file_of(address) == file


def test_links_lead_from_file_to_file_and_tell_their_addresses() -> None:
    page = '<a href="/t/cup/matches?bot=ann&amp;seat=1#last">x</a> <a href="https://example.org/">y</a> <a href="#top">z</a>'

    text, addresses = with_files(page, "m/ff.html")

    assert 'href="../t/cup/matches-bot-ann-seat-1.html#last"' in text
    assert 'href="https://example.org/"' in text
    assert 'href="#top"' in text
    assert addresses == {"/t/cup/matches?bot=ann&seat=1"}
