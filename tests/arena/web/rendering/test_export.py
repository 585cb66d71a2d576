"""The page of a replay that is one file: its size, its policy, what strangers wrote on it, and the command that writes it."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

from typer.testing import CliRunner

from arena.cli.app import app
from arena.web.rendering.replay_files import page
from tests.arena.web.replays import HOSTILE, TONGIAKI, VECTORS, hostile_timeline, timeline_of_vector

MOST = 1_000_000
"""Bytes of a page."""


class Elements(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.raw: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if data.strip() and self.names[-1] in {"script", "style"}:
            self.raw.append(data)


@cache
def tongiaki_page() -> str:
    return page(timeline_of_vector(TONGIAKI))


def test_what_strangers_wrote_is_text() -> None:
    text = page(hostile_timeline())
    elements = Elements(text)
    assert "img" not in elements.names
    assert elements.names.count("script") == 2, "the document and our own script"
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    assert HOSTILE not in text


def test_the_policy_allows_just_the_scripts_and_the_style_of_the_page() -> None:
    elements = Elements(tongiaki_page())
    policy = next(value or "" for name, value in elements.attributes if name == "content" and (value or "").startswith("default-src"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    allowed = {b64decode(found) for found in re.findall(r"'sha256-([^']+)'", policy)}
    assert allowed == {sha256(text.encode()).digest() for text in elements.raw if not text.startswith('{"')}


def test_the_command_writes_a_page_and_says_how_large_it_is_and_the_address_of_a_position(tmp_path: Path) -> None:
    out = tmp_path / "match.html"
    command = ["replay", str(VECTORS / f"{TONGIAKI}.json"), "--html"]
    result, printed = (CliRunner().invoke(app, [*command, *more]) for more in ([str(out), "--at", "40"], ["-"]))
    assert result.exit_code == 0, result.output
    assert out.read_text() == printed.output == tongiaki_page()
    assert f"229 decisions in {out.stat().st_size / 1000:.0f} kB" in result.output
    assert f"{out.as_uri()}#d=40" in result.output.replace("\n", "")


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    vector = VECTORS / f"{TONGIAKI}.json"
    broken = tmp_path / "broken.json"
    broken.write_text(vector.read_text().replace('"place 0"', '"place 9"', 1).replace('"sail ', '"sail x', 1))
    for arguments, sentence in (
        ([str(broken), "--html", str(tmp_path / "out.html")], "can't be played"),
        ([str(vector), "--html", str(tmp_path)], "is a folder"),
        ([str(vector), "--html", str(tmp_path / "no" / "out.html")], "can't be written"),
        ([str(tmp_path / "none.json"), "--html", "-"], "there is no file"),
    ):
        result = CliRunner().invoke(app, ["replay", *arguments])
        assert result.exit_code == 2
        assert sentence in result.output
    assert not (tmp_path / "out.html").exists()
