"""Pages and the API mark bots whose ratings are fixed, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.spec.spec import make_spec
from tests.arena.web.competition import play, visitor


@pytest.mark.slow  # it plays two tournaments
def test_an_anchor_is_marked_wherever_its_rating_is_shown(tmp_path: Path) -> None:
    data = {"name": "cup", "game": "tongiaki", "seed": 3, "bots": ["greedy", "random"], "schedule": {"tables": [2], "blocks": 1}}
    anchors = {"rating": {"anchors": [{"bot": "greedy", "mu": 29.0, "sigma": 0.5}]}}
    play(tmp_path / "t.db", make_spec(data | anchors, "test"))
    play(tmp_path / "t.db", make_spec(data | {"name": "free"}, "test"))
    with visitor(tmp_path / "t.db") as client:
        page, free = client.get("/t/cup").text, client.get("/t/free").text
        marked = re.findall(r'class="bot">(\w+)</a> <small>anchor</small>', page)
        assert marked == ["greedy"]
        assert "An anchor's rating was measured before" in page
        assert "anchor" not in free
        assert "an anchor, fixed: mu 29.00, sigma 0.50" in client.get("/t/cup/bots/greedy").text
        assert "an anchor" not in client.get("/t/cup/bots/random").text
        told = client.get("/api/v1/tournaments/cup/standings").json()
        assert {line["bot"]: line["anchor"] for line in told} == {"greedy": True, "random": False}
