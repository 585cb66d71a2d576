"""Names of bots: which are equal, and that nobody can take another's or its next version's."""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.names import find_equal, unnumbered, version_name
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import NameTakenError, check_claim, find_submission, submit, versions
from tests.people import person

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
        with refused("the name 'Walker' differs only in case from 'walker'; choose another"):
            check_claim(store, "Walker", "Eve")
        with refused("the name 'Walker' differs only in case from 'walker'; take 'walker' for a new version of it, or another name"):
            check_claim(store, "Walker", person(store, "Ana"))
        with refused("the name 'walker' is taken by another author; choose another"):
            check_claim(store, "walker", "Eve")
        with refused("leave out '.2'"):
            check_claim(store, "runner.2", person(store, "Ana"))
        with refused("the name 'Greedy' is that of the reference bot 'greedy'"):
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
