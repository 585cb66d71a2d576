"""Loading bots: references, what is refused and why, versions, parameters, and reading a source without running it."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.bots import find_bot
from bots.errors import BotError
from bots.loader.loading import identify, resolve
from bots.loader.manifest import ParamValue
from bots.loader.reference_bots import REFERENCE_BOTS, REFERENCE_PACKAGE
from bots.loader.static_analysis import find_sources
from bots.loader.version import BotVersion, check_name, is_genuine, load, make_bot, make_params, pack, split_reference, unpack
from bots.protocol import Bot
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.world import person

WriteBot = Callable[..., Path]

FIRST = """
class First:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""

TWO = FIRST + FIRST.replace("First", "Second")

RAISING = FIRST + "    def __init__(self):\n        raise ValueError('no luck')\n"

WANTING = FIRST + "    def __init__(self, level): ...\n"

HIDING = "class B:\n    @property\n    def choose(self):\n        raise RuntimeError('mine')\n"


def refused(reference: str, **options: object) -> str:
    """The sentence with which a reference is refused."""
    with pytest.raises(BotError) as caught:
        resolve(reference, **options)  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


class TestReferences:
    @pytest.mark.parametrize("name", REFERENCE_BOTS)
    def test_a_reference_bot_by_its_name(self, name: str) -> None:
        version = resolve(name)
        assert (version.name, version.code) == (name, None)
        assert isinstance(make_bot(version, load(version)), Bot)

    def test_a_file_with_one_bot(self, write_bot: WriteBot) -> None:
        path = write_bot(FIRST)
        version = resolve(str(path))
        assert (version.name, version.class_name, version.origin) == ("my_bot", "First", str(path))

    def test_a_file_is_relative_to_the_base(self, write_bot: WriteBot) -> None:
        path = write_bot(FIRST)
        assert resolve(path.name, base=path.parent).class_name == "First"

    def test_a_class_in_a_module(self, write_bot: WriteBot, monkeypatch: pytest.MonkeyPatch) -> None:
        path = write_bot(FIRST, "contestant_one.py")
        monkeypatch.syspath_prepend(path.parent)
        version = resolve("contestant_one:First")
        assert (version.name, version.origin, version.code) == ("First", "contestant_one", None)

    def test_a_file_that_only_imports_bots_has_none(self, write_bot: WriteBot) -> None:
        assert "no class with a method" in refused(str(write_bot("from bots.reference.random import Random")))


