"""Anchors: the file they come in, and which of them hold for a tournament."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from leaderboard.ratings.anchors import (
    AnchorsFileError,
    Conditions,
    Measured,
    MeasuredBot,
    NoAnchorError,
    anchors_text,
    find_anchors,
    read_anchors,
    replaced,
)
from leaderboard.ratings.rating_fold import Anchor

HERE = Conditions("sunda", {"level": 1, "resources": (1, 2)}, 3, 4.0)
BOTS = (
    MeasuredBot("greedy", "aa", 30.0, 0.5, 100),
    MeasuredBot("random", "bb", 20.0, 0.25, 100),
    MeasuredBot("mcts", "cc", 35.0, 1.0, 50, searches=True),
)
MEASURED = Measured(replace(HERE, nodes=2000), 7, {"strength-2": "sha256:00"}, BOTS)


class TestTheFile:
    def test_what_is_written_is_read_back(self, tmp_path: Path) -> None:
        path = tmp_path / "anchors.json"
        path.write_bytes(anchors_text([MEASURED]))
        assert read_anchors(path) == (MEASURED,)

    def test_without_a_file_there_is_nothing(self, tmp_path: Path) -> None:
        assert read_anchors(tmp_path / "none.json") == ()

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("{", "is not an anchors file"),
            ('{"format": "x", "measured": []}', "the format of .* is .x."),
            ("[]", "is not an anchors file"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path: Path, text: str, words: str) -> None:
        (tmp_path / "anchors.json").write_text(text)
        with pytest.raises(AnchorsFileError, match=words):
            read_anchors(tmp_path / "anchors.json")

    def test_a_new_measure_takes_the_place_of_the_old_one_of_the_same_options_alone(self) -> None:
        other = replace(MEASURED, conditions=replace(HERE, options={"level": 2, "resources": (1, 2)}))
        newer = replace(MEASURED, conditions=replace(HERE, rules_version=4), bots=BOTS[:1])
        assert set(map(anchors_text, [[each] for each in replaced([MEASURED, other], newer)])) == {
            anchors_text([other]),
            anchors_text([newer]),
        }

    def test_the_order_of_measuring_does_not_show_in_the_file(self) -> None:
        other = replace(MEASURED, conditions=replace(HERE, game="tongiaki"))
        assert anchors_text([MEASURED, other]) == anchors_text([other, MEASURED])


class TestWhichHold:
    def test_those_of_the_very_versions_under_whatever_name(self) -> None:
        found = find_anchors([MEASURED], HERE, {"greedy": "aa", "random": "other", "second": "bb", "mine": "dd"})
        assert found == (Anchor("greedy", 30.0, 0.5), Anchor("second", 20.0, 0.25))

    def test_a_bot_that_searches_needs_the_nodes_it_was_measured_with(self) -> None:
        versions = {"greedy": "aa", "mcts": "cc"}
        assert [each.bot for each in find_anchors([MEASURED], replace(HERE, nodes=2000), versions)] == ["greedy", "mcts"]
        assert [each.bot for each in find_anchors([MEASURED], replace(HERE, nodes=100), versions)] == ["greedy"]
        assert [each.bot for each in find_anchors([MEASURED], replace(HERE, nodes=2000), versions, is_hurried=True)] == ["greedy"]

    @pytest.mark.parametrize(
        ("here", "versions", "why"),
        [
            (replace(HERE, game="tongiaki"), {"greedy": "aa"}, "none was measured at tongiaki"),
            (replace(HERE, options={"level": 1}), {"greedy": "aa"}, "none was measured at sunda with these options"),
            (replace(HERE, rules_version=2), {"greedy": "aa"}, "the strengths were measured by version 3 of the rules, not 2"),
            (replace(HERE, beta=5.0), {"greedy": "aa"}, "the strengths were measured with rating.beta 4, which sets their scale, not 5"),
            (HERE, {"mcts": "cc"}, "mcts could anchor with clock.nodes 2000 and no less time than usual, as when measured"),
            (HERE, {"greedy": "zz"}, "greedy was measured in another version"),
            (HERE, {"mine": "zz"}, "only greedy, random, mcts can be"),
        ],
    )
    def test_without_any_it_says_why(self, here: Conditions, versions: dict[str, str], why: str) -> None:
        with pytest.raises(NoAnchorError) as error:
            find_anchors([MEASURED], here, versions)
        assert str(error.value) == why
