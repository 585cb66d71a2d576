"""Parameters of bots: read from a reference, a tournament file or a manifest, set on a class, told to a program, part of the version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.bots import find_bot, find_bots
from arena.spec.spec import SpecError, make_spec
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.loader.loading import identify, resolve
from bots.loader.manifest import ParamValue
from bots.loader.version import BotVersion, is_genuine, load, make_bot, make_params, pack, split_reference, unpack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.bots.playing import play_random
from tests.bots.wasm import modules
from tests.people import person

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


def refused(reference: str) -> str:
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
        ("depth=1.5", "the parameter 'depth' should be an integer, not 1.5"),
        ("depth=true", "the parameter 'depth' should be an integer, not true"),
        ("style=5", "the parameter 'style' should be a text, not 5"),
        ("is_bold=1", "the parameter 'is_bold' should be true or false, not 1"),
        ("table=1", "the parameter 'table' should be of the kind list, which can't be set here, not 1"),
        ("depth", "after '?' parameters are written as NAME=VALUE&NAME=VALUE, each of them once"),
        ("depth=1&depth=2", "each of them once"),
        ("a b=1", "'a b' can't be the name of a parameter; use letters, digits and _"),
        ("depth=99999999999999999", "should be an integer up to 2^53"),
    ],
)
def test_what_cant_be_set_is_refused_in_a_sentence(walker: str, query: str, reason: str) -> None:
    assert reason in refused(f"{walker}?{query}")


def test_parameters_are_part_of_the_version(walker: str) -> None:
    versions = [identify(walker), identify(f"{walker}?depth=3"), identify(f"{walker}?depth=4"), identify(f"{walker}?caution=0.1&depth=3")]
    assert len({each.digest for each in versions}) == 4
    assert identify(f"{walker}?depth=3&caution=0.1").digest == versions[3].digest  # in any order
    for each in versions:
        assert is_genuine(each)
        assert unpack(pack(each)) == each
    assert not is_genuine(BotVersion("walker", versions[1].digest, walker, "Walker", SOURCE))


def test_a_tournament_sets_them_in_a_table_or_in_the_source(walker: str) -> None:
    bots = [{"source": walker, "params": {"depth": 3}}, {"name": "deep", "source": f"{walker}?depth=3"}, "random"]
    spec = make_spec({"name": "cup", "game": "tongiaki", "seed": 1, "bots": bots, "schedule": {"tables": [2]}})
    assert [bot.name for bot in spec.bots] == ["walker", "deep", "random"]
    assert json.loads(spec.canonical())["bots"][0]["params"] == {"depth": 3}
    assert "params" not in json.loads(spec.canonical())["bots"][1]
    found = find_bots(spec, Path(), None)
    assert found["walker"].digest == found["deep"].digest
    twice = [{"source": f"{walker}?depth=3", "params": {"depth": 4}}, "random"]
    with pytest.raises(BotError, match=r"bot 'walker': .* has been given parameters before"):
        find_bots(make_spec({"name": "cup", "game": "tongiaki", "seed": 1, "bots": twice, "schedule": {"tables": [2]}}), Path(), None)
    with pytest.raises(SpecError, match=r"bots\[0\]\.params"):
        make_spec({"name": "cup", "game": "tongiaki", "bots": [{"source": walker, "params": {"depth": [3]}}]})


def test_a_submitted_bot_takes_them_unless_it_was_submitted_with_some(walker: str, tmp_path: Path) -> None:
    plain, deep = identify(walker), identify(f"{walker}?depth=3")
    with Store.create(tmp_path / "league.db") as store:
        submit(store, "plain", plain.digest, person(store, "Ana"), pack(plain))
        submit(store, "deep", deep.digest, person(store, "Ana"), pack(deep))
        assert find_bot("plain@1?depth=3", store).digest == deep.digest
        assert find_bot("deep@1", store).params == (("depth", 3),)
        with pytest.raises(BotError, match="has been given parameters before"):
            find_bot("deep@1?depth=4", store)


def test_a_class_of_a_folder_is_set_by_its_manifest_and_by_who_plays_it(tmp_path: Path, own_process: PlayerPool) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "walker.py").write_text(
        SOURCE.replace("view.legal_moves[self", 'print("plays", self.params["depth"]) or view.legal_moves[self')
    )
    (folder / "bot.toml").write_text('class = "walker:Walker"\n[params]\ndepth = 7\n')
    for query, depth in (("", 7), ("?depth=9", 9)):
        version = identify(f"{folder}{query}")
        assert is_genuine(version)
        seat = play_random(own_process, version).seats[0]
        assert (seat.fault, seat.log.splitlines()[0]) == (None, f"plays {depth}")


def test_a_program_is_told_those_of_its_manifest(tmp_path: Path, own_process: PlayerPool) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.sh").write_text("exit 3")  # what it was told is kept
    (folder / "bot.toml").write_text('command = ["sh", "bot.sh"]\n[params]\ndepth = 7\ncaution = 0.5\n')
    versions = [identify(f"{folder}"), identify(f"{folder}?depth=9&caution=1")]
    assert versions[0].digest != versions[1].digest
    for version, told in zip(versions, ({"caution": 0.5, "depth": 7}, {"caution": 1.0, "depth": 9}), strict=True):
        assert is_genuine(version)
        seat = play_random(own_process, version).seats[0]
        assert json.loads(seat.messages[0].removeprefix("> "))["params"] == told
    assert refused(f"{folder}?dept=9").endswith("has no parameter 'dept'; did you mean 'depth'?")
    (folder / "bot.toml").write_text('command = ["sh", "bot.sh"]\n[params]\n"a b" = 1\n')
    assert "bot.toml: 'a b' can't be the name of a parameter" in refused(str(folder))
    (folder / "bot.toml").write_text('command = ["sh", "bot.sh"]\nparams = 1\n')
    assert "bot.toml: 'params' should be a table" in refused(str(folder))


def test_a_module_is_told_those_of_its_manifest(tmp_path: Path, own_process: PlayerPool) -> None:
    text = modules.text_of(start="(call $log (i32.const 65536) (local.get $n))")
    modules.compiled(text)
    (tmp_path / "bot.wasm").write_bytes(modules.assembled(text))
    (tmp_path / "bot.toml").write_text('wasm = "bot.wasm"\n[params]\ndepth = 7\ncaution = 0.5\n')
    seat = play_random(own_process, identify(f"{tmp_path}?depth=9")).seats[0]
    assert (seat.fault, json.loads(seat.log)["params"]) == (None, {"caution": 0.5, "depth": 9})


@example(2**53)
@example(-(2**53))
@given(st.one_of(st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_a_value_is_read_as_it_was_written(value: ParamValue) -> None:
    params = make_params({"a": value}, "bot")
    assert split_reference(f"bot.py?a={json.dumps(value)}") == ("bot.py", params)
