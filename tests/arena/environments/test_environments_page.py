"""The code on the page about environments runs."""

import re
from pathlib import Path

import pytest

from arena.environments import sunda, tongiaki
from arena.environments.encoding import Encoder
from arena.environments.generic import GenericEncoder
from engine.sunda import sunda as sunda_game
from tests.small_games import TRICKS

PAGE = (Path(__file__).parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")
GENERIC = PAGE.partition("### A game without")[2]
ENCODERS = (tongiaki.TongiakiEncoder(4), sunda.SundaEncoder(4, sunda_game({}).settings))
BLOCKS = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_of_code_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(BLOCKS[number], {})  # noqa: S102  # that is what readers do with it
    assert capsys.readouterr().out


def test_there_are_blocks() -> None:
    assert len(BLOCKS) == 5


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        *((encoder, re.findall(r"^ *- ``(\w+)`` \((.+?)\):", encoder.__doc__ or "", re.MULTILINE)) for encoder in ENCODERS),
        (
            GenericEncoder(TRICKS.game("", {}), 4),
            re.findall(r"^\| `(\w+)` \| ([^|`]+?) \|", PAGE.partition("### A game without")[2], re.MULTILINE),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_array_is_described_with_its_shape(encoder: Encoder, told: list[tuple[str, str]]) -> None:
    shapes = {name: field.shape for name, field in encoder.fields.items()} | {"moves": (encoder.actions, len(encoder.columns))}
    assert {name: tuple(_number(part, encoder) for part in text.split(", ")) for name, text in told} == shapes


def _number(text: str, encoder: Encoder) -> int:
    return {"N": encoder.actions, "P": 4, "T": 1, "7 + 6 P": 7 + 6 * 4}.get(text) or int(text)


def test_the_page_has_the_numbers_of_actions() -> None:
    ids = [encoder.action_ids().count for encoder in ENCODERS]
    for actions in (tongiaki.TongiakiEncoder.actions, sunda.ACTIONS, sunda.TICK_ACTIONS, *ids):
        assert f"| {actions:,} |" in PAGE
