"""A season's file: what is wrong in it is refused in one sentence, with the line."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.season.season_file import SeasonError, make_season, read_season

FILE = """\
name = "cup"
zone = "Europe/Berlin"
publish = 2027-07-12 20:00:00
game = "tongiaki"

[stages.open]
opens = 2027-06-21 18:00:00
freeze = 2027-06-27 18:00:00
ends = 2027-06-28 18:00:00
every = "10 min"
bots = ["random", "greedy"]
schedule = { format = "ladder", tables = [2] }

[stages.final]
opens = 2027-06-28 20:00:00
enter = { from = "open", best = 8 }
results = 2027-07-12 20:00:00
schedule = { tables = [2], blocks = 100 }
"""


def test_a_season_is_read_with_its_times_in_utc() -> None:
    season = make_season(FILE, "cup.toml")

    first, final = season.stages
    assert (first.tournament, first.opens, first.rounds) == ("cup-open", datetime(2027, 6, 21, 16, tzinfo=UTC), 1008)
    assert first.round_begins(1) == datetime(2027, 6, 21, 16, 10, tzinfo=UTC)
    assert (final.tournament, final.rule and final.rule.best, final.is_ladder) == ("cup-final", 8, False)
    assert season.show(first.opens) == "Monday 21 June 2027, 18:00:00 CEST (16:00:00 UTC)"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('name = "cup"', 'name = "a cup"', 1, "'name' should be"),
        ('name = "cup"', 'nam = "cup"', 1, "unknown key 'nam'; did you mean 'name'?"),
        ("Europe/Berlin", "Europe/Berln", 2, "there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?"),
        ('zone = "Europe/Berlin"', "", 3, "2027-07-12 20:00:00 has no time zone"),
        ("publish = 2027-07-12 20:00:00", "publish = 2027-07-12", 3, "is a day; add the time"),
        ("publish = 2027-07-12 20:00:00", "publish = 20:00:00", 3, "is a time without a day"),
        ("publish = 2027-07-12 20:00:00", "publish = '2027-07-12 20:00:00'", 3, "without quotes"),
        ("publish = 2027-07-12 20:00:00", "publish = 2027-07-12 19:00:00", 17, "'results' of the stage 'final' is after the season is"),
        ("opens = 2027-06-21 18:00:00", "opens = 2027-03-28 02:30:00", 7, "does not exist in Europe/Berlin"),
        ("opens = 2027-06-21 18:00:00", "opens = 2026-10-25 02:30:00", 7, "comes twice in Europe/Berlin"),
        ("opens = 2027-06-21 18:00:00\n", "", 6, "the stage 'open' needs 'opens', the time when it begins"),
        ("freeze = 2027-06-27 18:00:00", "freeze = 2027-06-27 18:00:00.5", 8, "fractions of a second"),
        ("[stages.final]", "[stages.Open]", 14, "has the same name as an earlier one"),
        ("freeze = 2027-06-27", "freeze = 2027-06-20", 8, "the freeze of the stage 'open' is on Sunday 20 June 2027, 18:00:00 CEST"),
        ("ends = 2027-06-28", "ends = 2027-06-20", 9, "before it opens"),
        ("ends = 2027-06-28 18:00:00", "ends = 2027-06-27 18:19:59", 9, "let it end on Sunday 27 June 2027, 18:20:00 CEST"),
        ('every = "10 min"', 'every = "10 m"', 10, "should be a length of time"),
        ('every = "10 min"', 'every = "10 min"\nseed = 7', 11, "can't have the key 'seed'"),
        ('every = "10 min"', 'every = "10 min"\nclock = { mve = 1 }', 11, "did you mean 'move'?"),
        ('every = "10 min"', 'every = "10 min"\nnewest = 0', 11, "'newest' should be the number of"),
        ('every = "10 min"', 'every = "10 min"\nresults = 2027-07-01 18:00:00', 11, "takes submissions, and their authors see results"),
        ('every = "10 min"\n', "", 6, "needs 'every'"),
        ('bots = ["random", "greedy"]\n', "", 6, "nobody can enter the stage 'open'"),
        ('bots = ["random", "greedy"]', 'bots = ["random"]', 12, "for only 1 bot"),
        ('game = "tongiaki"', 'game = "tongiki"', 4, "tongiki"),
        ('format = "ladder", tables = [2]', 'format = "ladder", tables = [9]', 12, "schedule.tables"),
        ('format = "ladder", tables', 'format = "ladder", rounds = 5, tables', 12, "'schedule.rounds' follows from 'ends'"),
        ("opens = 2027-06-28 20:00:00", "opens = 2027-06-28 17:00:00", 15, "but 'open' is not over before"),
        ('from = "open"', 'from = "opn"', 16, "did you mean 'open'?"),
        ("best = 8", "best = 1000000000", 16, "'best' should be the number of bots that enter, 1 to 1000"),
        ("freeze = 2027-06-27 18:00:00", "freeze = 9999-12-31 23:59:59", 8, "is not in the years 1970 to 2999"),
        ('every = "10 min"', 'every = "\u0661\u0660 min"', 10, "should be a length of time"),
        ('every = "10 min"', 'every = "10 min"\nnewest = 1\nmax_per_author = 1', 12, "'newest' already limits the bots of an author"),
        ('name = "cup"', f'name = "cup"\ntitle = "{"x" * 101}"', 2, "at most 100 characters"),
        ("best = 8", "top = 8", 16, "'enter' should be a rule such as"),
        ("best = 8 }", "best = 8 }\nevery = '1 h'", 17, "has no 'every'; only a ladder has one"),
        ("results = 2027-07-12", "results = 2027-06-27", 17, "is before the stage opens"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in FILE

    with pytest.raises(SeasonError) as error:
        make_season(FILE.replace(old, new, 1), "cup.toml")

    assert words in str(error.value)
    assert str(error.value).startswith(f"cup.toml, line {line}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"greedy"]', '"mine.py"]', "line 11: there is no file 'mine.py'"),
        ('every = "10 min"', 'every = "10 min"\nsecret = "no.secret"', "no.secret"),
    ],
)
def test_a_file_that_is_missing_is_named_before_the_season_begins(tmp_path: Path, old: str, new: str, words: str) -> None:
    (tmp_path / "cup.toml").write_text(FILE.replace(old, new, 1))

    with pytest.raises(SeasonError, match=words):
        read_season(tmp_path / "cup.toml")
