"""The competition as files: all of it, with every link leading somewhere, in a folder that is whole or as it was before."""

from __future__ import annotations

import errno
import re
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from starlette.testclient import TestClient

from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.static_matches import MARK, UNFINISHED, SiteError, file_of, new_site, with_files, write_file
from arena.web.static_site import write_site
from tests.arena.web.competition import play
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import LADDER, execute, make_ladder, matches_of, settings_for
from tests.arena.web.replays import text_of


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of a few matches."""
    path = tmp_path_factory.mktemp("small") / "league.db"
    make_ladder(path, rounds=1)
    return path


@pytest.fixture(scope="module")
def site(db: Path) -> Path:
    write_site(str(db), db.parent / "site")
    return db.parent / "site"


@pytest.mark.parametrize(("name", "least"), [("db", 10), pytest.param("competition", 60, marks=pytest.mark.slow)])
def test_every_link_of_every_page_leads_to_a_file_and_none_to_a_server(
    name: str, least: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    write_site(str(request.getfixturevalue(name)), tmp_path / "site")
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > least
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert [each for each in ("<form", "live.js", 'http-equiv="refresh') if each in text] == []
        for link in re.findall(r'\s(?:href|src|action|data-events|data-continue)="([^"]*)"', text):
            parts = urlsplit(unescape(link))
            assert (parts.scheme, parts.netloc, parts.query, parts.path.startswith("/")) == ("", "", "", False), (page, link)
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), (page, link)
            assert target.is_relative_to((tmp_path / "site").resolve()), (page, link)


def test_every_match_is_there_with_its_replay_which_is_the_document_of_the_server_compressed(site: Path, db: Path) -> None:
    matches = [match.id for match in matches_of(db, LADDER)]
    assert matches
    with TestClient(make_app(settings_for(db)), base_url="http://127.0.0.1") as visitor:
        for match in matches:
            page, served = site / "m" / f"{match}.html", visitor.get(f"/m/{match}/viewer.json").text
            assert served in text_of(page)
            assert page.stat().st_size < len(served) / 3
            assert (site / "m" / match / "replay.json").read_text() == visitor.get(f"/m/{match}/replay.json").text


def test_a_site_can_be_of_one_tournament(db: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.db"
    both.write_bytes(db.read_bytes())
    bots = [{"name": name, "source": "random"} for name in ("ann", "bob")]
    play(both, make_spec({"name": "other", "game": "tongiaki", "seed": 1, "bots": bots, "schedule": {"tables": [2]}}, "test"))

    write_site(str(both), tmp_path / "site", tournament="other", has_replays=False)

    files = {str(each.relative_to(tmp_path / "site")): each.read_text(encoding="utf-8") for each in (tmp_path / "site").rglob("*.html")}
    assert {"t/other.html", "bots/ann.html", "t/other/bots/bob.html"} <= files.keys()
    assert {f"m/{match.id}.html" for match in matches_of(both, "other")} == {file for file in files if re.fullmatch("m/[^/]+", file)}
    assert not [file for file, text in files.items() if LADDER in file + text or "greedy" in file]


@pytest.mark.parametrize("over", ["file", "http"])
def test_a_replay_of_a_site_can_be_watched(over: str, site: Path, db: Path, open_page: OpenPage) -> None:
    match = matches_of(db, LADDER)[0]
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = site.as_uri() if over == "file" else f"http://127.0.0.1:{server.server_port}"
        opened = open_page(f"{address}/m/{match.id}.html", server=address)
        wait_until(opened.page, f"document.querySelector('arena-viewer').arenaViewer?.end === {match.decisions}")
        server.shutdown()


def test_a_tournament_whose_game_can_not_be_used_is_no_reason_to_show_none(tmp_path: Path) -> None:
    db = tmp_path / "one.db"
    make_ladder(db, rounds=1)
    execute(db, "UPDATE tournament SET game = 'nothing', spec = replace(spec, '\"tongiaki\"', '\"nothing\"')")
    assert write_site(str(db), tmp_path / "site").files > 3
    assert (tmp_path / "site" / "index.html").is_file()


def test_addresses_become_files_within_the_folder_and_links_lead_from_file_to_file() -> None:
    for address, file in {
        "/": "index.html",
        "/t/cup/matches?bot=ann&after=ff": "t/cup/matches-after-ff-bot-ann.html",
        "/static/style.css": "static/style.css",
        "/t/..": "t/~...html",
        "/t/a%2Fb": "t/a~2fb.html",
    }.items():
        assert file_of(address) == file
    page = '<a href="/t/cup/matches?bot=ann&amp;seat=1#last">x</a> <a href="https://example.org/">y</a> <a href="#top">z</a>'
    text, addresses = with_files(page, "m/ff.html")
    assert text == page.replace("/t/cup/matches?bot=ann&amp;seat=1", "../t/cup/matches-bot-ann-seat-1.html")
    assert addresses == {"/t/cup/matches?bot=ann&seat=1"}


def make_site(out: Path, words: str, error: type[BaseException] | None = None) -> None:
    with new_site(out) as pages:
        write_file(pages / "index.html", words.encode())
        write_file(pages / "m" / f"{words}.html", b"")
        assert f"m/{words}.html" not in files_of(out), "it is not to be seen before its end"
        if error is not None:
            raise error


def files_of(out: Path) -> dict[str, str]:
    return {str(each.relative_to(out)): each.read_text() for each in out.rglob("*") if each.is_file()}


def test_a_new_site_takes_the_place_of_an_older_one_and_an_error_leaves_that(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "site"
    make_site(out, "old")
    with pytest.raises(KeyboardInterrupt):
        make_site(out, "new", KeyboardInterrupt)
    assert files_of(out) == {MARK: files_of(out)[MARK], "index.html": "old", "m/old.html": ""}

    (out / UNFINISHED / "pages").mkdir(parents=True)  # which a killed process left
    (out / UNFINISHED / "pages" / "half.html").touch()
    make_site(out, "new")
    assert files_of(out) == {MARK: files_of(out)[MARK], "index.html": "new", "m/new.html": ""}


def test_a_folder_with_other_files_is_left_alone_and_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "thesis.txt").write_text("the only copy")
    with pytest.raises(SiteError, match="other files"):
        make_site(tmp_path, "new")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SiteError, match=r"^the disk is full; make room, .* --no-replays$"):
        make_site(tmp_path / "new", "new")
    assert files_of(tmp_path) == {"thesis.txt": "the only copy"}
