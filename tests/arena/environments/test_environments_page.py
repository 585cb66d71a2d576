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
BLOCKS = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_of_code_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(BLOCKS[number], {})  # noqa: S102  # that is what readers do with it
    assert capsys.readouterr().out


def test_there_are_blocks() -> None:
    assert len(BLOCKS) == 6


@pytest.mark.parametrize(
    ("title", "encoder"),
    [
        ("Tongiaki (int8)", tongiaki.TongiakiEncoder(4)),
        ("Sunda to Sahul (int16, the grid int8)", sunda.SundaEncoder(4, sunda_game({}).settings)),
        ("A game without an encoder", GenericEncoder(TRICKS.game("", {}), 4)),
    ],
)
def test_the_page_names_every_array_with_its_shape(title: str, encoder: Encoder) -> None:
    section = PAGE.partition(f"### {title}\n")[2].partition("\n#")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, re.MULTILINE))
    shapes = {name: field.shape for name, field in encoder.fields.items()} | {"moves": (encoder.actions, len(encoder.columns))}
    read = {name: tuple(_number(part, encoder) for part in text.split(", ")) for name, text in told.items()}
    assert read == shapes


def _number(text: str, encoder: Encoder) -> int:
    return {"N": encoder.actions, "P": 4, "T": 1, "7 + 6 P": 7 + 6 * 4}.get(text) or int(text)


def test_the_page_has_the_numbers_of_actions() -> None:
    ids = [encoder.action_ids().count for encoder in (tongiaki.TongiakiEncoder(2), sunda.SundaEncoder(2, sunda_game({}).settings))]
    for actions in (tongiaki.TongiakiEncoder.actions, sunda.ACTIONS, sunda.TICK_ACTIONS, *ids):
        assert f"| {actions:,} |" in PAGE
