"""People: added once however often they are imported, signed in with one token, and deleted for good. In files and on PostgreSQL."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.storage.people import (
    TOKEN_PREFIX,
    Change,
    NewPerson,
    PersonError,
    Role,
    add_people,
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
    role_of,
    sessions_of,
    with_names,
)
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submissions, submit
from leaderboard.storage.tables import PERSON
from leaderboard.storage.uploads import (
    AuthorGoneError,
    NewUpload,
    QueueLimits,
    UploadGoneError,
    add_upload,
    claim,
    keep_version,
    queue,
    seconds_by_author,
)

ROOM = QueueLimits(9, 9, 10**6, 9)


def changes(store: Store, *new: NewPerson) -> list[str]:
    return [each.change.value for each in add_people(store, new, links=True)]


def test_a_list_may_be_imported_again(store: Store) -> None:
    ana, ben = NewPerson("Ana", "ana@example.org"), NewPerson("Ben", role=Role.HOST)
    first = add_people(store, [ana, ben], links=True)
    assert [each.token is None for each in first] == [False, False]
    assert [(each.change, each.token) for each in add_people(store, [ana, ben], links=True)] == [(Change.KNOWN, None)] * 2
    assert changes(store, NewPerson("ANA ", role=Role.HOST), NewPerson("Cid"), NewPerson("Ben")) == ["changed", "new", "known"]
    assert [(each.name, each.mail, each.role.value) for each in people(store)] == [
        ("Ana", "ana@example.org", "host"),
        ("Ben", "", "host"),
        ("Cid", "", "author"),
    ]
    assert [person_of_token(store, str(each.token)) for each in first] == [each.id for each in people(store)[:2]]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("=1", r"line 2: the name '=1' should not begin"), ("\u0410na", "line 2: .* looks like 'Ana', who is")],
)
def test_nobody_is_added_if_anybody_can_not_be(store: Store, name: str, sentence: str) -> None:
    with pytest.raises(PersonError, match=sentence):
        add_people(store, [NewPerson("Ana", line=1), NewPerson(name, line=2)])
    assert people(store) == ()


def test_two_imports_at_once_add_everybody_once(place: str) -> None:
    Store.create(place).close()
    lists = [[NewPerson(f"Nr {number}") for number in range(start, start + 20)] for start in (0, 10)] * 2

    def add(new: list[NewPerson]) -> int:
        with Store.join(place) as store:
            return sum(each.change is Change.NEW for each in add_people(store, new, links=True))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(add, lists)) == 30
    with Store.read(place) as store:
        assert len({each.id for each in people(store)}) == len(people(store)) == 30


def test_a_token_is_random_and_only_its_hash_is_stored(store: Store) -> None:
    ids = ids_of(store, ["Zoe", "Mia"])
    tokens = [make_token(store, each) for each in ids.values()]
    assert tokens[0] != tokens[1]
    assert all(each.startswith(TOKEN_PREFIX) and len(each) >= len(TOKEN_PREFIX) + 43 for each in tokens), "256 bits in base 64"
    with store.reading() as connection:
        digests = set(connection.execute(select(PERSON.c.token)).scalars())
    assert digests == {hashlib.sha256(each.encode()).hexdigest() for each in tokens}
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
    [ana] = add_people(store, [NewPerson("Ana", "ana@example.org", Role.HOST)], links=True)
    session = begin_session(store, str(ana.token))
    submit(store, "walker", "1" * 64, ana.person, b"one")
    add_upload(store, NewUpload("u1", ana.person, "runner", "", "tongiaki", size=1), b"x", ROOM)
    delete_person(store, find_person(store, "Ana"), "asked by mail")

    [gone] = people(store)
    assert (gone.name, gone.mail, gone.role, gone.linked, gone.why) == (names_of(store)[ana.person], "", Role.AUTHOR, None, "asked by mail")
    assert gone.name == f"former author {ana.person.removeprefix('person-')}"
    assert (person_of_token(store, str(ana.token)), person_of_session(store, session or "")) == (None, None)
    assert (sessions_of(store, ana.person), queue(store), role_of(store, ana.person)) == ((), (), Role.AUTHOR)
    assert [(each.label, each.author, each.by) for each in submissions(store)] == [("walker@1", ana.person, gone.name)]
    with pytest.raises(PersonError, match="was already deleted"):
        delete_person(store, gone, "again")
    for sign_in in (make_token, end_token):
        with pytest.raises(PersonError, match="can no longer sign in"):
            sign_in(store, ana.person)
    assert store.compact() == ("://" in place)  # a file waits for the run that has it open
    assert changes(store, NewPerson("Ana")) == ["new"]  # somebody else, with the same name
    assert find_person(store, "Ana").id != ana.person


def test_no_two_people_have_the_same_id(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"])
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: next(drawn))
    assert [*ids_of(store, ["Ana", "Ben"]).values()] == ["person-aaaaaaaa", "person-bbbbbbbb"]


def test_who_is_deleted_during_an_upload_or_its_check_gets_no_version(store: Store) -> None:
    [ana] = ids_of(store, ["Ana"]).values()
    new = NewUpload("u1", ana, "walker", "", "tongiaki", size=1)
    add_upload(store, new, b"x", ROOM)
    claimed = claim(store, queue(store)[0].number)
    assert claimed is not None
    delete_person(store, find_person(store, "Ana"), "now")

    with pytest.raises(UploadGoneError):
        keep_version(store, claimed[0].number, "1" * 64, b"x", (), report="")
    with pytest.raises(AuthorGoneError):
        add_upload(store, NewUpload("u2", ana, "walker", "", "tongiaki", size=1), b"x", ROOM)
    assert (submissions(store), queue(store), seconds_by_author(store, timedelta(hours=1))) == ((), (), {})


def test_no_deleted_name_is_left_in_a_file(store: Store, place: str) -> None:
    if "://" in place:
        pytest.skip("a server's files are its own")
    for number in range(200):
        add_people(store, [NewPerson(f"Zebedee Quux {number}", f"zebedee{number}@quux.example")])
    for each in people(store)[:150]:
        delete_person(store, each, "all of them")
    store.close()
    with Store.join(place) as joined:
        assert joined.compact()
        for each in people(joined)[150:]:
            delete_person(joined, each, "the rest, which nothing compacts")
    for file in Path(place).parent.glob("results.db*"):
        assert b"uux" not in file.read_bytes().lower(), file
