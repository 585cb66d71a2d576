"""A real browser for tests of pages: headless Chromium of this machine, through Playwright. Without one these tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

VECTORS = Path(__file__).parent.parent / "vectors"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK, PHONE = (1280, 800), (360, 740)


@dataclass
class Watched:
    """A page and all that went wrong on it: errors and warnings of its console, and every request but for the page itself."""

    page: Page
    address: str = ""
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda message: message.type in {"error", "warning"} and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: request.url.split("#")[0] != self.address and self.requests.append(request.url))


OpenPage = Callable[..., Watched]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser, one for each test process, with a fresh profile."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("ARENA_CHROMIUM") or next((found for found in map(shutil.which, names) if found), None)
    if program is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium), so pages are not tested in a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Opens an address in a new window; when the test is over there must have been no complaint and no request to anywhere else.

    ``open_page(address, size=DESK, scheme="light", motion="no-preference", clock=False)``; with ``clock`` the page's time goes on only as
    ``page.clock`` says. ``watched.complaints.clear()`` says that the complaints until then were expected.
    """
    opened: list[Watched] = []

    def open_it(
        address: str,
        *,
        size: tuple[int, int] = DESK,
        scheme: Literal["light", "dark"] = "light",
        motion: Literal["reduce", "no-preference"] = "no-preference",
        clock: bool = False,
    ) -> Watched:
        touch = size[0] < 600
        window = {"width": size[0], "height": size[1]}
        context = chromium.new_context(viewport=window, color_scheme=scheme, reduced_motion=motion, has_touch=touch, is_mobile=touch)
        watched = Watched(context.new_page(), address.split("#")[0])
        watched.watch()
        opened.append(watched)
        if clock:
            watched.page.clock.install()
        watched.page.goto(address)
        return watched

    yield open_it
    for watched in opened:
        watched.page.context.close()
    assert [watched.complaints for watched in opened if watched.complaints] == []
    assert [watched.requests for watched in opened if watched.requests] == []
