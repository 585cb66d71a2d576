"""People: added once, signed in with one token, and deleted for good. In files and on PostgreSQL."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import name_key
from leaderboard.names import PersonNameError, find_equal, person_name, unnumbered, version_name
from leaderboard.storage.people import (
    TOKEN_PREFIX,
    PersonError,
    begin_session,
    delete_person,
    end_token,
    find_person,
    ids_of,
    make_token,
    names_of,
    people,
    person_of_session,
    person_of_token,
    with_names,
)
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    AuthorGoneError,
    NameTakenError,
    Submission,
    SubmissionGoneError,
    check_claim,
    enqueue,
    find_submission,
    keep_version,
    queue,
    seconds_by_author,
    submissions,
    submit,
    versions,
)
from tests.world import ROOM, claimed, person, sent


@pytest.mark.parametrize("name", ["=1", "...", "person-12"])
def test_nobody_is_added_if_anybody_can_not_be(store: Store, name: str) -> None:
    with pytest.raises(PersonError, match=f"^the name '{name}' "):
        ids_of(store, ["Ana", name])
    assert people(store) == ()


def test_a_name_in_another_spelling_is_the_same_person(store: Store) -> None:
    [ana] = ids_of(store, ["Ana"]).values()
    assert ids_of(store, [" ANA ", "\uff21na"]) == {" ANA ": ana, "\uff21na": ana}


def test_people_who_are_added_twice_at_once_are_added_once(place: str) -> None:
    Store.create(place).close()

    def add(start: int) -> dict[str, str]:
        with Store.join(place) as store:
            return ids_of(store, [f"Nr {number}" for number in range(start, start + 20)])

    with ThreadPoolExecutor(4) as pool:
        assert len({each for found in pool.map(add, (0, 10, 0, 10)) for each in found.values()}) == 30
    with Store.read(place) as store:
        assert len(people(store)) == 30


def test_a_token_is_random_and_only_its_hash_is_stored(store: Store) -> None:
    ids = ids_of(store, ["Zoe", "Mia"])
    tokens = [make_token(store, each) for each in ids.values()]
    assert tokens[0] != tokens[1]
    assert all(each.startswith(TOKEN_PREFIX) and len(each) >= len(TOKEN_PREFIX) + 43 for each in tokens), "256 bits in base 64"
    assert {each.token for each in people(store)} == {hashlib.sha256(each.encode()).hexdigest() for each in tokens}
    for wrong in (tokens[0] + "x", "", "\ud800", tokens[0].upper()):
        assert person_of_token(store, wrong) is None


def test_a_new_token_ends_the_old_one_and_its_sessions(store: Store) -> None:
    [zoe] = ids_of(store, ["Zoe"]).values()
    old = make_token(store, zoe)
    session = begin_session(store, old)
    assert session
    assert person_of_session(store, session) == zoe
    new = make_token(store, zoe)
    assert (person_of_token(store, old), person_of_session(store, session), begin_session(store, old)) == (None, None, None)
    assert person_of_token(store, new) == zoe
    end_token(store, zoe)
    assert (person_of_token(store, new), people(store)[0].linked) == (None, None)


def test_everybody_is_found_by_name_id_and_pseudonym(store: Store) -> None:
    ana, ben = ids_of(store, ["Ana", "Ben"]).values()
    delete_person(store, find_person(store, "Ben"), "why not")
    pseudonym = f"former author {ben.removeprefix('person-')}"
    assert [find_person(store, each).id for each in (" aNA", ana, pseudonym, ben)] == [ana, ana, ben, ben]
    assert with_names(store, f"{ana} and {ben}, not person-00000000") == f"Ana and {pseudonym}, not person-00000000"
    with pytest.raises(PersonError, match=r"^there is nobody called 'Ben' in .*; 'arena people list' lists everybody$"):
        find_person(store, "Ben")


def test_who_is_deleted_is_gone_and_their_bots_stay(store: Store, place: str) -> None:
    [ana] = ids_of(store, ["Ana"]).values()
    token = make_token(store, ana)
    session = begin_session(store, token)
    submit(store, "walker", "1" * 64, ana, b"one")
    sent(store, "Ana", "runner")
    delete_person(store, find_person(store, "Ana"), "asked by mail")

    [gone] = people(store)
    assert (gone.shown, gone.linked, gone.why) == (names_of(store)[ana], None, "asked by mail")
    assert gone.shown == f"former author {ana.removeprefix('person-')}"
    assert (person_of_token(store, token), person_of_session(store, session or "")) == (None, None)
    assert queue(store) == ()
    assert [(each.label, each.author, each.by) for each in submissions(store)] == [("walker@1", ana, gone.shown)]
    with pytest.raises(PersonError, match="was already deleted"):
        delete_person(store, gone, "again")
    for sign_in in (make_token, end_token):
        with pytest.raises(PersonError, match="can no longer sign in"):
            sign_in(store, ana)
    assert store.compact() == ("://" in place)  # a file waits for the run that has it open
    assert ids_of(store, ["Ana"]) != {"Ana": ana}  # somebody else, with the same name


def test_no_two_people_have_the_same_id(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"])
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: next(drawn))
    assert [*ids_of(store, ["Ana", "Ben"]).values()] == ["person-aaaaaaaa", "person-bbbbbbbb"]


def test_who_is_deleted_during_a_check_gets_no_version(store: Store) -> None:
    [ana] = ids_of(store, ["Ana"]).values()
    sent(store, "Ana")
    checked = claimed(store)
    delete_person(store, find_person(store, "Ana"), "now")

    with pytest.raises(SubmissionGoneError):
        keep_version(store, checked, ())
    with pytest.raises(AuthorGoneError):
        enqueue(store, Submission(author=ana, name="walker", digest="1" * 64), b"x", ROOM)
    assert (submissions(store), queue(store), seconds_by_author(store, timedelta(hours=1))) == ((), (), {})


def test_no_deleted_name_is_left_in_a_file(store: Store, place: str) -> None:
    if "://" in place:
        pytest.skip("a server's files are its own")
    for number in range(200):
        ids_of(store, [f"Zebedee Quux {number}"])
    for each in people(store)[:150]:
        delete_person(store, each, "all of them")
    store.close()
    with Store.join(place) as joined:
        assert joined.compact()
        for each in people(joined)[150:]:
            delete_person(joined, each, "the rest, which nothing compacts")
    for file in Path(place).parent.glob("results.db*"):
        assert b"uux" not in file.read_bytes().lower(), file


LETTERS = string.ascii_letters + string.digits

NAMES = st.text(LETTERS + "_.-", min_size=1, max_size=12).filter(lambda name: name[0] in LETTERS)

RESERVED = ("greedy", "mcts")


@contextmanager
def refused(words: str) -> Iterator[None]:
    with pytest.raises(NameTakenError) as caught:
        yield
    sentence = str(caught.value)
    assert words in sentence
    assert "\n" not in sentence
    assert len(sentence) < 200


@pytest.mark.parametrize(("name", "equal"), [("hero", "Hero"), ("HERO", "hero"), ("hero-2", "Hero-2")])
def test_names_that_differ_in_case_are_equal(name: str, equal: str) -> None:
    assert find_equal(name, ["other", equal]) == equal


@given(NAMES, st.integers(2, 9999))
def test_nobody_can_submit_under_the_name_of_a_version(name: str, number: int) -> None:
    assert unnumbered(version_name(name, number)) == name.rstrip(".") or name.endswith(".")


class TestClaims:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with Store.create(tmp_path / "s.db") as store:
            submit(store, "walker", "1" * 64, person(store, "Ana"), b"one")
            yield store

    @pytest.mark.parametrize("name", ["walker.2", "Walker", "walker.v3"])
    def test_a_stranger_can_take_neither_the_name_nor_the_next_version(self, store: Store, name: str) -> None:
        with pytest.raises(Exception, match=name):
            submit(store, name, "2" * 64, person(store, "Eve"), b"two")
        assert [each.label for each in versions(store)] == ["walker@1"]

    def test_the_sentences_say_whose_the_name_is(self, store: Store) -> None:
        with refused("the name 'Walker' differs only in case from 'walker'; choose a different name"):
            check_claim(store, "Walker", "Eve")
        with refused("the name 'Walker' differs only in case from 'walker'; use 'walker' to submit a new version, or a different name"):
            check_claim(store, "Walker", person(store, "Ana"))
        with refused("the name 'walker' is taken by another author; choose a different name"):
            check_claim(store, "walker", "Eve")
        with refused("leave out '.2'"):
            check_claim(store, "runner.2", person(store, "Ana"))
        with refused("the name 'Greedy' is already taken by the reference bot 'greedy'"):
            check_claim(store, "Greedy", "Ana", reserved=RESERVED)

    def test_an_author_has_any_number_of_versions_and_names_like_those_of_others_are_free(self, store: Store) -> None:
        for number in range(2, 12):
            assert submit(store, "walker", f"{number:064d}", person(store, "Ana"), b"more", reserved=["walker"]).number == number
        assert submit(store, "walker-fast", "a" * 64, person(store, "Eve"), b"fast").label == "walker-fast@1"

    def test_names_that_an_old_database_has_stay_and_go_on(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as old:
            old.setattr("leaderboard.storage.submissions._check_claim", lambda *_: None)
            submit(store, "walker.2", "2" * 64, person(store, "Eve"), b"two")
            submit(store, "greedy", "3" * 64, person(store, "Eve"), b"three")
        assert find_submission(store, "walker.2").by == "Eve"
        assert submit(store, "walker", "4" * 64, person(store, "Ana"), b"four", reserved=RESERVED).label == "walker@2"
        assert submit(store, "walker.2", "5" * 64, person(store, "Eve"), b"five", reserved=RESERVED).label == "walker.2@2"
        assert submit(store, "greedy", "6" * 64, person(store, "Eve"), b"six", reserved=RESERVED).label == "greedy@2"


@pytest.mark.parametrize(
    ("text", "name"),
    [("Ana", "Ana"), ("  Ana \t Núñez ", "Ana Núñez"), ("Nu\u0301n\u0303ez", "Núñez"), ("李雷", "李雷"), ("O'Neil-7", "O'Neil-7")],
)
def test_a_name_is_kept_composed_and_with_single_blanks(text: str, name: str) -> None:
    assert person_name(text) == name


@pytest.mark.parametrize("text", ["", " ", "...", "a\x1b[31m", "a\u202eb", "a\u200bb", "a\0", "\u3164", "a\u2800", "\ud800", "\u0301"])
def test_what_shows_nothing_or_commands_something_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="printable characters"):
        person_name(text)


@pytest.mark.parametrize("text", ["=1+1", "+Ana", "-Ana", "@Ana", " =cmd|' /C calc'!A0"])
def test_a_formula_of_a_spreadsheet_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="spreadsheets"):
        person_name(text)


@pytest.mark.parametrize("text", ["person-0a1b2c3d", "PERSON-", "Former  author 0a1b2c3d", "former author", "\uff50erson-12"])
def test_an_id_or_a_pseudonym_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="of this program"):
        person_name(text)


@pytest.mark.parametrize("other", ["ana", " Ana ", "ANA", "\uff21na"])
def test_another_spelling_is_the_same_name(other: str) -> None:
    assert name_key(other) == name_key("Ana")
