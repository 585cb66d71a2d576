"""A real browser for tests of pages: headless Chromium of this machine, through Playwright. Without one these tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from starlette.testclient import TestClient

from arena.web.queries import Queries
from arena.web.rendering.replay_files import page as html_of
from benchmarks.web_data import add_people
from leaderboard.storage.store import Store
from tests.arena.web.competition import make_competition, visitor
from tests.arena.web.hosting import Open, browsers, make_ladder, make_token, served, settings_for
from tests.arena.web.replays import SUNDA, TONGIAKI, hostile_timeline, save_page, timeline_of_vector
from tests.world import made_once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, FloatRect, Locator, Page, Request, ViewportSize

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 100_000
"""Milliseconds that a test waits for a page, which shows what it waits for much sooner where nothing else runs."""
DESK, PHONE = (1280, 800), (360, 740)
INSIDE = "document.querySelector('[data-arena-viewer], [data-arena-table]').shadowRoot"
"""The tree of the viewer or the table on a page, which the page's own tree does not contain."""


@dataclass
class Watched:
    """A page and all that went wrong on it: errors and warnings of its console, and every request but for the page itself.

    A page of a ``server`` may ask that, and nobody else.
    """

    page: Page
    address: str = ""
    server: str = ""
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._note)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _note(self, request: Request) -> None:
        is_of_server = self.server and request.url.startswith(f"{self.server}/")
        if request.url.split("#", maxsplit=1)[0] != self.address and not is_of_server:
            self.requests.append(request.url)


def wait_until(page: Page, expression: str) -> None:
    """Wait, at most 100 s, until a JavaScript expression is true; the page's policy does not let ``page.wait_for_function`` do it."""
    page.evaluate(f"""() => new Promise((resolve, reject) => {{
      const last = performance.now() + 100_000;
      (function look() {{
        if ({expression}) resolve(true);
        else if (performance.now() > last) reject(new Error("it never came true"));
        else requestAnimationFrame(look);
      }})();
    }})""")


OpenPage = Callable[..., Watched]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser, one for each test process, with a fresh profile."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("ARENA_CHROMIUM") or next((found for found in map(shutil.which, names) if found), None)
    if program is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium), so pages are not tested in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Opens an address in a new window; when the test is over there must have been no complaint and no request to anywhere else.

    ``open_page(address, size=DESK, motion="no-preference", scripts=True, server="")``; without ``scripts`` the browser runs none; a page
    may ask the ``server`` that it is of.
    ``watched.complaints.clear()`` says that the complaints until then were expected.
    """
    opened: list[Watched] = []

    def open_it(
        address: str,
        *,
        size: tuple[int, int] = DESK,
        motion: Literal["reduce", "no-preference"] = "no-preference",
        scripts: bool = True,
        server: str = "",
    ) -> Watched:
        touch = size[0] < 600
        window: ViewportSize = {"width": size[0], "height": size[1]}
        context = chromium.new_context(
            viewport=window, reduced_motion=motion, has_touch=touch, is_mobile=touch, java_script_enabled=scripts
        )
        context.set_default_timeout(PATIENCE)
        watched = Watched(context.new_page(), address.split("#", maxsplit=1)[0], server)
        opened.append(watched)
        watched.page.goto(address)
        return watched

    yield open_it
    for watched in opened:
        watched.page.context.close()
    assert [watched.complaints for watched in opened if watched.complaints] == []
    assert [watched.requests for watched in opened if watched.requests] == []


@pytest.fixture(scope="session")
def competition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of ``make_competition``, only to be read."""
    return made_once(tmp_path_factory, "competition", make_competition) / "competition.db"


@pytest.fixture(scope="module")
def people(competition: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The competition, and matches of people; a copy for each module."""
    path = tmp_path_factory.mktemp("people") / "people.db"
    shutil.copy(competition, path)
    with Store.create(path) as store:
        add_people(store)
    return path


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder that has been played for two rounds."""
    path = tmp_path_factory.mktemp("ladder") / "league.db"
    make_ladder(path)
    return path


@pytest.fixture(scope="module")
def queries(db: Path) -> Iterator[Queries]:
    """What pages ask that database, never old."""
    found = Queries(Store.read(db), fresh_seconds=0.0)
    yield found
    found.close()


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    """A spectator of that database."""
    with visitor(db) as found:
        yield found


@pytest.fixture
def browser(db: Path) -> Iterator[Open]:
    """Opens browsers of a server of that database, each signed in as the author that is named."""
    with browsers(db) as open_it:
        yield open_it


@pytest.fixture(scope="module")
def token(db: Path) -> str:
    """A token for an author of that database."""
    return make_token(db)


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[str]:
    """The address of a server of that database, which allows everything."""
    with served(settings_for(db)) as address:
        yield address


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of the pages of both games, of a hostile match, of one played alone, and of one that can be continued."""
    folder = tmp_path_factory.mktemp("pages")
    timelines = {
        TONGIAKI: timeline_of_vector(TONGIAKI),
        SUNDA: timeline_of_vector(SUNDA),
        "hostile": hostile_timeline(),
        "solo": timeline_of_vector("sunda/solo-L0-1p-31"),
    }
    found = {name: save_page(html_of(timeline), folder / f"{index}.html") for index, (name, timeline) in enumerate(timelines.items())}
    found["continued"] = save_page(html_of(timeline_of_vector(TONGIAKI), continue_url="/play?match=abc&at={d}"), folder / "continued.html")
    return found


VIEWER = "document.querySelector('[data-arena-viewer]').arenaViewer"


def at(page: Page) -> int:
    """After how many decisions the position is that the viewer shows."""
    return int(page.evaluate(f"{VIEWER}.at"))


def go_to(page: Page, position: int) -> None:
    """Have the viewer show the position after that many decisions."""
    page.evaluate(f"location.hash = '#d={position}'")
    wait_until(page, f"{VIEWER}.at === {position}")


def box_of(element: Locator) -> FloatRect:
    """Where an element is that is shown."""
    box = element.bounding_box()
    assert box is not None
    return box


def fits(page: Page, width: int) -> bool:
    """Whether nothing on the page is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth") <= width)
