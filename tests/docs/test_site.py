"""The site builds without a warning, needs no other host, and fits what code hosts show to what MkDocs reads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.world import locked

pytestmark = pytest.mark.slow  # it builds the site

LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "video": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all workers of pytest."""
    here = tmp_path_factory.getbasetemp()
    folder = (here.parent if "PYTEST_XDIST_WORKER" in os.environ else here) / "site"
    with locked(f"{folder}.lock"):
        if not folder.exists():
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
            environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
            assert done.returncode == 0, done.stderr
            assert "WARNING" not in done.stderr
    return folder


class Loads(HTMLParser):
    """Collects what a page loads by itself; links that a reader may follow are none of it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in LOADS and values.get("rel") not in {"canonical", "prev", "next"}:
            self.found.append(values.get(LOADS[tag]) or "")


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        parser = Loads()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.found
        assert not [load for load in parser.found if "//" in load], page
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


def test_the_reference_has_every_command_and_whole_sentences(site: Path) -> None:
    from typer.main import get_command

    from arena.cli.app import app

    page = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    for name in get_command(app).commands:  # type: ignore[attr-defined]  # a group
        assert f'id="arena-{name}"' in page
    assert "..." not in "".join(re.findall(r'<a href="#arena-[^"]+">.+?</li>', page))