class TestRefusals:
    def test_a_near_miss_of_a_reference_bot(self) -> None:
        assert refused("gredy") == "there is no bot 'gredy'; did you mean 'greedy'?"

    def test_no_such_file(self, tmp_path: Path) -> None:
        assert refused(f"{tmp_path}/none.py") == f"there is no file {tmp_path}/none.py; 'arena new none.py' creates a bot to start from"

    @pytest.mark.parametrize(
        ("source", "chosen", "sentence"),
        [
            ("import random\nclass B:\n  def choose(self", "", "the bot {} can't be imported: '(' was never closed (line 3)"),
            (
                "\nimport nothing_here\n" + FIRST,
                "",
                "the bot {} can't be imported: ModuleNotFoundError: No module named 'nothing_here' (line 2); "
                "if it is a file of your own, send it in a folder with the bot",
            ),
            ("x = 1\n", "", "{} is not a bot: it has no class with a method 'choose(self, view, clock)'"),
            (TWO, "", "{} has several bots; choose one: my_bot.py:First or my_bot.py:Second"),
            (TWO, ":Fist", "the bot {} has no class 'Fist'; did you mean 'First'?"),
            (TWO, ":Bot", "the bot {} has no class 'Bot'; it has First and Second"),
            (
                FIRST + "    weights = open('weights.txt')\n",
                "",
                "the bot {} can't be imported: FileNotFoundError: [Errno 2] No such file or directory: 'weights.txt' (line 5); "
                "send it in a folder with the bot, and open Path(__file__).parent / 'weights.txt'",
            ),
            (RAISING, "", "the bot {} can't be created: First() raised ValueError: no luck (line 6)"),
            (
                WANTING,
                "",
                "the bot {} can't be created: First() raised TypeError: First.__init__() missing 1 required positional argument: 'level'",
            ),
            (HIDING, ":B", "the bot {} can't be created: B() raised RuntimeError: mine (line 4)"),
        ],
    )
    def test_what_is_wrong_with_a_file_is_said_with_its_line(self, write_bot: WriteBot, source: str, chosen: str, sentence: str) -> None:
        path = write_bot(source)
        assert refused(f"{path}{chosen}") == sentence.format(path)

    @pytest.mark.parametrize("raising", ["raise SystemExit(3)", "raise GeneratorExit", "import sys; sys.exit('bye')", "1 / 0"])
    def test_whatever_a_module_raises_is_a_sentence(self, write_bot: WriteBot, raising: str) -> None:
        assert "can't be imported: " in refused(str(write_bot(raising + "\n" + FIRST)))

    @pytest.mark.parametrize("lacking", ["pass", "def chose(self, view, clock): ..."])
    def test_a_class_without_choose(self, write_bot: WriteBot, lacking: str) -> None:
        path = write_bot(f"class B:\n    {lacking}\n")
        assert refused(str(path)) == f"{path} is not a bot: its class B lacks the method 'choose(self, view, clock)'"
        assert refused(f"{path}:B") == f"the bot {path} lacks a method: its class B must define 'choose(self, view, clock)'"

    def test_a_module_that_is_not_there(self) -> None:
        assert (
            refused("no_such_module:Bot")
            == "the bot no_such_module can't be imported: ModuleNotFoundError: No module named 'no_such_module'"
        )

    @pytest.mark.parametrize("name", ["", "a b", "_a", "-a", "ü", "a" * 41, "a\n", "a#2", "\udcff"])
    def test_bad_names(self, name: str) -> None:
        with pytest.raises(BotError, match="can't be a bot's name: use at most 40 characters"):
            check_name(name)

    def test_a_file_whose_name_is_no_bots_name(self, write_bot: WriteBot) -> None:
        assert "'机器人' can't be a bot's name" in refused(str(write_bot(FIRST, "机器人.py")))


class TestVersions:
    @pytest.mark.parametrize(
        ("file", "name"), [("my_bot (1).py", "my_bot-1"), ("läufer.py", "laufer"), ("my_bot_.py", "my_bot_"), ("a" * 50 + ".py", "a" * 40)]
    )
    def test_a_bot_is_named_by_its_file_as_far_as_bots_may_be(self, tmp_path: Path, file: str, name: str) -> None:
        (tmp_path / file).write_text(FIRST)
        assert resolve(file, base=tmp_path).name == name

    def test_the_digest_is_of_class_name_and_source(self, write_bot: WriteBot) -> None:
        path = write_bot(FIRST)
        expected = hashlib.sha256(f"First\n{path.read_text()}".encode()).hexdigest()
        assert resolve(str(path)).digest == expected
        assert resolve(f"{path}:First").digest == expected

    def test_the_digest_changes_with_content_and_class_but_not_with_the_files_name(self, write_bot: WriteBot) -> None:
        one, same, changed, both = (
            write_bot(FIRST, "one.py"),
            write_bot(FIRST, "same.py"),
            write_bot(FIRST + "# changed\n", "changed.py"),
            write_bot(TWO, "both.py"),
        )
        assert resolve(str(one)).digest == resolve(str(same)).digest
        assert resolve(str(one)).digest != resolve(str(changed)).digest
        assert resolve(f"{both}:First").digest != resolve(f"{both}:Second").digest

    def test_reference_bots_have_versions_of_their_own(self) -> None:
        assert len({resolve(name).digest for name in REFERENCE_BOTS}) == len(REFERENCE_BOTS)

    def test_each_bot_has_a_module_of_its_own(self, write_bot: WriteBot) -> None:
        version = resolve(str(write_bot("LEFT = []\n" + FIRST)))
        first, second = load(version), load(version)
        assert first is not second
        sys.modules[first.__module__].LEFT.append(1)
        assert sys.modules[load(version).__module__].LEFT == []


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


