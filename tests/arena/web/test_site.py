"""The competition as files: all of it, with every link leading somewhere, and the same files every time."""

from __future__ import annotations

import hashlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from arena.web.site import MARK, SiteError, file_of, write_site
from leaderboard.storage.store import Store
from tests.arena.web.hosting import make_ladder


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
def small_site(db: Path) -> Path:
    write_site(str(db), db.parent / "site")
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
    with Store.read(db) as store:
        matches = store.find_ids("", 1000)
    assert matches
    for match in matches:
        assert (site / "m" / f"{match}.html").is_file()
        assert 'id="arena-document"' in (site / "m" / match / "replay.html").read_text(encoding="utf-8")
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


@pytest.mark.slow
def test_the_same_database_gives_the_same_files(site: Path, competition: Path, tmp_path: Path) -> None:
    write_site(str(competition), tmp_path / "again")

    assert digests(tmp_path / "again") == digests(site)


def test_an_older_site_is_replaced_here_by_one_without_replays(db: Path, tmp_path: Path) -> None:
    (tmp_path / MARK).touch()
    (tmp_path / "old.html").write_text("old")

    write_site(str(db), tmp_path, has_replays=False)

    assert not (tmp_path / "old.html").exists()
    assert not list(tmp_path.rglob("replay*"))  # without replays nothing leads to one
    assert list((tmp_path / "m").glob("*.html"))


def test_a_folder_with_other_files_is_left_alone(db: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("the only copy")

    with pytest.raises(SiteError, match="other files"):
        write_site(str(db), tmp_path)

    assert (tmp_path / "thesis.txt").read_text() == "the only copy"
    assert len(list(tmp_path.iterdir())) == 1


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


def test_a_tournament_whose_game_can_not_be_used_is_no_reason_to_show_none(tmp_path: Path) -> None:
    db = tmp_path / "one.db"
    make_ladder(db, rounds=1)
    with Store.create(db) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE tournament SET game = 'nothing', spec = replace(spec, '\"tongiaki\"', '\"nothing\"')")
    assert write_site(str(db), tmp_path / "site") > 3
    assert (tmp_path / "site" / "index.html").is_file()
