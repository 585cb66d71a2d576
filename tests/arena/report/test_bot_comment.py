"""The comment on a bot: a line for each result, nothing of a stranger's text as markup."""

from __future__ import annotations

import json

import pytest

from arena.report.bot_comment import CommentError, comment
from arena.report.table import markdown_code

CHECK = {
    "bot": "walker", "version": "75b2767220", "game": "tongiaki", "verdict": "failed", "isolation": "L3", "decisions": 12, "stage": "play",
    "troubles": [{"players": 2, "fault": {"kind": "crash", "detail": "<script>@everyone\n# `x` ![](y)"}}] * 2,
}  # fmt: skip
RATE = {"elo": 1612.4, "interval": [1561.0, 1664.0], "players": 2, "forfeits": 0}
COMPARE = {"verdict": "not better", "estimate": 0.512, "interval": [0.47, 0.55], "blocks": 1, "forfeits": {"walker#1": 2, "walker#2": 0}}


def text(**outputs: object) -> str:
    return comment({f"{name}.json": json.dumps(data).encode() if data else b"" for name, data in outputs.items()})


def test_a_line_for_each_result() -> None:
    lines = text(rate=RATE, compare=COMPARE, other=None).splitlines()
    assert lines == [
        "- Elo at tables of 2: **1612** (95 % interval 1561 to 1664; `random` has 1000)",
        "- than the version before: not better; score 0.512 (95 % interval 0.470 to 0.550) in 1 block",
        "  - 2 forfeits: walker#1",
        "- other.json: no result; the log of its command says why",
    ]


def test_faults_are_named_once_and_a_strangers_text_is_no_markup() -> None:
    first, second = text(check=CHECK).splitlines()
    assert first == "- check at tongiaki: **walker@75b27672** failed, 12 decisions, isolation L3"
    assert second == "  - crash at a table of 2: `` <script>@everyone # `x` ![](y) ``"


def test_a_bots_name_is_no_link_and_no_emphasis() -> None:
    assert "**www&#46;evil.example-&#95;x&#95;&#95;my_bot@75b27672**" in text(check=CHECK | {"bot": "www.evil.example-_x__my_bot"})


@pytest.mark.parametrize(
    ("given", "span"), [("a", "` a `"), ("`", "`` ` ``"), ("a``b`", "``` a``b` ```"), ("a\n\n# b", "` a # b `"), (" ", "")]
)
def test_a_code_span_ends_only_after_its_text(given: str, span: str) -> None:
    assert markdown_code(given) == span


@pytest.mark.parametrize("data", [{"verdict": "passed"}, ["x"], {**RATE, "elo": "high"}])
def test_another_file_is_refused(data: object) -> None:
    with pytest.raises(CommentError, match=r"x.json is not what 'arena bots check'"):
        text(x=data)
