"""What a bot's source tells: which files beside it are a part of it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from bots.loader.reference_bots import REFERENCE_BOTS, REFERENCE_PACKAGE
from bots.loader.static_analysis import find_sources

FILES = {
    "by_from.py": "from own.package.leaf import thing\n",
    "by_package.py": "def later():\n    from own.package import leaf, missing\n",
    "by_import.py": "import own.package.leaf as name\nimport own.packages\n",
    "by_dots.py": "from . import leaf\nfrom .by_from import other\nfrom ..package import stranger\n",
    "through.py": "import json\nfrom own.package import by_import\n",
    "around.py": "from own.package import back\n",
    "back.py": "from own.package.around import more\n",
    "leaf.py": "x = 1\n",
    "stranger.py": "x = 2\n",
    "by_room.py": "from own.package.room.inner import thing\n",
    "room/__init__.py": "",
    "room/inner.py": "from . import beside\nfrom .. import leaf\nfrom ... import stranger\n",
    "room/beside.py": "x = 3\n",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leaf", "leaf"),
        ("by_from", "by_from leaf"),
        ("by_package", "by_package leaf"),
        ("by_import", "by_import leaf"),
        ("by_dots", "by_dots by_from leaf stranger"),
        ("through", "by_import leaf through"),
        ("around", "around back"),
        ("by_room", "by_room leaf room/__init__ room/beside room/inner"),
    ],
)
def test_a_module_is_made_of_what_it_imports_beside_it(tmp_path: Path, name: str, expected: str) -> None:
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")

    found = find_sources(tmp_path / f"{name}.py", "own.package")

    assert " ".join(str(path.relative_to(tmp_path).with_suffix("")) for path in found) == expected


def test_a_reference_bot_is_not_made_of_the_others() -> None:
    module = REFERENCE_BOTS["random"].partition(":")[0]
    folder = Path(importlib.import_module(REFERENCE_PACKAGE).__file__ or "").parent

    assert [path.stem for path in find_sources(folder / f"{module.rpartition('.')[2]}.py", REFERENCE_PACKAGE)] == ["random"]
