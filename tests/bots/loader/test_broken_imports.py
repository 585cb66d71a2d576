"""All imports of a file that fail are said at once, with where names of this program are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.errors import BotError
from bots.loader.broken_imports import broken_imports
from bots.loader.loading import resolve

SOURCE = """
from engine.tongiaki import Kind, Kindd
from engine.tongiaki.landing import packed
import os, no_such_package
import engine.nothing as nothing
from engine.tongiaki import find_game
from engine.core import *
try:
    import perhaps_not_there
except ImportError:
    pass


class Bot:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""


def test_each_import_is_named_with_its_line_and_a_moved_one_with_its_place() -> None:
    assert broken_imports(SOURCE) == (
        "; 5 of its imports fail: line 2: no Kindd in engine.tongiaki (did you mean 'Kind'?), "
        "line 3: no module engine.tongiaki.landing (it is engine.tongiaki.rules.landing), line 4: no module no_such_package, "
        "line 5: no module engine.nothing, "
        "line 6: no find_game in engine.tongiaki (it is in engine)"
    )


def test_one_that_fails_is_in_the_error_already() -> None:
    assert not broken_imports("import no_such_package\nimport os\n")
    assert not broken_imports("from . import own\nfrom engine import find_game\n")


def test_the_error_of_a_bot_has_all(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(SOURCE)
    with pytest.raises(BotError, match=r"cannot import name 'Kindd'.*\(line 2\); 5 of its imports fail: line 2: .*no_such_package"):
        resolve(str(path))
