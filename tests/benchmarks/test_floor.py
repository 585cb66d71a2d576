"""Benchmarks: what counts as slower, and what simulated finals, ladders and luck are checked against."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.analysis.match_analysis import INACCURACY, Grade
from arena.analysis.match_luck import NoLuckError, foresight_of
from benchmarks import floor
from benchmarks.finals import FIELDS, Field, play
from benchmarks.floor import Entry, Ratio, add_entry, compare, ratio_of, read_entries, sentence, this_machine
from benchmarks.luck_truth import TRIALS, is_refused
from benchmarks.named_truth import named_moves
from tests.small_games import add_three_in_a_row

ENTRY = Entry("0123456789", "2026-11-01", {"processor": "A", "cores": "2"}, {"engine": Ratio(2.0, 1.9, 2.1), "web": Ratio(30, 25, 36)})


@pytest.mark.parametrize(("number", "left_out"), [(1, 0), (5, 0), (6, 0), (7, 0), (9, 1), (12, 2), (25, 7)], ids=str)
def test_an_interval_leaves_out_what_the_sign_test_allows(number: int, left_out: int) -> None:
    found = ratio_of([float(value) for value in range(number)])

    assert (found.low, found.high) == (left_out, number - 1 - left_out)
    assert found.low <= found.median <= found.high


@pytest.mark.parametrize(
    ("now", "is_slower"),
    [
        (Ratio(2.5, 2.4, 2.6), True),
        (Ratio(2.5, 2.05, 2.6), False),  # the intervals overlap: it may be noise
        (Ratio(2.15, 2.12, 2.2), False),  # clear, but less than a tenth
        (Ratio(1.5, 1.4, 1.6), False),
    ],
)
def test_slower_is_more_than_a_tenth_and_beyond_noise(now: Ratio, is_slower: bool) -> None:
    assert now.is_slower(ENTRY.ratios["engine"]) is is_slower


def test_a_suspect_is_measured_again_and_named_only_if_it_is_slower_again(monkeypatch: pytest.MonkeyPatch) -> None:
    again = {"engine": Ratio(2.6, 2.5, 2.7), "web": Ratio(30, 26, 34)}
    asked: list[str] = []

    def measure(pieces: dict[str, object], _: int) -> dict[str, Ratio]:
        asked.extend(pieces)
        return {name: again[name] for name in pieces}

    monkeypatch.setattr(floor, "measure", measure)
    pieces = {name: (lambda: None) for name in ("engine", "web", "new")}
    first = {"engine": Ratio(2.5, 2.4, 2.6), "web": Ratio(50, 40, 60), "new": Ratio(9, 9, 9)}

    found = compare(first, pieces, ENTRY, 9)

    assert asked == ["engine", "web"]  # of 'new' the entry knows nothing
    assert found == [sentence("engine", again["engine"], ENTRY)]
    assert found == ["slower: engine takes 1.30 times as long (1.25 to 1.35) as at 0123456789 of 2026-11-01"]
    assert compare(ENTRY.ratios, pieces, ENTRY, 9) == []


@pytest.mark.parametrize(("times", "code"), [(0.5, 1), (2.0, 0)])
def test_the_exit_code_says_whether_something_became_slower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], times: float, code: int
) -> None:
    path = tmp_path / "ratios.jsonl"
    before = {name: Ratio(*(times * value for value in (each.median, each.low, each.high))) for name, each in ENTRY.ratios.items()}
    add_entry(path, replace(ENTRY, machine=this_machine(), ratios=before))
    monkeypatch.setattr(floor, "all_work", lambda _: {"engine": None, "web": None})
    monkeypatch.setattr(floor, "measure", lambda pieces, _: {name: ENTRY.ratios[name] for name in pieces})
    monkeypatch.setattr(sys, "argv", ["floor", "--file", str(path), "--keep"])

    with pytest.raises(SystemExit) as ended:
        floor.main()

    said = capsys.readouterr().out
    assert ended.value.code == code
    assert said.count("slower: ") == (2 if code else 0)
    assert ("nothing has become" in said) is (code == 0)
    assert [entry.ratios for entry in read_entries(path)] == [before, ENTRY.ratios]


def test_every_line_of_this_projects_file_is_an_entry() -> None:
    assert all(entry.ratios for entry in read_entries(floor.FILE))


EQUAL, CLEAR, CYCLE = FIELDS[0], FIELDS[6], FIELDS[8]


@pytest.mark.parametrize("size", [2, 4, 6])
def test_a_clear_field_is_separated_and_what_is_said_of_it_is_true_of_no_other_order(size: int) -> None:
    ended = play(CLEAR, size, seed=3, budget=6000)

    assert ended.is_separated
    assert not ended.is_false
    assert ended.matches < 5000
    reverse = replace(CLEAR, levels=CLEAR.levels[::-1])
    assert play(reverse, size, seed=3, budget=6000).is_false


@pytest.mark.slow  # two hundred finals
@pytest.mark.parametrize(("field", "size"), [(EQUAL, 2), (EQUAL, 6), (CYCLE, 4)], ids=["equal-2", "equal-6", "cycle-4"])
def test_a_false_order_is_stated_in_at_most_a_twentieth_of_finals(field: Field, size: int) -> None:
    ended = [play(field, size, seed, budget=2000) for seed in range(70)]

    assert not any(each.is_separated for each in ended)
    assert sum(each.is_false for each in ended) <= 70 * 0.05


BY_NAME = {trial.name: trial for trial in TRIALS}


def test_games_with_hands_are_refused_unless_they_say_what_chance_could_have_done() -> None:
    assert [trial.name for trial in TRIALS if is_refused(trial.game())] == ["Kuhn, hands dealt anew", "Leduc, hands dealt anew"]
    with pytest.raises(NoLuckError, match="does not declare that all luck is public, so moves may reveal something about secret hands"):
        foresight_of(BY_NAME["Kuhn, hands dealt anew"].game())


@pytest.mark.slow  # hundreds of games
def test_moves_named_by_random_games_are_better_by_exact_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.analysis.position_value.RANDOM_GAMES", 8)
    named = [each for each in named_moves(add_three_in_a_row(monkeypatch), 6) if each.grade is not Grade.FINE]

    assert len(named) > 12
    assert all(each.true > 0 for each in named)
    assert sum(each.true >= INACCURACY for each in named) > 0.9 * len(named)