SOURCE = """
class Walker:
    params = {"depth": 2, "caution": 0.5, "style": "calm", "is_bold": False, "table": [1]}

    def __init__(self):
        self.at_first = dict(self.params)

    def choose(self, view, clock):
        return view.legal_moves[self.params["depth"] % len(view.legal_moves)]
"""


@pytest.fixture
def walker(tmp_path: Path) -> str:
    (tmp_path / "walker.py").write_text(SOURCE)
    return str(tmp_path / "walker.py")


def made(reference: str) -> Any:
    version = resolve(reference)
    return make_bot(version, load(version))


def not_set(reference: str) -> str:
    with pytest.raises(BotError) as error:
        made(reference)
    return str(error.value)


def test_a_class_has_what_it_was_given_from_its_constructor_on(walker: str) -> None:
    bot = made(f"{walker}?depth=3&caution=1&is_bold=true")
    assert bot.params == bot.at_first == {"depth": 3, "caution": 1.0, "style": "calm", "is_bold": True, "table": [1]}
    assert type(bot.params["caution"]) is float
    assert made(walker).params["depth"] == 2  # another bot of the class is as it was


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("depht=3", "has no parameter 'depht'; did you mean 'depth'?"),
        ("x=3", "has no parameter 'x'; it has depth, caution, style, is_bold, table"),
        ("depth=1.5", "the parameter 'depth' must be an integer, not 1.5"),
        ("depth=true", "the parameter 'depth' must be an integer, not true"),
        ("style=5", "the parameter 'style' must be a string, not 5"),
        ("is_bold=1", "the parameter 'is_bold' must be true or false, not 1"),
        ("table=1", "the parameter 'table' must be of type list, which can't be set here, not 1"),
        ("depth", "write parameters after '?' as NAME=VALUE&NAME=VALUE, with each name only once"),
        ("depth=1&depth=2", "each name only once"),
        ("a b=1", "'a b' can't be a parameter's name; use letters, digits and _"),
        ("depth=99999999999999999", "must be an integer up to 2^53"),
    ],
)
def test_what_cant_be_set_is_refused_in_a_sentence(walker: str, query: str, reason: str) -> None:
    assert reason in not_set(f"{walker}?{query}")


def test_parameters_are_part_of_the_version(walker: str) -> None:
    versions = [identify(walker), identify(f"{walker}?depth=3"), identify(f"{walker}?depth=4"), identify(f"{walker}?caution=0.1&depth=3")]
    assert len({each.digest for each in versions}) == 4
    assert identify(f"{walker}?depth=3&caution=0.1").digest == versions[3].digest  # in any order
    for each in versions:
        assert is_genuine(each)
        assert unpack(pack(each)) == each
    assert not is_genuine(BotVersion("walker", versions[1].digest, walker, "Walker", SOURCE))


def test_a_submitted_bot_takes_them_unless_it_was_submitted_with_some(walker: str, tmp_path: Path) -> None:
    plain, deep = identify(walker), identify(f"{walker}?depth=3")
    with Store.create(tmp_path / "league.db") as store:
        submit(store, "plain", plain.digest, person(store, "Ana"), pack(plain))
        submit(store, "deep", deep.digest, person(store, "Ana"), pack(deep))
        assert find_bot("plain@1?depth=3", store).digest == deep.digest
        assert find_bot("deep@1", store).params == (("depth", 3),)
        with pytest.raises(BotError, match="has parameters from two places"):
            find_bot("deep@1?depth=4", store)


@example(2**53)
@example(-(2**53))
@given(st.one_of(st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_a_value_is_read_as_it_was_written(value: ParamValue) -> None:
    params = make_params({"a": value}, "bot")
    assert split_reference(f"bot.py?a={json.dumps(value)}") == ("bot.py", params)
