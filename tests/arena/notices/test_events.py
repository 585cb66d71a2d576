"""Which events there are: from orders, verdicts, standings, seals and the calendar, each told once, and nothing that is still hidden."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from arena.entries.orders import Reason, enter, leave
from arena.notices.events import find_events
from arena.season.entry import CALENDAR
from arena.season.season_file import make_season
from arena.spec.spec import Spec
from leaderboard.records.running import RunRecord
from leaderboard.storage.notices import Event, EventKind, add_events
from leaderboard.storage.runs import write_run
from leaderboard.storage.seasons import StoredStage, add_season
from leaderboard.storage.server_tables import UPLOAD
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import NewUpload, QueueLimits, add_upload
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import run
from tests.arena.running import stop_after
from tests.arena.season.test_season_file import FILE
from tests.leaderboard.conftest import execute
from tests.people import person
from tests.stored import tournament_of

NOW = datetime(2027, 6, 21, 18, 30, tzinfo=UTC)
ALL = {"chat": tuple(EventKind)}
ROOM = QueueLimits(99, 99, 10**6, 99)
SEASON = FILE.replace("blocks = 100 }", 'format = "ladder" }').replace(
    "best = 8 }", 'best = 8 }\nends = 2027-06-30 20:00:00\nevery = "10 min"'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A database in which all that has happened so far is known."""
    Store.create(path).close()
    with Store.join(path) as made:
        assert [each.key for each in told(made)] == []
        yield made


def told(store: Store, now: datetime = NOW) -> list[Event]:
    """What there is to tell now, which is stored."""
    found = find_events(store, now)
    add_events(store, found, ALL, now)
    assert find_events(store, now) == []
    return [each for each in found if each.subject]


def ladder(path: Path, name: str = "summer", *, stops: bool = False) -> Spec:
    """A ladder that is over, or has stopped, of b00 of Ana, b01 of Ben and others."""
    spec = plan(4, format="ladder", rounds=30).model_copy(update={"name": name})
    owners = {"b00": "Ana", "b01": "Ben"}
    bots = tuple(bot.model_copy(update={"author": owners.get(bot.name)}) for bot in spec.bots)
    spec = spec.model_copy(update={"bots": bots})
    run(spec, path, is_stopping=stop_after(16) if stops else lambda: False)
    return spec


def test_what_happened_before_the_first_look_is_told_nobody(path: Path) -> None:
    ladder(path, stops=True)
    with Store.join(path) as store:
        leave(store, tournament_of(store), "b00", Reason("it sleeps"))
        assert told(store) == []
        leave(store, tournament_of(store), "b01", Reason("it sleeps, too"))
        assert [each.bot for each in told(store)] == ["b01"]


def test_a_verdict_is_told_its_author_alone_without_the_bot_s_own_words(store: Store) -> None:
    ana = person(store, "Ana")
    for number, (state, note) in enumerate([("accepted", "It enters 'summer' with round 2."), ("failed", ""), ("waiting", "")]):
        add_upload(store, NewUpload(f"u{number}", ana, "walker", "summer", "tongiaki", size=1), b"", ROOM)
        execute(store, f"UPDATE upload SET state = '{state}', reason = 'secret', label = 'walker@{number}' WHERE id = 'u{number}'")  # noqa: S608
        execute(store, f"UPDATE upload SET note = '{note.replace(chr(39), chr(39) * 2)}' WHERE id = 'u{number}'")  # noqa: S608
    add_upload(store, NewUpload("u3", ana, "walker", "summer", "tongiaki", size=1, against="crane"), b"", ROOM)
    execute(store, "UPDATE upload SET state = 'accepted' WHERE id = 'u3'")  # a challenge
    texts = [(each.key, each.text, each.path, each.people, each.bot) for each in told(store)]
    assert texts == [
        ("verdict:u0", "walker@0 has passed its check for 'summer'. It enters 'summer' with round 2.", "/my", (ana,), "walker"),
        ("verdict:u1", "walker@1 has failed its check for 'summer'. The page of your bots says why.", "/my", (ana,), "walker"),
    ]


def test_a_bot_that_is_taken_out_by_rule_or_host_is_told_its_author_each_time(store: Store, path: Path) -> None:
    ladder(path, stops=True)
    assert told(store) == []
    cup, ana = tournament_of(store), person(store, "Ana")
    leave(store, cup, "b00", Reason("it sleeps", "the rule 'bench'"))
    enter(store, cup, "b00", Reason("it is awake"))
    leave(store, cup, "b00", Reason("it sleeps again"))
    leave(store, cup, "b02", Reason("its author has submitted b02@2", CALENDAR))
    found = told(store)
    assert [each.key for each in found] == ["benched:summer:b00:1", "benched:summer:b00:3"]
    assert [each.text for each in found] == [f"b00 is taken out of 'summer': it sleeps{again}." for again in ("", " again")]
    assert {each.people for each in found} == {frozenset([ana])}


def lead(store: Store, bot: str) -> None:
    versions = "SELECT bot_version.id FROM bot_version JOIN bot ON bot.id = bot_id"
    execute(store, f"UPDATE standing SET mu = CASE WHEN bot_version_id IN ({versions} WHERE name = '{bot}') THEN 40 ELSE 20 END, sigma = 1")  # noqa: S608


