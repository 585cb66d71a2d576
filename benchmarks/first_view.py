"""Measures each kind of page in a visitor's browser, with 120 bots and 14,000 matches: first view, bytes and layout shift.

python -m benchmarks.first_view [--runs 3] [--bots 120] [--db FILE] [--json FILE] [--only WORDS]

It uses headless Chromium with an empty cache, at 1280 x 800; the server has one core. The first view is the largest contentful paint.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.common import Figure, arguments, figure_of, write_figures
from benchmarks.web import serving
from benchmarks.web_data import kinds_of_pages, make_database

FIRST_VIEW, FIRST_VIEW_OF_REPLAY, KILOBYTES, SHIFT = 300.0, 400.0, 100.0, 0.05
SIZE: Final = {"width": 1280, "height": 800}
SETTLED: Final = 400
"""How many milliseconds after a page has loaded layout shifts are still counted."""
WATCH: Final = """
window.seen = { paint: 0, shift: 0 };
new PerformanceObserver((list) => { for (const it of list.getEntries()) seen.paint = Math.max(seen.paint, it.startTime); })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => { for (const it of list.getEntries()) if (!it.hadRecentInput) seen.shift += it.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
LOOK: Final = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const first = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
  const others = performance.getEntriesByType("resource").reduce((sum, it) => sum + it.encodedBodySize, 0);
  return {
    answered: page.responseStart, view: Math.max(first, seen.paint), raw: page.decodedBodySize / 1000, sent: page.encodedBodySize / 1000,
    others: others / 1000, shift: seen.shift,
  };
}"""


@dataclass(frozen=True)
class Seen:
    """The measurements of a kind of page: milliseconds, kilobytes (of the page, and of everything else that it loads), layout shift."""

    kind: str
    answered: float
    view: float
    raw: float
    sent: float
    others: float
    shift: float

    @property
    def misses(self) -> list[str]:
        """The limits that the page exceeds."""
        shows_board = "match" in self.kind or "of people" in self.kind
        limit = FIRST_VIEW_OF_REPLAY if shows_board else FIRST_VIEW
        found = ["first view"] if self.view > limit else []
        found += ["size"] if self.sent > KILOBYTES and not shows_board else []
        return found + (["layout shift"] if self.shift >= SHIFT else [])


@contextmanager
def browser() -> Iterator[Browser]:
    """Yield the Chromium that is installed on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("ARENA_CHROMIUM") or next((found for found in map(shutil.which, names) if found), None)
    if program is None:
        raise SystemExit("there is no Chromium on this machine (apt-get install chromium)")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def new_page(opened: Browser) -> Page:
    """Return a browser page for a new visitor."""
    page = opened.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]  # a TypedDict
    page.add_init_script(WATCH)
    return page


def look(opened: Browser, kind: str, address: str, runs: int) -> Seen:
    """Return the medians over several visits; if there are several, one more is made first and not counted."""
    found: list[dict[str, Any]] = []
    for _ in range(runs + (runs > 1)):
        page = new_page(opened)
        page.goto(address, wait_until="load")
        page.wait_for_timeout(SETTLED)
        found.append(page.evaluate(LOOK))
        page.context.close()
    return Seen(kind, **{key: statistics.median(each[key] for each in found[runs > 1 :]) for key in found[0]})


def look_at_table(opened: Browser, server: str) -> Seen | None:
    """Measure the page of a match between people, at a table for two that is created with the form."""
    page = new_page(opened)
    page.goto(f"{server}/play")
    made = page.request.post(f"{server}/play", form={"name": "Maui", "game": "tongiaki", "seat": "me"}, headers={"origin": server})
    if made.ok and "/t/" not in made.url:
        made = page.request.post(f"{server}/play/now", form={"game": "tongiaki", "against": "random"}, headers={"origin": server})
    if "/t/" not in made.url:
        return None
    page.goto(made.url, wait_until="load")
    page.wait_for_timeout(SETTLED)
    seen = Seen("table", **page.evaluate(LOOK))
    page.context.close()
    return seen


def is_there(address: str) -> bool:
    """Return whether the server has such a page; a page with the status 404 counts."""
    try:
        urlopen(address).close()  # noqa: S310  # our own server
    except HTTPError as error:
        return error.code != 404 or address.endswith("nowhere")
    return True


def look_at_all(db: Path, runs: int, only: str = "") -> tuple[list[Seen], list[str]]:
    """Measure each kind of page; return the measurements, and the kinds that the server doesn't have."""
    seen, absent = [], []
    with serving(db, allow_play=True, allow_submissions=True) as port, browser() as opened:
        server = f"http://127.0.0.1:{port}"
        for kind, path in kinds_of_pages(db).items():
            if only not in kind:
                continue
            if is_there(server + path):
                seen.append(look(opened, kind, server + path, runs))
            else:
                absent.append(kind)
        table = look_at_table(opened, server) if only in "table" else None
    return [*seen, *([table] if table else [])], absent


def report(seen: list[Seen], absent: list[str]) -> None:
    table = Table(title="First views", title_justify="left", box=None, pad_edge=False, padding=(0, 1))
    table.add_column("page")
    for header in ("answered ms", "first view ms", "kB", "kB sent", "kB of files", "shift"):
        table.add_column(header, justify="right")
    table.add_column("misses")
    for each in seen:
        sizes = (f"{size:.1f}" for size in (each.raw, each.sent, each.others))
        table.add_row(each.kind, f"{each.answered:.0f}", f"{each.view:.0f}", *sizes, f"{each.shift:.3f}", ", ".join(each.misses))
    Console(width=120).print(table)
    if absent:
        print("Missing pages:", ", ".join(absent))


def figures_of(seen: list[Seen]) -> list[Figure]:
    replays = [each.view for each in seen if "match" in each.kind]
    others = [each.view for each in seen if "match" not in each.kind]
    return [
        figure_of("first view of a page", "ms", others, f"<= {FIRST_VIEW:.0f}"),
        figure_of("first view of a replay", "ms", replays or [0.0], f"<= {FIRST_VIEW_OF_REPLAY:.0f}"),
        figure_of("layout shift of a page", "", [each.shift for each in seen], f"< {SHIFT}"),
    ]


def main() -> None:
    parser = arguments(__doc__.splitlines()[0], runs=3)
    parser.add_argument("--db", type=Path, help="the database; it is created if the file does not exist")
    parser.add_argument("--bots", type=int, default=120, help="how many bots play in the largest tournament, a round-robin")
    parser.add_argument("--only", default="", help="measure only the kinds of pages whose names contain this")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder, "pages.db")
        if not db.exists():
            make_database(db, given.bots)
        seen, absent = look_at_all(db, given.runs, given.only)
    report(seen, absent)
    write_figures(given.json, "First views", figures_of(seen))


if __name__ == "__main__":
    main()
