"""Every way to name a bot, and the sentence for every way that fails."""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
from collections.abc import Callable
from errno import ENOSYS
from pathlib import Path
from socket import gaierror
from urllib.error import URLError

import pytest

from bots.errors import BotError
from bots.loader.loading import _source_of, resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import check_name, error_line, load, make_bot
from bots.protocol import Bot

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

    def test_a_class_in_a_file_of_several(self, write_bot: WriteBot) -> None:
        path = write_bot(TWO)
        assert resolve(f"{path}:Second").class_name == "Second"

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

    def test_a_byte_order_mark_is_no_part_of_the_bot(self, write_bot: WriteBot, tmp_path: Path) -> None:
        plain = write_bot(FIRST)
        marked = tmp_path / "marked.py"
        marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
        assert resolve(str(marked)).digest == resolve(str(plain)).digest


class TestRefusals:
    def test_a_near_miss_of_a_reference_bot(self) -> None:
        assert refused("gredy") == "there is no bot 'gredy'; did you mean 'greedy'?"

    def test_no_such_file(self, tmp_path: Path) -> None:
        assert refused(f"{tmp_path}/none.py") == f"there is no file {tmp_path}/none.py; 'arena new none.py' writes a bot to start from"

    @pytest.mark.parametrize(
        ("source", "chosen", "sentence"),
        [
            ("import random\nclass B:\n  def choose(self", "", "the bot {} can't be imported: '(' was never closed (line 3)"),
            (
                "\nimport nothing_here\n" + FIRST,
                "",
                "the bot {} can't be imported: ModuleNotFoundError: No module named 'nothing_here' (line 2); "
                "if it is a file of your own, send a folder with both",
            ),
            ("x = 1\n", "", "{} is not a bot: it has no class with a method 'choose(self, view, clock)'"),
            (TWO, "", "{} has several bots; say which: my_bot.py:First or my_bot.py:Second"),
            (TWO, ":Fist", "the bot {} has no class 'Fist'; did you mean 'First'?"),
            (TWO, ":Bot", "the bot {} has no class 'Bot'; it has First and Second"),
            (
                FIRST + "    weights = open('weights.txt')\n",
                "",
                "the bot {} can't be imported: FileNotFoundError: [Errno 2] No such file or directory: 'weights.txt' (line 5); "
                "send a folder with the file in it, and open Path(__file__).parent / 'weights.txt'",
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
        assert refused(f"{path}:B") == f"the bot {path} lacks a method: its class B needs 'choose(self, view, clock)'"

    def test_a_module_that_is_not_there(self) -> None:
        assert (
            refused("no_such_module:Bot")
            == "the bot no_such_module can't be imported: ModuleNotFoundError: No module named 'no_such_module'"
        )

    @pytest.mark.parametrize("name", ["", "a b", "_a", "-a", "ü", "a" * 41, "a\n", "a#2", "\udcff"])
    def test_bad_names(self, name: str) -> None:
        with pytest.raises(BotError, match="can't be a bot's name: use up to 40 of"):
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

    def test_a_bot_that_looks_up_a_heuristic_is_another_version_when_one_changes(self) -> None:
        folder = Path(sys.modules["bots"].__path__[0]) / "reference"
        for name, is_made_of_them in (("expert", True), ("greedy", True), ("mcts", True), ("random", False)):
            source = _source_of(importlib.import_module(REFERENCE_BOTS[name].partition(":")[0]))
            for heuristic in (folder / "heuristics").glob("*.py"):
                assert (heuristic.read_bytes() in source) == is_made_of_them, (name, heuristic)

    def test_each_bot_has_a_module_of_its_own(self, write_bot: WriteBot) -> None:
        version = resolve(str(write_bot("LEFT = []\n" + FIRST)))
        first, second = load(version), load(version)
        assert first is not second
        sys.modules[first.__module__].LEFT.append(1)
        assert sys.modules[load(version).__module__].LEFT == []

    @pytest.mark.parametrize("source", ["file", "greedy"])
    def test_a_version_travels_by_pickle_when_its_file_is_gone(self, write_bot: WriteBot, source: str) -> None:
        path = write_bot(FIRST)
        version = resolve(str(path) if source == "file" else source)
        sent = pickle.dumps(version)
        path.unlink()
        for name in [name for name in sys.modules if name.startswith("bot_")]:
            del sys.modules[name]
        arrived = pickle.loads(sent)  # noqa: S301  # our own
        assert arrived == version
        assert isinstance(make_bot(arrived, load(arrived)), Bot)


class TestErrorLines:
    @pytest.mark.parametrize(
        "error", [OSError(ENOSYS, "Function not implemented"), RuntimeError("can't start new thread"), URLError("x"), gaierror(-3, "")]
    )
    def test_what_isolation_forbids_is_said_of_a_call_that_it_refused(self, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bots.loader.suggestions._ALLOWED", [()])
        if isinstance(error, URLError):
            error.__context__ = OSError(ENOSYS, "Function not implemented")
        line = error_line(error, resolve("random"))
        assert line.endswith("isolated bots can't use asyncio, multiprocessing or the network, and threads only as runtime.threads allows")