def test_another_leader_is_told_once_an_hour_and_those_who_have_left_do_not_lead(store: Store, path: Path) -> None:
    ladder(path, stops=True)
    hour = timedelta(hours=1)
    told(store)
    cup, ana = tournament_of(store), person(store, "Ana")
    write_run(store, cup, RunRecord("node", 17, "here", NOW, NOW, 5))
    lead(store, "b00")
    assert told(store) == []  # the first leader has overtaken nobody
    lead(store, "b01")
    assert told(store, NOW + timedelta(minutes=29)) == []
    [event] = told(store, NOW + hour)
    assert (event.text, event.bot, event.people) == ("b01 leads 'summer' now; it was b00 before.", "b01", frozenset([ana]))
    assert told(store, NOW + 2 * hour) == []
    leave(store, cup, "b01", Reason("it sleeps"))
    execute(store, "UPDATE ladder_order SET round = 20")  # it holds
    lead(store, "b01")
    told(store, NOW + 2 * hour)
    [event] = told(store, NOW + 3 * hour)
    assert event.subject.endswith("leads 'summer' now")
    assert event.bot != "b01"


def test_the_end_is_told_with_the_best_to_all_who_took_part(store: Store, path: Path) -> None:
    ladder(path)
    [event] = told(store)
    assert (event.key, event.subject, event.path) == ("over:summer:1", "'summer' is over", "/t/summer")
    assert [line.split(".")[0] for line in event.text.splitlines()] == ["'summer' is over", "1", "2", "3"]
    assert event.people == {person(store, "Ana"), person(store, "Ben")}


def begin(store: Store) -> None:
    stages = [StoredStage(each.tournament, f"sha256:{each.name}", "00") for each in make_season(SEASON, "cup.toml").stages]
    add_season(store, "cup", SEASON, NOW, stages)


def test_a_season_tells_everybody_when_a_stage_begins_freezes_to_the_second_and_is_over(store: Store, path: Path) -> None:
    begin(store)
    freeze = datetime(2027, 6, 27, 16, tzinfo=UTC)
    assert told(store, freeze - timedelta(microseconds=1)) == []
    [frozen] = told(store, freeze)
    assert frozen.text == "Submissions to 'cup-open' are closed since Sunday 27 June 2027, 18:00:00 CEST (16:00:00 UTC)."
    ladder(path, "cup-open")
    found = told(store, freeze)
    assert [each.subject for each in found] == ["'cup-open' has begun", "'cup-open' is over"]
    assert found[0].text.endswith("Submissions close on Sunday 27 June 2027, 18:00:00 CEST (16:00:00 UTC).")
    assert {each.path for each in (frozen, *found)} == {"/season/cup"}
    assert {each.people for each in (frozen, *found)} == {None}


def test_nothing_is_told_of_results_that_are_hidden(store: Store, path: Path) -> None:
    begin(store)
    spec = ladder(path, "cup-final", stops=True)
    shown = datetime(2027, 7, 12, 18, tzinfo=UTC)
    cup = tournament_of(store)
    assert [each.kind for each in told(store, shown - timedelta(days=9))] == [EventKind.FREEZE, EventKind.STAGE]
    write_run(store, cup, RunRecord("node", 17, "here", NOW, NOW, 5))
    leave(store, cup, "b00", Reason("it sleeps"))
    for hours, bot in enumerate(("b02", "b03", "b01")):
        lead(store, bot)
        assert told(store, shown - timedelta(hours=3 - hours)) == []
    run(spec, path)
    told(store, shown - timedelta(seconds=1))
    with store.reading() as connection:
        kinds = connection.exec_driver_sql("SELECT text FROM notice WHERE subject = '''cup-final'' is over'").scalars().all()
    assert kinds == ["'cup-final' is over.\nIts results are shown from Monday 12 July 2027, 20:00:00 CEST (18:00:00 UTC) on."]
    assert [each.kind for each in told(store, shown)] == [EventKind.BENCHED]


def test_a_game_that_is_not_installed_keeps_no_other_event_from_being_told(store: Store, path: Path) -> None:
    ladder(path)
    execute(store, 'UPDATE tournament SET spec = replace(spec, \'"game":"tongiaki"\', \'"game":"chess"\'), game = \'chess\'')
    write_run(store, tournament_of(store), RunRecord("node", 17, "here", NOW, NOW, 5))
    add_season(store, "cup", SEASON.replace("tongiaki", "chess"), NOW, [])
    [event] = told(store)
    assert (event.text, event.people) == ("'summer' is over.", ())


def test_hundreds_of_events_are_found_once(store: Store) -> None:
    ana = person(store, "Ana")
    upload = NewUpload("u0", ana, "walker", "summer", "tongiaki", size=1)
    add_upload(store, upload, b"", ROOM)
    with store.writing() as connection:
        [row] = connection.execute(UPLOAD.select()).mappings()
        rows = [dict(row) | {"number": number, "id": f"u{number}", "state": "accepted"} for number in range(2, 302)]
        connection.execute(insert(UPLOAD), rows)
    assert len(told(store)) == 300
