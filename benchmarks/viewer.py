"""Measures how fast a replay opens and steps in the browser, and how large its page is; requires Chromium.

python -m benchmarks.viewer [--runs N] [--json FILE]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Page, sync_playwright

from arena.web.rendering.replay_files import page as page_of
from benchmarks.common import Figure, arguments, figure_of, measure, report
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

VECTORS = Path(__file__).parent.parent / "tests" / "vectors"
LONGEST = {"Tongiaki, 6 seats": "tongiaki/r6-46", "Sunda to Sahul, 4 seats": "sunda/private-L5-4p-3"}
FIRST_VIEW = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
STEPS = """() => {
  const viewer = document.querySelector("[data-arena-viewer]").arenaViewer;
  const steps = [];
  for (let at = 0; at <= viewer.end; at++) {
    const begun = performance.now();
    viewer.go(at);
    document.body.getBoundingClientRect();
    steps.push(performance.now() - begun);
  }
  viewer.go(0);
  return steps;
}"""


def first_view(page: Page, address: str) -> float:
    """Return the milliseconds from the navigation to the first picture."""
    page.goto("about:blank")
    page.goto(address)
    while (found := page.evaluate(FIRST_VIEW)) is None:
        page.wait_for_timeout(5)
    return float(found)


def main() -> None:
    given = arguments("First view and steps of the replay viewer in the browser.").parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("there is no Chromium on this machine")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for title, name in LONGEST.items():
            replay = read_replay((VECTORS / f"{name}.json").read_text())
            begun = perf_counter()
            text = page_of(timeline_of(replay))
            made = perf_counter() - begun
            path = Path(folder, "page.html")
            path.write_text(text)
            figures.append(figure_of(f"{title}, {len(replay.decisions)} decisions: the page is made", "ms", [1000 * made]))
            figures.append(figure_of(f"{title}: its size", "kB", [len(text.encode()) / 1000], "<= 1000"))
            address = path.as_uri()
            figures.append(measure(f"{title}: first view", "ms", given.runs, partial(first_view, page, address), "<= 300"))
            walks = [page.evaluate(STEPS) for _ in range(given.runs + 1)][1:]
            figures.append(figure_of(f"{title}: a step, median", "ms", [median(steps) for steps in walks]))
            figures.append(figure_of(f"{title}: a step, slowest", "ms", [max(steps) for steps in walks]))
        browser.close()
    report("the viewer", figures, given.json)


if __name__ == "__main__":
    main()
